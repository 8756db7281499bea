// Window and tray with the real fmd and its plugins on a simulated host, through the story of a
// failing disk: the picture shows what happened, a click reaches the simulated LED, fmd is killed
// in between, and notifications vanish when the problem ends.
#include <gtest/gtest.h>

#include <QApplication>
#include <QDir>
#include <QDirIterator>
#include <QLabel>
#include <QProcess>
#include <QPushButton>
#include <QTabWidget>
#include <QTableWidget>
#include <QTest>
#include <functional>

#include "ui/tray/canvas.h"
#include "ui/tray/chassis_view.h"
#include "ui/tray/demo.h"
#include "ui/tray/problems.h"
#include "ui/tray/tests/notification_server.h"
#include "ui/tray/tray.h"
#include "ui/tray/window.h"

namespace fmd::tray {
namespace {

constexpr int kPatienceMs = 120'000;

class Story : public testing::Test {
 protected:
  void SetUp() override {
    QObject::connect(&demo_, &Demo::began, &demo_, [this](const QString& bus) {
      folder_ = QFileInfo(QString(bus).remove("unix:path=")).path();
      ui::Target target;
      target.bus = bus.toStdString();
      session_ = hosts_.add(target);
    });
    QObject::connect(&demo_, &Demo::ready, &demo_,
                     [this](const QString& told, const QString& next) {
                       ++told_;
                       for (const QString& text : {told, next})
                         if (!text.isEmpty()) said_ << text;
                     });
    QObject::connect(&demo_, &Demo::failed, &demo_, [this](const QString& why) { failed_ = why; });
    bus_.start("dbus-daemon", {"--session", "--nofork", "--print-address=1"});
    ASSERT_TRUE(bus_.waitForReadyRead(kPatienceMs));
    const QString desktop = QString::fromUtf8(bus_.readLine()).trimmed();
    auto server = QDBusConnection::connectToBus(desktop, "desktop");
    ASSERT_TRUE(server.registerVirtualObject(kNotificationsPath, &server_));
    ASSERT_TRUE(server.registerService(kNotifications));
    tray_ = std::make_unique<Tray>(hosts_, window_, QDBusConnection::connectToBus(desktop, "tray"));
    demo_.start(qEnvironmentVariable("FMD_SIMULATOR"), qEnvironmentVariable("FMD_BUILD"));
    window_.show();
    ASSERT_TRUE(until([this] { return told_ == 1 && session_ && session_->snapshot(); }));
    view_ = window_.findChild<ChassisView*>();
    ASSERT_NE(view_, nullptr);
    ASSERT_TRUE(until([this] { return view_->part(bay(4)) != nullptr; }));
  }

  void TearDown() override {
    tray_.reset();
    for (const char* name : {"desktop", "tray"}) QDBusConnection::disconnectFromBus(name);
    bus_.kill();
    bus_.waitForFinished();
  }
  bool until(const std::function<bool()>& so) {
    const bool was = QTest::qWaitFor([&] { return !failed_.isEmpty() || so(); }, kPatienceMs);
    EXPECT_EQ(failed_.toStdString(), "");
    return was && failed_.isEmpty();
  }
  bool step() {
    const int before = told_;
    demo_.next();
    return until([&] { return told_ > before; });
  }
  QString bay(int n) const {
    for (const auto& [fmri, resource] : session_->snapshot()->inventory.all())
      if (resource.type == "bay" && resource.get("label") == "SLOT 0" + std::to_string(n))
        return QString::fromStdString(fmri);
    return {};
  }
  scene::PartState state(int n) const { return view_->part(bay(n))->state; }
  QColor ground(int n) {
    const QRectF at = view_->place(bay(n));
    return view_->viewport()->grab().toImage().pixelColor(
        QPoint(static_cast<int>(at.left() + at.width() * 0.03),
               static_cast<int>(at.top() + at.height() * 0.12)));
  }
  QPushButton* button(const QString& text) {
    for (QPushButton* one : window_.findChildren<QPushButton*>())
      if (one->isVisible() && QString(one->text()).remove('&').startsWith(text)) return one;
    return nullptr;
  }
  // The number of slots with that LED on, in the simulated sysfs.
  int lit(const QString& led) const {
    int count = 0;
    for (QDirIterator it(folder_ + "/host/sys/devices", {led}, QDir::Files,
                         QDirIterator::Subdirectories);
         it.hasNext();) {
      QFile file(it.next());
      if (file.open(QIODevice::ReadOnly)) count += file.readAll().trimmed() == "1";
    }
    return count;
  }

