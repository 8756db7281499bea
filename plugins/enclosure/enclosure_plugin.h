// EnclosurePlugin: reports chassis and bays to fmd and sets LEDs on command. It decides nothing:
// the reconciler knows which LEDs should be lit, so an LED changed by somebody else is only
// reported. Single thread.
//
//   udev ─▶ glance(): the disks of known bays, before a slow enclosure has reported the rest
//   watcher_ ─▶ begin_round(): one scan per enclosure, each on its lane, and one of the host's
//   box ─▶ round_over(): publish
//   set_led ─▶ Leds ─▶ LedOrder on the same lane ─▶ read back ─▶ publish, reply, scan after 1 s
#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fmd/chassis/library.h"
#include "plugins/enclosure/components.h"
#include "plugins/enclosure/enclosure_memory.h"
#include "plugins/enclosure/lane.h"
#include "plugins/enclosure/leds.h"
#include "plugins/enclosure/picture.h"
#include "plugins/sdk/inventory_diff.h"
#include "plugins/sdk/last_answer.h"
#include "plugins/sdk/plugin.h"
#include "plugins/sdk/timer.h"
#include "plugins/sdk/udev_monitor.h"
#include "plugins/sdk/watcher.h"

namespace fmd::enclosure {

struct Options {
  std::chrono::milliseconds rescan{10000};
  std::chrono::milliseconds device_deadline{20000};  // for one scan or one LED write
  std::chrono::milliseconds components{60000};       // interval for power supplies and fans
  std::vector<std::string> descriptions;             // folders of *.toml; later ones override
  std::string state_file = {};                       // "": state is kept in memory only
  LedOrder::Write write_led;                         // for tests; empty: a normal write
  std::function<Enclosure(const sdk::Host&, const std::string&, const Enclosure*)> scan =
      scan_enclosure;
};

class EnclosurePlugin {
 public:
  EnclosurePlugin(sd_event* loop, sdk::Host& host, const std::string& socket, Options options);
  void on_udev(const sdk::UdevMonitor::Event& event);

 private:
  struct Entry {  // in /sys/class/enclosure, or "": the host's box; several may be one chassis
    std::shared_ptr<Lane> lane;
    bool scanned = false;
    Seen seen;
    sdk::LastAnswer last;  // of the full scans
    bool as_told = false;  // unchanged since that scan
    bool glancing = false, glance_again = false;
    std::shared_ptr<Components> asking;
    SesLayout layout;      // from the last answer
    bool by_page = false;  // the status page covers its slots, so their attributes need not be read
    std::optional<std::chrono::steady_clock::time_point> asked;
    std::string silent;  // why no parts are observed, as last logged
  };
  void glance();
  // anew: identifies a bay's disk again, even if its diskseq is the same.
  std::string look(const std::string& name, bool anew) const;
  void glanced(const std::string& name, const sdk::CommandOutput& output);
  void begin_round(bool asked);
  void scan(const std::string& name);
  void scanned(const std::string& name, sdk::CommandOutput output);
  bool take_in(const std::string& name, Entry& entry, const sdk::CommandOutput& output);
  void scan_fully(const std::string& name);
  void scan_by_page(const std::string& name);
  void told(const std::string& name, const Result<Components::Answer>& answer, bool hangs);
  void components_told(const std::string& name, Entry& entry, const Result<Components::Answer>&);
  std::string device_of(const Entry& entry) const;
  void ask_components(const std::string& name, Entry& entry);
  void over(const std::string& name);
  void round_over();
  void remember_empty();
  void publish(bool complete);
  bool read_descriptions();
  std::vector<const Seen*> seen() const;
  BayIndex index();
  void tell_status();
  void tell_shelves();
  void remember_installed(Seen& seen);

  sd_event* loop_;
  sdk::Host& host_;
  Options options_;
  sdk::Plugin plugin_;
  sdk::InventoryDiff inventory_;
  sdk::Watcher watcher_;
  sdk::Timer glance_, after_write_;
  std::unique_ptr<sdk::UdevMonitor> udev_;
  chassis::Library library_;
  std::vector<chassis::Library::Found> host_descriptions_;
  std::string descriptions_state_;  // names, times and sizes of the files as last read
  std::string descriptions_wrong_;  // the first error; "" if none
  std::map<std::string, Entry> entries_;
  EnclosureMemory memory_;
  Leds leds_;
  std::set<std::string> scanning_;  // of the running round
  bool anew_ = false;               // udev has reported an event: identify disks again
  bool reads_anew_ = false;         // in the running round
  bool changed_ = false;            // in the running round
};

}  // namespace fmd::enclosure
