// What the user is working with does not move when updates arrive.
#include <QCheckBox>
#include <QComboBox>
#include <QLayout>
#include <QListWidget>
#include <QMenu>
#include <QPointer>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTableWidget>
#include <QToolButton>
#include <QTreeWidget>
#include <algorithm>

#include "ui/tray/canvas.h"
#include "ui/tray/chassis_page.h"
#include "ui/tray/fleet.h"
#include "ui/tray/pools.h"
#include "ui/tray/tests/desktop.h"
#include "ui/tray/tray.h"

namespace fmd::tray {
namespace {

class Steady : public Desktop {
 protected:
  void happens(int n, const char* state = "SOLVED") {
    json c = open_case(n, "Critical", "Disk fails");
    c["state"] = state;
    order({{"case", c}, {"event", "changed"}});
  }
  // Waits until the window knows the case that the daemon got.
  bool knows(int n) {
    const std::string uuid = open_case(n, "", "")["uuid"];
    return until([&] {
      const auto& cases = session_->snapshot()->cases;
      return std::any_of(cases.begin(), cases.end(), [&](const Case& c) { return c.uuid == uuid; });
    });
  }
};

// The order of tiles changes between press and release: the pressed one counts.
TEST_F(Steady, ATileThatIsPressedIsTheOneThatIsShown) {
  ui::Target nowhere;
  nowhere.bus = "unix:path=/nowhere";
  for (const int n : {2, 3}) happens(n, "RESOLVED");
  ASSERT_TRUE(until([&] { return session_->snapshot()->cases.empty(); }));
  Session* gone = hosts_->add(nowhere, "gone");
  ASSERT_TRUE(until([&] { return !gone->trouble().isEmpty(); }));
  auto* fleet = window_->findChild<Fleet*>();
  ASSERT_TRUE(fleet->isVisible());
  const auto tile = [&](const QString& name) {
    for (auto* one : fleet->findChildren<QToolButton*>())
      if (one->accessibleName() == name) return one;
    return static_cast<QToolButton*>(nullptr);
  };
  ASSERT_TRUE(until([&] { return tile("gone") && tile("gone")->x() < tile("store1")->x(); }));
  QSignalSpy wanted(fleet, &Fleet::host_wanted);
  const QPointer<QToolButton> pressed = tile("gone");
  QTest::mousePress(pressed, Qt::LeftButton);
  happens(1);
  ASSERT_TRUE(knows(1));
  ASSERT_TRUE(until([&] { return tile("store1")->text().contains("Disk fails"); }));
  ASSERT_NE(pressed, nullptr) << "it was made anew under the hand";
  pressed->parentWidget()->layout()->activate();
  EXPECT_LT(pressed->x(), tile("store1")->x()) << "nothing moves while it is held";
  QTest::mouseRelease(pressed, Qt::LeftButton);
  ASSERT_EQ(wanted.count(), 1);
  EXPECT_EQ(wanted[0][0].value<Session*>(), gone);
  window_->findChild<QListWidget*>()->setCurrentRow(0);
  EXPECT_TRUE(until([&] { return tile("store1")->x() < tile("gone")->x(); })) << "the worst first";
}

TEST_F(Steady, TheMenuThatIsOpenStaysAsItIs) {
  Tray tray(*hosts_, *window_, QDBusConnection::connectToBus(address_, "steady"));
  QMenu* menu = nullptr;
  for (QWidget* one : QApplication::topLevelWidgets())
    if (auto* found = qobject_cast<QMenu*>(one))
      for (const QAction* action : found->actions())
        if (action->text() == "&Quit") menu = found;
  ASSERT_NE(menu, nullptr);
  menu->popup({10, 10});
  ASSERT_TRUE(until([&] { return menu->isVisible(); }));
  const auto before = menu->actions();
  happens(1);
  ASSERT_TRUE(knows(1));
  QTest::qWait(0);
  EXPECT_EQ(menu->actions(), before);
  menu->hide();
  EXPECT_TRUE(until([&] { return menu->actions().size() == before.size() + 1; }));
  const auto now = menu->actions();
  emit session_->changed();
  EXPECT_EQ(menu->actions(), now) << "and nothing new makes no new menu";
  QDBusConnection::disconnectFromBus("steady");
}

TEST_F(Steady, AListThatIsScrolledStaysWhereItIs) {
  auto* tree = page<Pools>("Pools")->findChild<QTreeWidget*>();
  tree->setFixedHeight(90);
  ASSERT_TRUE(until([&] { return tree->verticalScrollBar()->maximum() > 0; }));
  QScrollBar& bar = *tree->verticalScrollBar();
  bar.setValue(bar.maximum());
  QTreeWidgetItem* leaf = tree->topLevelItem(0)->child(0)->child(0);
  json vdev = fixture()["resources"][2];
  ASSERT_EQ(vdev["fmri"], "zfs://pool=1/vdev=1");
  vdev["properties"]["state"] = "FAULTED";
  order({{"resource", vdev}});
  ASSERT_TRUE(
      until([&] { return tree->topLevelItem(0)->child(0)->child(0)->text(1) == "FAULTED"; }));
  EXPECT_EQ(tree->topLevelItem(0)->child(0)->child(0), leaf) << "changed in its place";
  EXPECT_EQ(bar.value(), bar.maximum());
  // Also when a pool is added.
  json pool = fixture()["resources"].back();
  pool["fmri"] = "zfs://pool=0";
  pool["edges"] = json::array();
  const int at = bar.value();
  order({{"resource", pool}});
  ASSERT_TRUE(until([&] { return tree->topLevelItemCount() == 2; }));
  EXPECT_EQ(bar.value(), at);
}

// A hidden page costs nothing, and is current when shown, also by a click on a notification while
// the window is hidden.
TEST_F(Steady, APageIsBroughtUpToDateWhenItIsLookedAt) {
  auto* table = problems_->findChild<QTableWidget*>();
  page<Problems>("Problems");
  ASSERT_EQ(table->rowCount(), 2);
  page<ChassisPage>("Chassis");
  int changes = 0;
  QObject::connect(table->model(), &QAbstractItemModel::rowsInserted, table, [&] { ++changes; });
  happens(1);
  ASSERT_TRUE(knows(1));
  ASSERT_TRUE(until([&] { return ground(1) == qt_colour(scene::Ink::faulted, view_->theme()); }));
  EXPECT_EQ(changes, 0);
  page<Problems>("Problems");
  EXPECT_EQ(table->rowCount(), 3);
  window_->hide();
  happens(4);
  ASSERT_TRUE(knows(4));
  EXPECT_EQ(table->rowCount(), 3);
  const QString uuid = QString::fromStdString(open_case(4, "", "")["uuid"]);
  window_->show_case(session_, uuid);
  EXPECT_EQ(problems_->selected(), uuid);
  EXPECT_FALSE(problems_->findChild<QCheckBox*>()->isChecked()) << "it is an open one";
  window_->show();
}

TEST_F(Steady, WhatMayBeChosenIsNotListedAnew) {
  auto* chassis = window_->findChild<ChassisPage*>();
  const auto boxes = chassis->findChildren<QComboBox*>();
  ASSERT_GE(boxes.size(), 2);
  int changes = 0;
  for (QComboBox* box : boxes)
    QObject::connect(box->model(), &QAbstractItemModel::rowsRemoved, box, [&] { ++changes; });
  click(bay(4));
  QPointer<QLabel> fact;
  for (QLabel* one : details_->findChildren<QLabel*>())
    if (one->text() == "<b>S4</b>") fact = one;
  ASSERT_NE(fact, nullptr);
  happens(1);
  ASSERT_TRUE(knows(1));
  QTest::qWait(0);
  EXPECT_EQ(changes, 0);
  EXPECT_NE(fact, nullptr) << "a text that is being marked";
}

}  // namespace
}  // namespace fmd::tray
