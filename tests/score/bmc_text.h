// BmcText: what a BMC answered ipmitool, by the recorded records of its sensors (simulator/bmc), with another value
// in the answer, read as fmd-ipmi reads it. Loaded once; then const, for any thread.
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

  // A sensor's level, status, condition and reason when its value is beyond the limit of that gravity. The
  // recorded sensor is that of the label, else the first of the kind.
  Properties sensor(std::string_view label, std::string_view kind, ipmi::Verdict is) const;
  // Of the part that a fan's sensor tells of: its status and reason.
  Properties fan(std::string_view label, ipmi::Verdict is) const;
  // Of the BMC itself, with a log that is so full.
  Properties log(int percent) const;

 private:
  const ipmi::Sensor& find(std::string_view label, std::string_view kind) const;
  ipmi::Resources all(const ipmi::BmcFacts& facts, const ipmi::Watch& watch) const;
  ipmi::Resources with(const ipmi::Sensor& sensor, ipmi::Verdict is) const;

  ipmi::Sdr sdr_;
  ipmi::Meaning meaning_;
};

}  // namespace fmd::score
