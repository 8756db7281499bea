// Storms: many cases at once become few messages, and none is lost.
#include "fmd/notify/digest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "fmd/base/duration.h"
#include "fmd/base/json.h"
#include "fmd/notify/tests/storm_rig.h"

namespace fmd {
namespace {

TEST_F(StormTest, AThousandCasesAreThreeMails) {
  size_t mails = 0;
  for (int i = 0; i < 1000; ++i) {
    add("u" + std::to_string(i));
    mails += mails_until(now + 60 * kMsNs).size();
  }
  const auto last = mails_until(now + 3600 * kSecondNs);
  ASSERT_EQ(mails + last.size(), 3u);
  EXPECT_EQ(members.back(), 998u);
  const std::string subject = last[0]["subject"];
  EXPECT_EQ(subject, "[fmd] host1: Major: 998 faulty parts, all in pool tank");
  EXPECT_NE(last[0]["body"].get<std::string>().find("cable, expander"), std::string::npos);
  EXPECT_EQ(last[0]["cases"].size(), 998u);
  EXPECT_EQ(outbox.list().size(), 1003u) << "machines get each: a notification a case";
}

TEST_F(StormTest, WhatGoesIntoADigestIsNotComposed) {
  targets.pop_back();
  for (int i = 0; i < 1000; ++i) add("u" + std::to_string(i));
  EXPECT_EQ(composed, 3u) << "two that go alone, and a third that does if no other comes";
  targets.push_back({"snmp", {"default"}, ""});
  add("for both");
  EXPECT_EQ(composed, 4u);
}

TEST_F(StormTest, AThirdCaseAloneIsAMailOfItsOwn) {
  add("u1"), add("u2"), add("u3");
  EXPECT_EQ(mails_until(now).size(), 2u);
  const auto third = mails_until(now + 15 * kSecondNs);
  ASSERT_EQ(third.size(), 1u);
  EXPECT_EQ(third[0]["subject"], "alone u3");
}

TEST_F(StormTest, AThirdCaseAloneIsToldAsItIsWhenItGoesOut) {
  as_now.message = [](const DigestItem& then, const std::vector<std::string>& whats_new) {
    return MessageNow{"resolved", {"now " + then.uuid, whats_new.at(0), "host1", "{}"}};
  };
  targets = {{"mail", {"night shift"}, ""}};
  add("u1"), add("u2");
  const auto keys = add("u3", "updated", {"The LED is lit."});
  restart();
  EXPECT_EQ(mails_until(now).size(), 2u) << "these go as they are";
  const auto third = mails_until(now + 15 * kSecondNs);
  ASSERT_EQ(third.size(), 1u);
  EXPECT_EQ(third[0]["subject"], "now u3");
  EXPECT_EQ(third[0]["body"], "The LED is lit.");
  EXPECT_EQ(third[0]["event"], "resolved");
  EXPECT_EQ(third[0]["key"], keys.at(0)) << "for whoever has it already";
  EXPECT_EQ(third[0]["to"], nlohmann::json({"night shift"}));
}

TEST_F(StormTest, AForgottenThirdCaseIsToldAsItWas) {
  as_now.message = [](const DigestItem&, const std::vector<std::string>&) {
    return std::optional<MessageNow>();
  };
  add("u1"), add("u2"), add("u3");
  mails_until(now);
  EXPECT_EQ(mails_until(now + 15 * kSecondNs).at(0)["subject"], "alone u3");
}

TEST_F(StormTest, ACriticalCaseWaitsForNoDigest) {
  for (const char* uuid : {"u1", "u2", "u3", "u4"}) add(uuid);
  EXPECT_EQ(mails_until(now).size(), 2u);
  add("u5", "diagnosed", {}, "Critical");
  auto mails = mails_until(now);
  ASSERT_EQ(mails.size(), 1u);
  EXPECT_EQ(mails[0]["subject"], "alone u5");
  add("u5", "updated", {}, "Critical");
  EXPECT_EQ(mails_until(now).size(), 1u) << "nor does what follows";
  mails = mails_until(now + 15 * kSecondNs);
  ASSERT_EQ(mails.size(), 1u) << "the others are gathered as before";
  EXPECT_EQ(mails[0]["cases"], nlohmann::json({"u3", "u4"}));
  // Also within a quarter of an hour after a digest.
  add("u6");
  add("u7", "diagnosed", {}, "Critical");
  mails = mails_until(now);
  ASSERT_EQ(mails.size(), 1u);
  EXPECT_EQ(mails[0]["subject"], "alone u7");
}

// The order of messages about a case is kept: what is gathered about it goes with it.
TEST_F(StormTest, ACaseThatBecomesCriticalTakesItsDigestAlong) {
  for (const char* uuid : {"u1", "u2", "u3", "u4"}) add(uuid);
  EXPECT_EQ(mails_until(now).size(), 2u);
  add("u4", "updated", {}, "Critical");
  add("u6");
  const auto mails = mails_until(now);
  ASSERT_EQ(mails.size(), 1u);
  EXPECT_EQ(mails[0]["cases"], nlohmann::json({"u3", "u4", "u4", "u6"}));
  EXPECT_EQ(mails[0]["subject"],
            "[fmd] host1: Critical: the disk u4: Disk is broken, and 2 more faulty parts, all in "
            "pool tank");
}

TEST_F(StormTest, AThousandCriticalCasesAreSixMails) {
  size_t mails = 0;
  for (int i = 0; i < 1000; ++i) {
    add("u" + std::to_string(i), "diagnosed", {}, "Critical");
    mails += mails_until(now + 60 * kMsNs).size();
  }
  const auto last = mails_until(now + 3600 * kSecondNs);
  EXPECT_EQ(mails, 5u);
  ASSERT_EQ(last.size(), 1u);
  EXPECT_EQ(last[0]["subject"], "[fmd] host1: Critical: 995 faulty parts, all in pool tank");
}

TEST_F(StormTest, WhatIsRepairedIsNotUrgent) {
  for (const char* uuid : {"u1", "u2", "u3"}) add(uuid);
  EXPECT_EQ(mails_until(now).size(), 2u);
  add("u4", "resolved", {}, "Critical");
  EXPECT_TRUE(mails_until(now).empty());
}

TEST_F(StormTest, SaysUntilWhenItGathers) {
  targets.pop_back();
  for (const char* uuid : {"u1", "u2"}) add(uuid);
  const std::string key = add("u3").front();
  EXPECT_EQ(mails_until(now).size(), 2u);
  const int64_t latest = now + 120 * kSecondNs;
  EXPECT_EQ(outbox.standing(key, "mail")["digest_by"], latest);
  EXPECT_EQ(outbox.list()[2]["digest_by"], latest);
  EXPECT_EQ(outbox.list()[0]["digest_by"], 0);
  restart();
  EXPECT_EQ(outbox.list()[2]["digest_by"], latest);
  mails_until(now + 60 * kSecondNs);
  EXPECT_EQ(outbox.list()[2]["digest_by"], 0) << "it was sent";
}

TEST_F(StormTest, WhatFollowsAboutACaseToldAloneIsNotDelayed) {
  add("u1"), add("u2");
  add("u1", "updated"), add("u1", "resolved");
  EXPECT_EQ(mails_until(now).size(), 2u) << "in order";
  EXPECT_EQ(mails_until(now).size(), 1u);
  EXPECT_EQ(mails_until(now).size(), 1u);
}

TEST_F(StormTest, ADigestComesBeforeWhatFollowsAboutItsCases) {
  for (const char* uuid : {"u1", "u2", "u3", "u4"}) add(uuid);
  EXPECT_EQ(mails_until(now).size(), 2u);
  now += 3600 * kSecondNs;
  outbox.close_digests(now);
  add("u4", "resolved");
  auto mails = mails_until(now);
  ASSERT_EQ(mails.size(), 1u);
  EXPECT_EQ(mails[0]["event"], "digest");
  EXPECT_EQ(mails_until(now).size(), 1u);
}

TEST_F(StormTest, AfterADigestTheNextComesAQuarterOfAnHourLater) {
  for (const char* uuid : {"u1", "u2", "u3", "u4"}) add(uuid);
  EXPECT_EQ(mails_until(now + 60 * kSecondNs).size(), 3u);
  for (const char* uuid : {"u5", "u6"}) add(uuid);
  EXPECT_TRUE(mails_until(now + 600 * kSecondNs).empty());
  EXPECT_EQ(mails_until(now + 300 * kSecondNs).size(), 1u);
}

TEST_F(StormTest, ARestartKeepsWhatWasGathered) {
  for (const char* uuid : {"u1", "u2", "u3", "u4"}) add(uuid);
  EXPECT_EQ(mails_until(now).size(), 2u);
  restart();
  const auto mails = mails_until(now + 60 * kSecondNs);
  ASSERT_EQ(mails.size(), 1u);
  EXPECT_EQ(mails[0]["cases"], nlohmann::json({"u3", "u4"}));
}

TEST_F(StormTest, AClosedDigestStaysTheSameOverARestart) {
  for (const char* uuid : {"u1", "u2", "u3", "u4"}) add(uuid);
  mails_until(now);
  now += 60 * kSecondNs;
  outbox.close_digests(now);
  const auto sent = outbox.due(now, [](std::string_view name) { return name == "mail"; });
  ASSERT_EQ(sent.size(), 1u);
  restart();
  add("u5");
  const auto again = outbox.due(now, [](std::string_view name) { return name == "mail"; });
  ASSERT_FALSE(again.empty());
  EXPECT_EQ(again[0].key, sent[0].key);
  EXPECT_EQ(again[0].args, sent[0].args);
  EXPECT_EQ(again[0].members.size(), 2u);
}

TEST(Digest, AsksToLookAtWhatIsSharedOnlyWhereSeveralAreNew) {
  const auto text = [](const std::vector<std::string>& events) {
    std::vector<DigestItem> items;
    for (const std::string& event : events) {
      const std::string n = std::to_string(items.size());
      items.push_back({"u" + n, event, "Major", "X-1", "Disk is broken", "SLOT 0" + n, "Shelf A",
                       "tank", static_cast<int64_t>(items.size())});
    }
    std::string body = compose_digest(items, "h").body;
    std::replace(body.begin(), body.end(), '\n', ' ');
    return body;
  };
  EXPECT_NE(text({"diagnosed", "diagnosed", "diagnosed"}).find("look at what they share"),
            std::string::npos);
  const std::string told = text({"updated", "updated", "diagnosed"});
  EXPECT_EQ(told.find("they share"), std::string::npos)
      << "two had messages of their own: " << told;
  EXPECT_NE(told.find("'fmadm faulty' says what to do for each"), std::string::npos) << told;
}

DigestItem disk_item(int n, const std::string& event, const std::string& do_now) {
  return {"u" + std::to_string(n),      event,     "Major", "X-1", "Disk is broken",
          "SLOT 0" + std::to_string(n), "Shelf A", "tank",  n,     do_now};
}

// An earlier individual mail may differ: a digest states what holds now.
TEST(Digest, SaysOfEachWhatToDoNow) {
  std::vector<DigestItem> items{disk_item(1, "updated", "Replace the disk in SLOT 01."),
                                disk_item(2, "diagnosed", "Do not pull the disk in SLOT 02 yet.")};
  std::string body = compose_digest(items, "h").body;
  EXPECT_NE(body.find("Replace the disk in SLOT 01."), std::string::npos) << body;
  EXPECT_NE(body.find("Do not pull the disk in SLOT 02 yet."), std::string::npos) << body;
  for (DigestItem& item : items) item.do_now = "Check the cables of pool tank first.";
  body = compose_digest(items, "h").body;
  EXPECT_TRUE(body.starts_with("Check the cables of pool tank first.\n")) << body;
  EXPECT_EQ(body.find("Check the cables", 5), std::string::npos) << "once for all\n" << body;
}

// A digest gathers messages for minutes, so an early advice may be wrong when it is sent.
TEST(Digest, IsOfTheMomentWhenItIsClosed) {
  const std::vector<DigestItem> items{disk_item(1, "diagnosed", "Replace the disk in SLOT 01."),
                                      disk_item(2, "diagnosed", "Replace the disk in SLOT 02."),
                                      disk_item(3, "diagnosed", "Replace the disk in SLOT 03."),
                                      disk_item(4, "diagnosed", "Replace the disk in SLOT 04.")};
  DigestNow as_now;
  as_now.item = [](const DigestItem& then) -> std::optional<DigestItem> {
    DigestItem now = then;
    if (then.uuid == "u1") now.event = "resolved", now.do_now.clear();
    if (then.uuid == "u2") now.event = "merged", now.do_now = "It goes on as case u9.";
    if (then.uuid == "u3") now.do_now = "Do not pull the disk in SLOT 03 yet.";
    if (then.uuid == "u4") return {};  // forgotten: unchanged
    return now;
  };
  std::vector<std::string> asked;
  as_now.pull_orders = [&](const std::vector<DigestItem>& open) {
    for (const DigestItem& item : open) asked.push_back(item.uuid);
    return std::vector<std::string>{"Pull one disk of pool tank at a time, SLOT 04 first."};
  };
  as_now.explain_url = "https://w.example/{code}.html";
  const DigestText text = compose_digest(items, "h", as_now);
  EXPECT_EQ(text.subject, "[fmd] h: Major: 2 faulty parts, all in pool tank");
  EXPECT_NE(text.body.find("    About it: https://w.example/" + items[0].code + ".html\n"),
            std::string::npos)
      << text.body;
  EXPECT_EQ(compose_digest(items, "h").body.find("About it"), std::string::npos);
  EXPECT_EQ(asked, (std::vector<std::string>{"u3", "u4"}));
  std::string body = text.body;
  std::replace(body.begin(), body.end(), '\n', ' ');
  EXPECT_NE(body.find("It combines 4 messages since "), std::string::npos) << body;
  EXPECT_NE(body.find("at a time, SLOT 04 first."), std::string::npos) << body;
  EXPECT_EQ(body.find("Replace the disk in SLOT 01"), std::string::npos) << body;
  EXPECT_EQ(body.find("Replace the disk in SLOT 03"), std::string::npos) << body;
  EXPECT_LT(body.find("Do not pull the disk in SLOT 03 yet."), body.find("Repaired")) << body;
  EXPECT_LT(body.find("Repaired"), body.find("SLOT 01,")) << body;
  EXPECT_LT(body.find("Part of another case"), body.find("It goes on as case u9.")) << body;
}

// The advice for one disk must not contradict the message's first sentence.
TEST(Digest, ThreeNewOnesOfOnePlaceHaveNoOrdersOfTheirOwn) {
  std::vector<DigestItem> items;
  for (int n = 1; n <= 3; ++n)
    items.push_back(
        disk_item(n, "diagnosed", "Replace the disk in SLOT 0" + std::to_string(n) + " now."));
  const std::string body = compose_digest(items, "h").body;
  EXPECT_NE(body.find("Before you replace one"), std::string::npos) << body;
  EXPECT_EQ(body.find("Replace the disk in SLOT"), std::string::npos) << body;
}

TEST(Digest, ADiskInSeveralCasesIsOnePart) {
  std::vector<DigestItem> items;
  for (int n = 1; n <= 3; ++n) {
    items.push_back(disk_item(n, "diagnosed", "Replace the disk in SLOT 01."));
    items.back().part = "SLOT 01";
  }
  const DigestText text = compose_digest(items, "h");
  EXPECT_EQ(text.subject, "[fmd] h: Major: SLOT 01: 3 faults, all in pool tank");
  EXPECT_EQ(text.body.find("they share"), std::string::npos) << text.body;
}

TEST(Digest, OfOnePartNamesIt) {
  const std::vector<DigestItem> items{
      disk_item(1, "updated", "Replace the disk in SLOT 01."),
      {"u2", "resolved", "Major", "X-1", "Disk is broken", "SLOT 02", "Shelf A", "tank", 2}};
  const DigestText text = compose_digest(items, "h");
  EXPECT_EQ(text.subject, "[fmd] h: Major: SLOT 01: Disk is broken");
  EXPECT_TRUE(text.body.starts_with("Replace the disk in SLOT 01.\n")) << text.body;
}

TEST(Digest, SaysWhatIsPutRightAndWhatIsNot) {
  std::vector<DigestItem> items;
  for (int i = 0; i < 30; ++i)
    items.push_back({"u" + std::to_string(i), "diagnosed", i == 7 ? "Critical" : "Minor", "X-1",
                     "Disk is broken", "the disk in bay " + std::to_string(i), "Shelf A", "", i});
  items.push_back(
      {"u3", "resolved", "Minor", "X-1", "Disk is broken", "the disk in bay 3", "", "", 40});
  const DigestText text = compose_digest(items, "host1");
  EXPECT_EQ(text.subject,
            "[fmd] host1: Critical: the disk in bay 7: Disk is broken, and 28 more faulty parts, "
            "all in chassis Shelf A");
  EXPECT_NE(text.body.find("Repaired\n"), std::string::npos) << text.body;
  EXPECT_NE(text.body.find("and 19 more"), std::string::npos) << text.body;
  for (DigestItem& item : items) item.event = "resolved";
  EXPECT_EQ(compose_digest(items, "host1").subject, "[fmd] host1: 30 faults resolved");
}

TEST_F(StormTest, ARestartForgetsNeitherWhoWasToldAloneNorTheLastDigest) {
  add("u1");
  add("u2");
  EXPECT_EQ(mails_until(now + kSecondNs).size(), 2u);
  restart();
  add("u3");
  add("u4");
  EXPECT_TRUE(mails_until(now + 10 * kSecondNs).empty()) << "two were told alone already";
  const int64_t closed = now + 60 * kSecondNs;
  EXPECT_EQ(mails_until(closed).size(), 1u);
  EXPECT_EQ(members.back(), 2u);
  restart();
  add("u5");
  add("u6");
  EXPECT_TRUE(mails_until(now + 600 * kSecondNs).empty()) << "one digest each 15 minutes";
  EXPECT_EQ(mails_until(now + 900 * kSecondNs).size(), 1u);
}

}  // namespace
}  // namespace fmd
