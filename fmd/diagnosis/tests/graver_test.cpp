// What keeps silent for a graver fault of the same part, and gives way to it: `unless_fault` of rules about events.
#include <gtest/gtest.h>

#include "fmd/diagnosis/tests/rig.h"

namespace fmd {
namespace {

using test::keep;
using test::kMinute;
using test::kSecond;
using test::kStart;
using test::restart;
using test::Rig;
using test::Rows;

const char* const kRules = R"(
[[rule]]
name = "chosen"
kind = "serd"
events = ["ereport.t.error"]
count = 3
within = "1min"
fault = "fault.t.chosen"

[[rule]]
name = "slow"
kind = "serd"
events = ["ereport.t.error"]
count = 3
within = "1h"
unless_fault = "fault.t.chosen"
fault = "fault.t.slow"

[[rule]]
name = "hung"
kind = "immediate"
events = ["ereport.t.dead"]
hold = "15s"
unless_fault = "fault.t.chosen"
fault = "fault.t.slow"

[[rule]]
name = "other"
kind = "immediate"
events = ["ereport.t.other"]
fault = "fault.t.other"

[[fault]]
class = "fault.t.chosen"
dictionary = "T"
number = 1
severity = "Major"
title = "Too slow"
description = "d"
response = "r"
impact = "i"
action = "a"
retire = { first = "degraded" }
[fault.repair]
on = ["sysevent.t.clear"]

[[fault]]
class = "fault.t.slow"
dictionary = "T"
number = 2
severity = "Minor"
title = "Slow"
description = "d"
response = "r"
impact = "i"
action = "a"
[fault.repair]
on = ["sysevent.t.clear"]
after = "7d"

[[fault]]
class = "fault.t.other"
dictionary = "T"
number = 3
severity = "Minor"
title = "Other"
description = "d"
response = "r"
impact = "i"
action = "a"
)";

class Graver : public ::testing::Test {
 protected:
  std::string suspects() const {
    std::string out;
    for (const Suspect& s : rig.only_case().suspects)
      out += (out.empty() ? "" : " ") + s.fault_class + ":" + std::string(status_name(s.status));
    return out;
  }
  void errors(int count, int64_t step_ns) {
    rig.errors(count, part, now, step_ns);
    now += count * step_ns;
  }
  Rig rig{kRules};
  const std::string part = Rig::vdev(1);
  int64_t now = kStart;
};

TEST_F(Graver, OneEventThatMakesBothFireMakesOneSuspect) {
  errors(3, kSecond);
  EXPECT_EQ(suspects(), "fault.t.chosen:faulty");
  EXPECT_EQ(rig.news(), "diagnosed:1");
}

TEST_F(Graver, TheLesserGivesWay) {
  errors(3, 2 * kMinute);
  EXPECT_EQ(suspects(), "fault.t.slow:faulty");
  EXPECT_EQ(rig.only_case().severity, "Minor");
  EXPECT_EQ(rig.news(), "diagnosed:1");
  errors(3, kSecond);
  EXPECT_EQ(suspects(), "fault.t.chosen:faulty");
  EXPECT_EQ(rig.only_case().severity, "Major");
  EXPECT_EQ(rig.only_case().title, "Too slow");
  EXPECT_EQ(rig.only_case().retire.first, "degraded");
  EXPECT_EQ(rig.only_case().description, "d") << "nothing was 'also found'";
  EXPECT_EQ(rig.news(), "updated:1");
}

TEST_F(Graver, ItGoesOnCountingEvidenceForOneCase) {
  errors(3, kSecond);
  errors(30, kMinute);
  rig.send("ereport.t.dead", part, now += kSecond);
  rig.engine->on_time(now += kMinute);
  EXPECT_EQ(suspects(), "fault.t.chosen:faulty");
  EXPECT_EQ(rig.only_case().evidence_count, 33u);
  EXPECT_EQ(rig.news(), "diagnosed:1");
}

TEST_F(Graver, AnAcknowledgedOneSilencesItToo) {
  errors(3, kSecond);
  ASSERT_TRUE(rig.engine->acknowledge("1", "root", "", now));
  errors(9, kMinute);
  EXPECT_EQ(suspects(), "fault.t.chosen:faulty");
}

TEST_F(Graver, WhenItIsOverTheLesserCountsAnew) {
  errors(3, 2 * kMinute);
  errors(3, kSecond);
  Rows rows;
  keep(*rig.engine, rows);
  restart(rig, rows);
  rig.send("sysevent.t.clear", part, now += kSecond);
  EXPECT_EQ(rig.states(), "RESOLVED") << "nothing of the lesser is left open";
  errors(2, 2 * kMinute);
  EXPECT_EQ(rig.states(), "RESOLVED");
  errors(1, 2 * kMinute);
  EXPECT_EQ(rig.states(), "RESOLVED SOLVED");
  EXPECT_EQ(rig.engine->find_case("2")->fault_class, "fault.t.slow");
}

TEST_F(Graver, WhatHadEndedInTheCaseStandsAgain) {
  rig.send("ereport.t.other", part, now += kSecond);
  errors(3, kSecond);
  EXPECT_EQ(suspects(), "fault.t.other:faulty fault.t.chosen:faulty");
  rig.send("sysevent.t.clear", part, now += kSecond);
  errors(3, 2 * kMinute);
  EXPECT_EQ(suspects(), "fault.t.other:faulty fault.t.chosen:repaired fault.t.slow:faulty");
  errors(3, kSecond);
  EXPECT_EQ(suspects(), "fault.t.other:faulty fault.t.chosen:faulty");
}

TEST_F(Graver, AnotherPartIsAnother) {
  errors(3, kSecond);
  rig.errors(3, Rig::vdev(2), now, 2 * kMinute);
  EXPECT_EQ(rig.states(), "SOLVED SOLVED");
  EXPECT_EQ(rig.engine->find_case("2")->fault_class, "fault.t.slow");
}

}  // namespace
}  // namespace fmd
