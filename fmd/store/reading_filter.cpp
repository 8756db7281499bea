#include "fmd/store/reading_filter.h"

#include <functional>
#include <string>

namespace fmd {

bool ReadingFilter::keep(const Reading& reading) {
  if (last_.size() > kMost) last_.clear();
  const std::hash<std::string> hash;
  const uint64_t key = hash(reading.resource) * 0x9e3779b97f4a7c15U + hash(reading.name);
  const auto [last, is_new] = last_.try_emplace(key, Last{reading.value, reading.time_ns});
  if (is_new) return true;
  const int64_t age = reading.time_ns - last->second.time_ns;
  // An earlier time means that a clock was set or the reading is late; both are worth storing.
  if (last->second.value == reading.value && age >= 0 && age < kRepeatNs) return false;
  last->second = {reading.value, reading.time_ns};
  return true;
}

}  // namespace fmd
