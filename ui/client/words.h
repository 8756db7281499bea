// Words: text and times as every front end shows them. Everything that comes from a device or a person
// passes clean() once. Pure; local time.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace fmd::ui {

// fmd::display, whole (never cut): what is shown must be usable as an argument again.
std::string clean(std::string_view raw);
// Prose that may have line breaks: those become blanks, the rest is cleaned.
std::string clean_prose(std::string_view raw);
// "2026-11-21 14:30"
std::string format_minute(int64_t ns);

}  // namespace fmd::ui
