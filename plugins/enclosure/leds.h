// Leds: the only owner of the bays' LEDs. An LED is driven by the first available method of the
// bay's description, by default SES, NPEM or PCI attention; BMC requests and ledctl(8) only if
// described. Fault and locate are ordered separately; if they share one LED (PCI attention: off, on,
// blink; ledctl: one pattern per disk), locate takes precedence, and fault returns when locate ends.
// Single thread.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fmd/chassis/description.h"
#include "plugins/enclosure/enclosure_scan.h"
#include "plugins/enclosure/led_order.h"
#include "plugins/sdk/plugin.h"

namespace fmd::enclosure {

// A bay in its present state, by each path to it. Valid until the next scan.
struct BayNow {
  std::vector<std::pair<std::shared_ptr<Lane>, Bay*>> sites;
  const chassis::Leds* told = nullptr;
  bool answers = true;
};
using BayIndex = std::map<std::string, BayNow>;  // by FMRI

class Leds {
 public:
  using Look = std::function<BayIndex()>;
  // look: returns the present bays. changed: called after an order, to publish.
  Leds(sd_event* loop, sdk::Host& host, LedOrder::Write write, Look look,
       std::function<void()> changed)
      : loop_(loop),
        host_(host),
        write_(std::move(write)),
        look_(std::move(look)),
        changed_(std::move(changed)) {}

  void set(const sdk::CommandRequest& request, const sdk::Plugin::Reply& reply);
  // led.fault, led.locate, led.method, led.reads_back, led.reason.
  void add_properties(nlohmann::json& properties, const std::string& bay, const BayNow& now);
  // ledctl addresses an LED by the disk in the bay: after a swap the bay's state is set again with
  // the new disk, so that no LED stays lit.
  void disks_seen(const BayIndex& now);

 private:
  struct Led {                        // by bay and indication
    std::shared_ptr<LedOrder> order;  // running
    std::optional<bool> wish;         // the last ordered state
    std::optional<bool> believed;     // for an LED that cannot be read
    std::optional<bool> failed;       // the state that could not be set
    std::string reason;
  };
  struct Drive {
    std::string method;  // "none": it cannot be driven
    bool reads_back = true;
    std::vector<std::pair<std::shared_ptr<Lane>, Light*>> lights;
    const chassis::Led* told = nullptr;  // for "ipmi": the requests
  };
  Drive drive_of(const BayNow& now, const std::string& indication) const;
  std::vector<LedOrder::Way> ways(const BayNow& now, const Drive& drive, const std::string& bay,
                                  bool on);
  bool wished(const std::string& bay, const char* indication) const;
  std::string attention(const std::string& bay, bool raw) const;
  std::vector<std::string> ledctl(const std::string& bay, const std::string& device) const;
  void make_known(const BayIndex& now);
  void learn(const Drive& drive, const std::string& bay);
  void done(const std::string& bay, const std::string& indication, bool on,
            std::optional<bool> before, const LedOrder::Outcome& outcome);
  void add_led(nlohmann::json& properties, const std::string& bay, const std::string& indication,
               const Drive& drive);

  sd_event* loop_;
  sdk::Host& host_;
  LedOrder::Write write_;
  Look look_;
  std::function<void()> changed_;
  std::map<std::pair<std::string, std::string>, Led> leds_;
  std::map<std::string, std::string> disks_;  // of bays driven by ledctl: bay → disk's FMRI
  std::map<std::string, std::shared_ptr<LedOrder>> renewals_;
};

}  // namespace fmd::enclosure
