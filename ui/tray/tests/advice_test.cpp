// List, story, details, tray and tiles show fmd's advice ("say" of a case's document); the rule's
// texts only with an older fmd, which gives no advice.
#include <QLabel>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTableWidget>
#include <QToolButton>
#include <QTreeWidget>

#include "ui/tray/canvas.h"
#include "ui/tray/fleet.h"
#include "ui/tray/pools.h"
#include "ui/tray/story.h"
#include "ui/tray/tests/desktop.h"
#include "ui/tray/tests/notification_server.h"
#include "ui/tray/tray.h"
#include "ui/tray/words.h"

namespace fmd::tray {
namespace {

json say() {
  return {{"state", "spare_holds_all"},
          {"needs", "you"},
          {"headline", "SLOT 04: returns wrong data"},
          {"do_now", "Replace the disk in SLOT 04 now."},
          {"steps", {"Pull the disk.", "Put a blank disk in."}},
          {"safe_to_pull", {{"answer", "yes"}, {"why", "spare SLOT 07 holds all its data"}}},
          {"redundancy", "pool tank survives 1 more disk"},
          {"done", {"SLOT 04 was taken out of service."}},
          {"next", {"A blank disk put into SLOT 04 is used automatically."}},
          {"disagree", {"'fmadm acquit \"SLOT 04\"' closes this case."}}};
}

ui::Advice advice() {
  return *ui::advice_in({{"say", say()}});
}

Case told_case() {
  Case c;
  c.uuid = "9e858a21";
  c.code = "ZFS-8000-GH";
  c.severity = "Major";
  c.state = CaseState::solved;
  c.title = "Disk returns wrong data";
  c.description = "It returned wrong data.";
  c.impact = "Data may be lost.";
  c.response = "RESPONSE";
  c.action = "ACTION";
  Suspect s;
  s.resource = "zfs://pool=1/vdev=4";
  s.fru_path = "disk 4";
  s.certainty = 100;
  c.suspects.push_back(s);
  return c;
}

TEST(Advised, AStoryLeadsWithWhatToDoNow) {
  const ui::Advice said = advice();
  EXPECT_EQ(story_of(told_case(), &said).toStdString(),
            "SLOT 04: returns wrong data\n"
            "9e858a21   ZFS-8000-GH   Major\n\n"
            "What to do now\nReplace the disk in SLOT 04 now.\n1. Pull the disk.\n"
            "2. Put a blank disk in.\n\n"
            "Safe to pull\nYes: spare SLOT 07 holds all its data\n\n"
            "Redundancy\npool tank survives 1 more disk\n\n"
            "Actions taken\nSLOT 04 was taken out of service.\n\n"
            "Next\nA blank disk put into SLOT 04 is used automatically.\n\n"
            "If you disagree\n'fmadm acquit \"SLOT 04\"' closes this case.\n\n"
            "Description\nIt returned wrong data.\n\n"
            "Impact\nData may be lost.\n\n"
            "Suspect: disk 4 (faulty), 100 %\n"
            "\nTimeline\n");
  for (const char* heading : {"What to do now", "Safe to pull", "If you disagree"})
    EXPECT_TRUE(story_headings().contains(heading)) << heading;
}

TEST(Advised, WithoutAdviceTheRulesTextsAreShown) {
  const QString story = story_of(told_case(), nullptr);
  EXPECT_TRUE(story.contains("Actions taken\nRESPONSE\n\nWhat to do\nACTION\n"));
  EXPECT_FALSE(story.contains("What to do now"));
  EXPECT_EQ(case_state_words(told_case(), nullptr), "Open");
}

TEST(Advised, APoolIsNamedAsOne) {
  Case c = told_case();
  c.suspects[0].resource = "zfs://pool=7";
  ui::Advice said = advice();
  said.headline = "pool tank: ZFS pool is suspended";
  said.safe_to_pull = "not_a_part";
  EXPECT_EQ(place_of(c, &said), "pool tank");
  EXPECT_EQ(matter_of(c, &said), "ZFS pool is suspended");
  EXPECT_EQ(safe_words(&said), "");
  EXPECT_FALSE(story_of(c, &said).contains("Safe to pull"));
}

TEST(Advised, StatesAreWhoseTurnItIs) {
  ui::Advice said = advice();
  EXPECT_EQ(case_state_words(told_case(), &said), "Needs you");
  said.needs = "fmd";
  EXPECT_EQ(case_state_words(told_case(), &said), "Working");
  said.needs = "nobody";
  EXPECT_EQ(case_state_words(told_case(), &said), "Done");
  said.safe_to_pull = "no";
  said.why_safe = "";
  EXPECT_EQ(safe_words(&said), "No");
}

TEST(Advised, AnEntryThatRepeatsIsShownOnce) {
  Case c = told_case();
  for (const char* text : {"fault LED is on", "fault LED is on", "hot spare in", "fault LED is on"})
    c.timeline.push_back({1, text == std::string("hot spare in") ? "spare" : "fault-led", text});
  EXPECT_EQ(story_of(c, nullptr).count("fault LED is on"), 2);
  EXPECT_EQ(story_of(c, nullptr).count("hot spare in"), 1);
}

TEST(Advised, InformationAloneIsNoProblem) {
  Snapshot snapshot;
  snapshot.eyes.watching.push_back({"zfs", "ok", "", 0});
  snapshot.cases.push_back(told_case());
  snapshot.cases[0].suspects[0].status = SuspectStatus::faulty;
  EXPECT_EQ(health_of(&snapshot, true), Health::faulted);
  ui::Advice said = advice();
  said.needs = "nobody";
  snapshot.advice["9e858a21"] = said;
  EXPECT_EQ(health_of(&snapshot, true), Health::ok);
}

class AdvisedDesktop : public Desktop {
 protected:
  json known() const override {
    json doc = fixture();
    for (json& c : doc["cases"]) c["say"] = say();
    doc["cases"][0]["say"]["headline"] = "SLOT 01: repaired";
    doc["cases"][0]["say"]["needs"] = "nobody";
    const json spare = {{"fmri", "zfs://pool=1/vdev=7"},
                        {"type", "zfs-vdev"},
                        {"properties",
                         {{"name", "sdx"},
                          {"pool", "tank"},
                          {"role", "spare"},
                          {"state", "ONLINE"},
                          {"parent_type", "spare"}}},
                        {"edges", json::array()}};
    doc["resources"].push_back(spare);
    for (json& r : doc["resources"])
      if (r["fmri"] == "zfs://pool=1/vdev=2") {
        r["properties"]["spare"] = "active";
        r["properties"]["spare_by"] = "zfs://pool=1/vdev=7";
      }
    return doc;
  }
};

TEST_F(AdvisedDesktop, RowsAndStoryAreFmdsWords) {
  auto* problems = page<Problems>("Problems");
  auto* table = problems->findChild<QTableWidget*>();
  ASSERT_EQ(table->rowCount(), 2);
  EXPECT_EQ(table->item(0, 1)->text(),
            "Returns wrong data\n    To do: Replace the disk in SLOT 04 now.\n"
            "    Safe to pull: Yes: spare SLOT 07 holds all its data\n"
            "    Done: SLOT 04 was taken out of service.");
  EXPECT_EQ(table->item(0, 2)->text(), "SLOT 04");
  EXPECT_EQ(table->item(0, 4)->text(), "Needs you");
  EXPECT_TRUE(problems->findChild<QPlainTextEdit*>()->toPlainText().contains(
      "What to do now\nReplace the disk in SLOT 04 now."));
  problems->select("0f0b3a5e-6c1c-4a52-9d6e-2f9d6f0a7a19");
  ASSERT_TRUE(until([&] { return table->rowCount() == 3; }));
  EXPECT_EQ(table->item(2, 1)->text().section('\n', 0, 0), "Repaired");
  EXPECT_EQ(table->item(2, 4)->text(), "Done") << "of one that is resolved, too";
}

TEST_F(AdvisedDesktop, BesideThePictureAndOnATile) {
  click(bay(2));
  EXPECT_TRUE(
      says("Replace the disk in SLOT 04 now.\n"
           "Safe to pull: Yes: spare SLOT 07 holds all its data"));
  Fleet fleet(*hosts_);
  fleet.show();
  auto* tile = fleet.findChild<QToolButton*>();
  ASSERT_NE(tile, nullptr);
  EXPECT_TRUE(tile->accessibleDescription().contains(
      "SLOT 04: returns wrong data\nReplace the disk in SLOT 04 now.\n"));
}

// The sentences about several cases or none, as `fmadm` prints them from the same document.
class OrdersDesktop : public AdvisedDesktop {
 protected:
  static constexpr const char* kFirst = "Pull one disk of pool tank at a time, SLOT 06 first.";
  static constexpr const char* kOld = "The old disk is still in <b>SLOT 05</b>: take it out.";

