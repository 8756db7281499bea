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
  none,    // nothing has begun, or it is being given back: what people were told stands
  coming,  // as announced: under way, or waits for what the texts name (a scrub's end)
  done,
  lost,  // the spare was in and has left
  no_spare,
  not_accepted,
  last_copy,
  blast_radius,
  undecided,  // the part, or what several hang on
  person,
  contested,
  not_ours,
  disputed,
  refused,
  no_plugin,
  failed,
  rehearsed,     // dry run
  no_led,        // the bay is not known, or has none
  stays_behind,  // a spare that would come with the retirement, which is not done
};
std::string_view standing_name(Standing standing);
std::optional<Standing> parse_standing(std::string_view name);

// Not as announced: people must hear of it.
constexpr bool is_broken(Standing standing) {
  return standing >= Standing::lost;
}
// Passes by itself as often as not: no news before it has lasted, or been tried in vain often enough.
constexpr bool is_trouble(Standing standing) {
  return standing == Standing::failed || standing == Standing::no_plugin;
}

struct PromiseKey {
  ActionKind kind = ActionKind::retire;
  std::string part;  // the ASRU, else the resource
  auto operator<=>(const PromiseKey&) const = default;
};

struct Promise {
  PromiseKey key;
  const Suspect* suspect = nullptr;  // of the case given
  Standing standing = Standing::none;
  bool running = false;  // a command is under way
  int attempts = 0;
  std::string detail;  // why, raw; "" nothing is said
};

// Of the faulty suspects, each part once, in the order in which things are done.
std::vector<Promise> promises_of(const Case& c);

// What people know the suspect by: its ASRU, else its resource.
const std::string& part_key(const Suspect& suspect);

}  // namespace fmd
