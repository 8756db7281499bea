#include "fmd/model/bay_history.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

namespace fmd {
namespace {

constexpr int64_t kSecond = 1000000000;
const std::string kBay = "hc://chassis=1/bay=3", kOther = "hc://chassis=1/bay=4";
const std::string kA = "dev://serial=M:A", kB = "dev://serial=M:B";

Resource bay(const std::string& fmri, const std::string& disk) {
  Resource r;
  r.fmri = fmri;
  r.type = "bay";
  r.properties["label"] = "SLOT " + fmri.substr(fmri.size() - 1);
  if (!disk.empty()) r.edges.push_back({Relation::contains, disk});
  return r;
}

Resource disk(const std::string& fmri) {
  Resource r;
  r.fmri = fmri;
  r.type = "disk";
  r.properties["serial"] = fmri.substr(fmri.size() - 1);
  r.properties["model"] = std::string("M");
  return r;
}

// An inventory, its history, and the rows that would be in the store.
struct World {
  Inventory inventory;
  BayHistory history;
  std::map<std::string, std::string> stored;
  int64_t now = 100 * kSecond;

  void write() {
    for (const StateRow& row : history.take_changes()) {
      EXPECT_EQ(row.kind, "tenancy");
      if (row.doc.empty())
        EXPECT_EQ(stored.erase(row.key), 1u) << row.key;
      else
        stored[row.key] = row.doc;
    }
  }
  void say(const std::string& source, std::vector<Resource> resources,
           std::vector<std::string> gone = {}) {
    InventoryUpdate update;
    update.source = source;
    update.resources = std::move(resources);
    for (const std::string& fmri : gone) update.gone.push_back({fmri, "removed", ""});
    history.observe(inventory, update, inventory.apply(update), now);
    write();
  }
  // The daemon stops and starts again `down` later; the inventory comes back as it was.
  void restart(int64_t down) {
    now += down;
    history = BayHistory();
    std::vector<StateRow> rows = {{"case", "x", "{}"}};
    for (const auto& [key, doc] : stored) rows.push_back({"tenancy", key, doc});
    EXPECT_TRUE(history.restore(rows));
  }
  // "A 100..160" one a stay; ~ not exact, (N) not before; in seconds.
  std::string show(const std::string& of) {
    std::string out;
    const auto end = [](int64_t ns, bool exact, int64_t after) {
      if (ns == 0) return std::string("now");
      std::string text = (exact ? "" : "~") + std::to_string(ns / kSecond);
      return after != 0 ? text + fmt::format("({})", after / kSecond) : text;
    };
    const auto at = history.bays().find(of);
    if (at == history.bays().end()) return "-";
    for (const Tenancy& t : at->second)
      out += fmt::format("{}{}/{} {}..{}", out.empty() ? "" : ", ", t.label, t.serial,
                         end(t.from_ns, t.from_exact, t.from_after_ns),
                         end(t.to_ns, t.to_exact, t.to_after_ns));
    return out;
  }
};

// An idle host writes nothing for this: the time of the last look is stored with other rows, or twice an hour.
TEST(BayHistory, NothingIsWrittenWhereNothingChanges) {
  World world;
  world.say("enclosure", {bay(kBay, kA)});
  const auto written = world.stored;
  const auto minute_passes = [&](const std::string& disk) {
    world.now += 60 * kSecond;
    world.say("enclosure", {bay(kBay, disk)});
  };
  for (int minute = 1; minute < 30; ++minute) minute_passes(kA);
  EXPECT_EQ(world.stored, written);
  minute_passes(kA);
  EXPECT_NE(world.stored.at("watched"), written.at("watched"));
  EXPECT_EQ(world.stored.size(), written.size());
  const std::string half_hour = world.stored.at("watched");
  minute_passes("");
  EXPECT_NE(world.stored.at("watched"), half_hour) << "goes with who left";
}

TEST(BayHistory, FromWhenToWhen) {
  World world;
  world.say("disk", {disk(kA), disk(kB)});
  world.say("enclosure", {bay(kBay, kA), bay(kOther, "")});
  EXPECT_EQ(world.show(kBay), "SLOT 3/A ~100..now") << "it had been there before fmd looked";
  EXPECT_EQ(world.show(kOther), "-");
  world.now += 60 * kSecond;
  world.say("enclosure", {bay(kBay, "")});
  EXPECT_EQ(world.show(kBay), "SLOT 3/A ~100..160");
  world.now += 5 * kSecond;
  world.say("enclosure", {bay(kOther, kA), bay(kBay, kB)});
  EXPECT_EQ(world.show(kBay), "SLOT 3/A ~100..160, SLOT 3/B 165..now");
  EXPECT_EQ(world.show(kOther), "SLOT 4/A 165..now");
}

TEST(BayHistory, ADiskThatIsAwayHasLeftItsBay) {
  World world;
  world.say("disk", {disk(kA)});
  world.say("enclosure", {bay(kBay, kA)});
  world.now += kSecond;
  world.say("disk", {}, {kA});
  EXPECT_EQ(world.show(kBay), "SLOT 3/A ~100..101");
  world.now += kSecond;
  world.say("disk", {disk(kA)});
  EXPECT_EQ(world.show(kBay), "SLOT 3/A ~100..101, SLOT 3/A 102..now");
  world.now += kSecond;
  world.say("enclosure", {}, {kBay});
  EXPECT_EQ(world.show(kBay), "SLOT 3/A ~100..101, SLOT 3/A 102..103") << "the shelf is gone";
}

TEST(BayHistory, ADiskMayBeDescribedAfterItsBay) {
  World world;
  world.say("enclosure", {bay(kBay, "")});
  world.now += kSecond;
  world.say("enclosure", {bay(kBay, kA)});
  EXPECT_EQ(world.show(kBay), "SLOT 3/ 101..now");
  world.say("disk", {disk(kA)});
  EXPECT_EQ(world.show(kBay), "SLOT 3/A 101..now");
  world.say("disk", {disk(kA)});
  world.restart(0);
  EXPECT_EQ(world.show(kBay), "SLOT 3/A 101..now");
}

// fmd-smart's word: it does not say whether a disk is there, and may come before that of who does.
TEST(BayHistory, ADiskOfWhichNobodyHasSaidThatItIsThereHasNotLeft) {
  World w;
  Resource asked;
  asked.fmri = kA;
  asked.type = "disk";
  asked.present = false;
  asked.properties["smart.state"] = std::string("observed");
  w.say("enclosure", {bay(kBay, kA)});
  w.now += kSecond;
  w.say("smart", {asked});
  w.now += kSecond;
  w.say("disk", {disk(kA)});
  EXPECT_EQ(w.show(kBay), "SLOT 3/A ~100..now");
  w.now += kSecond;
  w.say("disk", {}, {kA});  // it is known now, and away
  EXPECT_EQ(w.show(kBay), "SLOT 3/A ~100..103");

  World other;  // smart first
  other.say("smart", {asked});
  other.say("enclosure", {bay(kBay, kA)});
  other.now += kSecond;
  other.say("disk", {disk(kA)});
  EXPECT_EQ(other.show(kBay), "SLOT 3/A ~100..now");
}

TEST(BayHistory, WhatHappenedWhileFmdWasDownIsToldAsSuch) {
  World world;
  world.say("disk", {disk(kA)});
  world.say("enclosure", {bay(kBay, ""), bay(kOther, kA)});
  world.now += 100 * kSecond;
  world.say("enclosure", {bay(kBay, kA), bay(kOther, "")});
  EXPECT_EQ(world.show(kBay), "SLOT 3/A 200..now");
  world.restart(1000 * kSecond);
  // The disk plugin is first: the old one is gone. Then the bays are told of.
  world.say("disk", {disk(kB)}, {kA});
  world.now += kSecond;
  world.say("enclosure", {bay(kBay, kB), bay(kOther, "")});
  EXPECT_EQ(world.show(kBay), "SLOT 3/A 200..~1200(200), SLOT 3/B ~1201(200)..now");
  world.now += kSecond;
  world.say("enclosure", {bay(kBay, "")});
  EXPECT_EQ(world.show(kBay), "SLOT 3/A 200..~1200(200), SLOT 3/B ~1201(200)..1202");
}

TEST(BayHistory, ARestartWithNothingChangedChangesNothing) {
  World world;
  world.say("disk", {disk(kA)});
  world.say("enclosure", {bay(kBay, kA)});
  const std::string before = world.show(kBay);
  world.restart(1000 * kSecond);
  world.say("disk", {disk(kA)});
  world.say("enclosure", {bay(kBay, kA)});
  EXPECT_EQ(world.show(kBay), before);
}

TEST(BayHistory, APluginThatBeginsAnewMayHaveMissedSomething) {
  World world;
  world.say("disk", {disk(kA), disk(kB)});
  world.say("enclosure", {bay(kBay, ""), bay(kOther, "")});
  world.say("enclosure", {bay(kBay, kA)});
  world.history.unwatched("enclosure");
  world.now += kSecond;
  world.say("enclosure", {bay(kBay, kB)});
  EXPECT_EQ(world.show(kBay), "SLOT 3/A 100..~101(100), SLOT 3/B ~101..now");
}

TEST(BayHistory, AnInventoryOlderThanItsHistoryIsTakenUp) {
  World world;
  InventoryUpdate update;
  update.source = "enclosure";
  update.resources = {bay(kBay, kA)};
  world.inventory.apply(update);  // by an fmd that kept no history
  world.say("enclosure", {bay(kBay, kA)});
  EXPECT_EQ(world.show(kBay), "SLOT 3/ ~100..now");
}

TEST(BayHistory, TheOldAreForgottenAndAFlappingLinkFillsNothing) {
  World world;
  world.say("enclosure", {bay(kBay, "")});
  for (size_t i = 0; i < BayHistory::kMostPerBay + 50; ++i) {
    world.now += kSecond;
    world.say("enclosure", {bay(kBay, kA)});
    world.now += kSecond;
    world.say("enclosure", {bay(kBay, "")});
  }
  EXPECT_EQ(world.history.bays().at(kBay).size(), BayHistory::kMostPerBay);
  world.say("enclosure", {bay(kBay, kB)});
  world.history.forget(world.now + kSecond);
  world.write();
  EXPECT_EQ(world.history.bays().at(kBay).size(), 1u) << "the one that is there stays";
  EXPECT_EQ(world.stored.size(), 2u) << "and the row that says until when somebody watched";
  EXPECT_EQ(world.history.all_rows().size(), 2u);
}

TEST(BayHistory, ARowThatCannotBeReadIsNamedAndTheOthersAreTaken) {
  World world;
  world.say("enclosure", {bay(kBay, kA)});
  std::vector<StateRow> rows = {{"tenancy", "bad\x1b", "{\"bay\":5}"}};
  for (const auto& [key, doc] : world.stored) rows.push_back({"tenancy", key, doc});
  BayHistory history;
  const auto outcome = history.restore(rows);
  ASSERT_FALSE(outcome);
  EXPECT_NE(outcome.error().text().find("bad\\x1b"), std::string::npos);
  EXPECT_EQ(history.bays().at(kBay).size(), 1u);
}

}  // namespace
}  // namespace fmd