  json known() const override {
    json doc = AdvisedDesktop::known();
    doc["status"] = {
        {"pull_order", {{{"text", kFirst}}}},
        {"old_disks", {{{"text", kOld}}}},
        {"pools",
         {{{"name", "tank"},
           {"state", "DEGRADED"},
           {"expected", {"SLOT 03 was removed; a case follows at 04:38."}}}}},
        {"held",
         {{{"name", "SLOT 07"},
           {"text", "8 pending sectors"},
           {"decided_by_ns", 1795229329000000000}}}},
        {"maintenance",
         {{"text", "maintenance until 18:00: messages wait"}, {"end", "fmadm maintenance end 3"}}}};
    return doc;
  }
  // The visible labels that contain one of fmd's two orders.
  QStringList orders() const {
    QStringList out;
    for (const QLabel* label : window_->findChildren<QLabel*>())
      if (label->isVisible() && (label->text().contains(kFirst) || label->text().contains(kOld)))
        out << label->text();
    return out;
  }
};

TEST_F(OrdersDesktop, WhichDiskFirstAndWhichOldOneIsSaidInListPictureAndTile) {
  const QString both = QString(kFirst) + "\n" + kOld;
  const QString window =
      "\nmaintenance until 18:00: messages wait. End it with: fmadm maintenance end 3";
  EXPECT_EQ(orders(), QStringList{both + window}) << "above the picture";
  Fleet fleet(*hosts_);
  fleet.show();
  EXPECT_TRUE(fleet.findChild<QToolButton*>()->accessibleDescription().contains(both));

  page<Problems>("Problems");
  EXPECT_EQ(orders(), QStringList{both +
                                  "\nSLOT 03 was removed; a case follows at 04:38.\n"
                                  "Suspected: SLOT 07: 8 pending sectors, decided by " +
                                  time_text(1795229329000000000) +
                                  "\n"
                                  "maintenance until 18:00: messages wait. End it with: "
                                  "fmadm maintenance end 3"});
  order({{"status", json::object()}});
  order({{"resource", known()["resources"][0]}});
  EXPECT_TRUE(until([&] { return orders().isEmpty(); })) << "it is out";
}

// The first line of fmadm: a pool may be degraded without a case, and a mode holds messages or actions.
TEST(Advised, TheHealthIsThatOfFmadm) {
  Snapshot snapshot;
  snapshot.eyes.watching.push_back({"zfs", "ok", "", 0});
  EXPECT_EQ(health_words(&snapshot, true), "No problems");
  snapshot.now.held.push_back({"dev://wwn=6", "SLOT 06", "8 pending sectors", 0});
  EXPECT_EQ(health_words(&snapshot, true), "No problems, SLOT 06 is suspected");
  snapshot.now.maintenance = "maintenance until 18:00: messages wait";
  snapshot.eyes.dry_run = true;
  EXPECT_EQ(health_words(&snapshot, true),
            "No problems, SLOT 06 is suspected (dry run, maintenance)");
  EXPECT_EQ(order_words(snapshot).size(), 2) << "how to end them";
  ui::PoolNow pool;
  pool.name = "tank";
  pool.state = "DEGRADED";
  pool.well = false;
  pool.expected = {"SLOT 03 was taken offline by an administrator."};
  snapshot.now.pools.push_back(pool);
  EXPECT_EQ(health_of(&snapshot, true), Health::degraded);
  EXPECT_EQ(health_words(&snapshot, true), "pool tank is DEGRADED (dry run, maintenance)");
  EXPECT_EQ(order_words(snapshot).front(), "SLOT 03 was taken offline by an administrator.");
  snapshot.cases.push_back(told_case());
  snapshot.cases[0].suspects[0].status = SuspectStatus::faulty;
  EXPECT_EQ(health_words(&snapshot, true), "Something needs attention (dry run, maintenance)");
  EXPECT_EQ(order_words(snapshot).size(), 2) << "the case says it";
}

TEST(Advised, WhatHoldsBesideTheCasesIsBounded) {
  Snapshot snapshot;
  for (int n = 0; n < 100; ++n)
    snapshot.now.old_disks.push_back("The old disk is still in SLOT " + std::to_string(n) + ".");
  const QStringList lines = now_words(snapshot);
  EXPECT_EQ(lines.size(), 13);
  EXPECT_TRUE(lines.back().contains("'fmadm'"));
  EXPECT_EQ(order_words(snapshot).size(), 7);
}

TEST_F(AdvisedDesktop, ANotificationSaysWhatToDo) {
  NotificationServer server;
  auto bus = QDBusConnection::connectToBus(address_, "desktop");
  ASSERT_TRUE(bus.registerVirtualObject(kNotificationsPath, &server));
  ASSERT_TRUE(bus.registerService(kNotifications));
  {
    Tray tray(*hosts_, *window_, QDBusConnection::connectToBus(address_, "tray"));
    // Known cases are not announced.
    QSignalSpy changed(hosts_.get(), &Hosts::changed);
    order({{"case", known()["cases"][1]}, {"event", "changed"}});
    ASSERT_TRUE(until([&] { return changed.count() > 0; }));
    json fresh = open_case(1, "Major", "Disk returns wrong data");
    fresh["say"] = say();
    order({{"case", fresh}, {"event", "diagnosed"}});
    ASSERT_TRUE(until([&] { return !server.told.empty(); }));
    const QList<QVariant> said = server.told[0].arguments();
    EXPECT_EQ(said.at(3).toString(), "SLOT 04: returns wrong data");
    EXPECT_EQ(
        said.at(4).toString(),
        "Replace the disk in SLOT 04 now.\nSafe to pull: Yes: spare SLOT 07 holds all its data");

    const auto now = [&](const char* needs, const char* do_now) {
      fresh["say"]["needs"] = needs;
      fresh["say"]["do_now"] = do_now;
      order({{"case", fresh}, {"event", "changed"}});
    };
    now("fmd", "Wait until the new disk holds all data.");
    now("you", "Wipe the new disk in SLOT 04 or allow it.");
    ASSERT_TRUE(until([&] { return server.told.size() == 2; })) << "the order has changed";
    EXPECT_TRUE(server.told[1].arguments().at(4).toString().startsWith("Wipe the new disk"));
    EXPECT_TRUE(until([&] { return server.closed == QList<uint>{1}; })) << "the old order";
  }
  for (const char* name : {"desktop", "tray"}) QDBusConnection::disconnectFromBus(name);
}

TEST_F(AdvisedDesktop, ASpareInUseSaysForWhom) {
  auto* tree = page<Pools>("Pools")->findChild<QTreeWidget*>();
  const auto found = tree->findItems("sdx", Qt::MatchExactly | Qt::MatchRecursive);
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0]->text(5), "stands in for Slot 2");
  const json doc = known();
  for (json r : doc["resources"])
    if (r["fmri"] == "zfs://pool=1/vdev=2") {
      r["properties"]["spare"] = "resilvering";
      order({{"resource", r}});
    }
  EXPECT_TRUE(until([&] { return found[0]->text(5) == "is filled to stand in for Slot 2"; }));
}

