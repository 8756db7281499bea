// The tray with the fake daemon and a notification server: what is announced, and for how long.
#include <QMenu>
#include <QSignalSpy>

#include "ui/tray/health_icon.h"
#include "ui/tray/tests/desktop.h"
#include "ui/tray/tests/notification_server.h"
#include "ui/tray/tray.h"

namespace fmd::tray {
namespace {

class TrayTest : public Desktop {
 protected:
  void SetUp() override {
    Desktop::SetUp();
    if (HasFatalFailure()) return;
    auto server = QDBusConnection::connectToBus(address_, "desktop");
    ASSERT_TRUE(server.registerVirtualObject(kNotificationsPath, &server_));
    ASSERT_TRUE(server.registerService(kNotifications));
    tray_ =
        std::make_unique<Tray>(*hosts_, *window_, QDBusConnection::connectToBus(address_, "tray"));
    emit session_->changed();  // as at startup
  }
  void TearDown() override {
    tray_.reset();
    Desktop::TearDown();
    for (const char* name : {"desktop", "tray"}) QDBusConnection::disconnectFromBus(name);
  }
  void happens(int n, const char* state = "SOLVED") {
    json c = open_case(n, "Critical", "Disk & all fails");
    c["state"] = state;
    order({{"case", c}, {"event", "changed"}});
  }
  static QMenu* menu() {
    for (QWidget* one : QApplication::topLevelWidgets())
      if (auto* found = qobject_cast<QMenu*>(one))
        for (const QAction* action : found->actions())
          if (action->text() == "&Quit") return found;
    return nullptr;
  }
  ui::Target target() const {
    ui::Target to;
    to.bus = address_.toStdString();
    return to;
  }

