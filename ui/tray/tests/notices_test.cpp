// Notices with a notification server in the same thread: a blocking call would never be answered.
#include <gtest/gtest.h>

#include <QProcess>
#include <QSignalSpy>
#include <QTest>

#include "ui/tray/notices.h"
#include "ui/tray/tests/notification_server.h"

namespace fmd::tray {
namespace {

constexpr int kWaitMs = 60'000;

class NoticesTest : public testing::Test {
 protected:
  void SetUp() override {
    daemon_.start("dbus-daemon", {"--session", "--nofork", "--print-address=1"});
    ASSERT_TRUE(daemon_.waitForReadyRead(kWaitMs));
    address_ = QString::fromUtf8(daemon_.readLine()).trimmed();
  }
  void TearDown() override {
    for (const char* name : {"desktop", "notices"}) QDBusConnection::disconnectFromBus(name);
    daemon_.kill();
    daemon_.waitForFinished();
  }
  void serve() {
    auto bus = QDBusConnection::connectToBus(address_, "desktop");
    ASSERT_TRUE(bus.registerVirtualObject(kNotificationsPath, &server_));
    ASSERT_TRUE(bus.registerService(kNotifications));
  }
  QDBusConnection bus() { return QDBusConnection::connectToBus(address_, "notices"); }
  static bool until(const std::function<bool()>& so) { return QTest::qWaitFor(so, kWaitMs); }

  QProcess daemon_;
  QString address_;
  NotificationServer server_;
};

const Notices::Notice kNotice{"case-1", "Disk <fails>", "Slot 4\nS<b>1</b>", true, true};

TEST_F(NoticesTest, ButtonsLeadToTheCaseAndItsEndTakesItAway) {
  serve();
  Notices notices(bus());
  QSignalSpy show(&notices, &Notices::show_wanted), locate(&notices, &Notices::locate_wanted);
  notices.tell(kNotice);
  ASSERT_TRUE(until([&] { return server_.told.size() == 1; }));
  const QList<QVariant> said = server_.told[0].arguments();
  EXPECT_EQ(said.at(3).toString(), "Disk <fails>") << "a summary is no markup";
  EXPECT_EQ(said.at(4).toString(), "Slot 4\nS&lt;b&gt;1&lt;/b&gt;") << "a body may be";
  EXPECT_EQ(said.at(5).toStringList(), QStringList({"show", "Show", "locate", "Locate"}));
  for (const char* action : {"show", "locate"}) {
    QDBusMessage pressed =
        QDBusMessage::createSignal(kNotificationsPath, kNotifications, "ActionInvoked");
    pressed << uint{1} << action;
    QDBusConnection("desktop").send(pressed);
  }
  ASSERT_TRUE(until([&] { return show.count() == 1 && locate.count() == 1; }));
  EXPECT_EQ(show[0][0].toString(), "case-1");
  notices.withdraw("case-1");
  EXPECT_TRUE(until([&] { return server_.closed == QList<uint>{1}; }));
}

TEST_F(NoticesTest, WithoutAServerTheTrayIsToShowIt) {
  Notices notices(bus());
  QStringList unshown;
  QObject::connect(&notices, &Notices::unshown,
                   [&](const Notices::Notice& notice) { unshown << notice.key; });
  notices.tell(kNotice);
  EXPECT_TRUE(until([&] { return unshown == QStringList{"case-1"}; }));
}

TEST_F(NoticesTest, AServerThatHangsHoldsNothingUpAndTheTrayShowsIt) {
  serve();
  server_.answers = false;
  constexpr int kSoon = 100;
  Notices notices(bus(), kSoon);
  QStringList unshown;
  QObject::connect(&notices, &Notices::unshown,
                   [&](const Notices::Notice& notice) { unshown << notice.key; });
  notices.tell(kNotice);
  EXPECT_TRUE(server_.told.empty()) << "tell() has not waited: the server had no turn yet";
  EXPECT_TRUE(until([&] { return unshown == QStringList{"case-1"}; }));
}

TEST_F(NoticesTest, OverBeforeTheServerHasAnswered) {
  serve();
  server_.answers = false;
  Notices notices(bus());
  QStringList unshown;
  QObject::connect(&notices, &Notices::unshown,
                   [&](const Notices::Notice& notice) { unshown << notice.key; });
  notices.tell(kNotice);
  ASSERT_TRUE(until([&] { return server_.told.size() == 1; }));
  notices.withdraw("case-1");
  QDBusConnection("desktop").send(server_.told[0].createReply(uint{7}));
  EXPECT_TRUE(until([&] { return server_.closed == QList<uint>{7}; }));
  EXPECT_TRUE(unshown.empty());
}

}  // namespace
}  // namespace fmd::tray
