// Watch: the confirmed reading of each sensor: one that was the same in two consecutive polls, so
// that a momentary value has no effect. Pure.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plugins/ipmi/meaning.h"
#include "plugins/ipmi/raw.h"
#include "plugins/ipmi/sdr.h"

namespace fmd::ipmi {

struct Reading {
  bool available = false;
  int raw = 0;          // threshold: the value
  uint16_t states = 0;  // discrete: by offset; threshold: comparisons, bit 0 lower non-critical …
  bool still = false;   // a fan that does not turn, even if no threshold covers that
};
// Section 35.14. Not available if the sensor is not scanned or reports that it has no reading.
Reading parse_reading(const Sensor& sensor, const Answer& answer);

struct Judged {
  bool known = false;  // it has a reading (twice the same)
  Verdict verdict = Verdict::nominal;
  std::string text;       // most severe first: "below its lower critical threshold"
  std::string condition;  // of the most severe state that has one
  uint16_t states = 0;
  bool still = false;
  std::string level() const { return known ? std::string(verdict_name(verdict)) : "unknown"; }
};
Judged judge(const Sensor& sensor, const Reading& reading, const Meaning& meaning);

class Watch {
 public:
  // True if the state is new, so that the sensor should be read again soon.
  bool take(int number, const Reading& reading);
  void forget() { seen_.clear(); }             // the sensors have changed
  void nothing_known();                        // the BMC does not respond
  const Reading* confirmed(int number) const;  // nullptr: none yet
  std::optional<int> raw(int number) const;    // the newest value

 private:
  struct Seen {
    std::optional<Reading> last, confirmed;
  };
  std::map<int, Seen> seen_;
};

}  // namespace fmd::ipmi
