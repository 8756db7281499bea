// The window of an unprivileged user with the real fmd of another: what polkit refuses is not done
// and shows an error. tests/integration/desktop_rights.py starts fmd, and this as that user:
// rights-test FOLDER BUS    of the simulated host; the bus that fmd is on
#include <gtest/gtest.h>

#include <QApplication>
#include <QDirIterator>
#include <QMessageBox>
#include <QPushButton>
#include <QStatusBar>
#include <QTabWidget>
#include <QTest>
#include <QTimer>
#include <functional>

#include "ui/tray/chassis_view.h"
#include "ui/tray/problems.h"
#include "ui/tray/tests/polkit_authority.h"
#include "ui/tray/window.h"

namespace fmd::tray {
namespace {

constexpr int kPatienceMs = 60'000;
using Answer = PolkitAuthority::Answer;
QString host_folder, bus_address;  // from the command line

bool until(const std::function<bool()>& so) {
  return QTest::qWaitFor(so, kPatienceMs);
}

class Rights : public testing::Test {
 protected:
  void SetUp() override {
    ui::Target target;
    target.bus = bus_address.toStdString();
    session_ = hosts_.add(target);
    window_.show();
    ASSERT_TRUE(until([&] { return session_->connected(); })) << session_->trouble().toStdString();
    view_ = window_.findChild<ChassisView*>();
    ASSERT_TRUE(
        until([&] { return view_->part(bay(4)) && view_->part(bay(4))->holds.size() > 0; }));
  }
  void TearDown() override { QDBusConnection::disconnectFromBus("polkit"); }

  void polkit_comes() {
    auto bus = QDBusConnection::connectToBus(bus_address, "polkit");
    ASSERT_TRUE(bus.registerVirtualObject(kPolkitPath, &polkit_));
    ASSERT_TRUE(bus.registerService(kPolkit));
  }
  const Inventory& known() const { return session_->snapshot()->inventory; }
  QString bay(int n) const {
    for (const auto& [fmri, resource] : known().all())
      if (resource.type == "bay" && resource.get("label") == "SLOT 0" + std::to_string(n))
        return QString::fromStdString(fmri);
    return {};
  }
  void select(int n) {
    QTest::mouseClick(view_->viewport(), Qt::LeftButton, {},
                      view_->place(bay(n)).center().toPoint());
  }
  QPushButton* button(const QString& text) {
    for (QPushButton* one : window_.findChildren<QPushButton*>())
      if (one->isVisible() && one->isEnabled() && QString(one->text()).remove('&').startsWith(text))
        return one;
    return nullptr;
  }
  // Clicks, confirms the question, and returns the text of the status bar.
  QString told_after(const QString& text) {
    window_.statusBar()->clearMessage();
    if (!until([&] { return button(text) != nullptr; })) return "there is no such button";
    QTimer::singleShot(0, qApp, [] {
      if (auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget()))
        box->button(QMessageBox::Yes)->click();
    });
    QTest::mouseClick(button(text), Qt::LeftButton);
    until([&] { return !window_.statusBar()->currentMessage().isEmpty(); });
    return window_.statusBar()->currentMessage();
  }
  // LEDs that are on in the simulated sysfs.
  static int lit() {
    int count = 0;
    for (QDirIterator it(host_folder + "/sys/devices", {"locate"}, QDir::Files,
                         QDirIterator::Subdirectories);
         it.hasNext();) {
      QFile file(it.next());
      if (file.open(QIODevice::ReadOnly)) count += file.readAll().trimmed() == "1";
    }
    return count;
  }
  // The service state of the disk in that bay.
  std::string service(int n) const {
    const auto disks = known().parents(view_->part(bay(n))->holds, Relation::redundancy);
    return disks.empty() ? "" : disks.front()->get("service");
  }

  PolkitAuthority polkit_;
  Hosts hosts_;
  Session* session_ = nullptr;
  Window window_{hosts_};
  ChassisView* view_ = nullptr;
};

TEST_F(Rights, WhatIsNotAllowedIsSaidAndNotDoneAndWhatIsAllowedIs) {
  // A disk's LED.
  select(2);
  EXPECT_TRUE(told_after("Locate").startsWith(
      "Locate failed: Access denied: polkit, which decides on org.fmd.faultmanager1.locate, does "
      "not answer ("))
      << window_.statusBar()->currentMessage().toStdString();
  polkit_comes();
  if (HasFatalFailure()) return;
  EXPECT_EQ(told_after("Locate").toStdString(),
            "Locate failed: Access denied: polkit does not allow you "
            "org.fmd.faultmanager1.locate; do this as root");
  polkit_.answer = Answer::password;
  EXPECT_EQ(told_after("Locate").toStdString(),
            "Locate failed: Access denied: org.fmd.faultmanager1.locate needs an administrator's "
            "password, and there is no polkit agent to ask for it; do this as root");
  EXPECT_EQ(lit(), 0);
  EXPECT_EQ(polkit_.asked, QStringList(2, "org.fmd.faultmanager1.locate, a person may be asked"));

  // An action with a consequence.
  polkit_.answer = Answer::no;
  EXPECT_EQ(told_after("Take out of service").toStdString(),
            "Take out of service failed: Access denied: polkit does not allow you "
            "org.fmd.faultmanager1.retire; do this as root");
  EXPECT_EQ(service(2), "in-service");

  // A case.
  auto* tabs = window_.findChild<QTabWidget*>();
  auto* problems = window_.findChild<Problems*>();
  tabs->setCurrentWidget(problems);
  ASSERT_TRUE(until([&] { return session_->snapshot()->cases.size() == 1; }));
  EXPECT_EQ(told_after("Acknowledge").toStdString(),
            "Acknowledge failed: Access denied: polkit does not allow you "
            "org.fmd.faultmanager1.acknowledge; do this as root");

  // fmd sends changes in order: had a refused action been done, it would be known by now.
  polkit_.answer = Answer::yes;
  told_after("Acknowledge");
  ASSERT_TRUE(until([&] { return session_->snapshot()->cases.front().acknowledged; }));
  tabs->setCurrentIndex(0);
  select(3);
  told_after("Locate");
  EXPECT_TRUE(until([&] { return view_->part(bay(3))->locate == scene::Light::on; }));
  EXPECT_EQ(lit(), 1);
  EXPECT_EQ(view_->part(bay(2))->locate, scene::Light::off);
  EXPECT_EQ(service(2), "in-service");
  told_after("Take out of service");
  EXPECT_TRUE(until([&] { return service(3) == "out-of-service"; })) << service(3);
}

}  // namespace
}  // namespace fmd::tray

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  QApplication app(argc, argv);
  if (argc != 3) return 2;
  fmd::tray::host_folder = argv[1];
  fmd::tray::bus_address = QString("unix:path=") + argv[2];
  return RUN_ALL_TESTS();
}
