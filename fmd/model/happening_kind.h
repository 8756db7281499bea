// The kinds of happenings: events that people may want to know and that are no cases. Pure.
#pragma once
#include <array>
#include <optional>
#include <string_view>

namespace fmd {

enum class HappeningKind {
  spare_activated,
  resilver_started,
  resilver_finished,
  disk_inserted,
  disk_removed,
  scrub_errors,
  plugin_silent,
  led_failed,
};

inline constexpr std::array<std::string_view, 8> kHappenings{
    "spare-activated", "resilver-started", "resilver-finished", "disk-inserted",
    "disk-removed",    "scrub-errors",     "plugin-silent",     "led-failed"};

constexpr std::string_view happening_name(HappeningKind kind) {
  return kHappenings[static_cast<size_t>(kind)];
}
constexpr std::optional<HappeningKind> parse_happening(std::string_view name) {
  for (size_t i = 0; i < kHappenings.size(); ++i)
    if (kHappenings[i] == name) return static_cast<HappeningKind>(i);
  return {};
}

}  // namespace fmd
