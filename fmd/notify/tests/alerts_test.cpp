// Alerts: the record of messages, and reminders.
#include "fmd/notify/alerts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fmd/base/json.h"
#include "fmd/notify/tests/telling_rig.h"

namespace fmd {
namespace {

constexpr int64_t kHour = 3600 * kSecondNs;

const Composer composed{[] { return OutboxMessage{"subject", "body", "host", "{}"}; }};

Preferences mail_only() {
  Preferences out;
  out.channels["mail"].events = {"diagnosed"};
  return out;
}

TEST(Alerts, TheBookSaysWhoGotWhatOrWhyNot) {
  Alerts alerts;
  alerts.set_preferences(mail_only());
  Outbox outbox;
  const Case c = solved_case();
  alerts.tell({{"diagnosed", c.uuid, 5}, {}, {}}, c, Inventory(), {5, 5}, outbox, composed);
  alerts.tell({{"updated", c.uuid, 6}, {}, {}}, c, Inventory(), {6, 6}, outbox, composed);
  auto book = alerts.explain(c.uuid, outbox);
  ASSERT_EQ(book.size(), 2u);
  EXPECT_EQ(book[0]["state"], "pending");
  EXPECT_EQ(book[0]["recipients"], nlohmann::json({"default"}));
  EXPECT_EQ(book[0]["why"], "[notify.mail]");
  EXPECT_EQ(book[1]["state"], "not-sent");
  EXPECT_EQ(alerts.take_said(),
            std::vector<std::string>{
                "case u1: \"updated\" was not sent to mail: [notify.mail] lists diagnosed, not "
                "\"updated\""});
  const auto due = outbox.due(7, [](std::string_view) { return true; });
  ASSERT_EQ(due.size(), 1u);
  ASSERT_TRUE(outbox.answered(due[0], "done", "", 8));
  alerts.delivered(c.uuid, due[0].key, "mail", 8);
  Alerts after;
  ASSERT_TRUE(after.restore(alerts.take_changes()));
  book = after.explain(c.uuid, Outbox());
  EXPECT_EQ(book[0]["state"], "delivered");
  EXPECT_EQ(book[0]["delivered"], 8);
  after.forget_case(c.uuid);
  EXPECT_EQ(after.take_changes().at(0).doc, "");
}

// People read in the cause's message that the disk is not at fault; programs get the end of each case.
TEST(Alerts, TheEndOfASupersededCaseGoesOnlyToThoseWhoDoNotHearOfTheCause) {
  Preferences preferences;
  preferences.rules.resize(2);
  preferences.rules[0].when.severity = "Critical";
  preferences.rules[0].channels = {"mail", "snmp"};
  preferences.rules[0].recipients = {"a@example.org"};
  preferences.rules[0].goes_on = true;
  preferences.rules[1].channels = {"mail", "snmp"};
  preferences.rules[1].recipients = {"b@example.org"};
  preferences.rules[1].when.severity = "Major";
  Alerts alerts;
  alerts.set_preferences(preferences);
  Outbox outbox;
  outbox.set_digest(DigestLimits{.channels = {"mail"}, .after = 100});
  Case disk = solved_case("disk"), cause = solved_case("cause");
  cause.severity = disk.severity = "Critical";
  const auto tell = [&](const Case& c, Tidings tidings) {
    alerts.tell(tidings, c, Inventory(), {5, 5}, outbox, composed);
  };
  tell(disk, {{"diagnosed", "disk", 5}, {}, {}});
  Tidings end{{"resolved", "disk", 6}, {}, {}};
  end.covered_by = "cause";
  const auto ends_told = [&] {
    std::set<std::string> channels;
    for (const auto& one : alerts.explain("disk", outbox))
      if (one["event"] == "resolved" && one["state"] == "pending")
        channels.insert(one["channel"].get<std::string>());
    return channels;
  };
  Alerts unheard = alerts;
  unheard.tell(end, disk, Inventory(), {6, 6}, outbox, composed);
  std::swap(alerts, unheard);
  EXPECT_EQ(ends_told(), (std::set<std::string>{"mail", "snmp"}));
  std::swap(alerts, unheard);
  tell(cause, {{"diagnosed", "cause", 6}, {}, {}});
  tell(disk, end);
  EXPECT_EQ(ends_told(), std::set<std::string>{"snmp"});
}

TEST(Alerts, RecipientsGoWithTheMessage) {
  Alerts alerts;
  Preferences preferences;
  preferences.rules.resize(1);
  preferences.rules[0].channels = {"mail", "snmp"};
  preferences.rules[0].recipients = {"a@example.org"};
  alerts.set_preferences(preferences);
  Outbox outbox;
  const Case c = solved_case();
  alerts.tell({{"diagnosed", c.uuid, 5}, {}, {}}, c, Inventory(), {5, 5}, outbox, composed);
  for (const Delivery& delivery : outbox.due(7, [](std::string_view) { return true; }))
    EXPECT_EQ(nlohmann::json::parse(delivery.args)["to"], nlohmann::json({"a@example.org"}));
}

class RemindersTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Escalation daily;
    daily.name = "daily";
    daily.when.severity = "Critical";
    daily.after_ns = daily.every_ns = 24 * kHour;
    daily.channels = {"mail"};
    reminders.set_escalations({daily});
    Case c = solved_case();
    c.severity = "Critical";
    cases["u1"] = c;
  }
  size_t told_until(int64_t hours) {
    size_t told = 0;
    for (int64_t& now = now_; now < kVerdict + hours * kHour; now += kHour)
      told += reminders
                  .due(cases, Inventory(), [this](const Case&) { return held; },
                       {kWallAhead + now, now})
                  .size();
    return told;
  }
  Reminders reminders;
  Reminders::Cases cases;
  bool held = false;

