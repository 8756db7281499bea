// BmcText: ipmitool output from recorded sensor records (simulator/bmc), with changed values,
// parsed as fmd-ipmi parses it. Loaded once, then const; for any thread.
#pragma once
#include <string>
#include <string_view>

#include "fmd/model/properties.h"
#include "plugins/ipmi/meaning.h"
#include "plugins/ipmi/parts.h"
#include "plugins/ipmi/sdr.h"

namespace fmd::score {

class BmcText {
 public:
  BmcText(const std::string& records, const std::string& sensor_types);  // files
  static const BmcText& recorded();                                      // of this tree

  // Level, status, condition and reason of a sensor whose value violates the limit of that gravity.
  // Uses the recorded sensor with that label, otherwise the first of the kind.
  Properties sensor(std::string_view label, std::string_view kind, ipmi::Verdict is) const;
  // Status and reason of the part that a fan's sensor monitors.
  Properties fan(std::string_view label, ipmi::Verdict is) const;
  // Of the BMC itself, with its log filled to `percent`.
  Properties log(int percent) const;

 private:
  const ipmi::Sensor& find(std::string_view label, std::string_view kind) const;
  ipmi::Resources all(const ipmi::BmcFacts& facts, const ipmi::Watch& watch) const;
  ipmi::Resources with(const ipmi::Sensor& sensor, ipmi::Verdict is) const;

  ipmi::Sdr sdr_;
  ipmi::Meaning meaning_;
};

}  // namespace fmd::score
