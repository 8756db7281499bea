// IpmiPlugin: polls the sensors and the event log of the machine's BMC, one request at a time, and
// reports changes to fmd.
//
//   watcher_ ─▶ look(): if no order uses the link ─▶ poll()
//   poll() ─▶ silent ──────────────────────────────▶ over; the interval grows
//      │ └─▶ other sensors: SDR, FRU memories ─▶ poll()
//      └───▶ readings, new log entries ─▶ publish() ─▶ over; the next poll after the interval, or
//                                                      soon if a sensor's state has changed
// Single thread.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plugins/ipmi/bmc.h"
#include "plugins/ipmi/identify.h"
#include "plugins/ipmi/news.h"
#include "plugins/ipmi/options.h"
#include "plugins/ipmi/parts.h"
#include "plugins/sdk/inventory_diff.h"
#include "plugins/sdk/messages.h"
#include "plugins/sdk/plugin.h"
#include "plugins/sdk/watcher.h"

namespace fmd::ipmi {

class IpmiPlugin {
 public:
  IpmiPlugin(sd_event* loop, sdk::Host& host, const std::string& socket, Options options);
  IpmiPlugin(const IpmiPlugin&) = delete;
  IpmiPlugin& operator=(const IpmiPlugin&) = delete;

 private:
  void connected(const std::string& cursor);
  void restore(const std::string& cursor);
  std::string cursor();
  void look();
  void poll();
  void polled(const std::vector<Answer>& answers, const sdk::CommandOutput& output);
  void not_answered(const std::string& why);
  News::Around around() const;
  bool other_sensors(const Bytes& sdr_info);
  void load_sensors();
  void load_parts();
  void load_meaning(const Bytes& device_id);
  void take_readings(const std::vector<Answer>& answers);
  void read_log();
  void log_answered(const std::vector<Answer>& answers);
  void poll_over();
  void publish();
  void send_readings();
  void tell_status();
  void set_led(const sdk::CommandRequest& request, const sdk::Plugin::Reply& reply);
  void carry_out();

  struct Order {
    bool on;
    sdk::Plugin::Reply reply;
  };
  void carried_out(const Order& order, const std::vector<Answer>& answers);

  sdk::Host& host_;
  Options options_;
  sdk::Plugin plugin_;
  sdk::InventoryDiff inventory_;
  BmcLink link_;
  sdk::Watcher watcher_;
  const std::string system_;
  Owners owners_;
  Identify identify_;
  std::optional<Order> order_;  // the newest that was not carried out yet
  BmcFacts bmc_;
  Meaning meaning_;
  std::string meaning_wrong_;  // error in the tables; "" if none
  std::string sensors_wrong_;  // why sensor records are missing or incomplete
  bool meaning_loaded_ = false;
  Sdr sdr_;
  Bytes sdr_stamp_;  // when the records were last changed
  size_t sdr_digest_ = 0;
  bool sensors_known_ = false, sensors_loaded_ = false;  // loaded: in the running look
  int restless_ = 0;  // consecutive looks that found other records
  std::map<int, FruText> frus_;
  std::optional<std::chrono::steady_clock::time_point> parts_due_;
  std::vector<int> asked_;  // sensors of the running poll
  Watch watch_;
  Remembered remembered_;
  Sel sel_;
  std::chrono::steady_clock::time_point log_until_{};  // the running poll reads no longer
  bool log_was_read_ = false;  // by this process, completely: later entries are new
  News news_;
  std::optional<uint32_t> bmc_now_;
  std::vector<sdk::OutEvent> events_;
  size_t polls_ = 0, failures_ = 0;  // consecutive ones
  bool unconfirmed_ = false;         // a sensor's new state needs a second reading
  bool started_ = false;
  bool seen_ = false;  // a BMC has answered
  std::string blind_;  // why nothing can be observed
};

}  // namespace fmd::ipmi
