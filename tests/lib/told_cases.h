// ToldCases: what plugins tell the core, played through the shipped rules: the cases that people are told of. A plugin's
// tests feed it the messages that the plugin under test has sent.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/diagnosis/replay.h"

namespace fmd {

class ToldCases {
 public:
  ToldCases();
  // A message as the plugin sent it. Messages that are not about the machine are ignored. at_ns: time of arrival, ascending.
  void hear(std::string_view plugin, const nlohmann::json& message, int64_t at_ns);
  // Time passes in steps of an hour, so that deadlines of rules are met one by one.
  void wait(int64_t hours);
  // Sorted: "Major fault.cpu.cache cpu://socket=0/core=5". Throws if the core would have refused an event.
  std::vector<std::string> cases();
  // The cases themselves, for tests of their texts.
  const std::vector<Case>& documents() const { return result_.cases; }

 private:
  const EventSchema schema_;
  Replay replay_;
  int64_t now_ns_ = 0;
  ReplayResult result_;
};

// The cases of these messages of one plugin, all sent now, two hours later.
std::vector<std::string> cases_after_two_hours(std::string_view plugin,
                                               const std::vector<nlohmann::json>& messages);

}  // namespace fmd
