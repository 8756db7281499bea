// Slips in rules about properties: each is an error with its line, and the nearest name.
#include <gtest/gtest.h>

#include <map>

#include <limits>

#include "fmd/rules/rules.h"
#include "fmd/rules/tests/rules_rig.h"

namespace fmd::rules_condition_test {
namespace {

std::pair<std::shared_ptr<const RuleSet>, std::string> load(const std::string& rule) {
  auto [rules, errors] = RuleSet::load({{"r.toml", rule + R"(
[[fault]]
class = "fault.x"
dictionary = "X"
number = 1
severity = "Minor"
title = "t"
description = "{value} {baseline} {limit}"
response = "r"
impact = "i"
action = "a"
)"}},
                                       test::schema_of(test::kSchema));
  return {rules, test::all_text(errors)};
}

TEST(ConditionRules, AGrowthRuleIsRead) {
  const auto [rules, errors] = load(R"([[rule]]
name = "a"
kind = "growth"
type = "disk"
property = "smart.pending"
by = 8
within = "30d"
first_above = 0.5
where = { transport = ["sata", "sas"], rotational = true }
where_not = { "smart.state" = "hung" }
hold = "1h"
fault = "fault.x"
)");
  ASSERT_EQ(errors, "");
  const Rule& rule = rules->rules().at(0);
  EXPECT_EQ(rule.kind, RuleKind::growth);
  EXPECT_EQ(rule.by, 8);
  EXPECT_EQ(rule.within_ns, 30LL * 24 * 3600 * 1000000000);
  EXPECT_EQ(rule.first_above, 0.5);
  EXPECT_EQ(rule.where.size(), 2u);
  EXPECT_EQ(rule.where_not.size(), 1u);
  EXPECT_EQ(rule.fault, rules->fault("fault.x"));
  EXPECT_EQ(rules->for_type("disk").size(), 1u);
}

TEST(CauseRules, SlipsOfACauseRule) {
  EXPECT_EQ(load(R"([[rule]]
name = "a"
kind = "cause"
faults = ["fault.y"]
along = ["pth"]
rate = 0
own = 0.1
unless_open = true
fault = "fault.x"

[[rule]]
name = "b"
kind = "cause"
parts = "sensor"
rate = 2000
share = 1.5
fault = "fault.x"
)")
                .second,
            "r.toml:4: rule \"a\": \"faults\" names the unknown fault \"fault.y\"; is \"fault.x\" "
            "meant?\n"
            "r.toml:5: rule \"a\": unknown relation \"pth\"; is \"path\" meant?\n"
            "r.toml:6: rule \"a\": \"rate\" is a rate per year, above 0 and at most 1000\n"
            "r.toml:7: rule \"a\": \"own\" is for other parts than disks, whose rates are known\n"
            "r.toml:8: rule \"a\": \"unless_open\" belongs to kind \"serd\" and \"immediate\" and "
            "\"state\" and \"threshold\" and \"growth\" only\n"
            "r.toml:11: rule \"b\": \"faults\" is missing\n"
            "r.toml:11: rule \"b\": \"along\" is missing\n"
            "r.toml:15: rule \"b\": \"rate\" is a rate per year, above 0 and at most 1000\n"
            "r.toml:16: rule \"b\": \"share\" is a share, from 0 to 1\n");
}

// The input of 'fmadm rules upgrade': past keys to remove, and past values with their replacement.
TEST(CauseRules, WordsOfEarlierReleasesAreUnderstood) {
  const auto [rules, errors] = load(R"([[rule]]
name = "a"
kind = "common"
faults = ["fault.x"]
along = ["path"]
parts = "disk"
count = 2
within = "60s"
share = 0.5
wait = "5s"
at_once = "30s"
fault = "fault.x"
)");
  ASSERT_EQ(errors, "");
  EXPECT_EQ(rules->rules().front().kind, RuleKind::cause);
  std::map<std::string, std::pair<int, std::string>> ignored;
  for (const RuleSet::Ignored& one : rules->ignored()) ignored[one.key] = {one.line, one.now};
  EXPECT_EQ(ignored, (std::map<std::string, std::pair<int, std::string>>{{"kind", {3, "\"cause\""}},
                                                                         {"count", {7, ""}},
                                                                         {"within", {8, ""}},
                                                                         {"share", {9, ""}},
                                                                         {"at_once", {11, ""}}}));
}

TEST(ConditionRules, SlipsOfAGrowthRule) {
  EXPECT_EQ(load(R"([[rule]]
name = "a"
kind = "growht"
type = "disk"
fault = "fault.x"
)")
                .second,
            "r.toml:3: rule \"a\": \"kind\" cannot be \"growht\"; is \"growth\" meant?\n");
  EXPECT_EQ(load(R"([[rule]]
name = "a"
kind = "growth"
type = "disk"
property = "p"
by = 0
within = "soon"
frist_above = 3
above = 3
count = 3
fault = "fault.x"
)")
                .second,
            "r.toml:6: rule \"a\": \"by\" must be more than 0\n"
            "r.toml:7: rule \"a\": \"within\": \"soon\" is not a duration: write a whole number "
            "and a unit, such as \"15s\", \"10min\", \"72h\" or \"30d\"\n"
            "r.toml:8: rule \"a\": unknown key \"frist_above\"; is \"first_above\" meant?\n"
            "r.toml:9: rule \"a\": \"above\" belongs to kind \"threshold\" only\n"
            "r.toml:10: rule \"a\": \"count\" belongs to kind \"serd\" only\n");
  EXPECT_EQ(load("[[rule]]\nname = \"a\"\nkind = \"growth\"\nfault = \"fault.x\"\n").second,
            "r.toml:1: rule \"a\": \"type\" is missing\n"
            "r.toml:1: rule \"a\": \"property\" is missing\n"
            "r.toml:1: rule \"a\": \"by\" is missing\n");
  EXPECT_EQ(load("[[rule]]\nname = \"a\"\nkind = \"immediate\"\nevents = [\"ereport.t.dead\"]\nby "
                 "= 3\nabove_property = \"x\"\nfault = \"fault.x\"\n")
                .second,
            "r.toml:5: rule \"a\": \"by\" belongs to kind \"growth\" only\n"
            "r.toml:6: rule \"a\": \"above_property\" belongs to kind \"threshold\" only\n");
}

TEST(ConditionRules, AFirstValueAloneAndWhatSilencesIt) {
  const std::string head =
      "[[rule]]\nname = \"a\"\nkind = \"growth\"\ntype = \"d\"\nproperty = \"p\"\nfault = "
      "\"fault.x\"\nfirst_above = 9\ncounter = \"bad sectors\"\n";
  const auto [rules, errors] = load(head + "unless_fault = \"fault.x\"\n");
  ASSERT_EQ(errors, "");
  EXPECT_EQ(rules->rules().at(0).by, std::numeric_limits<double>::infinity());
  EXPECT_EQ(rules->rules().at(0).counter, "bad sectors");
  EXPECT_EQ(rules->rules().at(0).unless_fault, std::vector<std::string>{"fault.x"});
  EXPECT_EQ(load(head + "unless_fault = \"fault.y\"\n").second,
            "r.toml:9: rule \"a\": \"unless_fault\" names the unknown fault \"fault.y\"; is "
            "\"fault.x\" meant?\n");
}

TEST(ConditionRules, FaultsThatItDependsOnMustExist) {
  const std::string head =
      "[[rule]]\nname = \"a\"\nkind = \"threshold\"\ntype = \"d\"\nproperty = \"p\"\nfault = "
      "\"fault.x\"\nabove = 9\n";
  for (const auto& [key, member] : {std::pair{"while_fault", &Rule::while_fault},
                                    {"unless_elsewhere", &Rule::unless_elsewhere}}) {
    const auto [rules, errors] = load(head + key + " = [\"fault.x\"]\n");
    ASSERT_EQ(errors, "");
    EXPECT_EQ(rules->rules().at(0).*member, std::vector<std::string>{"fault.x"});
    EXPECT_EQ(load(head + key + " = [\"fault.x\", \"fault.y\"]\n").second,
              std::string("r.toml:8: rule \"a\": \"") + key +
                  "\" names the unknown fault \"fault.y\"; is \"fault.x\" meant?\n");
  }
}

TEST(ConditionRules, RangesAndCeilings) {
  const std::string head =
      "[[rule]]\nname = \"a\"\nkind = \"threshold\"\ntype = \"d\"\nproperty = \"p\"\nfault = "
      "\"fault.x\"\n";
  const auto [rules, errors] = load(head + "above_property = \"limit\"\nabove_at_most = 60\n");
  ASSERT_EQ(errors, "");
  EXPECT_EQ(rules->rules().at(0).above_at_most, 60);
  EXPECT_EQ(load(head + "above = 5\nabove_at_most = 60\n").second,
            "r.toml:8: rule \"a\": \"above_at_most\" goes with an \"above_property\"\n");
  EXPECT_EQ(load(head + "above = 89\nup_to = 99\n").second, "");
  for (const char* wrong : {"above = 89\nup_to = 89\n", "below = 89\nup_to = 99\n"})
    EXPECT_EQ(load(head + wrong).second,
              "r.toml:8: rule \"a\": \"up_to\" goes with an \"above\" that is less than it\n");
}

TEST(ConditionRules, LimitsThatThePartGives) {
  const std::string head =
      "[[rule]]\nname = \"a\"\nkind = \"threshold\"\ntype = \"d\"\nproperty = \"p\"\nfault = "
      "\"fault.x\"\n";
  const auto [rules, errors] = load(head + "above_property = \"limit\"\nclear_above = -5\n");
  ASSERT_EQ(errors, "");
  EXPECT_EQ(rules->rules().at(0).above, 0);
  EXPECT_EQ(rules->rules().at(0).clear_above, -5);
  EXPECT_EQ(load(head + "above_property = \"limit\"\nclear_above = 1\n").second,
            "r.toml:8: rule \"a\": \"clear_above\" belongs to \"above\", which it must not "
            "exceed; with \"below\", use \"clear_below\"\n");
  EXPECT_EQ(load(head + "above_property = \"high\"\nbelow_property = \"low\"\nbelow = 3\n").second,
            "");
  EXPECT_EQ(load(head + "above_property = \"same\"\nbelow_property = \"same\"\nbelow = 3\n").second,
            "r.toml:1: rule \"a\": \"above\" must not be less than \"below\"\n");
  EXPECT_EQ(load(head + "below_property = 5\n").second,
            "r.toml:7: rule \"a\": \"below_property\" must be a string\n");
}

}  // namespace
}  // namespace fmd::rules_condition_test
