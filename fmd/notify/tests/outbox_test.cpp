#include "fmd/notify/outbox.h"

#include <gtest/gtest.h>

#include "fmd/base/json.h"

namespace fmd::outbox_test {
namespace {

constexpr int64_t kSecond = 1000000000;

Case example(const std::string& uuid, const std::string& severity = "Major") {
  Case c;
  c.uuid = uuid;
  c.severity = severity;
  return c;
}

// An outbox with the notifiers' preferences.
class MailRoom : public Outbox {
 public:
  int64_t at_ns = 0;  // steady
  void set_notifiers(std::map<std::string, NotifierConfig, std::less<>> notifiers) {
    preferences_.channels = std::move(notifiers);
  }
  void add(const Tidings& tidings, const Case& c, const std::function<OutboxMessage()>& message) {
    const AlertFacts facts = facts_of(c, tidings.news.event, Inventory());
    const Decision decision = decide(preferences_, facts, 0, {});
    if (!decision.targets.empty())
      Outbox::add(tidings, decision.targets, {message}, {tidings.news.time_ns, at_ns});
  }

 private:
  Preferences preferences_;
};

std::map<std::string, NotifierConfig, std::less<>> mail_and_snmp() {
  return {{"mail", {{"diagnosed", "resolved"}, "Minor"}},
          {"snmp", {{"diagnosed", "repaired", "resolved"}, "Major"}}};
}

OutboxMessage text() {
  return {"subject", "body", "host", R"({"uuid":"u1"})"};
}

const auto always = [](std::string_view) { return true; };

TEST(Outbox, ArgumentsAreJsonWhateverIsInThem) {
  Outbox outbox;
  const OutboxMessage message{"a \"disk\"\n",     "caf\xe9 \\ {}",     "host",
                              R"({"uuid":"u1"})", R"([{"parts":[]}])", R"({"kind":"x"})"};
  outbox.add({{"diagnosed", "u1", 5}, {}, {}},
             {{"mail", {"default"}, ""}, {"snmp", {"a\"b", "c"}, ""}}, {[&] { return message; }},
             6);
  const auto due = outbox.due(6, always);
  ASSERT_EQ(due.size(), 2u);
  nlohmann::json wanted = {{"key", "u1:diagnosed:1"},
                           {"event", "diagnosed"},
                           {"subject", "a \"disk\"\n"},
                           {"body", "caf\xef\xbf\xbd \\ {}"},
                           {"host", "host"},
                           {"time", 5},
                           {"case", {{"uuid", "u1"}}},
                           {"happening", {{"kind", "x"}}},
                           {"sections", {{{"parts", nlohmann::json::array()}}}}};
  EXPECT_EQ(nlohmann::json::parse(due[0].args), wanted);
  EXPECT_EQ(due[0].args, wanted.dump()) << "as it would be written whole";
  wanted["to"] = {"a\"b", "c"};
  EXPECT_EQ(nlohmann::json::parse(due[1].args), wanted);
}

TEST(Outbox, OneEntryForEachNotifierThatWantsTheNews) {
  MailRoom outbox;
  outbox.set_notifiers(mail_and_snmp());
  outbox.add({{"diagnosed", "u1", 5}, {}, {}}, example("u1"), text);
  outbox.add({{"repaired", "u1", 6}, {}, {}}, example("u1"), text);
  outbox.add({{"diagnosed", "u2", 7}, {}, {}}, example("u2", "Minor"), text);
  const auto list = outbox.list();
  ASSERT_EQ(list.size(), 4u);
  EXPECT_EQ(list[0]["notifier"], "mail");
  EXPECT_EQ(list[1]["notifier"], "snmp");
  EXPECT_EQ(list[0]["key"], list[1]["key"]);
  EXPECT_EQ(list[2]["event"], "repaired");
  EXPECT_EQ(list[2]["notifier"], "snmp");
  EXPECT_EQ(list[3]["uuid"], "u2");
  EXPECT_EQ(list[3]["notifier"], "mail");
  const auto rows = outbox.take_changes();
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_TRUE(outbox.take_changes().empty());
}

TEST(Outbox, NothingIsComposedThatNobodyWants) {
  MailRoom outbox;
  outbox.set_notifiers(mail_and_snmp());
  int composed = 0;
  outbox.add({{"updated", "u1", 5}, {}, {}}, example("u1"), [&] {
    ++composed;
    return text();
  });
  EXPECT_EQ(composed, 0);
  EXPECT_EQ(outbox.waiting(), 0u);
}

TEST(Outbox, KeepsOrderWithinACaseAndRetriesWithBackOff) {
  MailRoom outbox;
  outbox.set_notifiers({{"mail", {{"diagnosed", "resolved"}, "Minor"}}});
  outbox.add({{"diagnosed", "u1", 1}, {}, {}}, example("u1"), text);
  outbox.add({{"resolved", "u1", 2}, {}, {}}, example("u1"), text);
  outbox.add({{"diagnosed", "u2", 3}, {}, {}}, example("u2"), text);

  auto due = outbox.due(10 * kSecond, always);
  ASSERT_EQ(due.size(), 2u) << "u1's second message waits for its first";
  EXPECT_TRUE(outbox.due(10 * kSecond, always).empty()) << "in flight";
  EXPECT_TRUE(outbox.answered(due[1], "done", "", 10 * kSecond));

  int64_t now = 10 * kSecond;
  Delivery first = due[0];
  for (int64_t wait : {1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300}) {
    EXPECT_FALSE(outbox.answered(first, "failed", "connection refused", now));
    ASSERT_EQ(outbox.next_deadline_ns(), now + wait * kSecond);
    EXPECT_TRUE(outbox.due(now + wait * kSecond - 1, always).empty());
    now += wait * kSecond;
    due = outbox.due(now, always);
    ASSERT_EQ(due.size(), 1u);
    EXPECT_EQ(due[0].key, first.key) << "the key stays the same over all tries";
    first = due[0];
  }
  EXPECT_TRUE(outbox.answered(first, "done", "", now));
  due = outbox.due(now, always);
  ASSERT_EQ(due.size(), 1u);
  EXPECT_NE(due[0].args.find("resolved"), std::string::npos);
}

TEST(Outbox, AYearBackOnTheWallClockPutsNoMessageToSleep) {
  MailRoom outbox;
  outbox.set_notifiers({{"mail", {{"diagnosed"}, "Minor"}}});
  outbox.add({{"diagnosed", "u1", 1}, {}, {}}, example("u1"), text);
  constexpr int64_t kYear = 365LL * 86400 * kSecond;
  auto due = outbox.due({2 * kYear, 10 * kSecond}, always);
  ASSERT_EQ(due.size(), 1u);
  outbox.answered(due[0], "failed", "connection refused", {2 * kYear, 10 * kSecond});
  EXPECT_EQ(outbox.next_deadline_ns(), 11 * kSecond);
  EXPECT_EQ(outbox.list()[0]["next_try"], 2 * kYear + kSecond) << "shown as wall time";
  EXPECT_TRUE(outbox.due({kYear, 10 * kSecond}, always).empty());
  due = outbox.due({kYear, 11 * kSecond}, always);
  ASSERT_EQ(due.size(), 1u);
  EXPECT_TRUE(outbox.answered(due[0], "done", "", {kYear, 12 * kSecond}));
  EXPECT_EQ(outbox.list()[0]["delivered"], kYear);
}

TEST(Outbox, WaitsForANotifierThatIsNotThere) {
  MailRoom outbox;
  outbox.set_notifiers(mail_and_snmp());
  outbox.add({{"diagnosed", "u1", 1}, {}, {}}, example("u1"), text);
  const auto due = outbox.due(1, [](std::string_view name) { return name == "snmp"; });
  ASSERT_EQ(due.size(), 1u);
  EXPECT_EQ(due[0].notifier, "snmp");
  EXPECT_EQ(outbox.due(1, always).size(), 1u);
}

TEST(Outbox, RestartDeliversWhatWasNotMarkedDeliveredUnderTheSameKey) {
  MailRoom before;
  before.set_notifiers(mail_and_snmp());
  before.add({{"diagnosed", "u1", 1}, {}, {}}, example("u1"), text);
  const auto sent = before.due(1, always);
  ASSERT_EQ(sent.size(), 2u);
  before.answered(sent[0], "done", "", 2);

  MailRoom after;
  after.set_notifiers(mail_and_snmp());
  ASSERT_TRUE(after.restore(before.all_rows()));
  const auto again = after.due(3, always);
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].entry, sent[1].entry);
  EXPECT_EQ(again[0].key, sent[1].key);
  EXPECT_EQ(again[0].args, sent[1].args);
  after.add({{"diagnosed", "u1", 4}, {}, {}}, example("u1"), text);
  EXPECT_NE(after.list().back()["key"], again[0].key) << "a key is never used twice";
}

