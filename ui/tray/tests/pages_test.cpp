// The pages together: lists and pictures, pools and bays, readings and hosts; and read errors.
#include <signal.h>

#include <QComboBox>
#include <QDateTime>
#include <QDateTimeEdit>
#include <QLineEdit>
#include <QListWidget>
#include <QTableView>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTreeWidget>

#include "ui/tray/chassis_page.h"
#include "ui/tray/components.h"
#include "ui/tray/demo.h"
#include "ui/tray/events.h"
#include "ui/tray/heat_figures.h"
#include "ui/tray/pools.h"
#include "ui/tray/telemetry.h"
#include "ui/tray/tests/desktop.h"
#include "ui/tray/tests/file_chooser.h"
#include "ui/tray/time_chart.h"

namespace fmd::tray {
namespace {

constexpr const char* kDied = "1f0b3a5e-6c1c-4a52-9d6e-2f9d6f0a7a19";

class Pages : public Desktop {
 protected:
  json known() const override {
    json doc = fixture();
    json counted = doc["readings"]["series"][0];
    counted["name"] = "smart.attr.5";
    counted["unit"] = "count";
    doc["readings"]["series"].push_back(counted);
    doc["resources"][1]["properties"]["firmware"] = "SN04";
    json died = open_case(1, "Major", "Died <young>");
    died["state"] = "RESOLVED";
    died["uuid"] = kDied;
    died["suspects"][0]["fru"] = "dev://wwn=0";  // which was in that bay before
    doc["cases"].push_back(died);
    doc["resources"][1]["properties"]["temperature_celsius"] = 41;
    return doc;
  }
  QTreeWidgetItem* row(const QString& name) {
    const auto found =
        window_->findChild<Components*>()->findItems(name, Qt::MatchExactly | Qt::MatchRecursive);
    return found.isEmpty() ? nullptr : found.front();
  }
  QComboBox* choice(QWidget* of, const QString& name) {
    for (QComboBox* one : of->findChildren<QComboBox*>())
      if (one->accessibleName() == name) return one;
    return nullptr;
  }
};

TEST_F(Pages, ComponentsAndPictureChooseTogether) {
  auto* list = window_->findChild<Components*>();
  ASSERT_NE(list, nullptr);
  ASSERT_NE(row("Slot 4"), nullptr);
  EXPECT_EQ(row("Slot 2")->text(1), "needs attention");
  EXPECT_EQ(list->currentItem(), row("Slot 2")) << "the first look is at the faulty one";
  click(bay(4));
  EXPECT_EQ(list->currentItem(), row("Slot 4"));
  list->setCurrentItem(row("Slot 1"));
  EXPECT_EQ(view_->selected().toStdString(), bay(1));
  EXPECT_TRUE(says("SN04"));
  EXPECT_TRUE(says("41 °C"));
  EXPECT_TRUE(says("Shelf A"));
  EXPECT_TRUE(says("Slot 1, Front"));
  EXPECT_TRUE(view_->accessibleDescription().startsWith("Slot 1: ")) << "read out as it changes";
  // An update keeps folds and selection.
  row("Bays")->setExpanded(false);
  order({{"case", open_case(4, "Minor", "Slow")}, {"event", "diagnosed"}});
  ASSERT_TRUE(until([&] { return row("Slot 4")->text(1) == "needs attention (minor)"; }));
  EXPECT_FALSE(row("Bays")->isExpanded());
  EXPECT_EQ(list->currentItem(), row("Slot 1"));
}

TEST_F(Pages, AGroupOfAPoolIsOutlinedInThePicture) {
  click(bay(4));
  const QImage before = view_->viewport()->grab().toImage();
  auto* pools = page<Pools>("Pools");
  auto* tree = pools->findChild<QTreeWidget*>();
  QTreeWidgetItem* raidz = tree->topLevelItem(0)->child(0);
  tree->setCurrentItem(raidz);
  emit tree->itemActivated(raidz, 0);
  EXPECT_TRUE(view_->isVisible());
  const auto differs = [&](int n) {
    const QRect at = view_->place(QString::fromStdString(bay(n))).toRect().adjusted(-3, -3, 3, 3);
    return before.copy(at) != view_->viewport()->grab().toImage().copy(at);
  };
  for (int n = 1; n <= 3; ++n) EXPECT_TRUE(differs(n)) << n;
  click(bay(4));
  EXPECT_FALSE(differs(1)) << "until a part is chosen";
}

TEST(Picture, ArrowKeysGoWhereTheyPoint) {
  scene::Scene box;
  scene::Face face;
  face.width = face.height = 100;
  // Numbered by columns, as in many shelves.
  for (const auto& [name, x, y] :
       {std::tuple{"1", 0., 0.}, {"2", 0., 50.}, {"3", 50., 0.}, {"4", 50., 50.}}) {
    scene::Part part;
    part.fmri = name;
    part.box = {x, y, 40, 40};
    face.parts.push_back(part);
  }
  box.faces.push_back(face);
  ChassisView view;
  view.resize(400, 400);
  view.show_scenes({box});
  std::string way;
  for (const Qt::Key key :
       {Qt::Key_Right, Qt::Key_Right, Qt::Key_Right, Qt::Key_Down, Qt::Key_Left, Qt::Key_Up}) {
    QTest::keyClick(&view, key);
    way += view.selected().toStdString();
  }
  EXPECT_EQ(way, "133421") << "the first, to its right, nothing is further right, down, left, up";
}

TEST_F(Pages, AllReadingsThatThereAreCanBeChosen) {
  auto* telemetry = page<Telemetry>("Telemetry");
  auto* names = choice(telemetry, "Reading");
  ASSERT_TRUE(until([&] { return names->count() == 2; }));
  EXPECT_EQ(names->currentText(), "Temperature");
  EXPECT_GE(names->findText("SMART attribute 5"), 0);
  auto* chart = telemetry->findChild<TimeChart*>();
  EXPECT_TRUE(until([&] { return chart->lines().size() == 4; }));
  names->setCurrentIndex(names->findText("SMART attribute 5"));
  EXPECT_TRUE(until([&] { return chart->title() == "SMART attribute 5"; }));
}

TEST_F(Pages, HostsAreComparedInOneChart) {
  ui::Target target;
  target.bus = address_.toStdString();
  Session* other = hosts_->add(target, "again");
  ASSERT_TRUE(until([&] { return other->connected(); }));
  window_->show_host(session_);
  auto* telemetry = page<Telemetry>("Telemetry");
  auto* chart = telemetry->findChild<TimeChart*>();
  ASSERT_TRUE(until([&] { return chart->lines().size() == 4; }));
  auto* by = choice(telemetry, "Broken down by");
  by->setCurrentIndex(by->findText("by host"));
  EXPECT_TRUE(until([&] { return chart->lines().size() == 2; }));
  emit chart->line_chosen("host");
  EXPECT_EQ(by->currentText(), "by host") << "nothing of another one is opened here";
  emit chart->line_chosen("");
  EXPECT_EQ(by->currentText(), "by chassis");
}

TEST_F(Pages, AChartIsZoomedMovedAndWritten) {
  QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
  auto* telemetry = page<Telemetry>("Telemetry");
  auto* chart = telemetry->findChild<TimeChart*>();
  ASSERT_TRUE(until([&] { return chart->lines().size() == 4; }));
  const auto first = [&] { return chart->view().from_ns; };
  const int64_t whole = first();
  QTest::keyClick(chart, Qt::Key_Plus);
  EXPECT_TRUE(chart->zoomed());
  const int64_t zoomed = first();
  EXPECT_GT(zoomed, whole);
  QTest::keyClick(chart, Qt::Key_Right);
  EXPECT_GT(first(), zoomed);
  QTest::mouseClick(button("All of it"), Qt::LeftButton);
  EXPECT_EQ(first(), whole);
  QTemporaryDir folder;
  for (const QString name : {"t.png", "t.csv"}) {
    FileChooser chooser(folder.filePath(name), QMessageBox::Yes);
    button("Save")->click();
  }
  EXPECT_FALSE(QImage(folder.filePath("t.png")).isNull());
  {
    // "Values" as the chosen type gives values, although the proposed name was a picture's.
    FileChooser chooser(folder.filePath("chosen.png"), QMessageBox::Yes, "Values (*.csv)");
    button("Save")->click();
  }
  QFile chosen(folder.filePath("chosen.csv"));
  ASSERT_TRUE(chosen.open(QIODevice::ReadOnly));
  EXPECT_TRUE(chosen.readAll().startsWith("time,part,value,unit\r\n"));
  EXPECT_FALSE(QFile::exists(folder.filePath("chosen.png")));
  QFile csv(folder.filePath("t.csv"));
  ASSERT_TRUE(csv.open(QIODevice::ReadOnly));
  const QByteArray rows = csv.readAll();
  EXPECT_TRUE(rows.startsWith("time,part,value,unit\r\n"));
  EXPECT_TRUE(rows.contains("\"Slot 3\",33,\"celsius\"")) << rows.constData();
}

TEST_F(Pages, AProblemIsAcknowledged) {
  page<Problems>("Problems");
  QTest::mouseClick(button("Acknowledge"), Qt::LeftButton);
  EXPECT_TRUE(until([&] {
    return order({{"changes", true}})
        .contains(
            ("acknowledge [" + open_case(2, "", "")["uuid"].get<std::string>() + "]").c_str());
  }));
}

TEST_F(Pages, ADiskThatSatThereBeforeHasItsProblems) {
  click(bay(1));
  const auto links = [&] {
    QList<QLabel*> found;
    for (QLabel* one : details_->findChildren<QLabel*>())
      if (one->accessibleName().endsWith("  Died <young>")) found << one;
    return found;
  };
  ASSERT_TRUE(until([&] { return links().size() == 1; })) << "and not as one of today's disk";
  EXPECT_TRUE(until([&] {
    for (QLabel* one : details_->findChildren<QLabel*>())
      if (one->text().contains("OLD<1>")) return one->y() < links()[0]->y();
    return false;
  })) << "below that disk";
  emit links()[0]->linkActivated({});
  EXPECT_TRUE(problems_->isVisible());
  EXPECT_TRUE(until([&] { return problems_->selected() == kDied; }));
}

TEST_F(Pages, WhatIsOverIsToldOfWhenNothingThatIsOpenMatches) {
  page<Problems>("Problems");
  auto* table = problems_->findChild<QTableWidget*>();
  auto* search = problems_->findChild<QLineEdit*>();
  const auto told = [&](const QString& text) {
    for (QLabel* one : problems_->findChildren<QLabel*>())
      if (one->isVisible() && one->text() == text) return true;
    return false;
  };
  search->setText("too hot");
  ASSERT_TRUE(until([&] { return told("No open problem matches. 1 resolved one(s) do."); }));
  EXPECT_EQ(table->rowCount(), 0);
  ASSERT_NE(button("Show the resolved ones"), nullptr);
  search->setText("nobody has had that");
  EXPECT_TRUE(told("No matching problems."));
  EXPECT_EQ(button("Show the resolved ones"), nullptr);
  search->setText("too hot");
  QTest::mouseClick(button("Show the resolved ones"), Qt::LeftButton);
  ASSERT_TRUE(until([&] { return table->rowCount() == 1; }));
  EXPECT_TRUE(table->item(0, 1)->text().startsWith("Was too hot\n"));
  EXPECT_EQ(button("Show the resolved ones"), nullptr);
}

TEST_F(Pages, EventsOfTheTimeThatIsChosen) {
  auto* events = page<Events>("Events");
  auto* table = events->findChild<QTableView*>();
  constexpr qint64 kHourMs = 3'600'000;
  for (const qint64 hours : {24 * 30, 2, 0})
    order({{"log",
            {{"class", "ereport.disk.io.medium"},
             {"resource", "dev://wwn=1"},
             {"time", (QDateTime::currentMSecsSinceEpoch() - hours * kHourMs) * 1'000'000},
             {"source", "disk"}}}});
  auto* time = choice(events, "Time");
  ASSERT_NE(time, nullptr);
  for (const auto& [words, rows] :
       {std::pair{"All", 3}, {"The last hour", 1}, {"The last day", 2}, {"The last week", 2}}) {
    time->setCurrentIndex(time->findText(words));
    EXPECT_TRUE(until([&, rows = rows] { return table->model()->rowCount() == rows; })) << words;
  }
}

// In a log of a million events, the first query gets the newest, which are on top.
TEST_F(Pages, TheNewestEventsComeFirst) {
  json config = fixture()["config"];
  config["store"]["last_seq"] = 1'000'000;
  order({{"config", config}});
  for (int n = 0; n < 3; ++n)
    order({{"log",
            {{"class", "ereport.disk.io.medium"},
             {"resource", "dev://wwn=" + std::to_string(n + 1)},
             {"time", (QDateTime::currentMSecsSinceEpoch() - 1000 * (3 - n)) * 1'000'000},
             {"source", "disk"}}}});
  auto* events = page<Events>("Events");
  ASSERT_TRUE(until([&] { return order({{"asked", true}}).contains("\\\"after\\\":980000"); }));
  choice(events, "Time")->setCurrentIndex(1);
  for (QLineEdit* one : events->findChildren<QLineEdit*>())
    if (one->accessibleName() == "Part") {
      one->setText("wwn=");
      emit one->editingFinished();
    }
  auto* table = events->findChild<QTableView*>();
  ASSERT_TRUE(until([&] { return table->model()->rowCount() == 3; })) << "looked for in all of it";
  EXPECT_EQ(table->model()->index(0, 2).data().toString(), "Slot 3 (serial S3)");
}

TEST_F(Pages, EventsFromOneTimeToAnother) {
  auto* events = page<Events>("Events");
  auto* table = events->findChild<QTableView*>();
  const QDateTime now = QDateTime::currentDateTime();
  for (const int hours : {48, 30, 2})
    order({{"log",
            {{"class", "ereport.disk.io.medium"},
             {"resource", "dev://wwn=1"},
             {"time", now.addSecs(-3600 * hours).toMSecsSinceEpoch() * 1'000'000},
             {"source", "disk"}}}});
  auto* time = choice(events, "Time");
  time->setCurrentIndex(time->findText("All"));
  ASSERT_TRUE(until([&] { return table->model()->rowCount() == 3; }));
  const auto edits = events->findChildren<QDateTimeEdit*>();
  ASSERT_EQ(edits.size(), 2);
  EXPECT_FALSE(edits[0]->isVisible());
  time->setCurrentIndex(time->findText("From … to …"));
  EXPECT_TRUE(edits[0]->isVisible());
  edits[0]->setDateTime(now.addSecs(-3600 * 47));
  edits[1]->setDateTime(now.addSecs(-3600 * 3));
  EXPECT_TRUE(until([&] { return table->model()->rowCount() == 1; }));
}

TEST_F(Pages, APoolsNameIsText) {
  json pool = fixture()["resources"].back();
  ASSERT_EQ(pool["fmri"], "zfs://pool=1");
  pool["properties"]["name"] = "<b>tank</b> & %1";
  order({{"resource", pool}});
  auto* tree = page<Pools>("Pools")->findChild<QTreeWidget*>();
  EXPECT_TRUE(until([&] { return tree->topLevelItem(0)->text(0) == "<b>tank</b> & %1"; }));
}

// ZFS still reports it as ONLINE.
TEST_F(Pages, ADiskThatAProblemAccusesHasItsSignAmongThePools) {
  auto* tree = page<Pools>("Pools")->findChild<QTreeWidget*>();
  ASSERT_TRUE(until([&] {
    return tree->topLevelItemCount() == 1 && tree->topLevelItem(0)->childCount() > 0 &&
           tree->topLevelItem(0)->child(0)->childCount() == 4;
  }));
  const auto leaf = [&](int n) { return tree->topLevelItem(0)->child(0)->child(n - 1); };
  EXPECT_TRUE(leaf(1)->icon(0).isNull());
  EXPECT_EQ(leaf(1)->text(5), "");
  EXPECT_FALSE(leaf(2)->icon(0).isNull());
  order({{"case", open_case(1, "Critical", "Returns <garbage>")}, {"event", "diagnosed"}});
  EXPECT_TRUE(until([&] { return !leaf(1)->icon(0).isNull(); }));
  EXPECT_EQ(leaf(1)->text(5), "Returns <garbage>");
}

// A spare is in no group until it is needed.
TEST_F(Pages, ASpareThatWaitsStandsInItsPool) {
  const auto spare = [&](int n, const char* device) {
    const std::string id = std::to_string(n), disk = "dev://wwn=2" + id;
    order({{"resource",
            {{"fmri", disk},
             {"type", "disk"},
             {"properties", {{"path", "/dev/sp" + id}, {"serial", "SP" + id}}},
             {"edges", json::array()}}}});
    order(
        {{"resource",
          {{"fmri", "zfs://pool=1/vdev=2" + id},
           {"type", "zfs-vdev"},
           {"properties",
            {{"role", "spare"}, {"state", "AVAIL"}, {"service", "in-service"}, {"device", device}}},
           {"edges", {{{"relation", "redundancy"}, {"to", disk}}}}}}});
  };
  spare(1, "there");
  spare(2, "missing");
  // In another pool, whose name begins with this one's.
  order({{"resource",
          {{"fmri", "zfs://pool=12/vdev=5"},
           {"type", "zfs-vdev"},
           {"properties", {{"role", "spare"}}},
           {"edges", json::array()}}}});
  auto* tree = page<Pools>("Pools")->findChild<QTreeWidget*>();
  ASSERT_TRUE(until(
      [&] { return tree->topLevelItemCount() == 1 && tree->topLevelItem(0)->childCount() == 3; }));
  const auto row = [&](int n) {
    QStringList texts;
    for (int column = 0; column < tree->columnCount(); ++column)
      texts << tree->topLevelItem(0)->child(n)->text(column);
    return texts.join('|').toStdString();
  };
  EXPECT_EQ(row(1), "/dev/sp1|AVAIL||SP1||a spare, for when it is needed");
  EXPECT_EQ(row(2), "/dev/sp2|AVAIL||SP2||a spare whose disk is missing");
}

// A page that gets fifty changes while its query is pending sends one more query, not fifty.
TEST_F(Pages, OneQuestionAtATime) {
  auto* telemetry = page<Telemetry>("Telemetry");
  auto* time = choice(telemetry, "Time");
  ASSERT_TRUE(until([&] { return telemetry->findChild<TimeChart*>()->lines().size() == 4; }));
  const auto learned = [&] { return order({{"asked", true}}).count("\\\"points\\\":0"); };
  const auto before = learned();
  kill(static_cast<pid_t>(daemon_.processId()), SIGSTOP);
  time->setCurrentIndex(0);
  for (int i = 0; i < 50; ++i) emit session_->changed();
  bool answered = false;
  session_->ask<json>(
      telemetry, [](ui::Client& client) { return client.query("ListPlugins"); },
      [&](const Result<json>&) { answered = true; });  // after all earlier queries
  kill(static_cast<pid_t>(daemon_.processId()), SIGCONT);
  ASSERT_TRUE(until([&] { return answered; }));
  EXPECT_EQ(learned() - before, telemetry->findChild<QListWidget*>()->count()) << "each part once";
}

TEST_F(Pages, WhatCannotBeReadOfAPartIsSaid) {
  stop(daemon_);  // before the window notices
  click(bay(3));
  EXPECT_TRUE(until([&] {
    const auto labels = details_->findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(), [](QLabel* one) {
      return one->text().startsWith("Readings cannot be read: ");
    });
  }));
}

TEST(Heat, LeavesTheNumberOfEachBay) {
  for (const scene::Rect box : {scene::Rect{5, 5, 80, 20}, {5, 5, 90, 8}, {5, 5, 14, 80}}) {
    const auto picture = [&](const std::string& label) {
      scene::Scene scene;
      scene::Face face;
      face.width = face.height = 100;
      scene::Part part;
      part.fmri = "bay";
      part.label = label;
      part.box = box;
      face.parts.push_back(part);
      scene.faces.push_back(face);
      ChassisView view;
      view.resize(400, 400);
      view.show_scenes({scene});
      view.show_heat({{{"bay", 41.0}}, "celsius"});
      view.grab();  // gives its viewport a size
      return view.viewport()->grab(view.place("bay").toRect()).toImage();
    };
    EXPECT_NE(picture("17"), picture("18")) << box.w << " by " << box.h;
    EXPECT_EQ(picture("17"), picture("17"));
  }
}

TEST(Simulator, IsFoundBesideTheBuildOrWhereItIsInstalled) {
  QTemporaryDir folder;
  const auto put = [&](const QString& path) {
    QDir().mkpath(QFileInfo(folder.filePath(path)).path());
    QFile file(folder.filePath(path));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
  };
  const auto found = [&] {
    const auto simulator =
        find_simulator(folder.filePath("build/ui/tray"), folder.filePath("installed"));
    return simulator ? simulator->folder + "|" + simulator->build : QString();
  };
  EXPECT_EQ(found(), "");
  put("simulator/desktop_demo.py");
  EXPECT_EQ(found(), "") << "nothing is built there";
  put("installed/desktop_demo.py");
  EXPECT_EQ(found(), folder.filePath("installed") + "|");
  put("build/fmd/fmd");
  EXPECT_EQ(found(), folder.filePath("simulator") + "|" + folder.filePath("build"));
}

TEST(Heat, IsOfWhateverIsTold) {
  Inventory inventory;
  const auto add = [&](const char* fmri, const char* type,
                       std::initializer_list<std::pair<const char*, Value>> properties,
                       std::vector<Edge> edges) {
    Resource r;
    r.fmri = fmri;
    r.type = type;
    r.present = true;
    for (const auto& [name, value] : properties) r.properties[name] = value;
    r.edges = std::move(edges);
    inventory.restore(std::move(r));
  };
  add("hc://chassis=c1/bay=1", "bay", {{"x_mm", 4.0}}, {{Relation::contains, "dev://wwn=1"}});
  add("dev://wwn=1", "disk", {{"smart.attr.5", int64_t{7}}, {"size_bytes", int64_t{9}}}, {});
  add("zfs://pool=1/vdev=2", "zfs-vdev", {{"checksum_errors", int64_t{3}}},
      {{Relation::redundancy, "dev://wwn=1"}});
  add("hc://chassis=c1/fan=0", "fan", {{"value", 5400.0}, {"unit", std::string("rpm")}}, {});
  add("hc://chassis=c1/sensor=0", "sensor", {{"value", 31.0}, {"unit", std::string("celsius")}},
      {});
  std::string all;
  for (const HeatFigure& one : heat_figures(inventory))
    for (const auto& [fmri, value] : one.values)
      all += one.name + " " + one.unit + " " + fmri + " " +
             std::to_string(static_cast<int>(value)) + "\n";
  EXPECT_EQ(all,
            "value celsius hc://chassis=c1/sensor=0 31\n"
            "value rpm hc://chassis=c1/fan=0 5400\n"
            "checksum_errors  hc://chassis=c1/bay=1 3\n"
            "smart.attr.5  hc://chassis=c1/bay=1 7\n")
      << "where a size or a place is no figure";
}

}  // namespace
}  // namespace fmd::tray
