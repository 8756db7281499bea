// What the texts of recordings have in common: their lines, other values in them, what a plugin told of them.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "fmd/model/event.h"
#include "plugins/sdk/plugin.h"

namespace fmd::score {

// But for comments ("# …"). Throws where there is none.
std::vector<std::string> recorded_lines(const std::string& file);
// The first one. Throws where it is not there: then the text is not the one that was meant.
std::string replaced(std::string line, std::string_view from, std::string_view to);
// As the daemon takes it, source and number apart.
Event as_taken(const sdk::OutEvent& told);

}  // namespace fmd::score
