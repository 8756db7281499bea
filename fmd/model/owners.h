// Owners: the plugins that may set each property of a part, by the part's FMRI. The table is in
// schemas/events/resources.toml beside the types and is compiled into fmd, so installed files cannot
// change it. The hub renames properties that a plugin may not set (hub/grants.h); the inventory
// prefers the owner's values. The table is read once and never changes; any thread. Pure.
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

// The name under which another plugin's value of a property is kept and shown.
inline constexpr std::string_view kSaidBy = "said_by.";
// Set by fmd if a plugin contradicts the owner about which part this is.
inline constexpr std::string_view kDisputed = "disputed";
std::string said_by(std::string_view source, std::string_view property);

// A set of names; "x.*" includes all names that begin with "x.".
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

// The owners of all parts whose FMRIs match the patterns.
struct PartOwners {
  std::vector<std::string> patterns;
  std::vector<std::string> owners;  // in order of precedence
  bool fills = false;               // later owners may set properties that the first one omits
  bool own_edges = false;           // only owners may give `contains` and `redundancy` edges
  bool named = false;               // an entry of the key `named`
  std::map<std::string, PropertyNames, std::less<>> only;  // plugin → properties it alone may set
  PropertyNames open;    // properties that any plugin with a grant for the part may set
  PropertyNames shared;  // declared properties, which only owners may set
  std::string retires;   // the plugin that alone may set the ASRU words; "" any owner
  std::string acts;      // the plugin that gets commands about the part

  // 0: the first owner; owners.size(): not an owner.
  size_t rank(std::string_view source) const;
  bool is_owner(std::string_view source) const { return rank(source) < owners.size(); }
  // The only plugin that may set the property; "" if several may.
  std::string_view only_source(std::string_view property) const;
  // Undeclared properties may be set by any plugin.
  bool may_set(std::string_view source, std::string_view property) const;
  // True if no other plugin's value can take precedence.
  bool is_own(std::string_view source, std::string_view property) const;
  // Number of characters of the FMRI that the longest pattern matches; 0 no match.
  size_t matched(std::string_view fmri) const;
};

Result<std::vector<PartOwners>> parse_owners(std::string_view toml);

// nullptr if the table has no entry, as for parts of third-party plugins.
const PartOwners* owners_of(std::string_view fmri);
// True if the main entry of the part's type applies, instead of one of the key `named`
// ("bay=redfish-1"). False for parts of third-party plugins, which have no entry.
bool has_main_owner(std::string_view fmri);
// The plugin that gets commands about this part if it has described it (hub/routing.h); "" if the
// table has no entry.
std::string_view acting_plugin(std::string_view fmri);

}  // namespace fmd
