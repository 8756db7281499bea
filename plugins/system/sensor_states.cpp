#include "plugins/system/sensor_states.h"

#include <syslog.h>

#include <algorithm>

#include "fmd/base/json.h"
#include "plugins/sdk/plugin.h"

namespace fmd::machine {
namespace {

constexpr const char* kSeenGood = "seen_good";
constexpr int kEnoughGood = 3;  // readings

}  // namespace

SensorStates::SensorStates(const std::string& state_file) : memory_(state_file) {
  if (auto known = memory_.load(); !known)
    sdk::log(LOG_WARNING, known.error().text() + ": starting without it");
}

bool SensorStates::take(const std::vector<Gauge>& gauges, const Values& values,
                        const Known& known) {
  std::map<std::string, Seen> all;
  for (size_t i = 0; i < gauges.size(); ++i) {
    const Gauge& g = gauges[i];
    if (!known(g.resource)) continue;
    Seen& seen = all[g.resource];
    if (g.name == "value") {
      seen.gauge = &g;
      seen.value = values[i];
    }
    if (g.name == "pwm") seen.pwm = values[i];
    if (g.name == "alarm") seen.alarm = values[i].value_or(0) != 0;
    if (g.name == "fault") seen.fault = values[i].value_or(0) != 0;
  }
  bool changed = false;
  for (const auto& [fmri, seen] : all) {
    if (!seen.gauge) continue;  // only counters
    State now = judge(fmri, seen);
    if (State& before = states_[fmri]; before != now) {
      before = std::move(now);
      changed = true;
    }
  }
  memory_.save();
  return changed;
}

SensorStates::State SensorStates::judge(const std::string& fmri, const Seen& seen) {
  State now;
  now.status = seen.fault ? "failed" : seen.alarm ? "alarm" : seen.value ? "ok" : "unknown";
  const Gauge& gauge = *seen.gauge;
  const bool fan = gauge.unit == "rpm";
  if (fan)
    now.rotation = !seen.value && !seen.fault      ? "unknown"
                   : seen.value && *seen.value > 0 ? "turning"
                   : seen.pwm == 0.0               ? "stopped"
                                                   : "standing";
  const bool good = fan ? now.rotation == "turning"
                        : seen.value && gauge.good_below && *seen.value < *gauge.good_below;
  int& row = good_in_a_row_[fmri];
  row = good && !seen.fault ? std::min(row + 1, kEnoughGood) : 0;
  if (row == kEnoughGood) memory_.insert(kSeenGood, fmri);
  now.seen_good = memory_.contains(kSeenGood, fmri);
  return now;
}

void SensorStates::forget_unknown(const Known& known) {
  std::erase_if(states_, [&](const auto& entry) { return !known(entry.first); });
  std::erase_if(good_in_a_row_, [&](const auto& entry) { return !known(entry.first); });
}

void SensorStates::add_to(nlohmann::json& sensor) const {
  const auto at = states_.find(sensor["fmri"].get<std::string>());
  const State state = at == states_.end() ? State() : at->second;
  nlohmann::json& properties = sensor["properties"];
  properties["status"] = state.status;
  if (!state.rotation.empty()) properties["rotation"] = state.rotation;
  if (state.seen_good) properties["seen_good"] = true;
}

}  // namespace fmd::machine
