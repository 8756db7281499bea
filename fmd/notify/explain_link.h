// The web page about a message id, from the configured address. Pure.
#pragma once
#include <string>
#include <string_view>

namespace fmd {

// explain_url: Preferences::explain_url, in which the id replaces "{code}"; without that it is appended.
// "" if there is no address or no id.
std::string explain_link(std::string_view explain_url, std::string_view code);

}  // namespace fmd
