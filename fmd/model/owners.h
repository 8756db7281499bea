// Owners: which plugin's description of a part takes precedence when several plugins describe it. The table
// for people is in schemas/resources.md, "Owners". Pure.
#pragma once
#include <string_view>

namespace fmd {

// The plugin whose description of this part takes precedence, even if it is older; "" none.
std::string_view owner_of(std::string_view fmri);
// The plugin that acts on this part: it gets the commands about the part if it has described it (hub/routing.h);
// "" no plugin in particular.
std::string_view acting_plugin(std::string_view fmri);
// The only plugin that may set this property, because it decides which device is overwritten or taken out of
// service; "" any.
std::string_view only_source_of(std::string_view fmri, std::string_view property);

}  // namespace fmd
