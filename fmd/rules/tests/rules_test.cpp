#include "fmd/rules/rules.h"

#include <gtest/gtest.h>

#include "fmd/model/diagcode.h"
#include "fmd/rules/tests/rules_rig.h"

namespace fmd {
namespace {

using test::all_text;

std::string schema_errors(const std::string& text) {
  auto [schema, errors] = EventSchema::load({{"e.toml", text}});
  return all_text(errors);
}

std::string rule_errors(const std::string& text) {
  auto [rules, errors] = RuleSet::load({{"r.toml", text}}, test::schema_of(test::kSchema));
  EXPECT_EQ(rules == nullptr, !errors.empty());
  return all_text(errors);
}

// Puts a rule into an otherwise sound file; line 1 is the rule's first.
std::string rule_alone(const std::string& rule) {
  return rule_errors(rule + R"(
[[fault]]
class = "fault.x"
dictionary = "X"
number = 1
severity = "Minor"
title = "t"
description = "d"
response = "r"
impact = "i"
action = "a"
)");
}

TEST(EventSchema, FindsTheExactElseTheLongestPattern) {
  const EventSchema schema = test::schema_of(R"(
[group.g]
a = "u64"
b = "string?"
[class."x.y.*"]
description = "all"
[class."x.y.z.*"]
description = "below z"
[class."x.y.one"]
description = "one"
groups = ["g"]
members = { b = "string", c = "any?" }
)");
  EXPECT_EQ(schema.find("x.y.one")->description, "one");
  EXPECT_EQ(schema.find("x.y.two")->description, "all");
  EXPECT_EQ(schema.find("x.y.z.w.v")->description, "below z");
  EXPECT_EQ(schema.find("x.y.z")->description, "all");
  EXPECT_EQ(schema.find("x.y"), nullptr);
  EXPECT_EQ(schema.find("x"), nullptr);
  EXPECT_EQ(schema.find(""), nullptr);
  const EventClass* one = schema.find("x.y.one");
  ASSERT_EQ(one->members.size(), 3u);
  EXPECT_EQ(one->members[1].name, "b");
  EXPECT_TRUE(one->members[1].required);  // the class tightens what its group says
}

TEST(EventSchema, ChecksMembers) {
  const EventSchema schema = test::schema_of(R"(
[class."ereport.a.b"]
description = "d"
members = { u = "u64", i = "i64?", f = "f64?", s = "string?", b = "bool?", l = "array?", o = "object?", x = "any?" }
)");
  const auto check = [&](const std::vector<std::pair<std::string, Value>>& members) {
    Event e;
    e.event_class = "ereport.a.b";
    for (const auto& [name, value] : members) e.payload.set(name, value);
    const auto result = schema.check(e);
    return result ? std::string("ok") : result.error().message;
  };
  EXPECT_EQ(check({{"u", int64_t{1}}}), "ok");
  EXPECT_EQ(check({{"x", int64_t{1}}, {"l", Value()}, {"u", UINT64_MAX}, {"more", true}}), "ok");
  EXPECT_EQ(check({}), "ereport.a.b: the member \"u\" (u64) is missing");
  EXPECT_EQ(check({{"u", int64_t{-1}}}), "ereport.a.b: the member \"u\" must be of type u64");
  EXPECT_EQ(check({{"u", int64_t{1}}, {"s", true}}),
            "ereport.a.b: the member \"s\" must be of type string");
  EXPECT_EQ(check({{"u", int64_t{1}}, {"f", int64_t{3}}, {"b", false}, {"i", int64_t{-3}}}), "ok");
  EXPECT_EQ(check({{"u", int64_t{1}}, {"l", std::string("x")}}),
            "ereport.a.b: the member \"l\" must be of type array");
  EXPECT_EQ(check({{"u", int64_t{1}}, {"i", UINT64_MAX}}),
            "ereport.a.b: the member \"i\" must be of type i64");
  Event unknown;
  unknown.event_class = "ereport.a.bb";
  EXPECT_EQ(schema.check(unknown).error().message,
            "unknown class \"ereport.a.bb\"; is \"ereport.a.b\" meant?");
}

TEST(EventSchema, ListsAllErrorsWithTheirLines) {
  EXPECT_EQ(schema_errors(R"([class."ereport.a"]
description = "d"
memebers = { a = "u64" }
[class."ereport.b"]
groups = ["gg"]
members = { a = "u46", b = 5 }
[class."Bad Name"]
description = "d"
[klass."x.y"]
[group.g]
q = "strng?"
)"),
            "e.toml:3: class \"ereport.a\": unknown key \"memebers\"; is \"members\" meant?\n"
            "e.toml:4: class \"ereport.b\": \"description\" is missing\n"
            "e.toml:5: class \"ereport.b\": unknown group \"gg\"; is \"g\" meant?\n"
            "e.toml:6: class \"ereport.b\": member \"a\" has the unknown type \"u46\"; is \"u64\" "
            "meant?\n"
            "e.toml:6: class \"ereport.b\": member \"b\" has the unknown type \"\"; it is one of "
            "any, array, bool, f64, i64, object, string, u64\n"
            "e.toml:7: class \"Bad Name\": a class is lower case words with dots between, such as "
            "\"ereport.fs.zfs.io\", and may end in \".*\"\n"
            "e.toml:9: unknown key \"klass\"; is \"class\" meant?\n"
            "e.toml:11: group \"g\": member \"q\" has the unknown type \"strng\"; is \"string\" "
            "meant?\n");
}

TEST(EventSchema, AClassTwiceIsAnError) {
  auto [schema, errors] = EventSchema::load({{"a.toml", "[class.\"a.b\"]\ndescription=\"d\"\n"},
                                             {"b.toml", "\n[class.\"a.b\"]\ndescription=\"d\"\n"}});
  EXPECT_EQ(all_text(errors), "b.toml:2: class \"a.b\": this class is declared already\n");
}

TEST(Toml, BrokenFilesNameTheLine) {
  EXPECT_TRUE(
      rule_errors("[[rule]]\nname = \"a\nkind = 1\n").starts_with("r.toml:2: not valid TOML: "));
  EXPECT_TRUE(rule_errors(std::string("\0\0\0", 3)).starts_with("r.toml:1: not valid TOML: "));
  EXPECT_TRUE(rule_errors("a = \"\xff\"").starts_with("r.toml:1: not valid TOML: "));
  EXPECT_NE(rule_errors(std::string(5000, '[')), "");
  EXPECT_EQ(rule_errors(std::string(5 << 20, '#')), "r.toml: the file is larger than 4 MiB\n");
  EXPECT_EQ(rule_errors("rule = 5\n[fault]\n"),
            "r.toml:1: \"rule\" must be written as [[rule]] tables\n"
            "r.toml:2: \"fault\" must be written as [[fault]] tables\n");
}

TEST(Rules, TheExampleLoads) {
  const auto rules = test::rules_of(test::kRules, test::schema_of(test::kSchema));
  ASSERT_TRUE(rules);
  const Rule* r = rules->find("errors");
  ASSERT_TRUE(r);
  EXPECT_EQ(r->kind, RuleKind::serd);
  EXPECT_EQ(r->count, 3u);
  EXPECT_EQ(r->within_ns, 60LL * 1000000000);
  EXPECT_GT(r->line, 1);
  const FaultClass* fault = rules->fault("fault.t.errors");
  ASSERT_TRUE(fault);
  EXPECT_EQ(r->fault, fault);
  EXPECT_EQ(rules->find("others")->fault, fault);
  EXPECT_EQ(fault->code, diagcode("T", 1));
  EXPECT_EQ(fault->fru.follow, Relation::redundancy);
  EXPECT_EQ(fault->retire.wait_unless, "others");
  EXPECT_TRUE(fault->led);
  EXPECT_EQ(fault->repair.on.classes, std::vector<std::string>{"sysevent.t.clear"});
  EXPECT_EQ(rules->find("nothing"), nullptr);
  EXPECT_EQ(rules->fault("nothing"), nullptr);
}

TEST(Rules, KnowWhatAClassConcerns) {
  const auto rules = test::rules_of(test::kRules, test::schema_of(test::kSchema));
  const auto names = [&](const std::vector<uint32_t>& indices) {
    std::string out;
    for (const uint32_t i : indices) out += rules->rules()[i].name + " ";
    return out;
  };
  EXPECT_EQ(names(rules->roles("ereport.t.sub.one").evidence), "subs ");
  EXPECT_EQ(names(rules->roles("ereport.t.sub").evidence), "");
  EXPECT_EQ(names(rules->roles("sysevent.t.clear").reset), "errors ");
  EXPECT_EQ(names(rules->roles("sysevent.t.removed").unless), "dead ");
  EXPECT_EQ(names(rules->roles("sysevent.t.removed").evidence), "");
  EXPECT_EQ(names(rules->roles("nonsense").evidence), "");
  for (int i = 0; i < 20000; ++i) rules->roles("made.up." + std::to_string(i));  // bounded
  EXPECT_EQ(names(rules->roles("ereport.t.error").evidence), "errors ");
  EXPECT_EQ(rules->for_type("disk").size(), 4u);
  EXPECT_TRUE(rules->for_type("").empty());
}

TEST(Rules, UnknownKeysAndClassesAreAllListed) {
  EXPECT_EQ(
      rule_alone(R"([[rule]]
name = "a"
kind = "serd"
events = ["ereport.t.errro"]
cuont = 3
count = 3
within = "1 fortnight"
fault = "fault.xx"
unless = ["sysevent.t.removed"]
where = { knd = ["x"], level = ["1"] }
)"),
      "r.toml:4: rule \"a\": \"events\": unknown event class \"ereport.t.errro\"; is "
      "\"ereport.t.error\" meant?\n"
      "r.toml:5: rule \"a\": unknown key \"cuont\"; is \"count\" meant?\n"
      "r.toml:7: rule \"a\": \"within\": \"1 fortnight\" is not a duration: write a whole number "
      "and a unit, such as \"15s\", \"10min\", \"72h\" or \"30d\"\n"
      "r.toml:8: rule \"a\": no [[fault]] describes \"fault.xx\"; is \"fault.x\" meant?\n"
      "r.toml:9: rule \"a\": \"unless\" goes with a \"hold\", the time in which it may happen\n");
}

TEST(Rules, CulpritsAreThoseOfOneError) {
  const std::string rule = R"([[rule]]
name = "a"
kind = "serd"
events = ["ereport.t.error"]
count = 3
within = "1min"
fault = "fault.x"
culprits_at_most = "parity"
)";
  EXPECT_EQ(rule_alone(rule),
            "r.toml:8: rule \"a\": \"culprits_at_most\" goes with count_by = \"ena\"\n");
  EXPECT_EQ(rule_alone(rule + "count_by = \"ena\"\n"), "");
  EXPECT_NE(rule_alone(rule + "count_by = \"era\"\n"), "");
}

TEST(Rules, WhatHasLeftIsWaitedForOnlyWhereSomebodyMayTellOfIt) {
  const std::string rule = R"([[rule]]
name = "a"
kind = "immediate"
events = ["ereport.t.error"]
fault = "fault.x"
hold = "15s"
hold_gone = "1min"
)";
  EXPECT_EQ(
      rule_alone(rule),
      "r.toml:7: rule \"a\": \"hold_gone\" goes with \"unless\", which may come later then\n");
  EXPECT_EQ(rule_alone(rule + "unless = [\"sysevent.t.removed\"]\n"), "");
}

