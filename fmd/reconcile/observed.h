// Asru: a part that can be taken out of service, as in the inventory: the "ASRU words" of
// schemas/resources.md, typed. Pure.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fmd/model/case.h"
#include "fmd/model/inventory.h"
#include "fmd/reconcile/intervention.h"

namespace fmd {

struct Asru {
  enum class Spare { none, resilvering, active };

  std::string fmri, name;  // name: for people, ready to be shown
  bool present = false;
  bool lost = false;  // out of service since its device is, or was, not there
  Service service = Service::unknown;
  std::string state;  // the part's own word, for people; "" the service's
  std::string busy, group, retire_refusal, degrade_refusal, replace_refusal, replacing;
  std::string retired_by, spare_key;  // key of fmd's command that caused it; "": someone else
  Spare spare = Spare::none;
  std::optional<bool> spare_available;  // empty: the plugin does not say
  std::string spare_refusal;            // why none comes in though there may be one; "" no reason
  bool until_boot = false;              // cannot be restored before a restart of the machine
  bool by_restart = false;  // in service, since the machine's restart ended what fmd did

  // All that a command to it depends on, in words: what failed is tried again when this changes.
  std::string facts() const;
  bool out_by(const Intervention& i) const {
    return !retired_by.empty() && (retired_by == i.key || retired_by == i.level_key);
  }
};

// Nothing: not in the inventory, or it cannot be taken out of service.
std::optional<Asru> observe(const Inventory& inventory, std::string_view fmri);

// "SLOT 04 is OFFLINE, which was not fmd's doing". location: the bay in which its disk was.
std::string out_words(const Asru& a, std::string_view location, bool ours);

// The case is diagnosed, and that part is faulty in it.
bool is_faulty(const Case& c, std::string_view asru);

// The bay that holds the suspect's FRU now, else the one where it was last known; "" unknown.
std::string bay_of(const Suspect& suspect, const Inventory& inventory);

}  // namespace fmd
