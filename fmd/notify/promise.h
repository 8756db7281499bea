// Promise: an action that a case's texts announce (its policy: retire the part, bring in a spare,
// light the fault LED, use the new disk), and its state according to the case's actions. Pure.
#pragma once
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/model/case.h"

namespace fmd {

enum class Standing {
  none,    // not begun, or being undone: the last message is still valid
  coming,  // as announced: running, or waiting as the texts say (until a scrub ends)
  done,
  lost,  // the spare was in use and is no longer
  no_spare,
  not_accepted,
  last_copy,
  blast_radius,
  undecided,  // the part, or a common cause
  person,
  contested,
  not_ours,
  disputed,
  refused,
  no_plugin,
  failed,
  rehearsed,     // dry run
  no_led,        // the bay is unknown or has none
  stays_behind,  // the spare would come with a retirement that is not done
};
std::string_view standing_name(Standing standing);
std::optional<Standing> parse_standing(std::string_view name);

// Not as announced: people must be informed.
constexpr bool is_broken(Standing standing) {
  return standing >= Standing::lost;
}
// Often passes: reported only if it lasts or after several failed attempts.
constexpr bool is_trouble(Standing standing) {
  return standing == Standing::failed || standing == Standing::no_plugin;
}

struct PromiseKey {
  ActionKind kind = ActionKind::retire;
  std::string part;  // the ASRU, or else the resource
  auto operator<=>(const PromiseKey&) const = default;
};

struct Promise {
  PromiseKey key;
  const Suspect* suspect = nullptr;  // of the given case
  Standing standing = Standing::none;
  bool running = false;  // a command is in progress
  int attempts = 0;
  std::string detail;  // reason, raw; "": none given
  bool waits = false;  // until the end of a scrub or resilver
};

// Those of faulty suspects, each part once, in the order of execution.
std::vector<Promise> promises_of(const Case& c);

// The part that messages name: the suspect's ASRU, or else its resource.
const std::string& part_key(const Suspect& suspect);

}  // namespace fmd