TEST(Rules, ConditionsTestDeclaredMembersWithValuesTheyCanHave) {
  EXPECT_EQ(
      rule_alone(R"([[rule]]
name = "a"
kind = "immediate"
events = ["ereport.t.error"]
fault = "fault.x"
[rule.where]
knd = ["x"]
level = ["1"]
ok = [1]
ratio = 2
kind = []
)"),
      "r.toml:7: rule \"a\": the events have no member \"knd\"; is \"kind\" meant?\n"
      "r.toml:8: rule \"a\": the member \"level\" is never \"1\": its type is another\n"
      "r.toml:9: rule \"a\": the member \"ok\" is never 1: its type is another\n"
      "r.toml:11: rule \"a\": \"where.kind\" must be an array of strings, numbers or booleans\n");
}

TEST(Rules, KeysBelongToTheirKinds) {
  EXPECT_EQ(rule_alone(R"([[rule]]
name = "a"
kind = "immediate"
events = ["ereport.t.error"]
count = 3
values = ["x"]
fault = "fault.x"
)"),
            "r.toml:5: rule \"a\": \"count\" belongs to kind \"serd\" only\n"
            "r.toml:6: rule \"a\": \"values\" belongs to kind \"state\" only\n");
  EXPECT_EQ(rule_alone("[[rule]]\nname = \"a\"\nkind = \"sred\"\nfault = \"fault.x\"\n"),
            "r.toml:3: rule \"a\": \"kind\" cannot be \"sred\"; is \"serd\" meant?\n");
  EXPECT_EQ(rule_alone("[[rule]]\nkind = \"serd\"\n"),
            "r.toml:1: rule: \"name\" is missing\n"
            "r.toml:1: rule: \"events\" is missing\n"
            "r.toml:1: rule: \"count\" is missing\n"
            "r.toml:1: rule: \"within\" is missing\n"
            "r.toml:1: rule: \"fault\" is missing\n");
}

