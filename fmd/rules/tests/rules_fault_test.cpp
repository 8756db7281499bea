// [[fault]]: the response policy, what of it cannot be, and the keys that once stood in a [[rule]].
#include <gtest/gtest.h>

#include "fmd/base/duration.h"
#include "fmd/rules/rules.h"
#include "fmd/rules/tests/rules_rig.h"

namespace fmd {
namespace {

const char* const kSchema = R"(
[class."ereport.t.dead"]
description = "broken for good"
[class."sysevent.t.clear"]
description = "cleared"
members = { by = "string?", level = "u64?" }
[class."sysevent.t.online"]
description = "brought online"
members = { by = "string?" }
)";

const char* const kDead =
    "[[rule]]\nname = \"a\"\nkind = \"immediate\"\nevents = [\"ereport.t.dead\"]\nfault = "
    "\"fault.x\"\n";
const char* const kDown =
    "[[rule]]\nname = \"down\"\nkind = \"state\"\ntype = \"disk\"\nproperty = \"state\"\nvalues = "
    "[\"DOWN\"]\nfault = \"fault.x\"\n";
const char* const kHot =
    "[[rule]]\nname = \"hot\"\nkind = \"threshold\"\ntype = \"disk\"\nproperty = \"t\"\nabove = "
    "3\nfault = \"fault.x\"\n";

std::pair<std::shared_ptr<const RuleSet>, std::string> load(const std::string& text) {
  auto [rules, errors] = RuleSet::load({{"r.toml", text}}, test::schema_of(kSchema));
  EXPECT_EQ(rules == nullptr, !errors.empty());
  return {rules, test::all_text(errors)};
}

// policy's first line is 11.
std::string fault_with(const std::string& policy) {
  return R"([[fault]]
class = "fault.x"
dictionary = "X"
number = 1
severity = "Minor"
title = "t"
description = "d"
response = "r"
impact = "i"
action = "a"
)" + policy;
}

std::string errors_of(const std::string& policy, const std::string& rules = kDead) {
  return load(fault_with(policy) + rules).second;
}

