#include "fmd/diagnosis/condition_bank.h"

#include <gtest/gtest.h>

#include "fmd/diagnosis/tests/rig.h"

namespace fmd {
namespace {

using test::kSecond;
using test::kStart;
using test::Rig;

std::string rules_text(const std::string& counter) {
  return R"(
[[rule]]
name = "flow"
kind = "threshold"
type = "pump"
property = "flow"
above_property = "most"
below_property = "least"
below = 2
fault = "fault.t.flow"
[[rule]]
name = "stuck"
kind = "state"
type = "pump"
property = "state"
values = ["stuck", "lost"]
where_not = { mode = ["off"] }
fault = "fault.t.flow"
[[rule]]
name = "wear"
kind = "growth"
type = "pump"
property = ")" +
         counter + R"("
by = 2
where_not = { mode = ["off"] }
fault = "fault.t.wear"
[[fault]]
class = "fault.t.flow"
dictionary = "T"
number = 1
severity = "Minor"
title = "t"
description = "d"
response = "r"
impact = "i"
action = "a"
[[fault]]
class = "fault.t.wear"
dictionary = "T"
number = 2
severity = "Minor"
title = "t"
description = "d"
response = "r"
impact = "i"
action = "a"
)";
}

class Bank : public ::testing::Test {
 protected:
  Bank() { bank.set_rules(rules); }
  const Rule& rule(const std::string& name) const { return *rules->find(name); }
  static Resource pump(const Rig::Properties& properties) {
    Resource r;
    r.fmri = "hc://pump=1";
    r.type = "pump";
    for (const auto& [name, value] : properties) r.properties[name] = value;
    return r;
  }
  Finding look(const std::string& name, const Rig::Properties& properties, bool was = false) {
    return bank.look(rule(name), pump(properties), was, now += kSecond).finding;
  }
  std::string changed(ConditionBank& of) {
    std::vector<StateRow> rows;
    of.take_changes(rows);
    std::string out;
    for (const StateRow& row : rows) out += row.kind + " " + row.key + " " + row.doc + "\n";
    return out;
  }
  // A case with one suspect of each fault given, about the pump.
  static Case case_of(const std::vector<std::string>& faults) {
    Case c;
    c.uuid = "1";
    for (const std::string& fault : faults) {
      Suspect s;
      s.fault_class = fault;
      s.resource = s.asru = "hc://pump=1";
      c.suspects.push_back(s);
    }
    return c;
  }
  const RuleKey flow{"hc://pump=1", "flow"}, stuck{"hc://pump=1", "stuck"};
  const RuleKey wear{"hc://pump=1", "wear"};
  EventSchema schema = test::schema_of(test::kSchema);
  std::shared_ptr<const RuleSet> rules = test::rules_of(rules_text("hours"), schema);
  ConditionBank bank;
  int64_t now = kStart;
};

TEST_F(Bank, EachSideHasItsOwnLimit) {
  const Rig::Properties both{{"flow", 11.5}, {"least", 10.0}, {"most", 20.0}};
  EXPECT_EQ(look("flow", both), Finding::active) << "under 10 + 2";
  EXPECT_EQ(bank.measure(rule("flow"), pump(both)).value, "11.5");
  EXPECT_EQ(bank.measure(rule("flow"), pump(both)).limit, "12");
  EXPECT_EQ(look("flow", {{"flow", 12.0}, {"least", 10.0}, {"most", 20.0}}), Finding::clear);
  EXPECT_EQ(look("flow", {{"flow", 30.0}, {"least", 10.0}}), Finding::clear) << "no upper limit";
  const Rig::Properties upper{{"flow", 30.0}, {"least", std::string("?")}, {"most", 29.25}};
  EXPECT_EQ(look("flow", upper), Finding::active);
  EXPECT_EQ(bank.measure(rule("flow"), pump(upper)).limit, "29.25");
  EXPECT_EQ(bank.measure(rule("flow"), pump(upper)).from, "30") << "of whole numbers";
  EXPECT_EQ(bank.measure(rule("flow"), pump(both)).from, "") << "it is too low";
  EXPECT_EQ(look("flow", {{"flow", 1.0}}), Finding::unknown) << "no limit at all";
  EXPECT_EQ(look("flow", {{"flow", std::string("?")}, {"most", 1.0}}), Finding::unknown);
  Resource absent = pump(both);
  absent.present = false;
  EXPECT_EQ(bank.look(rule("flow"), absent, true, now).finding, Finding::unknown);
}

TEST_F(Bank, OutsideOfWhereAStateIsClearAndACounterUnknown) {
  EXPECT_EQ(look("stuck", {{"state", "lost"}}), Finding::active);
  EXPECT_EQ(look("stuck", {{"state", "turning"}}), Finding::clear);
  EXPECT_EQ(look("stuck", {{"state", "lost"}, {"mode", "off"}}), Finding::clear);
  EXPECT_EQ(look("stuck", {}), Finding::unknown);
  EXPECT_EQ(look("wear", {{"hours", int64_t{1}}, {"mode", "off"}}), Finding::unknown);
  EXPECT_EQ(bank.measure(rule("stuck"), pump({{"state", "lost"}})).value, "lost");
}

TEST_F(Bank, ARisingCounterIsTold) {
  const auto risen = [&](int64_t hours) {
    return bank.look(rule("wear"), pump({{"hours", hours}}), false, now += kSecond).risen;
  };
  EXPECT_FALSE(risen(5));
  EXPECT_TRUE(risen(6));
  EXPECT_FALSE(risen(6));
  EXPECT_FALSE(risen(1));
}

TEST_F(Bank, APinnedCounterStartsAnew) {
  look("wear", {{"hours", int64_t{5}}});
  EXPECT_EQ(look("wear", {{"hours", int64_t{7}}}), Finding::active);
  const ConditionBank::Measure grown = bank.measure(rule("wear"), pump({}));
  EXPECT_EQ(grown.value + grown.baseline + grown.limit, "757");
  bank.convict(wear, "1");
  bank.pin(case_of({"fault.t.wear"}).suspects[0]);
  EXPECT_FALSE(bank.find(wear));
  EXPECT_EQ(look("wear", {{"hours", int64_t{8}}}), Finding::clear);
  EXPECT_EQ(look("wear", {{"hours", int64_t{9}}}), Finding::active);
}

TEST_F(Bank, ASuspectsEndIsTheEndOfWhatConvictedIt) {
  bank.convict(flow, "1");
  bank.convict(stuck, "other");
  Case c = case_of({"fault.t.flow"});
  EXPECT_TRUE(bank.goes_on(*rules->fault("fault.t.flow"), flow.resource, "1"));
  c.suspects[0].status = SuspectStatus::repaired;
  bank.suspect_ended(c, c.suspects[0], {});
  EXPECT_FALSE(bank.find(flow));
  EXPECT_TRUE(bank.find(stuck)) << "another case's";
}

TEST_F(Bank, UnlessAnotherSuspectStandsForIt) {
  bank.convict(flow, "1");
  Case c = case_of({"fault.t.flow", "fault.t.wear"});
  c.suspects[1].status = SuspectStatus::acquitted;
  bank.suspect_ended(c, c.suspects[1], Acquittal{"anna", 1});
  ASSERT_TRUE(bank.find(flow));
  EXPECT_FALSE(bank.find(flow)->acquittal);
}

TEST_F(Bank, AnAcquittalStaysUntilItIsClear) {
  bank.convict(flow, "1");
  Case c = case_of({"fault.t.flow"});
  c.suspects[0].status = SuspectStatus::acquitted;
  bank.suspect_ended(c, c.suspects[0], Acquittal{"anna", 7});
  ASSERT_TRUE(bank.find(flow) && bank.find(flow)->acquittal);
  EXPECT_EQ(bank.find(flow)->acquittal->by, "anna");
  EXPECT_FALSE(bank.goes_on(*rules->fault("fault.t.flow"), flow.resource, "1"));
  bank.drop_lost([](const std::string&) { return false; });
  EXPECT_TRUE(bank.find(flow)) << "needs no case";
  bank.end(flow);
  EXPECT_FALSE(bank.find(flow));
}

TEST_F(Bank, HandsOverFromCaseToCase) {
  bank.convict(flow, "1");
  bank.convict(stuck, "2");
  bank.hand_over("1", "3", flow.resource);
  EXPECT_EQ(bank.find(flow)->uuid, "3");
  EXPECT_EQ(bank.find(stuck)->uuid, "2");
}

TEST_F(Bank, RowsComeBack) {
  bank.convict(flow, "1");
  bank.acquit(stuck, {"anna", 7});
  bank.acquit(wear, {"anna", 7});  // a counter is pinned instead
  look("wear", {{"hours", int64_t{5}}});
  std::vector<StateRow> rows;
  bank.take_changes(rows);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(changed(bank), "");
  ConditionBank again;
  again.set_rules(rules);
  for (const StateRow& row : rows) EXPECT_TRUE(again.restore(row));
  again.mark_all_changed();
  bank.mark_all_changed();
  const std::string expected = changed(bank);
  EXPECT_EQ(changed(again), expected);
  EXPECT_NE(expected.find("condition stuck hc://pump=1 {\"acquitted\":7,\"acquitted_by\":\"anna\""),
            std::string::npos)
      << expected;
}

TEST_F(Bank, WhatIsNoMoreIsForgotten) {
  bank.convict(flow, "1");
  look("wear", {{"hours", int64_t{5}}});
  changed(bank);
  bank.forget(flow.resource);
  EXPECT_EQ(changed(bank), "condition flow hc://pump=1 \ngrowth wear hc://pump=1 \n");
  bank.convict(flow, "1");
  bank.drop_lost([](const std::string& uuid) { return uuid == "2"; });
  EXPECT_FALSE(bank.find(flow));
}

TEST_F(Bank, ARuleThatComesToLookElsewhereStartsAnew) {
  look("wear", {{"hours", int64_t{5}}});
  std::vector<StateRow> rows;
  bank.take_changes(rows);
  const auto other = test::rules_of(rules_text("starts"), schema);
  bank.set_rules(other);
  EXPECT_EQ(changed(bank), "growth wear hc://pump=1 \n");
  ConditionBank again;
  again.set_rules(other);
  ASSERT_TRUE(again.restore(rows.at(0)));
  EXPECT_EQ(changed(again), "growth wear hc://pump=1 \n");
  // One that is no more takes its condition along.
  bank.convict(flow, "1");
  changed(bank);
  bank.set_rules(test::rules_of(test::kRules, schema));
  EXPECT_EQ(changed(bank), "condition flow hc://pump=1 \n");
}

TEST_F(Bank, DamagedRowsAreNamed) {
  EXPECT_FALSE(bank.restore({"condition", "flow", "{}"}));
  EXPECT_FALSE(bank.restore({"growth", "wear hc://pump=1", "7"}));
  EXPECT_TRUE(bank.restore({"condition", "flow x", R"({"uuid":7,"acquitted_by":[]})"}));
}

}  // namespace
}  // namespace fmd
