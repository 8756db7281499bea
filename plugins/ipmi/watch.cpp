#include "plugins/ipmi/watch.h"

#include <algorithm>

namespace fmd::ipmi {
namespace {

bool alike(const Reading& a, const Reading& b) {
  return a.available == b.available &&
         (!a.available || (a.states == b.states && a.still == b.still));
}

struct Comparison {
  Verdict verdict;
  const char* text;
};
constexpr Comparison kComparisons[6] = {
    {Verdict::warning, "below its lower non-critical threshold"},
    {Verdict::critical, "below its lower critical threshold"},
    {Verdict::non_recoverable, "below its lower non-recoverable threshold"},
    {Verdict::warning, "above its upper non-critical threshold"},
    {Verdict::critical, "above its upper critical threshold"},
    {Verdict::non_recoverable, "above its upper non-recoverable threshold"}};

}  // namespace

Reading parse_reading(const Sensor& sensor, const Answer& answer) {
  Reading reading;
  if (!answer.data || answer.data->size() < 2) return reading;
  const Bytes& bytes = *answer.data;
  const bool scanned = (bytes[1] & 0x40) != 0, without = (bytes[1] & 0x20) != 0;
  if (!scanned || without) return reading;
  const int low = bytes.size() > 2 ? bytes[2] : 0, high = bytes.size() > 3 ? bytes[3] & 0x7F : 0;
  if (sensor.reading_type == code::kThreshold) {
    reading.available = true;
    reading.raw = bytes[0];
    reading.still = sensor.type == code::kFan && sensor.value(reading.raw).value_or(1) <= 0;
    reading.states = static_cast<uint16_t>(low & sensor.compares);
    return reading;
  }
  if (bytes.size() < 3) return reading;
  reading.available = true;
  reading.states = static_cast<uint16_t>(low | high << 8);
  if (sensor.readable != 0) reading.states &= sensor.readable;
  return reading;
}

Judged judge(const Sensor& sensor, const Reading& reading, const Meaning& meaning) {
  Judged judged;
  judged.known = reading.available;
  judged.states = reading.states;
  judged.still = reading.still;
  if (!reading.available) return judged;
  std::vector<State> states;
  for (int bit = 0; bit < 15; ++bit) {
    if (!(reading.states >> bit & 1)) continue;
    if (sensor.reading_type != code::kThreshold)
      states.push_back(meaning.of(sensor.reading_type, sensor.type, bit));
    else if (bit < 6)
      states.push_back({kComparisons[bit].verdict, "", kComparisons[bit].text, true});
  }
  std::stable_sort(states.begin(), states.end(),
                   [](const State& a, const State& b) { return a.verdict > b.verdict; });
  if (!states.empty()) judged.verdict = states.front().verdict;
  for (const State& state : states) {
    // Below the lower critical threshold implies the other two.
    if (sensor.reading_type == code::kThreshold && !judged.text.empty()) break;
    judged.text += (judged.text.empty() ? "" : ", ") + state.text;
    if (judged.condition.empty()) judged.condition = state.condition;
  }
  return judged;
}

bool Watch::take(int number, const Reading& reading) {
  Seen& seen = seen_[number];
  if (seen.last && alike(*seen.last, reading)) seen.confirmed = reading;
  seen.last = reading;
  return !seen.confirmed || !alike(*seen.confirmed, reading);
}

void Watch::nothing_known() {
  for (auto& [number, seen] : seen_) seen.last = seen.confirmed = Reading{};
}

const Reading* Watch::confirmed(int number) const {
  const auto at = seen_.find(number);
  return at != seen_.end() && at->second.confirmed ? &*at->second.confirmed : nullptr;
}

std::optional<int> Watch::raw(int number) const {
  const auto at = seen_.find(number);
  if (at == seen_.end() || !at->second.last || !at->second.last->available) return std::nullopt;
  return at->second.last->raw;
}

}  // namespace fmd::ipmi