TEST(Rules, ThresholdsMakeSense) {
  EXPECT_EQ(rule_alone(R"([[rule]]
name = "a"
kind = "threshold"
type = "disk"
property = "temperature"
above = 50
clear_above = 60
clear_below = 3
fault = "fault.x"
)"),
            "r.toml:7: rule \"a\": \"clear_above\" belongs to \"above\", which it must not "
            "exceed; with \"below\", use \"clear_below\"\n"
            "r.toml:8: rule \"a\": \"clear_below\" belongs to \"below\" and must be at least as "
            "high; with \"above\", use \"clear_above\"\n");
  EXPECT_EQ(rule_alone(R"([[rule]]
name = "a"
kind = "threshold"
type = "disk"
property = "temperature"
above = 50
above_property = "limit"
fault = "fault.x"
)"),
            "r.toml:6: rule \"a\": \"above\" is added to \"above_property\" and is at most 0; "
            "\"above_at_most\" caps the limit\n");
  EXPECT_EQ(rule_alone("[[rule]]\nname = \"a\"\nkind = \"threshold\"\ntype = \"d\"\nproperty = "
                       "\"p\"\nfault = \"fault.x\"\nabove = inf\n"),
            "r.toml:1: rule \"a\": \"above\" or \"below\" is missing\n"
            "r.toml:7: rule \"a\": \"above\" must be a finite number\n");
}

