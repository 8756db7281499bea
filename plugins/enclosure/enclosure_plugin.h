// EnclosurePlugin: chassis and bays to the core, LEDs from the core. It only observes and obeys:
// which LED should be lit is the reconciler's business, so an LED changed by somebody else is
// simply told. Single thread.
//
//   udev, timer, refresh ─▶ rescan(): one scan an enclosure, each on its lane ─▶ round_over():
//   publish set_led ─▶ LedOrder on the same lane ─▶ read back ─▶ publish, answer, look again 1 s
//   later
#pragma once
#include <chrono>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plugins/enclosure/enclosure_scan.h"
#include "plugins/enclosure/lane.h"
#include "plugins/enclosure/led_order.h"
#include "plugins/sdk/inventory_diff.h"
#include "plugins/sdk/plugin.h"
#include "plugins/sdk/udev_monitor.h"

namespace fmd::enclosure {

struct Options {
  std::chrono::milliseconds rescan{10000};
  std::chrono::milliseconds device_deadline{20000};  // of one scan or one LED write
  LedOrder::Write write_led;                         // a test's; empty: as it should be
};

class EnclosurePlugin {
 public:
  EnclosurePlugin(sd_event* loop, sdk::Host& host, const std::string& socket, Options options);
  void on_udev(const sdk::UdevMonitor::Event& event);

 private:
  struct Entry {  // one of /sys/class/enclosure; several may lead to one chassis
    std::shared_ptr<Lane> lane;
    std::optional<Enclosure> seen;
    bool answers = true;
  };
  struct Led {                        // by bay and indication
    std::shared_ptr<LedOrder> order;  // under way
    uint64_t number = 0;              // of the newest order
    std::optional<bool> failed;       // could not be brought to this
    std::string reason;
  };
  void rescan();
  void scanned(const std::string& name, const sdk::CommandOutput& output);
  void round_over();
  void publish(bool complete);
  std::map<std::string, nlohmann::json> resources();
  void add_bay(nlohmann::json& into, const std::string& fmri, const std::string& chassis,
               const Bay& bay, bool answers);
  void add_led(nlohmann::json& properties, const std::string& bay, const char* indication,
               const std::optional<int>& value);
  void tell_status();
  std::vector<LedOrder::Way> ways_to(const std::string& bay, const std::string& indication);
  void set_led(const sdk::CommandRequest& request, const sdk::Plugin::Reply& reply);
  void led_done(const std::string& bay, const std::string& indication, bool on,
                const LedOrder::Outcome& outcome);

  sd_event* loop_;
  sdk::Host& host_;
  Options options_;
  sdk::Plugin plugin_;
  sdk::InventoryDiff inventory_;
  sdk::Timer periodic_, soon_, after_write_;
  std::unique_ptr<sdk::UdevMonitor> udev_;
  std::map<std::string, Entry> entries_;
  std::map<std::pair<std::string, std::string>, Led> leds_;
  std::chrono::steady_clock::time_point round_began_;
  std::set<std::string> scanning_;  // of the round under way
  bool again_ = false;              // something happened meanwhile: another round
  bool complete_due_ = false;       // the connection is new
  std::vector<sdk::Plugin::Reply> waiting_, waiting_next_;  // refreshes of this and the next round
};

}  // namespace fmd::enclosure
