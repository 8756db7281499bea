// Circumstances: on which machine, and beside what, a scenario is played. Drawn by the label and the
// seed of a play (--varied), so that no rule can rely on bays that say when they are empty, on causes
// that act within a minute, or on plugins without delay.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "scenario.h"

namespace fmd::score {

struct Restart {  // of a plugin; what happens meanwhile is reported afterwards
  Teller teller;
  int64_t after, lasts;  // after the beginning; ns
};

struct Circumstances {
  HostForm form = {};
  double spread = 1;              // parts of one cause fail so many times as far apart
  bool log_uniform = false;       // most of them early, the last ones late
  bool zed = false;               // ZED retires disks and uses spares as well
  std::map<Teller, int64_t> lag;  // ns, from an event to its arrival
  std::optional<Restart> restart;
  int noise = 0;  // healthy disks with an error

  std::string text() const;  // for people
};

// The sequence of the play itself is another one, so it stays the same under all circumstances.
Circumstances drawn_circumstances(const Scenario& scenario, uint64_t seed);

// The scenario with its requirements adapted to the circumstances: LEDs are only required where bays are
// known, actions only if ZED does not take them first, and time limits grow with the spread and the lag.
Scenario required_under(const Circumstances& circumstances, Scenario scenario);

// The families of a list: one name a line, "#" begins a comment.
std::set<std::string> families_listed(const std::string& text);
// Names in the list that belong to no scenario.
std::vector<std::string> unknown_families(const std::set<std::string>& listed,
                                          const std::vector<Scenario>& corpus);

}  // namespace fmd::score
