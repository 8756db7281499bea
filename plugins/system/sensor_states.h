// SensorStates: the state of the kernel's sensors (hwmon), from the values of their gauges: a status for
// people, whether a fan turns, and whether the sensor has ever worked. It has worked if several readings in a row were
// good: on a connector without a fan or a thermistor, noise gives single good values, and alarms. This is remembered
// over restarts. A member of the plugin; single thread.
#pragma once
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "plugins/hardware/fmri_memory.h"
#include "plugins/system/facts.h"
#include "plugins/system/gauges.h"

namespace fmd::machine {

class SensorStates {
 public:
  using Known = std::function<bool(const std::string& fmri)>;
  explicit SensorStates(const std::string& state_file);  // "": none

  // The values of some gauges, of known resources. True: the state of a sensor has changed.
  bool take(const std::vector<Gauge>& gauges, const Values& values, const Known& known);
  void forget_unknown(const Known& known);
  // Properties status, rotation, seen_good.
  void add_to(nlohmann::json& sensor) const;

 private:
  struct State {
    std::string status = "unknown";
    std::string rotation;  // "": not a fan
    bool seen_good = false;
    bool operator==(const State&) const = default;
  };
  struct Seen {
    const Gauge* gauge = nullptr;  // of the value
    std::optional<double> value, pwm;
    bool alarm = false, fault = false;
  };
  State judge(const std::string& fmri, const Seen& seen);

  std::map<std::string, State> states_;       // by FMRI
  std::map<std::string, int> good_in_a_row_;  // readings, up to as many as make a sensor seen_good
  hardware::FmriMemory memory_;
};

}  // namespace fmd::machine
