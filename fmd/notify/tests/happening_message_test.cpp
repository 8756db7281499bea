// Happenings in text: lines, messages, rules, windows, digests.
#include "fmd/notify/happening_message.h"

#include <gtest/gtest.h>

#include "fmd/base/json.h"
#include "fmd/notify/alerts.h"
#include "fmd/notify/tests/happening_rig.h"

namespace fmd {
namespace {

Happening removed() {
  Happening h;
  h.kind = HappeningKind::disk_removed;
  h.uuid = "u1";
  h.time_ns = 5;
  h.part = "dev://wwn=4";
  h.bay = "hc://chassis=1/bay=4";
  h.location = "SLOT 04";
  h.serial = "S4\x1b[31m";
  h.pool = "tank";
  return h;
}

TEST(HappeningMessage, SaysWhatAndWhere) {
  const OutboxMessage message = compose_happening(removed(), "store1", Inventory());
  EXPECT_EQ(message.subject, "[fmd] store1: disk removed from bay SLOT 04, serial S4\\x1b[31m");
  EXPECT_EQ(message.body.substr(0, message.body.find("\n\n")),
            "A disk of store1 was taken out, or is not seen any more: bay SLOT 04, serial\n"
            "S4\\x1b[31m.");
  EXPECT_NE(message.body.find("fmadm notify explain u1"), std::string::npos);
  EXPECT_EQ(message.body.find('\x1b'), std::string::npos);
  const auto doc = nlohmann::json::parse(message.happening);
  EXPECT_EQ(doc["event"], "disk-removed");
  EXPECT_EQ(doc["location"], "SLOT 04");
  EXPECT_EQ(happening_from_json(doc), removed());
  EXPECT_EQ(digest_item(removed(), Inventory()).pool, "tank");
}

TEST(HappeningMessage, EachKindHasItsLine) {
  std::set<std::string> lines;
  for (size_t i = 0; i < kHappenings.size(); ++i) {
    Happening h;
    h.kind = static_cast<HappeningKind>(i);
    h.uuid = "u";
    const OutboxMessage message = compose_happening(h, "h", Inventory());
    EXPECT_TRUE(lines.insert(message.subject).second) << message.subject;
    EXPECT_GT(message.subject.size(), 15u) << "also when nothing is known of it";
    const auto fields = journal_fields(h);
    EXPECT_EQ(fields[0].first, "MESSAGE_ID");
    EXPECT_EQ(fields[0].second.size(), 32u);
    EXPECT_EQ(fields[2], (std::pair<std::string, std::string>("FMD_EVENT", kHappenings[i])));
  }
}

TEST(HappeningRules, OnlyARuleThatNamesItTellsIt) {
  Preferences preferences;
  NotifyRule all, named;
  all.name = "all";
  all.channels = {"mail"};
  named.name = "disks";
  named.when.events = {"disk-removed"};
  named.when.bays = {"SLOT 0*"};
  named.when.pools = {"tank"};
  named.when.chassis = {"hc://chassis=1"};
  named.when.classes = {"happening.*"};
  named.channels = {"webhook"};
  preferences.rules = {all, named};
  const AlertFacts facts = facts_of(removed(), Inventory());
  const Decision decision = decide(preferences, facts, 5, {});
  ASSERT_EQ(decision.targets.size(), 1u);
  EXPECT_EQ(decision.targets[0].channel, "webhook");
  preferences.rules[1].when.severity = "Major";
  EXPECT_TRUE(decide(preferences, facts, 5, {}).targets.empty()) << "it is Minor";
}

TEST(HappeningRules, AWindowOfTheChassisOrPoolCoversIt) {
  HappeningRig rig;
  Resource vdev = HappeningRig::vdev("none");
  vdev.edges.push_back({Relation::redundancy, "dev://wwn=4"});
  Resource pool = HappeningRig::pool("");
  pool.edges.push_back({Relation::redundancy, vdev.fmri});
  rig.say("zfs", {pool, vdev});
  for (const char* scope :
       {"", "hc://chassis=1", "hc://chassis=1/bay=4", "dev://wwn=4", "zfs://pool=1"}) {
    Maintenance maintenance;
    ASSERT_TRUE(maintenance.add({"", scope, "it", 1, 100, "why", "me"}, 1));
    EXPECT_TRUE(maintenance.covering(parts_of(removed()), rig.inventory, 5)) << scope;
    EXPECT_FALSE(maintenance.covering(parts_of(removed()), rig.inventory, 100)) << scope;
  }
  Maintenance other;
  ASSERT_TRUE(other.add({"", "hc://chassis=2", "it", 1, 100, "why", "me"}, 1));
  EXPECT_FALSE(other.covering(parts_of(removed()), rig.inventory, 5));
}

TEST(HappeningRules, TheBookKnowsThemAndTheLogIsNotFull) {
  Alerts alerts;
  Preferences preferences;
  preferences.channels["mail"];
  preferences.channels["webhook"].events = {"disk-removed"};
  alerts.set_preferences(preferences);
  Outbox outbox;
  const Inventory inventory;
  const Happening h = removed();
  alerts.tell({{"disk-removed", h.uuid, 5}, {}, {}}, facts_of(h, inventory), {5, 5}, outbox,
              {[&] { return compose_happening(h, "h", inventory); }});
  EXPECT_TRUE(alerts.take_said().empty()) << "that mail is not told is how it is meant to be";
  auto book = alerts.explain("u1", outbox);
  ASSERT_EQ(book.size(), 2u);
  EXPECT_EQ(book[0]["channel"], "webhook");
  EXPECT_EQ(book[1]["state"], "not-sent");
  const auto due = outbox.due({7, 7}, [](std::string_view) { return true; });
  ASSERT_EQ(due.size(), 1u);
  const auto args = nlohmann::json::parse(due[0].args);
  EXPECT_EQ(args["happening"]["serial"], h.serial);
  EXPECT_EQ(args["case"], nlohmann::json::object());
  EXPECT_EQ(due[0].key, "u1:disk-removed:1");
  // A notifier that never accepts such messages is asked once, and does not count as failing.
  const GivenUp given_up = outbox.refused_for_good(due[0], "only cases", {8, 8});
  EXPECT_EQ(given_up.why, "only cases");
  EXPECT_TRUE(outbox.channels().failing().empty());
  EXPECT_TRUE(outbox.due({9, 9}, [](std::string_view) { return true; }).empty());
  alerts.gave_up("u1", due[0].key, "webhook", given_up.why, {8, 8});
  EXPECT_EQ(alerts.explain("u1", outbox)[0]["reason"], "only cases");
}

TEST(HappeningDigest, ManyAreOneMessage) {
  std::vector<DigestItem> items;
  for (int i = 0; i < 40; ++i) {
    Happening h = removed();
    h.uuid = "u" + std::to_string(i);
    items.push_back(digest_item(h, Inventory()));
  }
  const DigestText only = compose_digest(items, "h");
  EXPECT_EQ(only.subject, "[fmd] h: 40 events, all in pool tank");
  EXPECT_NE(only.body.find("and 10 more"), std::string::npos);
  EXPECT_NE(only.body.find("fmadm notify events"), std::string::npos);
  items.push_back({"c1", "diagnosed", "Major", "X-1", "Disk broken", "the disk", "", "tank", 1});
  const DigestText mixed = compose_digest(items, "h");
  EXPECT_EQ(mixed.subject, "[fmd] h: Major: the disk: Disk broken");
  EXPECT_NE(mixed.body.find("Other events"), std::string::npos);
}

}  // namespace
}  // namespace fmd