  NotificationServer server_;
  std::unique_ptr<Tray> tray_;
};

TEST_F(TrayTest, ANewProblemIsToldOnceAndItsEndTakesItAway) {
  happens(1);
  ASSERT_TRUE(until([&] { return server_.told.size() == 1; }));
  EXPECT_EQ(server_.told[0].arguments().at(3).toString(), "Disk & all fails");
  EXPECT_TRUE(server_.told[0].arguments().at(4).toString().startsWith("Slot 1\n"));
  happens(1);  // a change
  happens(1, "RESOLVED");
  EXPECT_TRUE(until([&] { return server_.closed == QList<uint>{1}; }));
  EXPECT_EQ(server_.told.size(), 1) << "what was open before is no news, nor is a change";
}

TEST_F(TrayTest, TheMenuListsTheProblemsAsText) {
  QStringList texts;
  for (const QAction* action : menu()->actions()) texts << action->text();
  EXPECT_TRUE(texts.contains("<b>slow</b> && old: Slot 3")) << texts.join('|').toStdString();
  hosts_->add(target(), "again");
  ASSERT_TRUE(until([&] { return hosts_->all()[1]->connected(); }));
  int per_host = 0;
  for (const QAction* action : menu()->actions()) per_host += action->menu() != nullptr;
  EXPECT_EQ(per_host, 2);
}

// A new session may have the address of a removed one: its open cases are not announced.
TEST_F(TrayTest, AHostThatIsRemovedTakesItsNoticesAndIsForgotten) {
  happens(1);
  ASSERT_TRUE(until([&] { return server_.told.size() == 1; }));
  hosts_->remove(session_);
  EXPECT_TRUE(until([&] { return server_.closed == QList<uint>{1}; }));
  for (int round = 0; round < 5; ++round) {
    stop(daemon_);
    start_daemon();
    Session* next = hosts_->add(target());
    ASSERT_TRUE(until([&] { return next->connected(); }));
    QTest::qWait(0);
    EXPECT_EQ(server_.told.size(), 1) << "round " << round;
    hosts_->remove(next);
  }
}

// A user who pressed a button on a notification may see no window.
TEST_F(TrayTest, ARefusalIsToldWhereTheWindowIsHidden) {
  window_->hide();
  session_->order("Locate", [](ui::Client&) -> Result<std::string> { return fail("not allowed"); });
  ASSERT_TRUE(until([&] { return server_.told.size() == 1; }));
  EXPECT_EQ(server_.told[0].arguments().at(3).toString(), "Locate failed: not allowed");
  session_->order("Locate", [](ui::Client&) -> Result<std::string> { return std::string(); });
  QSignalSpy answered(session_, &Session::answered);
  ASSERT_TRUE(until([&] { return answered.count() == 1; }));
  EXPECT_EQ(server_.told.size(), 1) << "what was done is seen";
}

// Green requires that something observes.
TEST_F(TrayTest, WhereNothingIsWatchedNothingIsSaidToBeWell) {
  for (const int n : {2, 3}) happens(n, "RESOLVED");
  ASSERT_TRUE(until([&] { return session_->snapshot()->cases.empty(); }));
  EXPECT_EQ(hosts_->health(), Health::ok);
  const auto say = [&](const json& plugins) {
    order({{"plugins", plugins}});
    happens(1, "RESOLVED");  // makes the window read again
  };
  const auto first_line = [] { return menu()->actions().front()->text(); };
  say({{{"name", "zfs"}, {"state", "dead"}}});
  EXPECT_TRUE(until([&] { return hosts_->health() == Health::unknown; }));
  EXPECT_EQ(first_line(), "Nothing is watched: state unknown");
  say({{{"name", "zfs"}, {"state", "ok"}},
       {{"name", "smart"}, {"state", "degraded"}, {"reason", "no <i>smartctl</i>"}}});
  EXPECT_TRUE(until([&] { return first_line() == "Not everything is watched: state unknown"; }));
  EXPECT_EQ(hosts_->health(), Health::unknown);
  bool told = false;
  for (const QLabel* label : window_->findChildren<QLabel*>())
    told = told || (label->isVisible() && label->textFormat() == Qt::PlainText &&
                    label->text().endsWith("Not watching: smart: no <i>smartctl</i>"));
  EXPECT_TRUE(told);
  // A plugin with nothing to observe here is not missing.
  say({{{"name", "zfs"}, {"state", "ok"}}, {{"name", "ipmi"}, {"state", "not-observed"}}});
  EXPECT_TRUE(until([&] { return hosts_->health() == Health::ok; }));
  EXPECT_EQ(first_line(), "No problems");
}

// A plugin stopped by an administrator causes neither a case nor a signal.
TEST_F(TrayTest, APluginThatWasStoppedIsNoticedInTime) {
  for (const int n : {2, 3}) happens(n, "RESOLVED");
  ASSERT_TRUE(until([&] { return session_->snapshot()->cases.empty(); }));
  Session* own = hosts_->add(target(), "again", {200, 15'000});
  ASSERT_TRUE(until([&] { return own->connected(); }));
  EXPECT_EQ(health_of(own->snapshot().get(), true), Health::ok);
  order({{"plugins", {{{"name", "zfs"}, {"state", "stopped"}}}}});
  EXPECT_TRUE(until([&] { return health_of(own->snapshot().get(), true) == Health::unknown; }));
}

// They must differ even without colours.
TEST(Icons, AreDifferentInGrey) {
  std::vector<QImage> all;
  for (const Health health : {Health::ok, Health::unknown, Health::degraded, Health::faulted}) {
    const QImage grey =
        health_icon(health).pixmap(22, 22).toImage().convertToFormat(QImage::Format_Grayscale8);
    ASSERT_FALSE(grey.isNull());
    for (const QImage& other : all) {
      int apart = 0;
      for (int y = 0; y < grey.height(); ++y)
        for (int x = 0; x < grey.width(); ++x)
          apart += std::abs(qGray(grey.pixel(x, y)) - qGray(other.pixel(x, y))) > 60;
      EXPECT_GT(apart, 20) << static_cast<int>(health);
    }
    all.push_back(grey);
  }
}

}  // namespace
}  // namespace fmd::tray
