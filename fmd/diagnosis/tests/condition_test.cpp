// Rules about what sources read off a part: growth, limits that the part itself gives, where, and
// what is blamed upwards.
#include <gtest/gtest.h>

#include <random>

#include "fmd/base/tests/share.h"
#include "fmd/diagnosis/tests/rig.h"
#include "fmd/protocol/parse.h"

namespace fmd {
namespace {

using test::kMinute;
using test::kSecond;
using test::kStart;
using test::Rig;
using Verdict = Engine::Verdict;

constexpr int64_t kHour = 60 * kMinute;

const char* const kConditions = R"(
[[rule]]
name = "pending"
kind = "growth"
type = "disk"
property = "smart.pending"
by = 8
first_above = 200
where_not = { "smart.state" = ["hung"] }
fault = "fault.t.pending"

[[rule]]
name = "crc"
kind = "growth"
type = "disk"
property = "smart.crc"
by = 5
within = "1d"
hold = "1min"
fault = "fault.t.link"

[[rule]]
name = "warm"
kind = "threshold"
type = "disk"
property = "temperature_celsius"
above_property = "temperature_limit_celsius"
clear_above = -5
where = { transport = ["sata", "sas"] }
fault = "fault.t.warm"

[[fault]]
class = "fault.t.pending"
dictionary = "T"
number = 1
severity = "Major"
title = "Pending sectors"
description = "{serial} in {bay}: {baseline} to {value}, at least {limit}."
response = "r"
impact = "i"
action = "a"
led = true
[fault.repair]
when_clear = true

[[fault]]
class = "fault.t.link"
dictionary = "T"
number = 2
severity = "Minor"
title = "Link of {name}"
description = "{part}, {bay}: {value} within {within}."
response = "r"
impact = "i"
action = "a"
led = true
[fault.fru]
follow = "contains"
scheme = "hc"
direction = "up"
[fault.repair]
after = "7d"

[[fault]]
class = "fault.t.warm"
dictionary = "T"
number = 3
severity = "Minor"
title = "Warm"
description = "{value} is beyond {limit}."
response = "r"
impact = "i"
action = "a"
[fault.repair]
when_clear = true
)";

class Conditions : public ::testing::Test {
 protected:
  void SetUp() override {
    rig.put_disk(1, kStart);
    rig.put("hc://chassis=c", "enclosure", {{"label", "Shelf"}},
            {{Relation::contains, Rig::bay(1)}}, kStart);
  }
  // As the message of a plugin, through the parser that live and replay share.
  void read(const std::string& name, const std::string& value, int64_t at) {
    auto update =
        protocol::parse_readings(R"({"readings":[{"resource":")" + Rig::disk(1) + R"(","name":")" +
                                 name + R"(","value":)" + value + R"(,"unit":"1","time":1}]})");
    ASSERT_TRUE(update) << update.error().message;
    update->update.source = "smart";
    changes = rig.engine->on_inventory(update->update, at).size();
  }
  void describe(const Rig::Properties& properties, int64_t at) {
    Rig::Properties of_smart;
    for (const auto& [name, value] : properties) {
      if (name != "transport") {
        of_smart.emplace_back(name, value);
        continue;
      }
      rig.put(Rig::disk(1), "disk",  // which is fmd-disk's
              {{"serial", "SERIAL1"}, {"model", "MODEL"}, {"path", "/dev/sd1"}, {name, value}}, {},
              at);
    }
    rig.put(Rig::disk(1), "disk", of_smart, {}, at, "smart");
  }
  const Suspect& suspect() { return rig.only_case().suspects.at(0); }
  Rig rig{kConditions};
  size_t changes = 0;
};

TEST_F(Conditions, OldDefectsAreNoNewsNewOnesAre) {
  read("smart.pending", "100", kStart);
  read("smart.pending", "107", kStart + kHour);
  EXPECT_EQ(rig.states(), "");
  read("smart.pending", "108", kStart + 2 * kHour);
  EXPECT_EQ(rig.news(), "diagnosed:1");
  EXPECT_EQ(rig.only_case().description, "SERIAL1 in bay SLOT 01: 100 to 108, at least 108.");
  EXPECT_EQ(suspect().fru, Rig::disk(1));  // a device is what is replaced
  EXPECT_EQ(suspect().bay, Rig::bay(1));
  read("smart.pending", "500", kStart + 3 * kHour);
  EXPECT_EQ(rig.news(), "");
  EXPECT_EQ(rig.only_case().description, "SERIAL1 in bay SLOT 01: 100 to 108, at least 108.");
}

