// The real window with the real bus server and a fake daemon, on its own bus: clicks and keys.
#include <gtest/gtest.h>
#include <signal.h>

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDateTime>
#include <QElapsedTimer>
#include <QHelpEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QStatusBar>
#include <QTabWidget>
#include <QTableView>
#include <QTableWidget>
#include <QTimer>
#include <QToolButton>
#include <QToolTip>
#include <QTreeWidget>

#include "fmd/base/json.h"
#include "ui/tray/canvas.h"
#include "ui/tray/chassis_page.h"
#include "ui/tray/chassis_view.h"
#include "ui/tray/demo.h"
#include "ui/tray/details.h"
#include "ui/tray/events.h"
#include "ui/tray/fleet.h"
#include "ui/tray/pools.h"
#include "ui/tray/problems.h"
#include "ui/tray/telemetry.h"
#include "ui/tray/tests/desktop.h"
#include "ui/tray/time_chart.h"
#include "ui/tray/window.h"

namespace fmd::tray {
namespace {

TEST_F(Desktop, TheFirstLookIsAtTheFaultyDiskAndItIsRed) {
  EXPECT_EQ(view_->selected().toStdString(), bay(2));
  EXPECT_EQ(ground(2), qt_colour(scene::Ink::faulted, view_->theme()));
  EXPECT_EQ(ground(3), qt_colour(scene::Ink::degraded, view_->theme()));
  EXPECT_EQ(ground(1), qt_colour(scene::Ink::carrier, view_->theme()));
  EXPECT_EQ(window_->windowTitle(), "store1: hardware faults");
}

TEST_F(Desktop, AClickShowsThePartAndKeysGoOn) {
  click(bay(4));
  EXPECT_EQ(view_->selected().toStdString(), bay(4));
  EXPECT_TRUE(says("Slot 4"));
  EXPECT_TRUE(says("<b>S4</b>")) << "a serial number is text";
  QTest::keyClick(view_, Qt::Key_Left);
  EXPECT_EQ(view_->selected().toStdString(), bay(3));
  EXPECT_TRUE(says("Slot 3"));
}

TEST_F(Desktop, LocateLightsTheBay) {
  click(bay(1));
  QSignalSpy answered(session_, &Session::answered);
  QTest::mouseClick(button("Locate"), Qt::LeftButton);
  ASSERT_TRUE(until([&] { return answered.count() == 1; }));
  EXPECT_TRUE(answered[0][1].toBool()) << answered[0][2].toString().toStdString();
  EXPECT_TRUE(order({{"changes", true}})
                  .startsWith("[\"locate [" + QByteArray::fromStdString(bay(1)) + "] on"));
  json lit = fixture()["resources"][0];
  lit["properties"]["led.locate"] = "on";
  order({{"resource", lit}});
  EXPECT_TRUE(until([&] { return button("Locate: switch off") != nullptr; }));
}

TEST_F(Desktop, ANewCaseTurnsItsBayRed) {
  ASSERT_NE(ground(1), qt_colour(scene::Ink::faulted, view_->theme()));
  order({{"case", open_case(1, "Critical", "Disk fails")}, {"event", "diagnosed"}});
  EXPECT_TRUE(until([&] { return ground(1) == qt_colour(scene::Ink::faulted, view_->theme()); }));
  json over = open_case(1, "Critical", "Disk fails");
  over["state"] = "RESOLVED";
  order({{"case", over}, {"event", "resolved"}});
  EXPECT_TRUE(until([&] { return ground(1) == qt_colour(scene::Ink::carrier, view_->theme()); }));
}

// Changes are shown even during an endless storm of events.
TEST_F(Desktop, AStormOfEventsHoldsNothingUp) {
  const auto storm = [&] {
    order({{"log",
            {{"class", "ereport.disk.io.medium"},
             {"resource", "dev://wwn=1"},
             {"time", QDateTime::currentMSecsSinceEpoch() * 1000000},
             {"source", "disk"}}}});
  };
  QSignalSpy logged(session_, &Session::logged);
  order({{"case", open_case(1, "Critical", "Disk fails")}, {"event", "diagnosed"}});
  EXPECT_TRUE(until([&] {
    storm();
    return session_->snapshot()->cases.size() == 3;
  }));
  EXPECT_GE(logged.count(), 1) << "and it was told of meanwhile";
}

TEST_F(Desktop, ProblemsGravestFirstAndEachLeadsToItsPart) {
  window_->findChild<QTabWidget*>()->setCurrentWidget(problems_);
  auto* table = problems_->findChild<QTableWidget*>();
  ASSERT_EQ(table->rowCount(), 2);
  EXPECT_EQ(table->item(0, 1)->text(), "Disk returns wrong data\n    To do: Replace the disk.");
  EXPECT_TRUE(table->item(1, 1)->text().startsWith("<b>slow</b> & old\n"));
  EXPECT_EQ(table->item(1, 2)->text(), "Slot 3");
  table->selectRow(1);
  EXPECT_TRUE(problems_->findChild<QPlainTextEdit*>()->toPlainText().contains(
      "What to do\nReplace the disk."));
  QTest::mouseClick(button("Show the part"), Qt::LeftButton);
  EXPECT_EQ(view_->selected().toStdString(), bay(3));
  EXPECT_TRUE(view_->isVisible());
}

TEST_F(Desktop, TakingOutAsksAndNamesTheConsequence) {
  click(bay(1));
  QString question;
  QTimer::singleShot(0, qApp, [&] {
    auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
    ASSERT_NE(box, nullptr);
    question = box->text() + " " + box->informativeText();
    box->button(QMessageBox::Cancel)->click();
  });
  QTest::mouseClick(button("Take out of service"), Qt::LeftButton);
  EXPECT_EQ(question, "Take Slot 1 out of service? raidz1-0 will survive no further loss.");
  EXPECT_EQ(order({{"changes", true}}), "[]\n") << "it was cancelled";
}

TEST_F(Desktop, ALostDaemonIsSaidAndFoundAgain) {
  const auto banner = [&] {
    for (QLabel* label : window_->findChildren<QLabel*>())
      if (label->text().startsWith("Not connected")) return label->isVisible();
    return false;
  };
  EXPECT_FALSE(banner());
  stop(daemon_);
  EXPECT_TRUE(until([&] { return banner(); }));
  EXPECT_EQ(view_->selected().toStdString(), bay(2))
      << "what was known stays, and is said to be old";
  EXPECT_FALSE(button("Locate")->isEnabled());
  const QColor red = qt_colour(scene::Ink::faulted, view_->theme());
  EXPECT_NE(ground(2), red) << "the picture is paled";
  EXPECT_TRUE(says_beginning("Needs attention\nNot connected: as of "));
  start_daemon();
  EXPECT_TRUE(until([&] { return session_->connected() && !banner(); }));
  EXPECT_EQ(ground(2), red);
  EXPECT_TRUE(says("Needs attention"));
}

TEST_F(Desktop, WhatWasBefore) {
  click(bay(1));
  ASSERT_TRUE(until([&] { return button("All readings") != nullptr; }));
  bool sat = false;
  for (QLabel* label : details_->findChildren<QLabel*>())
    sat = sat || label->text().contains("OLD<1>");
  EXPECT_TRUE(sat);
  QTest::mouseClick(button("All readings"), Qt::LeftButton);
  auto* telemetry = window_->findChild<Telemetry*>();
  ASSERT_TRUE(telemetry->isVisible());
  auto* parts = telemetry->findChild<QListWidget*>();
  ASSERT_EQ(parts->selectedItems().size(), 1);
  EXPECT_EQ(parts->selectedItems()[0]->text(), "Slot 1 (serial S1)");
  auto* chart = telemetry->findChild<TimeChart*>();
  EXPECT_TRUE(until([&] { return chart->lines().size() == 1; }));
  EXPECT_EQ(chart->lines()[0].name, "Slot 1");
}

TEST_F(Desktop, PoolsLeadToTheBay) {
  auto* pools = page<Pools>("Pools");
  auto* tree = pools->findChild<QTreeWidget*>();
  ASSERT_EQ(tree->topLevelItemCount(), 1);
  QTreeWidgetItem* raidz = tree->topLevelItem(0)->child(0);
  EXPECT_EQ(tree->topLevelItem(0)->text(0), "tank");
  EXPECT_EQ(raidz->text(0), "raidz1-0");
  ASSERT_EQ(raidz->childCount(), 4);
  EXPECT_EQ(raidz->child(3)->text(2), "Slot 4");
  EXPECT_EQ(raidz->child(3)->text(3), "<b>S4</b>");
  emit tree->itemActivated(raidz->child(3), 0);
  EXPECT_EQ(view_->selected().toStdString(), bay(4));
  EXPECT_TRUE(view_->isVisible());
  click(bay(1));
  EXPECT_EQ(tree->currentItem(), raidz->child(0)) << "and the other way round";
}

TEST_F(Desktop, EventsComeByThemselves) {
  auto* events = page<Events>("Events");
  auto* table = events->findChild<QTableView*>();
  EXPECT_TRUE(until([&] {
    for (QLabel* label : events->findChildren<QLabel*>())
      if (label->text() == "No events in this time range.") return true;
    return false;
  }));
  const auto log = [&](const char* name) {
    order({{"log",
            {{"class", name},
             {"resource", "dev://wwn=1"},
             {"time", QDateTime::currentMSecsSinceEpoch() * 1000000},
             {"source", "disk"},
             {"payload", {{"serial", "S1"}}}}}});
  };
  log("ereport.disk.io.medium");
  log("ereport.disk.path.timeout");
  ASSERT_TRUE(until([&] { return table->model()->rowCount() == 2; }));
  EXPECT_EQ(table->model()->index(0, 1).data(), "ereport.disk.path.timeout") << "newest first";
  EXPECT_EQ(table->model()->index(0, 2).data(), "Slot 1 (serial S1)");
  QLineEdit* filter = events->findChildren<QLineEdit*>()[0];
  filter->setText("ereport.disk.io.*");
  QTest::keyClick(filter, Qt::Key_Return);
  EXPECT_TRUE(until([&] { return table->model()->rowCount() == 1; }));
  table->selectRow(0);
  EXPECT_TRUE(events->findChild<QPlainTextEdit*>()->toPlainText().contains("\"serial\": \"S1\""));
  QLineEdit* part = events->findChildren<QLineEdit*>()[1];
  for (const auto& [words, rows] : {std::pair{"slot 2", 0}, {"slot 1", 1}}) {
    part->setText(words);
    QTest::keyClick(part, Qt::Key_Return);
    EXPECT_TRUE(until([&, rows = rows] { return table->model()->rowCount() == rows; })) << words;
  }
}

TEST_F(Desktop, ResolvedProblemsAreFound) {
  page<Problems>("Problems");
  auto* table = problems_->findChild<QTableWidget*>();
  ASSERT_EQ(table->rowCount(), 2);
  problems_->findChild<QCheckBox*>()->click();
  ASSERT_TRUE(until([&] { return table->rowCount() == 3; }));
  EXPECT_EQ(table->item(2, 4)->text(), "Resolved");
  problems_->findChild<QLineEdit*>()->setText("too hot");
  ASSERT_EQ(table->rowCount(), 1);
  EXPECT_TRUE(table->item(0, 1)->text().startsWith("Was too hot\n"));
  EXPECT_FALSE(button("Acknowledge")->isEnabled());
}

TEST_F(Desktop, TheStoryHasItsEvidence) {
  page<Problems>("Problems");
  order({{"log",
          {{"class", "ereport.disk.io.medium"},
           {"resource", "dev://wwn=2"},
           {"time", 1795229329000000000},
           {"source", "disk"}}}});
  json more = open_case(2, "Major", "Disk returns wrong data");
  more["evidence_count"] = 1;
  order({{"case", more}, {"event", "changed"}});
  auto* story = problems_->findChild<QPlainTextEdit*>();
  EXPECT_TRUE(until([&] {
    return story->toPlainText().contains("ereport.disk.io.medium   Slot 2 (serial S2)");
  })) << story->toPlainText().toStdString();
}

TEST_F(Desktop, SeveralHostsTheWorstFirst) {
  Session* gone = hosts_->add({"unix:path=/nowhere", ""}, "store2");
  ASSERT_TRUE(until([&] { return !gone->trouble().isEmpty(); }));
  auto* fleet = window_->findChild<Fleet*>();
  ASSERT_TRUE(fleet->isVisible());
  auto tiles = fleet->findChildren<QToolButton*>();
  ASSERT_EQ(tiles.size(), 2);
  ASSERT_TRUE(until([&] { return tiles[0]->x() != tiles[1]->x(); })) << "laid out";
  std::sort(tiles.begin(), tiles.end(), [](auto* a, auto* b) { return a->x() < b->x(); });
  EXPECT_EQ(tiles[0]->accessibleName(), "store1") << "something is faulty there";
  EXPECT_TRUE(tiles[1]->accessibleDescription().contains("Not connected"));
  QTest::mouseClick(tiles[1], Qt::LeftButton);
  EXPECT_EQ(button("Show a simulated host") != nullptr, find_simulator().has_value())
      << "no fmd: there is something to see all the same, where there is";
  QTest::mouseClick(tiles[0], Qt::LeftButton);
  EXPECT_EQ(button("Show a simulated host"), nullptr);
  EXPECT_TRUE(view_->isVisible());
  hosts_->remove(gone);
  EXPECT_TRUE(view_->isVisible()) << "one host: no page of all";
  EXPECT_EQ(hosts_->add_remote("-oProxyCommand=x"), nullptr) << "no option for ssh";
}

TEST_F(Desktop, ARefusalIsShown) {
  stop(daemon_);
  ASSERT_TRUE(until([&] { return !session_->connected(); }));
  start_daemon({"--polkit", "refuse", "--polkit-for-all"});
  ASSERT_TRUE(until([&] { return session_->connected(); }));
  click(bay(1));
  QTest::mouseClick(button("Locate"), Qt::LeftButton);
  EXPECT_TRUE(until([&] {
    return window_->statusBar()->currentMessage().startsWith("Locate failed: ");
  })) << window_->statusBar()->currentMessage().toStdString();
  EXPECT_EQ(order({{"changes", true}}), "[]\n");
}

TEST_F(Desktop, AHostThatHangsHoldsNothingUp) {
  kill(static_cast<pid_t>(daemon_.processId()), SIGSTOP);
  page<Events>("Events");
  page<Problems>("Problems");
  QElapsedTimer passed;
  passed.start();
  window_.reset();
  hosts_.reset();
  EXPECT_LT(passed.elapsed(), kGivenUpMs);
  kill(static_cast<pid_t>(daemon_.processId()), SIGCONT);
}

TEST_F(Desktop, ColoursShowAReading) {
  json hot = {{"fmri", "dev://wwn=1"},
              {"type", "disk"},
              {"properties", {{"serial", "S1"}, {"temperature_celsius", 55}}},
              {"edges", json::array()}};
  auto* page = window_->findChild<ChassisPage*>();
  QComboBox* colours = nullptr;
  for (QComboBox* one : page->findChildren<QComboBox*>())
    if (one->accessibleName() == "Colour by") colours = one;
  ASSERT_EQ(colours->count(), 1) << "nothing has been measured";
  order({{"resource", hot}});
  ASSERT_TRUE(until([&] { return colours->findText("Temperature") > 0; }));
  const QColor before = ground(1);
  colours->setCurrentIndex(colours->findText("Temperature"));
  EXPECT_NE(ground(1), before);
}

TEST_F(Desktop, FaultDomainsAreOutlinedWhenAsked) {
  auto* box = window_->findChild<ChassisPage*>()->findChild<QCheckBox*>();
  ASSERT_NE(box, nullptr);
  EXPECT_FALSE(box->isVisible()) << "nothing is known to fail together";
  for (int n : {1, 2}) {
    json one = fixture()["resources"][3 * (n - 1)];
    ASSERT_EQ(one["fmri"], bay(n));
    one["properties"]["fault_domain"] = "left backplane";
    order({{"resource", one}});
  }
  ASSERT_TRUE(until([&] { return box->isVisible(); }));
  const QImage before = view_->viewport()->grab().toImage();
  QTest::mouseClick(box, Qt::LeftButton, {}, QPoint(8, box->height() / 2));
  ASSERT_TRUE(box->isChecked());
  const QImage outlined = view_->viewport()->grab().toImage();
  // Around the two that fail together, and not around the others.
  const auto differs = [&](int n) {
    const QRect at = view_->place(QString::fromStdString(bay(n))).toRect().adjusted(8, -3, -8, 3);
    return before.copy(at) != outlined.copy(at);
  };
  EXPECT_TRUE(differs(1));
  EXPECT_TRUE(differs(2));
  EXPECT_FALSE(differs(4));
  QTest::mouseClick(box, Qt::LeftButton, {}, QPoint(8, box->height() / 2));
  EXPECT_EQ(view_->viewport()->grab().toImage(), before);
}

TEST_F(Desktop, AToolTipTellsWhatThePartIs) {
  view_->select(QString::fromStdString(bay(4)));
  const QPoint at = view_->place(QString::fromStdString(bay(4))).center().toPoint();
  QHelpEvent help(QEvent::ToolTip, at, view_->viewport()->mapToGlobal(at));
  QApplication::sendEvent(view_->viewport(), &help);
  ASSERT_TRUE(until([] { return QToolTip::isVisible(); }));
  EXPECT_EQ(QToolTip::text(),
            "<qt>Slot 4: serial &lt;b&gt;S4&lt;/b&gt;, in tank: Watched, healthy: pool tank: "
            "DEGRADED</qt>");
  QToolTip::hideText();
}

}  // namespace
}  // namespace fmd::tray

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  QApplication app(argc, argv);
  return RUN_ALL_TESTS();
}
