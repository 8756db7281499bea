// Words: text and times as all front ends show them. Text from a device or a person must pass
// clean() once. Pure; local time.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace fmd::ui {

// Like fmd::display, but never truncated: the shown text must also work as an argument.
std::string clean(std::string_view raw);
// For prose: line breaks become blanks, the rest is cleaned.
std::string clean_prose(std::string_view raw);
// "2026-11-21 14:30"
std::string format_minute(int64_t ns);

}  // namespace fmd::ui
