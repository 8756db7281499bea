// The rules, parts and helpers that the tests of common causes share.
#pragma once
#include <fmt/format.h>

#include <string>
#include <vector>

#include "fmd/diagnosis/tests/rig.h"

namespace fmd::test {

inline constexpr const char* kCommonRules = R"(
[[rule]]
name = "dead"
kind = "immediate"
events = ["ereport.t.dead"]
fault = "fault.t.dead"

[[rule]]
name = "errors"
kind = "serd"
events = ["ereport.t.error"]
count = 3
within = "10min"
hold = "15s"
unless = ["sysevent.t.removed"]
fault = "fault.t.errors"

[[rule]]
name = "lost"
kind = "state"
type = "disk"
property = "state"
values = ["lost"]
fault = "fault.t.lost"

[[rule]]
name = "gone"
kind = "state"
type = "disk"
property = "state"
values = ["gone"]
hold = "1min"
fault = "fault.t.lost"

[[rule]]
name = "blocked"
kind = "state"
type = "disk"
property = "state"
values = ["blocked"]
hold = "5min"
fault = "fault.t.lost"

[[rule]]
name = "shelf"
kind = "immediate"
events = ["ereport.t.stop"]
hold = "1min"
fault = "fault.t.shelf"

[[rule]]
name = "link"
kind = "immediate"
events = ["ereport.t.noise"]
fault = "fault.t.link"

[[rule]]
name = "medium"
kind = "immediate"
events = ["ereport.t.medium"]
fault = "fault.t.medium"

[[rule]]
name = "wrong"
kind = "serd"
events = ["ereport.t.other"]
count = 3
within = "10min"
fault = "fault.t.wrong"

[[rule]]
name = "slow"
kind = "state"
type = "disk"
property = "speed"
values = ["slow"]
hold = "15min"
fault = "fault.t.slow"

[[rule]]
name = "shared"
kind = "cause"
explains = ["fault.t.slow", "fault.t.shelf"]
upstream = ["fault.t.shelf"]
links = ["fault.t.link"]
faults = ["fault.t.dead", "fault.t.errors", "fault.t.lost"]
along = ["path"]
parts = "disk"
wait = "5s"
certainty = 80
fault = "fault.t.shared"

[[rule]]
name = "spoilt"
kind = "cause"
faults = ["fault.t.wrong"]
along = ["path"]
parts = "disk"
wait = "5s"
fault = "fault.t.shared"

[[fault]]
class = "fault.t.wrong"
dictionary = "T"
number = 9
severity = "Major"
title = "wrong data"
description = "d"
response = "r"
impact = "i"
action = "a"
[fault.retire]
first = "degraded"
spare = true
[fault.repair]
on = ["sysevent.t.clear"]

[[fault]]
class = "fault.t.dead"
dictionary = "T"
number = 1
severity = "Major"
title = "dead"
description = "d"
response = "r"
impact = "i"
action = "a"
led = true
[fault.retire]
first = "out-of-service"
spare = true
[fault.repair]
on = ["sysevent.t.clear"]

[[fault]]
class = "fault.t.errors"
dictionary = "T"
number = 2
severity = "Major"
title = "errors"
description = "d"
response = "r"
impact = "i"
action = "a"
[fault.repair]
on = ["sysevent.t.clear"]

[[fault]]
class = "fault.t.lost"
dictionary = "T"
number = 3
severity = "Major"
title = "lost"
description = "d"
response = "r"
impact = "i"
action = "a"
[fault.repair]
when_clear = true

[[fault]]
class = "fault.t.slow"
dictionary = "T"
number = 5
severity = "Minor"
title = "slow"
description = "d"
response = "r"
impact = "i"
action = "a"
[fault.repair]
when_clear = true

[[fault]]
class = "fault.t.shelf"
dictionary = "T"
number = 6
severity = "Critical"
title = "no way to {name}"
description = "d"
response = "r"
impact = "i"
action = "a"
[fault.repair]
on = ["sysevent.t.clear"]

[[fault]]
class = "fault.t.link"
dictionary = "T"
number = 7
severity = "Minor"
title = "bad link"
description = "d"
response = "r"
impact = "i"
action = "a"
[fault.repair]
after = "7d"

[[fault]]
class = "fault.t.medium"
dictionary = "T"
number = 8
severity = "Major"
title = "cannot read"
description = "d"
response = "r"
impact = "i"
action = "a"
order = "replace"
[fault.retire]
first = "out-of-service"
spare = true
[fault.repair]
on = ["sysevent.t.clear"]

[[fault]]
class = "fault.t.shared"
dictionary = "T"
number = 4
severity = "Critical"
title = "{name} is at fault"
description = "{failing} failed within {span}; {elsewhere}: {parts}"
response = "r"
impact = "i"
action = "a"
)";

inline std::string hba(int n) {
  return fmt::format("hc://hba={}", n);
}

// Two controllers, A (1) with the disks 1 to 6, B (2) with 11 to 16; each disk in a bay.
class Common : public ::testing::Test {
 protected:
  explicit Common(const std::string& more_rules = {}) : rig(kCommonRules + more_rules) {
    for (int n = 1; n <= 6; ++n)
      for (const int disk : {n, n + 10}) rig.put_disk(disk, kStart);
    controller(1, {1, 2, 3, 4, 5, 6});
    controller(2, {11, 12, 13, 14, 15, 16});
    rig.news();
  }
  void controller(int n, const std::vector<int>& disks, Moment at = kStart) {
    std::vector<Edge> edges;
    for (const int disk : disks) edges.push_back({Relation::path, Rig::disk(disk)});
    rig.put(hba(n), "hba", {{"name", fmt::format("HBA {}", n)}}, edges, at);
  }
  void shelf() {  // all disks of A sit in it
    std::vector<Edge> bays;
    for (int n = 1; n <= 6; ++n) bays.push_back({Relation::contains, Rig::bay(n)});
    rig.put("hc://chassis=c", "enclosure", {}, bays, kStart);
  }
  void dies(int disk, int64_t at) { rig.send("ereport.t.dead", Rig::disk(disk), kStart + at); }
  void state(int disk, const char* state, int64_t at) {
    rig.put(Rig::disk(disk), "disk", {{"state", std::string(state)}}, {}, kStart + at, "s");
  }
  // Each deadline at its time, as the daemon has it.
  void at(int64_t to) {
    for (auto next = rig.engine->next_deadline_ns(); next && *next <= kStart + to;
         next = rig.engine->next_deadline_ns())
      rig.engine->on_time(*next);
    rig.engine->on_time(kStart + to);
  }
  // "SHARED 1 diagnosed", by state, class and first suspect of those that have a verdict.
  std::string verdicts() const {
    std::string out;
    for (const auto& [uuid, c] : rig.engine->cases())
      if (c.state != CaseState::unsolved)
        out += fmt::format("{}{} {} {}", out.empty() ? "" : "; ", state_name(c.state),
                           c.fault_class.substr(8), c.suspects.front().resource);
    return out;
  }
  const Case& cause() const {
    for (const auto& [uuid, c] : rig.engine->cases())
      if (c.fault_class == "fault.t.shared") return c;
    ADD_FAILURE() << "no cause: " << verdicts();
    static const Case kNone;
    return kNone;
  }
  Rig rig;
};

}  // namespace fmd::test