TEST_F(Conditions, TheCaseKeepsWhatWasSeen) {
  const auto seen = [&] {
    std::string out;
    for (const Observation& o : rig.only_case().observations)
      out += o.text() + (o.resource == Rig::disk(1) ? "\n" : " of " + o.resource + "\n");
    return out;
  };
  read("smart.pending", "100", kStart);
  read("smart.pending", "110", kStart + kHour);
  EXPECT_EQ(seen(), "smart.pending is 110, grown from 100 (rule pending)\n");
  EXPECT_EQ(rig.only_case().evidence_count, 0u);
  read("smart.pending", "300", kStart + 2 * kHour);
  EXPECT_EQ(rig.only_case().observations.size(), 1u) << "it is the same one";
  describe({{"transport", "sata"},
            {"temperature_celsius", int64_t{61}},
            {"temperature_limit_celsius", int64_t{60}}},
           kStart + 3 * kHour);
  EXPECT_EQ(seen(),
            "smart.pending is 110, grown from 100 (rule pending)\n"
            "temperature_celsius is 61, more than 60 (rule warm)\n")
      << "of what is folded in too";
  EXPECT_EQ(rig.only_case().observations[1].time_ns, kStart + 3 * kHour);
  EXPECT_EQ(rig.only_case().observations[1].since_ns, kStart + 3 * kHour);
}

TEST_F(Conditions, WhatIsHeldWasSeenSinceTheHoldBegan) {
  read("smart.crc", "0", kStart);
  read("smart.crc", "5", kStart + kHour);
  EXPECT_TRUE(rig.only_case().observations.empty()) << "nothing is said yet";
  rig.engine->on_time(kStart + kHour + kMinute);
  ASSERT_EQ(rig.only_case().observations.size(), 1u);
  EXPECT_EQ(rig.only_case().observations[0].time_ns, kStart + kHour + kMinute);
  EXPECT_EQ(rig.only_case().observations[0].since_ns, kStart + kHour);
}

TEST_F(Conditions, ARepeatedReadingLeavesNoTrace) {
  read("smart.pending", "100", kStart);
  rig.engine->take_changes();
  read("smart.pending", "100", kStart + kHour);
  EXPECT_EQ(changes, 0u);
  EXPECT_TRUE(rig.engine->take_changes().empty());
  read("smart.pending", "101", kStart + kHour);
  EXPECT_EQ(changes, 1u);
  EXPECT_EQ(rig.engine->take_changes().size(), 2u);  // what was read, and the baseline's row
}

TEST_F(Conditions, AValueByWhichNothingIsDecidedIsWrittenInItsTurn) {
  describe({{"transport", "sata"}, {"temperature_limit_celsius", int64_t{60}}}, kStart);
  read("temperature_celsius", "40", kStart);
  rig.engine->take_changes();
  read("temperature_celsius", "41", kStart + kHour);
  EXPECT_EQ(changes, 1u);
  EXPECT_TRUE(rig.engine->take_changes().empty());
  ASSERT_EQ(rig.engine->take_measured(16).size(), 1u);
  EXPECT_TRUE(rig.engine->take_measured(16).empty());
  read("temperature_celsius", "61", kStart + 2 * kHour);
  EXPECT_EQ(rig.states(), "SOLVED");
  rig.engine->take_changes();
  EXPECT_TRUE(rig.engine->take_measured(16).empty()) << "it was written with what it decided";
  read("temperature_celsius", "62", kStart + 3 * kHour);
  describe({{"transport", "sata"}, {"temperature_limit_celsius", int64_t{65}}}, kStart + 3 * kHour);
  rig.engine->take_changes();
  EXPECT_TRUE(rig.engine->take_measured(16).empty()) << "its row was written anyway";
  read("temperature_celsius", "63", kStart + 4 * kHour);
  rig.engine->write_out();
  EXPECT_EQ(rig.engine->take_changes().size(), 1u);
}

