// What people are told about a case: the four kinds of messages, in the order of a case's life.
#pragma once
#include <array>
#include <optional>
#include <string_view>

namespace fmd {

enum class CaseEvent { diagnosed, updated, repaired, resolved };

inline constexpr std::array<std::string_view, 4> kCaseEvents{"diagnosed", "updated", "repaired",
                                                             "resolved"};

constexpr std::string_view case_event_name(CaseEvent event) {
  return kCaseEvents[static_cast<size_t>(event)];
}
constexpr std::optional<CaseEvent> parse_case_event(std::string_view name) {
  for (size_t i = 0; i < kCaseEvents.size(); ++i)
    if (kCaseEvents[i] == name) return static_cast<CaseEvent>(i);
  return {};
}

}  // namespace fmd