TEST(FaultPolicy, IsRead) {
  const auto [rules, errors] = load(fault_with(R"(led = true
[fault.fru]
follow = "contains"
scheme = "hc"
direction = "up"
[fault.also]
follow = "path"
scheme = "dev"
certainty = 30
[fault.retire]
first = "degraded"
spare = true
wait_while = "scrub"
wait_unless = "a"
then = "out-of-service"
then_after = "2min"
then_grace = "30s"
replace = "same-bay"
[fault.repair]
on = ["sysevent.t.clear", "sysevent.t.online"]
where = { by = ["administrator"] }
when = { state = ["UP", "IDLE"] }
when_clear = true
after = "7d"
)") + kDead + kHot);
  ASSERT_EQ(errors, "");
  const FaultClass* fault = rules->fault("fault.x");
  ASSERT_TRUE(fault);
  for (const Rule& rule : rules->rules()) EXPECT_EQ(rule.fault, fault);
  EXPECT_TRUE(fault->led);
  EXPECT_EQ(fault->fru.follow, Relation::contains);
  EXPECT_EQ(fault->fru.scheme, "hc");
  EXPECT_TRUE(fault->fru.upwards);
  EXPECT_EQ(fault->also.follow, Relation::path);
  EXPECT_EQ(fault->also.scheme, "dev");
  EXPECT_EQ(fault->also.certainty, 30);
  EXPECT_EQ(fault->retire, (RetirePolicy{"degraded", true, "scrub", "a", "out-of-service", true,
                                         120 * kSecondNs, 30 * kSecondNs}));
  EXPECT_EQ(fault->repair.on, (RepairOn{{"sysevent.t.clear", "sysevent.t.online"},
                                        {{"by", {std::string("administrator")}}}}));
  EXPECT_EQ(fault->repair.property, "state");
  EXPECT_EQ(fault->repair.values.size(), 2u);
  EXPECT_TRUE(fault->repair.when_clear);
  EXPECT_EQ(fault->repair.after_ns, 7LL * 24 * 3600 * 1000000000);
}

TEST(FaultPolicy, SlipsOfAnotherSuspect) {
  EXPECT_EQ(
      errors_of("[fault.also]\nfollow = \"pat\"\nscheme = \"dev\"\n"),
      "r.toml:11: fault \"fault.x\" [fault.also]: \"certainty\" is missing\n"
      "r.toml:12: fault \"fault.x\" [fault.also]: unknown relation \"pat\"; is \"path\" meant?\n");
  EXPECT_EQ(errors_of("[fault.also]\nfollow = \"path\"\nscheme = \"dev\"\ncertainty = 100\n"),
            "r.toml:14: fault \"fault.x\" [fault.also]: \"certainty\" must be a whole number from "
            "1 to 99\n");
}

TEST(FaultPolicy, SlipsAreAllListed) {
  EXPECT_EQ(
      errors_of(R"(led = "yes"
[fault.fru]
follow = "redundnacy"
scheme = "dev"
direction = "upp"
[fault.retire]
frist = "degraded"
first = "degradde"
wait_unless = "nobody"
then_after = "2min"
[fault.repair]
onn = ["sysevent.t.clear"]
when = { a = 1, b = 2 }
after = "soon"
[fault.repiar]
)"),
      "r.toml:11: fault \"fault.x\": \"led\" must be true or false\n"
      "r.toml:13: fault \"fault.x\" [fault.fru]: unknown relation \"redundnacy\"; is "
      "\"redundancy\" meant?\n"
      "r.toml:15: fault \"fault.x\" [fault.fru]: \"direction\" cannot be \"upp\"; is \"up\" "
      "meant?\n"
      "r.toml:17: fault \"fault.x\" [fault.retire]: unknown key \"frist\"; is \"first\" meant?\n"
      "r.toml:18: fault \"fault.x\" [fault.retire]: \"first\" cannot be \"degradde\"; is "
      "\"degraded\" meant?\n"
      "r.toml:19: fault \"fault.x\" [fault.retire]: \"wait_unless\" goes with a \"wait_while\"\n"
      "r.toml:19: fault \"fault.x\" [fault.retire]: \"wait_unless\" names the unknown rule "
      "\"nobody\"; it is one of a\n"
      "r.toml:20: fault \"fault.x\" [fault.retire]: \"then_after\" goes with a \"then\"\n"
      "r.toml:22: fault \"fault.x\" [fault.repair]: unknown key \"onn\"; is \"on\" meant?\n"
      "r.toml:23: fault \"fault.x\" [fault.repair]: \"when\" has one property and its values\n"
      "r.toml:24: fault \"fault.x\" [fault.repair]: \"after\": \"soon\" is not a duration: write a "
      "whole number and a unit, such as \"15s\", \"10min\", \"72h\" or \"30d\"\n"
      "r.toml:25: fault \"fault.x\": unknown key \"repiar\"; is \"repair\" meant?\n");
}

TEST(FaultPolicy, WhatARepairEventMustHaveIsDeclared) {
  EXPECT_EQ(errors_of(R"([fault.repair]
on = ["sysevent.t.clear", "sysevent.t.onlin"]
where = { yb = ["administrator"], by = [1], level = ["1"] }
)"),
            "r.toml:12: fault \"fault.x\" [fault.repair]: \"on\": unknown event class "
            "\"sysevent.t.onlin\"; is \"sysevent.t.online\" meant?\n");
  EXPECT_EQ(
      errors_of(R"([fault.repair]
on = ["sysevent.t.clear"]
[fault.repair.where]
yb = ["administrator"]
by = [1]
level = ["1"]
)"),
      "r.toml:14: fault \"fault.x\" [fault.repair]: the events have no member \"yb\"; is \"by\" "
      "meant?\n"
      "r.toml:15: fault \"fault.x\" [fault.repair]: the member \"by\" is never 1: its type is "
      "another\n"
      "r.toml:16: fault \"fault.x\" [fault.repair]: the member \"level\" is never \"1\": its type "
      "is another\n");
  EXPECT_EQ(errors_of("[fault.repair]\nwhere = { by = [\"administrator\"] }\n"),
            "r.toml:12: fault \"fault.x\" [fault.repair]: \"where\" goes with an \"on\", the "
            "events that it is about\n");
}

TEST(FaultPolicy, EventsHaveNoEnd) {
  const std::string clear = "[fault.repair]\nwhen_clear = true\n";
  EXPECT_EQ(errors_of(clear),
            "r.toml:12: fault \"fault.x\" [fault.repair]: \"when_clear\" goes with rules of kind "
            "\"state\", \"threshold\" or \"growth\"; all of this fault's are of events\n");
  EXPECT_EQ(errors_of(clear, std::string(kDead) + kDown), "");
  EXPECT_EQ(errors_of(clear, ""), "");
}

TEST(FaultPolicy, AGoodValueSpeaksOfEventsAndOfItsOwnProperty) {
  const std::string when = "[fault.repair]\nwhen = { state = [\"UP\"] }\n";
  EXPECT_EQ(errors_of(when, kHot),
            "r.toml:12: fault \"fault.x\" [fault.repair]: \"when\" goes with rules of events, or "
            "of kind \"state\" about \"state\"; the end of another condition is \"when_clear\"\n");
  EXPECT_EQ(errors_of(when, kDown), "");
  EXPECT_EQ(errors_of(when, kDead), "");
  EXPECT_EQ(errors_of(when + "when_clear = true\n", std::string(kDown) + kHot), "");
}

TEST(FaultPolicy, AnOrderHasAnUrgency) {
  const auto plain = load(fault_with("") + kDead).first;
  EXPECT_FALSE(plain->fault("fault.x")->replaces);
  const auto rules =
      load(fault_with("order = \"replace\"\nurgency = \"within days\"\n") + kDead).first;
  EXPECT_TRUE(rules->fault("fault.x")->replaces);
  EXPECT_EQ(rules->fault("fault.x")->urgency, "within days");
  EXPECT_EQ(errors_of("urgency = \"soon\"\n"),
            "r.toml:11: fault \"fault.x\": \"urgency\" goes with an \"order\"\n");
  EXPECT_NE(errors_of("order = \"repair\"\n"), "");
  EXPECT_NE(errors_of("order = \"replace\"\nurgency = \"some day\"\n"), "");
}

TEST(FaultPolicy, KeysOfTheOldShapeSayWhereTheyBelong) {
  const auto moved = [](const std::string& line, const std::string& key, const std::string& to) {
    EXPECT_EQ(load(kDead + line + "\n" + fault_with("")).second,
              "r.toml:6: rule \"a\": \"" + key +
                  "\" belongs to the [[fault]] that the rule concludes (fault.x): move it there" +
                  to + "\n");
  };
  moved("led = true", "led", "");
  moved("[rule.fru]\nfollow = \"contains\"", "fru", ", as [fault.fru]");
  moved("retire = { first = \"nonsense\" }", "retire", ", as [fault.retire]");
  moved("repair_on = [\"no.such\"]", "repair_on", ", as \"on\" of [fault.repair]");
  moved("repair_when = { a = 1, b = 2 }", "repair_when", ", as \"when\" of [fault.repair]");
  moved("repair_when_clear = true", "repair_when_clear", ", as \"when_clear\" of [fault.repair]");
  moved("repair_after = 3", "repair_after", ", as \"after\" of [fault.repair]");
  moved("[rule.repair]", "repair", ", as [fault.repair]");
}

TEST(FaultPolicy, KeysOfTheOldShapeAreListedWithTheRest) {
  EXPECT_EQ(load("[[rule]]\nname = \"b\"\nkind = \"immediate\"\nled = true\nevnts = "
                 "[\"ereport.t.dead\"]\nrepair_after = \"1h\"\n")
                .second,
            "r.toml:1: rule \"b\": \"events\" is missing\n"
            "r.toml:1: rule \"b\": \"fault\" is missing\n"
            "r.toml:4: rule \"b\": \"led\" belongs to the [[fault]] that the rule concludes: move "
            "it there\n"
            "r.toml:5: rule \"b\": unknown key \"evnts\"; is \"events\" meant?\n"
            "r.toml:6: rule \"b\": \"repair_after\" belongs to the [[fault]] that the rule "
            "concludes: move it there, as \"after\" of [fault.repair]\n");
}

TEST(FaultPolicy, OfAClassStandsOnce) {
  auto [rules, errors] =
      RuleSet::load({{"r.toml", fault_with("led = true\n") + kDead},
                     {"site.toml",
                      "[[fault]]\nclass = \"fault.x\"\ndictionary = \"X\"\nnumber = 2\nseverity = "
                      "\"Minor\"\ntitle = \"t\"\ndescription = \"d\"\nresponse = \"r\"\nimpact = "
                      "\"i\"\naction = \"a\"\nled = false\n"}},
                    test::schema_of(kSchema));
  EXPECT_EQ(test::all_text(errors),
            "site.toml:2: fault \"fault.x\": this fault is described already\n");
}

}  // namespace
}  // namespace fmd