// A crash at any moment loses values, never what they decided.
TEST_F(Conditions, ARestartDecidesAsWasDecidedWhateverWasReadSince) {
  std::mt19937 random(16);
  const auto number = [&](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  };
  int64_t at = kStart;
  const auto limit = [&] {
    rig.put(Rig::disk(1), "disk",
            {{"transport", "sata"}, {"temperature_limit_celsius", int64_t{number(50, 70)}}}, {},
            at);
  };
  InventoryUpdate there;
  there.source = "smart";
  there.resources.resize(1);
  there.resources[0].fmri = Rig::disk(1);
  there.resources[0].type = "disk";
  there.resources[0].present = false;  // others say whether it is
  rig.engine->on_inventory(there, at);
  int pending = 0, crc = 0, restarts = 0, lost = 0;
  std::map<std::string, int> solved;
  test::Rows rows;
  limit();
  const int steps = static_cast<int>(share_of(5000));
  for (int step = 0; step < steps; ++step) {
    at += number(1, 900) * kSecond;
    rig.engine->on_time(at);
    switch (number(0, 11)) {
      case 0:
        limit();
        break;
      case 1:
        pending = number(0, 9) == 0 ? 0 : pending + number(0, 6);
        read("smart.pending", std::to_string(pending), at);
        break;
      case 2:
        crc = number(0, 9) == 0 ? 0 : crc + number(0, 4);
        read("smart.crc", std::to_string(crc), at);
        break;
      default:
        read("temperature_celsius", std::to_string(number(45, 75)), at);
    }
    test::keep(*rig.engine, rows, number(0, 3) == 0);
    if (number(0, 9) == 0)
      for (const StateRow& row : rig.engine->take_measured(1)) rows[{row.kind, row.key}] = row.doc;
    for (const auto& [uuid, c] : rig.engine->cases())
      if (!c.code.empty()) ++solved[c.code];
    if (number(0, 4) != 0) continue;
    const std::string before = rig.states();
    const std::string value =
        rig.engine->inventory().find(Rig::disk(1))->get("temperature_celsius");
    test::restart(rig, rows);
    rig.engine->on_time(at);
    ASSERT_EQ(rig.states(), before) << "step " << step;
    lost += rig.engine->inventory().find(Rig::disk(1))->get("temperature_celsius") != value;
    ++restarts;
  }
  EXPECT_GT(restarts, steps / 7);
  EXPECT_GT(lost, steps / 70) << "else this proves nothing";
  EXPECT_EQ(solved.size(), 3u) << "by each rule";
}

// A case that said enough is over: the values of what it is about, too, are written with that.
TEST(ConditionsAndCases, WhatACaseHadSilencedIsWrittenWithItsEnd) {
  Rig rig(std::string(kConditions) + R"(
[[rule]]
name = "error"
kind = "immediate"
events = ["ereport.t.error"]
fault = "fault.t.error"
[[rule]]
name = "load"
kind = "threshold"
type = "disk"
property = "smart.load"
above = 50
unless_fault = "fault.t.error"
fault = "fault.t.warm"
[[fault]]
class = "fault.t.error"
dictionary = "T"
number = 4
severity = "Major"
title = "Error"
description = "d"
response = "r"
impact = "i"
action = "a"
)");
  rig.put_disk(1, kStart);
  const auto read = [&rig](int64_t value, int64_t at) {
    InventoryUpdate update;
    update.source = "smart";
    update.merge = true;
    update.resources.resize(1);
    update.resources[0].fmri = Rig::disk(1);
    update.resources[0].properties["smart.load"] = value;
    rig.engine->on_inventory(update, at);
  };
  test::Rows rows;
  read(1, kStart);
  rig.send("ereport.t.error", Rig::disk(1), kStart + kMinute);
  read(80, kStart + 2 * kMinute);
  rig.engine->write_out();
  test::keep(*rig.engine, rows);
  EXPECT_EQ(rig.states(), "SOLVED") << "what else is with it says nothing new";
  read(5, kStart + 3 * kMinute);
  ASSERT_TRUE(
      rig.engine->judge(Verdict::repaired, rig.only_case().uuid, "", "root", kStart + 4 * kMinute));
  const std::string before = rig.states();
  test::keep(*rig.engine, rows);
  test::restart(rig, rows);
  rig.engine->on_time(kStart + 5 * kMinute);
  EXPECT_EQ(rig.states(), before) << "not by the 80 of long ago";
}

TEST_F(Conditions, AFirstValueMayBeTooMuchAlready) {
  read("smart.pending", "201", kStart);
  EXPECT_EQ(rig.news(), "diagnosed:1");
  EXPECT_EQ(rig.only_case().description, "SERIAL1 in bay SLOT 01: unknown to 201, at least 200.");
}

