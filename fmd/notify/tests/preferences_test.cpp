#include "fmd/notify/preferences.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "fmd/base/duration.h"
#include "fmd/notify/tests/telling_rig.h"

namespace fmd {
namespace {

// 2026-11-20 was a Friday.
int64_t on_friday(int hour, int minute = 0) {
  return (1795132800LL + hour * 3600 + minute * 60) * kSecondNs;
}

class PreferencesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("TZ", "UTC", 1);
    tzset();
  }
  NotifyRule& rule(const std::string& name, std::vector<std::string> channels, Recipients to = {}) {
    NotifyRule next;
    next.name = name;
    next.channels = std::move(channels);
    if (!to.empty()) next.recipients = std::move(to);
    preferences.rules.push_back(std::move(next));
    return preferences.rules.back();
  }
  Decision at(int64_t wall_ns, const std::string& event = "diagnosed") {
    return decide(preferences, facts_of(c, event, Inventory()), wall_ns, told);
  }

  Preferences preferences;
  Case c = solved_case();
  std::set<std::pair<std::string, std::string>> told;
};

TEST_F(PreferencesTest, ChannelsSayWhatTheyAreNotTold) {
  preferences.channels["mail"].events = {"diagnosed"};
  preferences.channels["snmp"].severity = "Critical";
  const Decision decision = at(on_friday(12));
  ASSERT_EQ(decision.targets.size(), 1u);
  EXPECT_EQ(decision.targets[0].channel, "mail");
  EXPECT_EQ(decision.targets[0].why, "[notify.mail]");
  ASSERT_EQ(decision.unsent.size(), 1u);
  EXPECT_EQ(decision.unsent[0].channel, "snmp");
  EXPECT_EQ(decision.unsent[0].why, "[notify.snmp] is told from Critical on; this is Major");
  EXPECT_EQ(at(on_friday(12), "updated").unsent[0].why,
            "[notify.mail] lists diagnosed, not \"updated\"");
}

TEST_F(PreferencesTest, AChannelWithoutUpdatesGetsAWarning) {
  const std::vector<std::string> mail{
      "mail omits 'updated': it brings the message that a disk can be pulled"};
  preferences.channels["mail"].severity = "Major";
  preferences.channels["snmp"].events = {"plugin-dead"};
  EXPECT_TRUE(preference_warnings(preferences).empty());
  preferences.channels["mail"].events = {"diagnosed", "resolved"};
  EXPECT_EQ(preference_warnings(preferences), mail);
  rule("all", {"snmp"});
  EXPECT_TRUE(preference_warnings(preferences).empty()) << "rules replace the channels' tables";
  rule("few", {"mail"}).when.events = {"diagnosed", "resolved"};
  EXPECT_EQ(preference_warnings(preferences), mail);
  rule("more", {"mail"}).when.events = {"updated"};
  EXPECT_TRUE(preference_warnings(preferences).empty());
}

TEST_F(PreferencesTest, TheFirstRuleThatMatchesDecides) {
  rule("tank", {"mail"}, {"tank@example.org"}).when.pools = {"ta*"};
  rule("rest", {"mail", "snmp"});
  Decision decision = at(on_friday(12));
  ASSERT_EQ(decision.targets.size(), 1u);
  EXPECT_EQ(decision.targets[0].recipients, Recipients{"tank@example.org"});
  EXPECT_EQ(decision.targets[0].why, "rule \"tank\"");
  ASSERT_EQ(decision.unsent.size(), 1u);
  EXPECT_EQ(decision.unsent[0].why, "rule \"tank\" decides and does not name it");
  c.suspects[0].facts["pool"] = "other";
  decision = at(on_friday(12));
  EXPECT_EQ(decision.targets.size(), 2u);
}

TEST_F(PreferencesTest, ContinueAddsWhatTheNextRulesSay) {
  rule("oncall", {"mail"}, {"oncall@example.org"}).goes_on = true;
  rule("all", {"mail", "snmp"});
  const Decision decision = at(on_friday(12));
  ASSERT_EQ(decision.targets.size(), 2u);
  EXPECT_EQ(decision.targets[0].recipients, (Recipients{"default", "oncall@example.org"}));
  EXPECT_EQ(decision.targets[0].why, "rule \"oncall\", rule \"all\"");
}

TEST_F(PreferencesTest, ARuleWithoutChannelsTellsNobody) {
  rule("quiet", {}).when.bays = {"SLOT 0?"};
  rule("all", {"mail"});
  const Decision decision = at(on_friday(12));
  EXPECT_TRUE(decision.targets.empty());
  ASSERT_EQ(decision.unsent.size(), 1u);
  EXPECT_EQ(decision.unsent[0].why, "rule \"quiet\" decides and does not name it");
}

TEST_F(PreferencesTest, EveryPropertyMustMatchAndOneOfEachList) {
  NotifyRule& only = rule("only", {"mail"});
  only.when.classes = {"fault.example.*"};
  only.when.parts = {"dev://other", "DISK*"};
  only.when.chassis = {"hc://chassis=1"};
  EXPECT_EQ(at(on_friday(12)).targets.size(), 1u);
  only.when.parts = {"dev://other"};
  EXPECT_TRUE(at(on_friday(12)).targets.empty());
  EXPECT_EQ(at(on_friday(12)).unsent[0].why, "no [[notify]] rule matches it");
  only.when.parts.clear();
  only.when.severity = "Critical";
  EXPECT_TRUE(at(on_friday(12)).targets.empty());
}

TEST_F(PreferencesTest, HoursGoOverMidnightAndEndWhereTheySay) {
  rule("night", {"mail"}).when.hours = Hours{22 * 60, 6 * 60};
  EXPECT_TRUE(at(on_friday(21, 59)).targets.empty());
  EXPECT_EQ(at(on_friday(22)).targets.size(), 1u);
  EXPECT_EQ(at(on_friday(5, 59)).targets.size(), 1u);
  EXPECT_TRUE(at(on_friday(6)).targets.empty());
  preferences.rules[0].when.days = {false, true, true, true, true, false, false};  // Mon to Thu
  EXPECT_TRUE(at(on_friday(23)).targets.empty());
}

TEST_F(PreferencesTest, WhoWasToldHearsTheRestWhateverTheHour) {
  rule("day", {"mail"}, {"day@example.org"}).when.hours = Hours{8 * 60, 18 * 60};
  rule("night", {"mail"}, {"night@example.org"});
  EXPECT_EQ(at(on_friday(17)).targets[0].recipients, Recipients{"day@example.org"});
  told = {{"mail", "day@example.org"}};
  EXPECT_EQ(at(on_friday(20), "resolved").targets[0].recipients,
            (Recipients{"day@example.org", "night@example.org"}));
  told = {{"mail", "night@example.org"}};
  EXPECT_EQ(at(on_friday(9), "resolved").targets[0].recipients,
            Recipients({"day@example.org", "night@example.org"}));
}

}  // namespace
}  // namespace fmd
