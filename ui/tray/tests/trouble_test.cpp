// Errors and recovery: failing reads, hostile names, a second fmtray.
#include <QComboBox>
#include <QDBusConnection>
#include <QDir>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTableWidget>
#include <QTemporaryDir>
#include <chrono>

#include "ui/tray/chassis_page.h"
#include "ui/tray/events.h"
#include "ui/tray/instance.h"
#include "ui/tray/screenshots.h"
#include "ui/tray/story.h"
#include "ui/tray/tests/desktop.h"
#include "ui/tray/words.h"

namespace fmd::tray {
namespace {

using namespace std::chrono_literals;

class Trouble : public Desktop {
 protected:
  json known() const override {
    json doc = fixture();
    for (json& c : doc["cases"]) c["evidence_count"] = 1;
    doc["events"].push_back({{"class", "ereport.disk.io.medium"},
                             {"resource", "dev://wwn=2"},
                             {"time", 1795229329000000000},
                             {"source", "disk"}});
    doc["resources"].push_back(
        {{"fmri", "hc://chassis=c2"},
         {"type", "enclosure"},
         {"properties", {{"label", "Shelf B"}, {"views", "front:440x44"}}},
         {"edges", {{{"relation", "contains"}, {"to", "hc://chassis=c2/bay=1"}}}}});
    doc["resources"].push_back({{"fmri", "hc://chassis=c2/bay=1"},
                                {"type", "bay"},
                                {"properties", {{"label", "B1"}, {"enclosure", "hc://chassis=c2"}}},
                                {"edges", json::array()}});
    return doc;
  }
  bool notes(QWidget* page, const QString& beginning) {
    for (QLabel* label : page->findChildren<QLabel*>())
      if (label->isVisible() && label->text().startsWith(beginning)) return true;
    return false;
  }
};

TEST_F(Trouble, EventsAreReadAgainWhenTheConnectionIsBack) {
  auto* events = page<Events>("Events");
  ASSERT_TRUE(until([&] { return notes(events, "No events in this time range."); }));
  stop(daemon_);  // before the window notices
  auto* filter = events->findChildren<QLineEdit*>()[0];
  filter->setText("ereport.*");
  QTest::keyClick(filter, Qt::Key_Return);
  ASSERT_TRUE(until([&] { return !notes(events, "No events in this time range."); }));
  ASSERT_TRUE(until([&] { return !session_->connected(); }));
  start_daemon();
  EXPECT_TRUE(until([&] { return notes(events, "No events in this time range."); }));
}

TEST_F(Trouble, EvidenceThatCouldNotBeReadIsSaidAndReadLater) {
  page<Problems>("Problems");
  auto* table = problems_->findChild<QTableWidget*>();
  auto* story = problems_->findChild<QPlainTextEdit*>();
  ASSERT_TRUE(until([&] { return story->toPlainText().contains("ereport.disk.io.medium"); }));
  stop(daemon_);
  table->selectRow(1);
  EXPECT_TRUE(until([&] { return story->toPlainText().contains("It cannot be read:"); }))
      << story->toPlainText().toStdString();
  ASSERT_TRUE(until([&] { return !session_->connected(); }));
  start_daemon();
  EXPECT_TRUE(until([&] { return story->toPlainText().contains("ereport.disk.io.medium"); }))
      << story->toPlainText().toStdString();
  EXPECT_FALSE(story->toPlainText().contains("It cannot be read:"));
}

TEST_F(Trouble, APartInNoPictureLeavesThePictureAsItIs) {
  auto* page = window_->findChild<ChassisPage*>();
  QComboBox* boxes = nullptr;
  for (QComboBox* one : page->findChildren<QComboBox*>())
    if (one->accessibleName() == "Chassis") boxes = one;
  ASSERT_NE(boxes, nullptr);
  ASSERT_EQ(boxes->count(), 3);
  boxes->setCurrentIndex(1);
  EXPECT_FALSE(page->show_part("cpu://socket=7"));
  EXPECT_EQ(boxes->currentIndex(), 1);
  EXPECT_TRUE(page->show_part("hc://chassis=c2/bay=1"));
  EXPECT_NE(boxes->currentIndex(), 1) << "where it is";
}

TEST(Stories, ADeviceThatCallsItselfAPlaceholderIsText) {
  Case c;
  Suspect s;
  s.fru_path = "disk %3 %2 %1";
  s.certainty = 70;
  c.suspects.push_back(s);
  EXPECT_TRUE(story_of(c, nullptr).contains("Suspect: disk %3 %2 %1 (faulty), 70 %\n"))
      << story_of(c, nullptr).toStdString();
}

TEST_F(Trouble, AHostNamedToASecondFmtrayComesToTheFirst) {
  auto bus = QDBusConnection::connectToBus(address_, "first");
  Instance first(bus);
  ASSERT_TRUE(first.first());
  QSignalSpy wanted(&first, &Instance::hosts_wanted), activated(&first, &Instance::activated);
  const auto run = [&](const QStringList& arguments) {
    QProcess second;
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert("DBUS_SESSION_BUS_ADDRESS", address_);
    second.setProcessEnvironment(environment);
    second.start(qEnvironmentVariable("FMTRAY"), arguments);
    EXPECT_TRUE(until([&] { return second.state() == QProcess::NotRunning; }));
    return second.exitCode();
  };
  EXPECT_EQ(run({"--host", "store2", "--host", "root@store3"}), 0);
  ASSERT_EQ(wanted.count(), 1);
  EXPECT_EQ(wanted[0][0].toStringList(), QStringList({"store2", "root@store3"}));
  EXPECT_EQ(run({}), 0);
  EXPECT_EQ(wanted.count(), 1);
  EXPECT_EQ(activated.count(), 2);
  EXPECT_EQ(run({"--host", "-oProxyCommand=x"}), 1);
  window_->show_remotes({"store2", "store2"});
  EXPECT_EQ(hosts_->remotes(), QStringList{"store2"}) << "added once";
  QDBusConnection::disconnectFromBus("first");
}

// Added hosts are saved in the settings and restored at the next start.
TEST_F(Trouble, HostsAreKept) {
  QTemporaryDir home, pictures;
  QDir(home.path()).mkpath("fmd");
  QFile settings(home.filePath("fmd/fmtray.conf"));
  ASSERT_TRUE(settings.open(QIODevice::WriteOnly));
  settings.write("[General]\nhosts=host-that-is-not.invalid\n");
  settings.close();
  QProcess fmtray;
  auto environment = QProcessEnvironment::systemEnvironment();
  environment.insert("XDG_CONFIG_HOME", home.path());
  fmtray.setProcessEnvironment(environment);
  fmtray.start(qEnvironmentVariable("FMTRAY"),
               {"--screenshot", pictures.path(), "--bus", address_});
  ASSERT_TRUE(QTest::qWaitFor([&] { return fmtray.state() == QProcess::NotRunning; }, 60000));
  EXPECT_EQ(fmtray.exitCode(), 0) << fmtray.readAllStandardError().constData();
  for (const char* page : {"fleet", "chassis", "problems", "pools", "telemetry", "events"})
    EXPECT_FALSE(QImage(pictures.filePath(QString(page) + ".png")).isNull()) << page;
}

TEST_F(Trouble, ScreenshotsOfWhatDoesNotComeAboutAreNone) {
  QTemporaryDir folder;
  const auto never = [] { return false; };
  const auto well = [] { return QString(); };
  EXPECT_EQ(take_screenshots(*window_, folder.path(), {never, well, 300ms}).toStdString(),
            "what is to be painted has not come about within 0.3 s");
  EXPECT_EQ(take_screenshots(*window_, folder.path(), {never, [] { return QString("it broke"); }})
                .toStdString(),
            "it broke");
  EXPECT_TRUE(QDir(folder.path()).isEmpty());
  EXPECT_EQ(take_screenshots(*window_, folder.filePath("in/it"), {[] { return true; }, well})
                .toStdString(),
            "");
  EXPECT_TRUE(QFile::exists(folder.filePath("in/it/events.png"))) << "the last page";
}

TEST(Screenshots, OfNothingAreNone) {
  QTemporaryDir folder;
  QProcess fmtray;
  fmtray.start(qEnvironmentVariable("FMTRAY"),
               {"--screenshot", folder.path(), "--bus", "unix:path=/nowhere"});
  ASSERT_TRUE(fmtray.waitForFinished(kPatienceMs));
  EXPECT_EQ(fmtray.exitCode(), 1);
  EXPECT_TRUE(fmtray.readAllStandardError().contains("not connected: "));
  EXPECT_TRUE(QDir(folder.path()).isEmpty());
}

}  // namespace
}  // namespace fmd::tray