TEST_F(Conditions, AFallRepairsWhenTheRuleSaysSo) {
  read("smart.pending", "0", kStart);
  read("smart.pending", "8", kStart + kHour);
  read("smart.pending", "0", kStart + 2 * kHour);
  EXPECT_EQ(rig.states(), "RESOLVED");
  read("smart.pending", "7", kStart + 3 * kHour);
  EXPECT_EQ(rig.states(), "RESOLVED");
  read("smart.pending", "8", kStart + 4 * kHour);
  EXPECT_EQ(rig.states(), "RESOLVED SOLVED");
}

class Judged : public Conditions, public ::testing::WithParamInterface<Verdict> {};

TEST_P(Judged, PinsTheBaseline) {
  read("smart.pending", "0", kStart);
  read("smart.pending", "20", kStart + kHour);
  ASSERT_TRUE(rig.engine->judge(GetParam(), "1", "", "root", kStart + 2 * kHour));
  EXPECT_EQ(rig.states(), "RESOLVED");
  describe({{"smart.status", "passed"}, {"smart.pending", int64_t{20}}}, kStart + 3 * kHour);
  read("smart.pending", "27", kStart + 4 * kHour);
  EXPECT_EQ(rig.states(), "RESOLVED");
  read("smart.pending", "28", kStart + 5 * kHour);
  EXPECT_EQ(rig.states(), "RESOLVED SOLVED");
}

INSTANTIATE_TEST_SUITE_P(All, Judged,
                         ::testing::Values(Verdict::repaired, Verdict::acquitted,
                                           Verdict::replaced));

TEST_F(Conditions, AJudgementDuringTheHoldPinsItToo) {
  read("smart.crc", "0", kStart);
  read("smart.crc", "5", kStart + kHour);
  EXPECT_EQ(rig.states(), "UNSOLVED");
  ASSERT_TRUE(rig.engine->judge(Verdict::acquitted, "1", "", "root", kStart + kHour));
  describe({{"smart.crc", int64_t{9}}}, kStart + 2 * kHour);
  EXPECT_EQ(rig.states(), "");
  read("smart.crc", "10", kStart + 3 * kHour);
  EXPECT_EQ(rig.states(), "UNSOLVED");
}

TEST_F(Conditions, AnAcknowledgementPinsItAndMoreIsNewsAgain) {
  read("smart.pending", "0", kStart);
  read("smart.pending", "20", kStart + kHour);
  ASSERT_TRUE(rig.engine->acknowledge("1", "root", "I know", kStart + 2 * kHour));
  EXPECT_EQ(rig.news(), "diagnosed:1");
  read("smart.pending", "27", kStart + 3 * kHour);
  EXPECT_EQ(rig.news(), "");
  EXPECT_TRUE(rig.only_case().acknowledged);
  read("smart.pending", "28", kStart + 4 * kHour);
  EXPECT_EQ(rig.news(), "updated:1");
  EXPECT_FALSE(rig.only_case().acknowledged);
  EXPECT_EQ(rig.only_case().description, "SERIAL1 in bay SLOT 01: 20 to 28, at least 28.");
  EXPECT_EQ(rig.only_case().timeline.back().text,
            "SLOT 01: smart.pending has grown from 20 to 28 since it was acknowledged (rule "
            "pending)");
  read("smart.pending", "90", kStart + 5 * kHour);
  EXPECT_EQ(rig.news(), "");
}

TEST_F(Conditions, AnAcknowledgedOneEndsWhenItIsWell) {
  read("smart.pending", "500", kStart);
  ASSERT_TRUE(rig.engine->acknowledge("1", "root", "I know", kStart + kHour));
  test::Rows rows;
  test::keep(*rig.engine, rows);
  test::restart(rig, rows);
  rig.news();
  read("smart.pending", "508", kStart + 2 * kHour);
  EXPECT_EQ(rig.news(), "updated:1");
  ASSERT_TRUE(rig.engine->acknowledge("1", "root", "that too", kStart + 2 * kHour));
  read("smart.pending", "201", kStart + 2 * kHour);
  EXPECT_EQ(rig.states(), "SOLVED");
  read("smart.pending", "200", kStart + 3 * kHour);
  EXPECT_EQ(rig.states(), "RESOLVED");
  read("smart.pending", "207", kStart + 4 * kHour);
  EXPECT_EQ(rig.states(), "RESOLVED");
  read("smart.pending", "208", kStart + 5 * kHour);
  EXPECT_EQ(rig.states(), "RESOLVED SOLVED");
}

