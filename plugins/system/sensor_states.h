// SensorStates: derives the state of hwmon sensors from their gauges: a status for people, whether
// a fan turns, and whether the sensor has ever worked, i.e. had several good readings in a row:
// noise on an open connector causes single good values, and alarms. This is stored across restarts.
// A member of the plugin; single thread.
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

  // Takes the values of some gauges; ignores unknown resources. True if a sensor's state changed.
  bool take(const std::vector<Gauge>& gauges, const Values& values, const Known& known);
  void forget_unknown(const Known& known);
  // Adds status, rotation, seen_good.
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
  std::map<std::string, int> good_in_a_row_;  // readings, capped at what seen_good needs
  hardware::FmriMemory memory_;
};

}  // namespace fmd::machine