// Its vdev has the spare of the disk that it replaces.
TEST_F(AdvisedDesktop, ANewDiskThatIsFilledIsNoPartThatASpareHasTakenOver) {
  auto* tree = page<Pools>("Pools")->findChild<QTreeWidget*>();
  json fresh, old;
  const json doc = known();
  for (const json& r : doc["resources"]) {
    if (r["fmri"] == "zfs://pool=1/vdev=3") fresh = r;
    if (r["fmri"] == "zfs://pool=1/vdev=2") old = r;
  }
  ASSERT_FALSE(fresh.is_null() || old.is_null());
  fresh["properties"]["spare"] = "active";
  old["properties"]["replacing"] = fresh["fmri"];
  order({{"resource", fresh}});
  order({{"resource", old}});
  const auto work = [&](const std::string& fmri) {
    for (QTreeWidgetItemIterator at(tree); *at; ++at)
      if ((*at)->data(0, Qt::UserRole + 1).toString().toStdString() == fmri) return (*at)->text(5);
    return QString();
  };
  EXPECT_TRUE(until([&] { return work(fresh["fmri"]) == "the new disk, which is being filled"; }))
      << work(fresh["fmri"]).toStdString();
}

// In the picture of the chassis its bay is amber.
TEST_F(AdvisedDesktop, ADiskThatAPersonTookOfflineIsNoFailedOne) {
  auto* tree = page<Pools>("Pools")->findChild<QTreeWidget*>();
  const json doc = known();
  json three;
  for (const json& r : doc["resources"])
    if (r["fmri"] == "zfs://pool=1/vdev=3") three = r;
  const auto colour = [&](const char* state) {
    three["properties"]["state"] = state;
    order({{"resource", three}});
    QTreeWidgetItem* found = nullptr;
    until([&] {
      for (QTreeWidgetItemIterator at(tree); *at; ++at)
        if ((*at)->text(1) == state && (*at)->text(3) == "S3") found = *at;
      return found != nullptr;
    });
    return found ? found->background(1).color() : QColor();
  };
  const QColor faulted = colour("FAULTED"), offline = colour("OFFLINE");
  EXPECT_EQ(faulted, qt_colour(scene::Ink::faulted, scene::Theme::light));
  EXPECT_EQ(offline, qt_colour(scene::Ink::degraded, scene::Theme::light));
}