// A case was salvaged from a damaged database, its delivered messages were not.
TEST(Outbox, AfterTheLossOfTheDatabaseNoKeyIsUsedAgain) {
  std::set<std::string> keys;
  for (const int64_t begins_ns : {0LL, 1795228661LL * 1000000000, 1795229661LL * 1000000000}) {
    MailRoom room;
    room.set_notifiers(mail_and_snmp());
    room.database_begins(begins_ns);
    ASSERT_TRUE(room.restore({}));
    for (int i = 0; i < 3; ++i) room.add({{"diagnosed", "u1", 1}, {}, {}}, example("u1"), text);
    for (const auto& entry : room.list()) {
      if (entry["notifier"] != "mail") continue;
      EXPECT_TRUE(keys.insert(entry["key"].get<std::string>()).second) << entry["key"];
    }
  }
  EXPECT_EQ(keys.size(), 9u);
}

TEST(Outbox, AnUnreadableRowDoesNotKeepTheOthersBack) {
  MailRoom before;
  before.set_notifiers(mail_and_snmp());
  before.add({{"diagnosed", "u1", 1}, {}, {}}, example("u1"), text);
  auto rows = before.all_rows();
  rows.push_back({"outbox", "broken", "{"});
  rows.push_back({"case", "u1", "{}"});
  MailRoom after;
  const auto outcome = after.restore(rows);
  ASSERT_FALSE(outcome);
  EXPECT_NE(outcome.error().message.find("broken"), std::string::npos);
  EXPECT_EQ(after.waiting(), 2u);
}

