// SmartPlugin: queries the SMART data of each disk at its interval and reports changes to fmd.
//
//   udev, timer ─▶ rescan(): lists the disks ─▶ look() at each, at its interval
//   look() ─▶ Asker ─▶ answered(): observed | asleep | hung | refused ─▶ DiskRecord, News ─▶
//   flush()
//
// Starts once fmd has sent the cursor. Single thread.
#pragma once
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "plugins/sdk/messages.h"
#include "plugins/sdk/plugin.h"
#include "plugins/sdk/timer.h"
#include "plugins/sdk/udev_monitor.h"
#include "plugins/smart/asker.h"
#include "plugins/smart/disk_list.h"
#include "plugins/smart/disk_record.h"
#include "plugins/smart/news.h"
#include "plugins/smart/options.h"
#include "plugins/smart/self_tests.h"

namespace fmd::smart {

class SmartPlugin {
 public:
  SmartPlugin(sd_event* loop, sdk::Host& host, const std::string& socket, Options options);
  SmartPlugin(const SmartPlugin&) = delete;
  SmartPlugin& operator=(const SmartPlugin&) = delete;
  // Handles a udev event; public for tests.
  void on_udev(const sdk::UdevMonitor::Event& event);

 private:
  struct Known {
    Target target;     // fmri "": behind a RAID controller and not yet identified
    bool own = false;  // behind a RAID controller: no other plugin sees it
    size_t path = 0;   // index of the target's device to query
    DiskRecord record;
    int64_t skips = 0;
    bool test_asked = false;  // a test was requested since the last query
    std::unique_ptr<sdk::Timer> timer;
    std::map<SelfTest::Kind, std::unique_ptr<sdk::Timer>> rests;  // while it runs, not scheduled
    std::vector<sdk::Plugin::Reply> waiting;                      // callers waiting for this query
  };

  void connected(const std::string& cursor);
  void rescan_soon();
  void rescan();
  void add_passthrough();
  void schedule(const std::string& key, std::chrono::milliseconds in);
  void look(const std::string& key);
  void answered(const std::string& key, const sdk::CommandOutput& output);
  // Converts sector counts with the unit that this disk is known to use.
  Report read_answer(const Known& known, const sdk::CommandOutput& output) const;
  void take_report(const std::string& key, Known& known, const Report& report);
  void take_hang(Known& known);
  void tell_waiting(Known& known);
  void take_identity(const std::string& key, Known& known, const std::string& fmri);
  bool is_elsewhere(const std::string& fmri, const std::string& key) const;
  bool is_told_elsewhere(const Known& known) const;
  bool whole_is_known() const;
  void flush();
  nlohmann::json take_resources();
  void send_readings();
  void tell_status();
  std::vector<std::string> argv(const Known& known, std::vector<std::string> options) const;

  void plan_tests();
  // type: "short", "long", "abort".
  void rest(Known& known, const std::string& type, bool begun);
  bool ask_test(const std::string& key, const std::string& type,
                const sdk::Plugin::Reply& reply = {});
  void test_answered(const std::string& key, const std::string& type,
                     const sdk::CommandOutput& output, const sdk::Plugin::Reply& reply);
  void on_command(const sdk::CommandRequest& request, const sdk::Plugin::Reply& reply);

  sd_event* loop_;
  sdk::Host& host_;
  Options options_;
  sdk::Plugin plugin_;
  Asker asker_;
  News news_;
  sdk::Timer periodic_, soon_, flush_, tests_;
  std::unique_ptr<sdk::UdevMonitor> udev_;
  KnownDisks listed_;
  std::map<std::string, Known> known_;  // by FMRI, or "DEVICE TYPE" behind a RAID controller
  // By FMRI: hash of what was last sent on this connection (DiskRecord::beside_readings()). A disk
  // may move to another key and back.
  std::map<std::string, size_t> told_;
  std::set<std::string> changed_;      // keys to send at the next flush...
  std::set<std::string> measured_;     // ...and those with new readings
  std::set<std::string> gone_;         // FMRIs behind a RAID controller that another took over
  std::vector<sdk::OutEvent> events_;  // for the next flush
  std::string blind_;                  // why no disks can be listed; "": they can
  bool started_ = false;
  bool complete_due_ = false;  // the connection is new
};

}  // namespace fmd::smart
