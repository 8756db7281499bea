// ToldCases: replays messages that a plugin sent to fmd through the shipped rules and returns the
// resulting cases. A plugin's tests feed it the messages of the plugin under test.
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
  // Replays a message of the plugin; only inventory, events and readings count. at_ns: time of
  // arrival, ascending.
  void hear(std::string_view plugin, const nlohmann::json& message, int64_t at_ns);
  // Advances time in steps of an hour, so that each rule deadline passes separately.
  void wait(int64_t hours);
  // Solved cases, sorted: "Major fault.cpu.cache cpu://socket=0/core=5". Throws if fmd would have
  // rejected an event.
  std::vector<std::string> cases();
  // The cases themselves, to test their texts. Valid after cases().
  const std::vector<Case>& documents() const { return result_.cases; }

 private:
  const EventSchema schema_;
  Replay replay_;
  int64_t now_ns_ = 0;
  ReplayResult result_;
};

// The solved cases two hours after one plugin sent all these messages at once.
std::vector<std::string> cases_after_two_hours(std::string_view plugin,
                                               const std::vector<nlohmann::json>& messages);

}  // namespace fmd
