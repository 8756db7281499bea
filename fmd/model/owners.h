// Owners: which plugin may set which property of a part, by the part's FMRI. The table is in
// schemas/events/resources.toml, with the types, and compiled into fmd: no file that is installed
// changes it. The hub renames what a plugin may not set (hub/grants.h); the inventory prefers what
// the owner gives. Read once, never changed, for every thread. Pure.
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/result.h"

namespace fmd {

// Names, and "x.*" for all that begin with "x.".
class PropertyNames {
 public:
  PropertyNames() = default;
  explicit PropertyNames(const std::vector<std::string>& names);
  void add(const PropertyNames& others);
  bool contains(std::string_view property) const;

 private:
  std::set<std::string, std::less<>> whole_;
  std::vector<std::string> beginnings_;
};

// Those of the parts whose FMRIs begin alike.
struct PartOwners {
  std::vector<std::string> patterns;
  std::vector<std::string> owners;  // the first one that sees the part before the others
  bool fills = false;               // a later owner's value counts where the first gives none
  bool own_edges = false;           // only owners say what it contains and what its data is on
  std::map<std::string, PropertyNames, std::less<>> only;  // by the one plugin that may set them
  PropertyNames open;    // whoever may describe the part may set them
  PropertyNames shared;  // declared: an owner may set them, and nobody else
  std::string retires;   // the one plugin that may set its ASRU words; "" any owner
  std::string acts;      // gets the commands about it

  // 0: the first owner; the number of owners: it is none.
  size_t rank(std::string_view source) const;
  bool is_owner(std::string_view source) const { return rank(source) < owners.size(); }
  // The only plugin that may set it; "" several may, or every one.
  std::string_view only_source(std::string_view property) const;
  // A property that nothing declares is its plugin's own, and anyone's.
  bool may_set(std::string_view source, std::string_view property) const;
  // It needs no look at who else sees the part: its plugin alone may set it.
  bool is_own(std::string_view source, std::string_view property) const;
  // How much of the FMRI its pattern names; 0: it is another's.
  size_t matched(std::string_view fmri) const;
};

Result<std::vector<PartOwners>> parse_owners(std::string_view toml);

// nullptr: no plugin in particular, such as for the parts of a third party's.
const PartOwners* owners_of(std::string_view fmri);
// The plugin that acts on this part: it gets the commands about the part if it has described it
// (hub/routing.h); "" no plugin in particular.
std::string_view acting_plugin(std::string_view fmri);

}  // namespace fmd
