#include "plugins/ipmi/part_states.h"

#include "plugins/ipmi/part_names.h"

namespace fmd::ipmi {

bool is_understood(const Sensor& sensor) {
  constexpr int kFirstOwn = 0x70, kLastOwn = 0x7F;
  return sensor.reading_type < kFirstOwn || sensor.reading_type > kLastOwn;
}

Verdict verdict_of(const Read& read) {
  if (read.sensor->reading_type != kDigital || !is_bad(read.judged.verdict))
    return read.judged.verdict;
  return asserted_by(read.sensor->name) == Asserted::failure ? Verdict::critical : Verdict::nominal;
}

bool reports_no_input(const Read& read) {
  return read.sensor->reading_type == kDigital && is_bad(read.judged.verdict) &&
         asserted_by(read.sensor->name) == Asserted::no_input;
}

}  // namespace fmd::ipmi