  // Rows of the problems page, which must be visible for that.
  int rows() {
    auto* tabs = window_.findChild<QTabWidget*>();
    auto* problems = window_.findChild<Problems*>();
    QWidget* before = tabs->currentWidget();
    tabs->setCurrentWidget(problems);
    const int count = problems->findChild<QTableWidget*>()->rowCount();
    tabs->setCurrentWidget(before);
    return count;
  }
  std::string open_cases() const {
    std::string all;
    for (const auto& one : session_->snapshot()->cases) all += to_json_text(one) + "\n";
    return all;
  }
  bool banner() {
    for (const QLabel* label : window_.findChildren<QLabel*>())
      if (label->isVisible() && label->text().startsWith("Not connected: ")) return true;
    return false;
  }

  QProcess bus_;
  NotificationServer server_;
  QString folder_, failed_;
  int told_ = 0;
  QStringList said_;  // from the demo
  Demo demo_;
  Hosts hosts_;
  Session* session_ = nullptr;
  Window window_{hosts_};
  std::unique_ptr<Tray> tray_;
  ChassisView* view_ = nullptr;
};

TEST_F(Story, AFailingDiskFromTheFirstErrorToTheNewOne) {
  ASSERT_TRUE(until([&] { return state(4) == scene::PartState::ok; }));
  ASSERT_TRUE(step()) << "garbage";
  EXPECT_EQ(state(4), scene::PartState::ok) << "nobody has noticed";
  ASSERT_TRUE(step()) << "scrub";
  ASSERT_TRUE(until([&] { return state(4) == scene::PartState::faulted; }));
  EXPECT_TRUE(until([&] { return ground(4) == qt_colour(scene::Ink::faulted, view_->theme()); }));

  EXPECT_TRUE(until([&] { return server_.told.size() == 1; })) << "a notification";
  EXPECT_EQ(rows(), 1);
  QTest::mouseClick(view_->viewport(), Qt::LeftButton, {}, view_->place(bay(4)).center().toPoint());
  ASSERT_NE(button("Locate"), nullptr);
  QTest::mouseClick(button("Locate"), Qt::LeftButton);
  EXPECT_TRUE(until([&] { return lit("locate") == 1; }));
  ASSERT_TRUE(until([&] { return view_->part(bay(4))->locate == scene::Light::on; }));
  const QImage now = view_->viewport()->grab().toImage();
  EXPECT_TRUE(until([&] { return view_->viewport()->grab().toImage() != now; })) << "it blinks";

  double first = -1;
  EXPECT_TRUE(until([&] {
    const auto progress = view_->part(bay(7))->progress;
    if (progress && first < 0) first = *progress;
    return progress && *progress > first;
  })) << "the spare's bar moves";
  demo_.order("kill");
  ASSERT_TRUE(until([&] { return !session_->connected() && banner(); }));
  EXPECT_EQ(state(4), scene::PartState::faulted) << "what was known stays";
  EXPECT_EQ(hosts_.health(), Health::unknown);
  demo_.order("start");
  ASSERT_TRUE(until([&] { return session_->connected() && !banner(); })) << "by itself";
  EXPECT_TRUE(until([&] { return state(4) == scene::PartState::faulted; }));
  EXPECT_EQ(rows(), 1);
  ASSERT_TRUE(step()) << "pull";
  EXPECT_TRUE(until([&] { return view_->part(bay(4))->holds.empty(); }));
  ASSERT_TRUE(step()) << "insert";
  EXPECT_TRUE(until([&] { return session_->snapshot()->cases.empty(); })) << open_cases();
  EXPECT_TRUE(until([&] { return state(4) == scene::PartState::ok; }));
  EXPECT_TRUE(until([&] { return state(7) == scene::PartState::spare; }));
  EXPECT_EQ(lit("fault"), 0);
  EXPECT_EQ(rows(), 0);
  EXPECT_TRUE(until([&] { return server_.closed.size() == server_.told.size(); })) << "all notices";
  for (qsizetype i = 1; i < server_.told.size(); ++i)
    EXPECT_NE(server_.told[i].arguments().at(4), server_.told[i - 1].arguments().at(4))
        << "only another order is told";
  EXPECT_TRUE(until([&] { return hosts_.health() == Health::ok; }));
  EXPECT_EQ(said_.size(), 9);
}

}  // namespace
}  // namespace fmd::tray

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  QApplication app(argc, argv);
  return RUN_ALL_TESTS();
}
