// Watch: what each sensor says, once it has said so in two looks in a row. A reading that comes and
// goes changes nothing. Pure.
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
  bool still = false;   // a fan that does not turn: no threshold may say so
};
// Section 35.14. A sensor that is not scanned, or says that it has no reading, has none.
Reading parse_reading(const Sensor& sensor, const Answer& answer);

struct Judged {
  bool known = false;  // it was read (twice alike)
  Verdict verdict = Verdict::nominal;
  std::string text;       // of its states, the gravest first: "below its lower critical threshold"
  std::string condition;  // of the gravest that has one
  uint16_t states = 0;
  bool still = false;
  std::string level() const { return known ? std::string(verdict_name(verdict)) : "unknown"; }
};
Judged judge(const Sensor& sensor, const Reading& reading, const Meaning& meaning);

class Watch {
 public:
  // True: the sensor is to be looked at again soon, since it says something else than before.
  bool take(int number, const Reading& reading);
  void forget() { seen_.clear(); }             // other sensors
  void nothing_known();                        // the BMC does not answer
  const Reading* confirmed(int number) const;  // nullptr: not yet
  std::optional<int> raw(int number) const;    // the newest value

 private:
  struct Seen {
    std::optional<Reading> last, confirmed;
  };
  std::map<int, Seen> seen_;
};

}  // namespace fmd::ipmi
