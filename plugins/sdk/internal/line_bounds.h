// Line bounds: fit what a plugin sends into the protocol's lines of 1 MiB, whatever a device
// reports. fmd disconnects a plugin that sends a longer line, and the plugin would send the same
// line again after each reconnect. Pure.
#pragma once
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace fmd::sdk {

inline constexpr size_t kMostOfLine = 768 << 10;  // bytes of a list in one message
inline constexpr size_t kLongestText = 16 << 10;  // bytes of one string

// Bytes of the value in a line.
size_t line_bytes(const nlohmann::json& value);
// Cuts strings after kLongestText bytes, in objects and arrays as well.
void cut_texts(nlohmann::json& value);
std::string cut_text(std::string_view text);
// whole: also if only texts were cut. reduced: still too large, so properties and edges are gone.
// unfit: fmd would refuse the FMRI, and with it all the other resources in the message.
enum class Fit { whole, reduced, unfit };
Fit fit_resource(nlohmann::json& resource);
// Splits a list into lists that each fit; at least one, which may be empty.
std::vector<nlohmann::json> split_list(nlohmann::json list);

}  // namespace fmd::sdk
