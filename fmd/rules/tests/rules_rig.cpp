#include "fmd/rules/tests/rules_rig.h"

#include <gtest/gtest.h>

namespace fmd::test {

const char* const kSchema = R"(
[class."ereport.t.error"]
description = "one error"
members = { kind = "string?", level = "u64?", ok = "bool?", ratio = "f64?", pool = "string?" }
[class."ereport.t.other"]
description = "another sort of error"
members = { kind = "string?" }
[class."ereport.t.dead"]
description = "broken for good"
members = { why = "string?" }
[class."ereport.t.medium"]
description = "the medium"
[class."ereport.t.sub.one"]
description = "below a common name"
[class."ereport.t.sub.two"]
description = "below a common name"
[class."ereport.t.noise"]
description = "of which a stream is an upset"
[class."ereport.t.stop"]
description = "something has stopped"
[class."sysevent.t.removed"]
description = "taken out"
[class."sysevent.t.clear"]
description = "an administrator's clear"
members = { by = "string?" }
)";

const char* const kRules = R"(
[[rule]]
name = "errors"
kind = "serd"
events = ["ereport.t.error"]
where_not = { kind = ["old"] }
count = 3
within = "1min"
count_property = "error_n"
within_property = "error_t"
reset_on = ["sysevent.t.clear"]
fault = "fault.t.errors"

[[rule]]
name = "others"
kind = "serd"
events = ["ereport.t.other"]
count = 2
within = "1min"
fault = "fault.t.errors"

[[rule]]
name = "dead"
kind = "immediate"
events = ["ereport.t.dead"]
hold = "15s"
unless = ["sysevent.t.removed"]
fault = "fault.t.dead"

[[rule]]
name = "subs"
kind = "immediate"
events = ["ereport.t.sub.*"]
fault = "fault.t.sub"

[[rule]]
name = "noise"
kind = "immediate"
events = ["ereport.t.noise"]
fault = "upset.t.noise"

[[rule]]
name = "stop"
kind = "immediate"
events = ["ereport.t.stop"]
fault = "fault.t.stop"

[[rule]]
name = "missing"
kind = "state"
type = "zfs-vdev"
property = "state"
values = ["REMOVED", "GONE"]
hold = "10min"
unless_open = true
fault = "upset.t.missing"

[[rule]]
name = "hot"
kind = "threshold"
type = "disk"
property = "temperature"
above = 60
clear_above = 55
hold = "30s"
fault = "fault.t.hot"

[[rule]]
name = "warm"
kind = "threshold"
type = "disk"
property = "temperature"
above_property = "temperature_limit"
clear_above = -5
where = { transport = ["sata"] }
fault = "fault.t.hot"

[[rule]]
name = "bad"
kind = "growth"
type = "disk"
property = "bad"
by = 2
first_above = 6
fault = "fault.t.bad"

[[rule]]
name = "crc"
kind = "growth"
type = "disk"
property = "crc"
by = 2
within = "10min"
hold = "5s"
fault = "fault.t.crc"

[[rule]]
name = "slow"
kind = "threshold"
type = "fan"
property = "rpm"
below = 1000
clear_below = 1200
fault = "fault.t.slow"

[[fault]]
class = "fault.t.errors"
dictionary = "T"
number = 1
severity = "Minor"
title = "Errors on {name}"
description = "{count} errors within {within} on {bay}, serial {serial}, {model}, pool {pool}."
response = "r"
impact = "i"
action = "locate {part}"
order = "replace"
urgency = "within days"
led = true
[fault.fru]
follow = "redundancy"
scheme = "dev"
[fault.retire]
first = "degraded"
spare = true
wait_while = "scrub"
wait_unless = "others"
then = "out-of-service"
[fault.repair]
on = ["sysevent.t.clear"]

[[fault]]
class = "fault.t.dead"
dictionary = "T"
number = 2
severity = "Critical"
title = "Dead"
description = "{name} is dead: {event.why}."
response = "r"
impact = "i"
action = "a"
[fault.fru]
follow = "redundancy"
scheme = "dev"
[fault.retire]
first = "out-of-service"
replace = "same-bay"
[fault.repair]
on = ["sysevent.t.clear"]

[[fault]]
class = "fault.t.sub"
dictionary = "T"
number = 3
severity = "Major"
title = "Sub"
description = "d"
response = "r"
impact = "i"
action = "a"

[[fault]]
class = "upset.t.noise"
dictionary = "T"
number = 4
severity = "Minor"
title = "Noise"
description = "d"
response = "r"
impact = "i"
action = "a"
[fault.repair]
after = "1h"

[[fault]]
class = "upset.t.missing"
dictionary = "T"
number = 5
severity = "Minor"
title = "Missing"
description = "d"
response = "r"
impact = "i"
action = "a"
[fault.repair]
when_clear = true

[[fault]]
class = "fault.t.hot"
dictionary = "T"
number = 6
severity = "Major"
title = "Hot"
description = "d"
response = "r"
impact = "i"
action = "a"
[fault.repair]
when_clear = true

[[fault]]
class = "fault.t.slow"
dictionary = "T"
number = 7
severity = "Major"
title = "Slow"
description = "d"
response = "r"
impact = "i"
action = "a"

[[fault]]
class = "fault.t.bad"
dictionary = "T"
number = 9
severity = "Minor"
title = "Bad"
description = "{value} after {baseline}, limit {limit}"
response = "r"
impact = "i"
action = "a"
[fault.repair]
when_clear = true

[[fault]]
class = "fault.t.crc"
dictionary = "T"
number = 10
severity = "Minor"
title = "Link"
description = "{value} within {within}"
response = "r"
impact = "i"
action = "a"
led = true
[fault.fru]
follow = "contains"
scheme = "hc"
direction = "up"
[fault.repair]
after = "10min"

[[fault]]
class = "fault.t.stop"
dictionary = "T"
number = 8
severity = "Critical"
title = "Stopped"
description = "d"
response = "r"
impact = "i"
action = "a"
[fault.repair]
when = { health = ["ONLINE"] }
)";

std::string all_text(const std::vector<Error>& errors) {
  std::string out;
  for (const Error& e : errors) out += e.text() + "\n";
  return out;
}

EventSchema schema_of(const std::string& text) {
  auto [schema, errors] = EventSchema::load({{"events.toml", text}});
  EXPECT_EQ(all_text(errors), "");
  return std::move(schema);
}

std::shared_ptr<const RuleSet> rules_of(const std::string& text, const EventSchema& schema) {
  auto [rules, errors] = RuleSet::load({{"rules.toml", text}}, schema);
  EXPECT_EQ(all_text(errors), "");
  return rules;
}

}  // namespace fmd::test
