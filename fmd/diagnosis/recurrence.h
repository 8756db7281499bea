// Recurrence: events that several parts have at the same moments, repeatedly, such as dropping off
// their bus. Once may be a person who reseats a cable or restarts a shelf; three times for a single
// disk means the disk. So each event that a finding has counted is checked by itself for a common
// cause (common_cause.h), with all parts that had the same event at about that time as the accused.
// Pure.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fmd/diagnosis/common_cause.h"

namespace fmd {

// Parts that are accused, and the ways to each (`path` resources) that fail; none: the part itself does.
using Accused = std::map<std::string, std::set<std::string>>;
Crowd crowd_of(std::shared_ptr<Hanging> hanging, const Accused& accused);

using Moments = std::map<std::string, std::vector<int64_t>>;  // part → event times, ascending

struct Recurrence {
  std::vector<int64_t> own, shared;  // events of the part that nothing above explains; the others
  // What explains the most of those shared, as it was the last time, with the names of who fails; and how many they are.
  std::optional<CommonCause> cause;
  size_t times = 0;
};

// The parts that did it within the rule's `moment` of that time.
Accused together(const Rule& common, const Moments& moments, int64_t time_ns);

// counted: the events, of the part, that the finding is made of.
Recurrence recurrence(const Inventory& inventory, const std::shared_ptr<Hanging>& hanging,
                      const Rule& common, const std::string& part,
                      const std::vector<int64_t>& counted, const Moments& moments);

}  // namespace fmd
