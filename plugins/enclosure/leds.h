// Leds: the one owner of the bays' lights. Which method drives a bay's fault and locate light
// follows from its description and from what there is, in this order: SES, NPEM, PCI attention,
// the BMC by the requests that its description tells, ledctl(8). Fault and locate are separate wishes; where both share one light (PCI attention: off,
// on, blink; ledctl: one pattern a disk) locate goes before fault, and fault comes back when locate
// ends. Single thread.
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

// A bay as it is now, by each way that leads to it. Valid until the next scan.
struct BayNow {
  std::vector<std::pair<std::shared_ptr<Lane>, Bay*>> sites;
  const chassis::Leds* told = nullptr;
  bool answers = true;
};
using BayIndex = std::map<std::string, BayNow>;  // by FMRI

class Leds {
 public:
  using Look = std::function<BayIndex()>;
  // look: what there is now. changed: an order is over, publish.
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
  // ledctl knows a light by the disk in the bay: after a swap the new disk is told what the bay's
  // light should be, so that none stays lit behind it.
  void disks_seen(const BayIndex& now);

 private:
  struct Led {                        // by bay and indication
    std::shared_ptr<LedOrder> order;  // under way
    std::optional<bool> wish;         // the last one that was ordered
    std::optional<bool> believed;     // of a light that cannot be read
    std::optional<bool> failed;       // could not be brought to this
    std::string reason;
  };
  struct Drive {
    std::string method;  // "none": nothing drives it
    bool reads_back = true;
    std::vector<std::pair<std::shared_ptr<Lane>, Light*>> lights;
    const chassis::Led* told = nullptr;  // of "ipmi": the requests
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
  std::map<std::string, std::string> disks_;  // of bays that ledctl drives: bay → disk's FMRI
  std::map<std::string, std::shared_ptr<LedOrder>> renewals_;
};

}  // namespace fmd::enclosure
