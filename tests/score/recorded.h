// Shared by the readers of recordings: lines, replaced values, and the plugin's event.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "fmd/model/event.h"
#include "plugins/sdk/plugin.h"

namespace fmd::score {

// Without comments ("# …"). Throws if there are none.
std::vector<std::string> recorded_lines(const std::string& file);
// Replaces the first occurrence. Throws if there is none, as the text is then a wrong one.
std::string replaced(std::string line, std::string_view from, std::string_view to);
// As the daemon takes it, except for source and number.
Event as_taken(const sdk::OutEvent& told);

}  // namespace fmd::score
