// The kinds of messages about a case, in the order of a case's life, and the reminder of an
// unacknowledged case.
#pragma once
#include <array>
#include <optional>
#include <string_view>

namespace fmd {

enum class CaseEvent { diagnosed, updated, repaired, resolved, reminder };

inline constexpr std::array<std::string_view, 5> kCaseEvents{"diagnosed", "updated", "repaired",
                                                             "resolved", "reminder"};

constexpr std::string_view case_event_name(CaseEvent event) {
  return kCaseEvents[static_cast<size_t>(event)];
}
constexpr std::optional<CaseEvent> parse_case_event(std::string_view name) {
  for (size_t i = 0; i < kCaseEvents.size(); ++i)
    if (kCaseEvents[i] == name) return static_cast<CaseEvent>(i);
  return {};
}

}  // namespace fmd