 private:
  int64_t now_ = kVerdict;
};

TEST_F(RemindersTest, OnceADayUntilSomebodyAcknowledges) {
  EXPECT_EQ(told_until(24), 0u);
  EXPECT_EQ(told_until(25), 1u);
  EXPECT_EQ(told_until(48), 0u);
  EXPECT_EQ(told_until(73), 2u);
  EXPECT_TRUE(reminders.next_deadline_ns());
  cases["u1"].acknowledged = true;
  reminders.case_changed("u1");
  EXPECT_EQ(told_until(240), 0u);
  EXPECT_FALSE(reminders.next_deadline_ns()) << "nothing to wake up for";
}

TEST_F(RemindersTest, ARestartRepeatsNothing) {
  EXPECT_EQ(told_until(25), 1u);
  Reminders after;
  ASSERT_TRUE(after.restore(reminders.take_changes()));
  after.set_escalations({[] {
    Escalation daily;
    daily.name = "daily";
    daily.after_ns = daily.every_ns = 24 * kHour;
    daily.channels = {"mail"};
    return daily;
  }()});
  reminders = std::move(after);
  EXPECT_EQ(told_until(48), 0u);
  EXPECT_EQ(told_until(49), 1u);
}

TEST_F(RemindersTest, NeitherMinorNorOverNorHeld) {
  cases["u1"].severity = "Major";
  EXPECT_EQ(told_until(100), 0u);
  cases["u1"].severity = "Critical";
  held = true;
  reminders.case_changed("u1");
  EXPECT_EQ(told_until(200), 0u);
  held = false;
  reminders.look_at_all();
  EXPECT_EQ(told_until(201), 1u) << "the maintenance has ended";
  cases["u1"].suspects[0].status = SuspectStatus::repaired;
  reminders.case_changed("u1");
  EXPECT_EQ(told_until(300), 0u);
}

// Acknowledging one of 10,000 cases must not visit all of them.
TEST_F(RemindersTest, AChangeOfOneCaseIsALookAtThatCase) {
  for (int i = 0; i < 1000; ++i) {
    Case c = cases["u1"];
    c.uuid = fmt::format("v{}", i);
    cases[c.uuid] = c;
  }
  size_t looked = 0;
  const auto due = [&](int64_t hours) {
    return reminders
        .due(cases, Inventory(), [&](const Case&) { return ++looked == 0; },
             {kWallAhead, kVerdict + hours * kHour})
        .size();
  };
  EXPECT_EQ(due(0), 0u);
  looked = 0;
  reminders.case_changed("v7");
  EXPECT_EQ(due(1), 0u);
  EXPECT_EQ(looked, 1u);
  size_t told = 0, calls = 0;
  do {
    told += due(24);
    ++calls;
  } while (reminders.next_deadline_ns() <= kVerdict + 24 * kHour);
  EXPECT_EQ(told, 1001u);
  EXPECT_EQ(calls, 6u) << "each of at most 200 messages";
}

}  // namespace
}  // namespace fmd