TEST(Rules, WrongTypesAndRanges) {
  EXPECT_EQ(rule_alone(R"([[rule]]
name = "A b"
kind = "serd"
events = "ereport.t.error"
count = 0
within = 600
certainty = 101
fault = "fault.x"
)"),
            "r.toml:2: rule \"A b\": a rule's name is made of a-z, 0-9, - and _\n"
            "r.toml:5: rule \"A b\": \"count\" must be a whole number from 1 to 65536\n"
            "r.toml:6: rule \"A b\": \"within\" must be a string\n"
            "r.toml:7: rule \"A b\": \"certainty\" must be a whole number from 1 to 100\n");
}

TEST(Rules, NamesCodesAndFaultsAreUnique) {
  const std::string rule =
      "[[rule]]\nname = \"a\"\nkind = \"immediate\"\nevents = [\"ereport.t.dead\"]\nfault = "
      "\"fault.x\"\n";
  EXPECT_EQ(rule_alone(rule + rule),
            "r.toml:7: rule \"a\": there is a rule of this name already\n");
  const std::string fault =
      "[[fault]]\nclass = \"fault.x\"\ndictionary = \"X\"\nnumber = 1\nseverity = \"Minor\"\ntitle "
      "= \"t\"\n"
      "description = \"d\"\nresponse = \"r\"\nimpact = \"i\"\naction = \"a\"\n";
  EXPECT_EQ(rule_errors(fault + fault),
            std::string("r.toml:12: fault \"fault.x\": this fault is described already\n") +
                "r.toml:14: fault \"fault.x\": " + diagcode("X", 1) +
                " is the message id of \"fault.x\" already\n");
}

TEST(Rules, FaultTexts) {
  EXPECT_EQ(
      rule_errors(R"([[fault]]
class = "fault.x"
dictionary = "x-y"
number = -1
severity = "Majro"
title = "t {lable} {event.} {event.any}"
description = ""
response = "r {"
impact = "i }{name}"
)"),
      "r.toml:1: fault \"fault.x\": \"action\" is missing\n"
      "r.toml:3: fault \"fault.x\": \"dictionary\" is made of A-Z and 0-9\n"
      "r.toml:4: fault \"fault.x\": \"number\" must be a whole number from 0 to "
      "9223372036854775807\n"
      "r.toml:5: fault \"fault.x\": \"severity\" cannot be \"Majro\"; is \"Major\" meant?\n"
      "r.toml:6: fault \"fault.x\": unknown placeholder {lable} in \"title\"; is \"label\" meant?\n"
      "r.toml:6: fault \"fault.x\": unknown placeholder {event.} in \"title\"\n"
      "r.toml:7: fault \"fault.x\": \"description\" is empty\n");
}

TEST(Rules, HostileTextIsShownEscaped) {
  const std::string errors = rule_alone(
      "[[rule]]\nname = \"a\\u001b[31m\\u202e\"\nkind = \"immediate\"\nevents = "
      "[\"e\\u0007\"]\nfault = \"fault.x\"\n");
  EXPECT_EQ(errors.find('\x1b'), std::string::npos);
  EXPECT_EQ(errors.find('\x07'), std::string::npos);
  EXPECT_NE(errors.find("\\x1b[31m\\xe2\\x80\\xae"), std::string::npos);
}

TEST(Placeholders, FillAndLeaveTheRest) {
  const auto value = [](std::string_view name) { return "<" + std::string(name) + ">"; };
  EXPECT_EQ(placeholders::fill("a {b} c {d}", value), "a <b> c <d>");
  EXPECT_EQ(placeholders::fill("no end {b", value), "no end {b");
  EXPECT_EQ(placeholders::fill("} {}", value), "} <>");
  EXPECT_EQ(placeholders::fill("", value), "");
}

}  // namespace
}  // namespace fmd
