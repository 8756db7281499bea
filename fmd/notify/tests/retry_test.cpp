// A message that waited or is tried again is composed as of then.
#include <gtest/gtest.h>

#include <map>

#include "fmd/notify/case_message.h"
#include "fmd/notify/tests/storm_rig.h"

namespace fmd {
namespace {

// A mail server that is down for seconds is enough: the disk may have been replaced meanwhile.
TEST_F(StormTest, AMessageThatIsTriedAgainIsComposedAgain) {
  as_now.message = [](const DigestItem& then,
                      const std::vector<std::string>& whats_new) -> std::optional<MessageNow> {
    if (then.uuid == "forgotten") return {};
    EXPECT_EQ(then.event, "updated") << "as it was queued";
    return MessageNow{"resolved",
                      {"now " + then.uuid, whats_new.empty() ? "" : whats_new[0], "host1", "{}"}};
  };
  const auto sent = [&](const char* status) {
    std::map<std::string, nlohmann::json> out;
    for (const Delivery& delivery : outbox.due(
             now, [](auto) { return true; }, [&] { return as_now; })) {
      out[delivery.notifier] = nlohmann::json::parse(delivery.args);
      EXPECT_EQ(delivery.renewed, out[delivery.notifier]["subject"] == "now u1");
      outbox.answered(delivery, status, "down", now);
    }
    return out;
  };
  targets[0].recipients = {"night shift"};
  add("forgotten");
  const auto key = add("u1", "updated", {"The LED is lit."}).at(0);
  EXPECT_EQ(sent("failed")["mail"]["subject"], "alone u1");
  for (int tries = 0; tries < 2; ++tries) {
    now += 2 * kSecondNs;
    auto late = sent("failed");
    EXPECT_EQ(late["mail"]["subject"], "now u1");
    EXPECT_EQ(late["mail"]["body"], "The LED is lit.");
    EXPECT_EQ(late["mail"]["event"], "resolved");
    EXPECT_EQ(late["mail"]["key"], key);
    EXPECT_EQ(late["mail"]["to"], nlohmann::json({"night shift"}));
    EXPECT_EQ(late["snmp"]["subject"], "alone u1") << "programs get each event";
  }
  restart();
  now += 3600 * kSecondNs;
  EXPECT_EQ(sent("done")["mail"]["event"], "resolved");
}

// It may have waited behind another message, or for its notifier.
TEST_F(StormTest, AFirstTryThatComesLateIsComposedAgain) {
  as_now.message = [](const DigestItem& then, const std::vector<std::string>&) {
    return MessageNow{"updated", {"now " + then.uuid, "", "host1", "{}"}};
  };
  const auto subject = [&] {
    const auto sent = outbox.due(
        now, [](auto name) { return name == "mail"; }, [&] { return as_now; });
    return nlohmann::json::parse(sent.at(0).args)["subject"].get<std::string>();
  };
  add("u1");
  now += kSecondNs;
  EXPECT_EQ(subject(), "alone u1");
  add("u2");
  now += 6 * kSecondNs;
  EXPECT_EQ(subject(), "now u2");
}

// The first message is composed as of now, so it contains what the later ones would say.
TEST_F(StormTest, LaterMessagesAboutTheCaseArePartOfTheOneThatIsTriedAgain) {
  std::vector<std::string> told;
  as_now.message = [&](const DigestItem&, const std::vector<std::string>& whats_new) {
    told = whats_new;
    return MessageNow{"resolved", {"now", "", "host1", "{}"}};
  };
  const auto send = [&] {
    return outbox.due(
        now, [](auto name) { return name == "mail"; }, [&] { return as_now; });
  };
  add("u1", "updated", {"One."});
  for (const Delivery& delivery : send()) outbox.answered(delivery, "failed", "down", now);
  const auto second = add("u1", "updated", {"One.", "Two."}), third = add("u1", "resolved");
  add("u2");
  now += 2 * kSecondNs;
  const auto again = send();
  ASSERT_EQ(again.size(), 2u) << "and the other case's";
  EXPECT_EQ(told, (std::vector<std::string>{"One.", "Two."}));
  EXPECT_EQ(again[0].covers, (std::vector<std::string>{second.at(0), third.at(0)}));
  EXPECT_TRUE(outbox.answered(again[0], "done", "", now));
  EXPECT_EQ(outbox.standing(third.at(0), "mail")["state"], "delivered");
  EXPECT_EQ(outbox.standing(third.at(0), "snmp")["state"], "pending");
  now += 3600 * kSecondNs;
  EXPECT_TRUE(send().empty());
}

TEST_F(StormTest, AMessageThatHasNothingToReportAnyMoreIsNotSent) {
  as_now.message = [](const DigestItem&, const std::vector<std::string>&) {
    return MessageNow{"updated", {"now", "", "host1", "{}"}, true};
  };
  const auto send = [&] {
    return outbox.due(
        now, [](auto name) { return name == "mail"; }, [&] { return as_now; });
  };
  add("u1", "updated", {"You can pull it now."});
  for (const Delivery& delivery : send()) {
    EXPECT_FALSE(delivery.nothing) << "it has not waited";
    outbox.answered(delivery, "failed", "down", now);
  }
  now += 2 * kSecondNs;
  const auto again = send();
  ASSERT_EQ(again.size(), 1u);
  EXPECT_TRUE(again[0].nothing);
  EXPECT_FALSE(outbox.refused_for_good(again[0], "no longer true", now).why.empty());
  now += 3600 * kSecondNs;
  EXPECT_TRUE(send().empty());
}

TEST(CaseMessage, WithoutNewsAnUpdateReportsNothing) {
  Case c;
  c.state = CaseState::solved;
  EXPECT_TRUE(reports_nothing("updated", event_now(c, "updated"), {}));
  EXPECT_FALSE(reports_nothing("updated", event_now(c, "updated"), {"You can pull it now."}));
  EXPECT_FALSE(reports_nothing("diagnosed", event_now(c, "diagnosed"), {}));
  EXPECT_FALSE(reports_nothing("reminder", event_now(c, "reminder"), {}));
  EXPECT_TRUE(reports_nothing("resolved", event_now(c, "resolved"), {})) << "it is open again";
  c.acknowledged = true;
  EXPECT_TRUE(reports_nothing("reminder", event_now(c, "reminder"), {}));
  c.state = CaseState::resolved;
  EXPECT_FALSE(reports_nothing("updated", event_now(c, "updated"), {}));
}

}  // namespace
}  // namespace fmd