TEST(Outbox, KeepsTheLastThousandDelivered) {
  MailRoom outbox;
  outbox.set_notifiers({{"mail", {{"diagnosed"}, "Minor"}}});
  for (int i = 0; i < 1003; ++i) {
    outbox.add({{"diagnosed", std::to_string(i), i}, {}, {}}, example(std::to_string(i)), text);
    for (const Delivery& delivery : outbox.due(i, always)) outbox.answered(delivery, "done", "", i);
  }
  EXPECT_EQ(outbox.list().size(), Outbox::kKeptDelivered);
  EXPECT_EQ(outbox.list().front()["uuid"], "3");
  outbox.take_changes();
  outbox.add({{"diagnosed", "last", 2000}, {}, {}}, example("last"), text);
  for (const Delivery& delivery : outbox.due(2000, always))
    outbox.answered(delivery, "done", "", 2000);
  size_t deleted = 0;
  for (const StateRow& row : outbox.take_changes()) deleted += row.doc.empty();
  EXPECT_EQ(deleted, 1u);
}

TEST(Outbox, AForgottenCaseTakesItsWaitingMessagesAlong) {
  MailRoom outbox;
  outbox.set_notifiers(mail_and_snmp());
  outbox.add({{"diagnosed", "u1", 1}, {}, {}}, example("u1"), text);
  EXPECT_EQ(outbox.forget_case("u1").size(), 2u);
  EXPECT_EQ(outbox.waiting(), 0u);
}

TEST(Outbox, WhatCouldNotBeDeliveredForAWeekIsGivenUpAndSaid) {
  constexpr int64_t kDay = 86400 * kSecond;
  MailRoom outbox;
  outbox.set_notifiers(mail_and_snmp());
  outbox.set_expiry(7 * kDay, {"mail", "snmp"});
  outbox.at_ns = kSecond;
  outbox.add({{"diagnosed", "u1", 1}, {}, {}}, example("u1"), text);
  const auto is_mail = [](std::string_view name) { return name == "mail"; };
  for (const Delivery& delivery : outbox.due(2 * kSecond, is_mail))
    outbox.answered(delivery, "failed", "550 no\x1b[2J", 2 * kSecond);
  EXPECT_TRUE(outbox.expire(7 * kDay).empty());
  EXPECT_EQ(outbox.next_expiry_ns(), kSecond + 7 * kDay);
  const auto flying = outbox.due(kSecond + 7 * kDay, is_mail);
  ASSERT_EQ(flying.size(), 1u);
  const auto first = outbox.expire(kSecond + 7 * kDay);
  ASSERT_EQ(first.size(), 1u) << "what is under way may yet be taken";
  EXPECT_EQ(first[0].delivery.notifier, "snmp");
  EXPECT_EQ(first[0].why, "0 tries in 7d");
  outbox.answered(flying[0], "failed", "550 no\x1b[2J", kSecond + 7 * kDay);
  const auto given_up = outbox.expire(2 * kSecond + 7 * kDay);
  ASSERT_EQ(given_up.size(), 1u);
  EXPECT_EQ(given_up[0].why, "2 tries in 7d, the last: 550 no\\x1b[2J");
  EXPECT_EQ(given_up[0].delivery.uuid, "u1");
  EXPECT_EQ(outbox.waiting(), 0u);
  EXPECT_TRUE(outbox.due(30 * kDay, always).empty());
  EXPECT_EQ(outbox.channels().failing().count("mail"), 1u) << "giving up mends nothing";

  MailRoom after;
  after.set_expiry(7 * kDay, {"mail", "snmp"});
  ASSERT_TRUE(after.restore(outbox.all_rows()));
  EXPECT_TRUE(after.due(31 * kDay, always).empty()) << "nor after a restart";
  EXPECT_EQ(after.list()[0]["state"], "expired");
  EXPECT_EQ(after.standing(given_up[0].delivery.key, "mail")["reason"], given_up[0].why);
  EXPECT_EQ(after.channels().failing().count("mail"), 1u);
}

TEST(Outbox, ARestartDoesNotStartTheWeekAnew) {
  constexpr int64_t kDay = 86400 * kSecond;
  MailRoom before;
  before.set_notifiers({{"mail", {{"diagnosed"}, "Minor"}}});
  before.at_ns = kDay;
  before.add({{"diagnosed", "u1", 1}, {}, {}}, example("u1"), text);
  MailRoom after;
  ASSERT_TRUE(after.restore(before.all_rows()));
  EXPECT_EQ(after.next_expiry_ns(), 8 * kDay);
}

}  // namespace
}  // namespace fmd::outbox_test