TEST_F(AdvisedDesktop, APoolThatDoesNotRespondIsRed) {
  auto* tree = page<Pools>("Pools")->findChild<QTreeWidget*>();
  const json doc = known();
  for (json r : doc["resources"])
    if (r["fmri"] == "zfs://pool=1") {
      r["properties"]["health"] = "ONLINE";
      r["properties"]["observed"] = "not-observed";
      order({{"resource", r}});
    }
  ASSERT_TRUE(until([&] { return tree->topLevelItem(0)->text(1) == "not responding"; }));
  EXPECT_EQ(tree->topLevelItem(0)->background(1).color(),
            qt_colour(scene::Ink::faulted, scene::Theme::light));
}

TEST_F(AdvisedDesktop, APoolInTroubleIsNamedAboveThePictureOfItsBays) {
  const auto named = [&] {
    for (const QLabel* label : window_->findChildren<QLabel*>())
      if (label->isVisible() && label->text().startsWith("Framed bays: ")) return label->text();
    return QString();
  };
  EXPECT_EQ(named(), "Framed bays: pool tank: DEGRADED");
  const auto amber = [&](int n) {
    const QRectF at = view_->place(QString::fromStdString(bay(n)));
    const QPoint edge(static_cast<int>(at.center().x()), static_cast<int>(at.top() + 2));
    return view_->viewport()->grab().toImage().pixelColor(edge) ==
           qt_colour(scene::Ink::degraded, view_->theme());
  };
  EXPECT_TRUE(amber(1)) << "well itself";
  EXPECT_FALSE(amber(2)) << "red itself";
  const json doc = known();
  for (json r : doc["resources"])
    if (r["type"] == "zfs-pool") {
      r["properties"]["health"] = "ONLINE";
      order({{"resource", r}});
    }
  EXPECT_TRUE(until([&] { return named().isEmpty(); }));
  EXPECT_FALSE(amber(1));
}

}  // namespace
}  // namespace fmd::tray
