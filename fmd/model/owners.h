// Owners: whose word counts about a part that several plugins describe. schemas/resources.md, "Owners", has
// the same for people. Pure.
#pragma once
#include <string_view>

namespace fmd {

// The plugin whose word about this part goes before any other's, be it older; "" no plugin's does.
std::string_view owner_of(std::string_view fmri);
// Nobody but the owner may say that: it decides which device is overwritten.
bool is_for_owner_alone(std::string_view fmri, std::string_view property);

}  // namespace fmd