TEST_F(Conditions, GrowthIsFollowedOnlyWhereTheRuleLooks) {
  describe({{"smart.state", "hung"}}, kStart);
  read("smart.pending", "100", kStart);
  read("smart.pending", "150", kStart + kHour);
  EXPECT_EQ(rig.states(), "");
  describe({{"smart.state", "observed"}, {"smart.pending", int64_t{150}}}, kStart + 2 * kHour);
  read("smart.pending", "157", kStart + 3 * kHour);
  EXPECT_EQ(rig.states(), "");
  read("smart.pending", "158", kStart + 4 * kHour);
  EXPECT_EQ(rig.states(), "SOLVED");
  describe({{"smart.state", "hung"}, {"smart.pending", int64_t{0}}}, kStart + 5 * kHour);
  EXPECT_EQ(rig.states(), "SOLVED");  // a hung disk's counter has not fallen
}

TEST_F(Conditions, ALinkBlamesWhatHoldsThePart) {
  read("smart.crc", "40", kStart);
  read("smart.crc", "45", kStart + kHour);
  EXPECT_EQ(rig.states(), "UNSOLVED");
  rig.engine->on_time(kStart + kHour + kMinute);
  EXPECT_EQ(rig.news(), "diagnosed:1");
  EXPECT_EQ(suspect().resource, Rig::disk(1));
  EXPECT_EQ(suspect().fru, Rig::bay(1));
  EXPECT_EQ(suspect().bay, Rig::bay(1));  // whose LED is lit
  EXPECT_EQ(suspect().location, "SLOT 01");
  EXPECT_EQ(rig.only_case().title, "Link of SERIAL1");
  EXPECT_EQ(rig.only_case().description, Rig::bay(1) + ", bay SLOT 01: 45 within 1d.");
}

TEST_F(Conditions, GrowthThatStopsEndsByQuiet) {
  read("smart.crc", "0", kStart);
  read("smart.crc", "5", kStart + kHour);
  rig.engine->on_time(kStart + 2 * kHour);
  read("smart.crc", "6", kStart + 50 * kHour);  // goes on, however slowly
  const int64_t end = kStart + 50 * kHour + 7 * 24 * kHour;
  EXPECT_EQ(rig.engine->next_deadline_ns(), end);
  rig.engine->on_time(end - 1);
  EXPECT_EQ(rig.states(), "SOLVED");
  rig.engine->on_time(end);
  EXPECT_EQ(rig.states(), "RESOLVED");
  read("smart.crc", "7", end + kHour);
  EXPECT_EQ(rig.states(), "RESOLVED");
}

TEST_F(Conditions, AnAbsentPartKeepsItsBaselineOneThatIsNoMoreLosesIt) {
  read("smart.pending", "0", kStart);
  rig.gone(Rig::disk(1), "removed", kStart + kHour);
  rig.put_disk(1, kStart + 2 * kHour);
  read("smart.pending", "8", kStart + 3 * kHour);
  EXPECT_EQ(rig.states(), "SOLVED");
  rig.gone(Rig::disk(1), "destroyed", kStart + 4 * kHour);
  EXPECT_EQ(rig.states(), "RESOLVED");
  rig.put_disk(1, kStart + 5 * kHour);
  read("smart.pending", "50", kStart + 6 * kHour);
  EXPECT_EQ(rig.states(), "RESOLVED");
}

TEST_F(Conditions, ThePartItselfGivesTheLimit) {
  const auto temperature = [&](int64_t celsius, int64_t at) {
    describe({{"transport", "sata"},
              {"temperature_limit_celsius", int64_t{60}},
              {"temperature_celsius", celsius}},
             at);
  };
  describe({{"transport", "sata"}, {"temperature_celsius", int64_t{99}}}, kStart);
  EXPECT_EQ(rig.states(), "");  // without a limit nothing is said
  temperature(60, kStart + kSecond);
  EXPECT_EQ(rig.states(), "");
  temperature(61, kStart + 2 * kSecond);
  EXPECT_EQ(rig.states(), "SOLVED");
  EXPECT_EQ(rig.only_case().description, "61 is beyond 60.");
  temperature(55, kStart + 3 * kSecond);
  EXPECT_EQ(rig.states(), "SOLVED");
  temperature(54, kStart + 4 * kSecond);
  EXPECT_EQ(rig.states(), "RESOLVED");
  describe({{"transport", "usb"},
            {"temperature_limit_celsius", int64_t{60}},
            {"temperature_celsius", int64_t{99}}},
           kStart + 5 * kSecond);
  EXPECT_EQ(rig.states(), "RESOLVED");  // where
}

}  // namespace
}  // namespace fmd
