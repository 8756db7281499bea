// Desktop: the real window with the real bus server and a fake daemon, on its own bus.
#pragma once
#include <gtest/gtest.h>

#include <QApplication>
#include <QLabel>
#include <QProcess>
#include <QPushButton>
#include <QTabWidget>
#include <QTemporaryFile>
#include <QTest>
#include <functional>

#include "fmd/base/json.h"
#include "ui/tray/chassis_view.h"
#include "ui/tray/details.h"
#include "ui/tray/problems.h"
#include "ui/tray/window.h"

namespace fmd::tray {

using nlohmann::json;

constexpr const char* kBox = "hc://chassis=c1";
constexpr int kPatienceMs = 60'000;
// Less than sd-bus' limit of 25 s for a call: a faster return did not wait for a hung host.
constexpr int kGivenUpMs = 20'000;

inline std::string bay(int n) {
  return std::string(kBox) + "/bay=" + std::to_string(n);
}

inline json open_case(int n, const char* severity, const std::string& title) {
  return {{"uuid", "6f0b3a5e-6c1c-4a52-9d6e-2f9d6f0a7a1" + std::to_string(n)},
          {"code", "ZFS-8000-GH"},
          {"title", title},
          {"severity", severity},
          {"state", "SOLVED"},
          {"opened", 1795229329000000000},
          {"action", "Replace the disk."},
          {"suspects",
           {{{"class", "fault.fs.zfs.vdev.checksum"},
             {"resource", "zfs://pool=1/vdev=" + std::to_string(n)},
             {"fru", "dev://wwn=" + std::to_string(n)},
             {"bay", bay(n)},
             {"location", "Slot " + std::to_string(n)},
             {"status", "faulty"},
             {"certainty", 100}}}}};
}

// Four bays in a raidz1; the second disk is faulty, the third has a minor case with a hostile title.
inline json fixture() {
  json resources = json::array(), contains = json::array(), members = json::array();
  for (int n = 1; n <= 4; ++n) {
    const std::string id = std::to_string(n);
    contains.push_back({{"relation", "contains"}, {"to", bay(n)}});
    members.push_back({{"relation", "redundancy"}, {"to", "zfs://pool=1/vdev=" + id}});
    resources.push_back({{"fmri", bay(n)},
                         {"type", "bay"},
                         {"properties",
                          {{"label", "Slot " + id},
                           {"enclosure", kBox},
                           {"occupied", true},
                           {"led.locate", "off"},
                           {"view", "front"},
                           {"x_mm", 20.0 + 100 * (n - 1)},
                           {"y_mm", 4.0},
                           {"w_mm", 98.0},
                           {"h_mm", 26.0}}},
                         {"edges", {{{"relation", "contains"}, {"to", "dev://wwn=" + id}}}}});
    resources.push_back(
        {{"fmri", "dev://wwn=" + id},
         {"type", "disk"},
         {"properties", {{"serial", n == 4 ? "<b>S4</b>" : "S" + id}, {"smart.state", "observed"}}},
         {"edges", json::array()}});
    resources.push_back({{"fmri", "zfs://pool=1/vdev=" + id},
                         {"type", "zfs-vdev"},
                         {"properties",
                          {{"service", "in-service"},
                           {"state", "ONLINE"},
                           {"pool", "tank"},
                           {"role", "data"},
                           {"vdev_type", "disk"},
                           {"parent_type", "raidz"},
                           {"losses_left", 0},
                           {"losses_group", "raidz1-0"}}},
                         {"edges", {{{"relation", "redundancy"}, {"to", "dev://wwn=" + id}}}}});
  }
  resources.push_back(
      {{"fmri", "zfs://pool=1/vdev=9"},
       {"type", "zfs-vdev"},
       {"properties", {{"name", "raidz1-0"}, {"vdev_type", "raidz"}, {"parity", 1}}},
       {"edges", members}});
  resources.push_back({{"fmri", kBox},
                       {"type", "enclosure"},
                       {"properties", {{"label", "Shelf A"}, {"views", "front:440x44"}}},
                       {"edges", contains}});
  resources.push_back({{"fmri", "zfs://pool=1"},
                       {"type", "zfs-pool"},
                       {"properties", {{"name", "tank"}, {"health", "DEGRADED"}}},
                       {"edges", {{{"relation", "redundancy"}, {"to", "zfs://pool=1/vdev=9"}}}}});
  json old = open_case(1, "Minor", "Was too hot");
  old["state"] = "RESOLVED";
  old["uuid"] = "0f0b3a5e-6c1c-4a52-9d6e-2f9d6f0a7a19";
  json points = json::array();
  for (int n = 0; n < 4; ++n)
    points.push_back({{"time", (1795229329LL + 60 * n) * 1000000000},
                      {"value", 30 + n},
                      {"min", 30},
                      {"max", 30 + n}});
  return {
      {"bay_history",
       {{{"bay", bay(1)},
         {"label", "Slot 1"},
         {"disk", "dev://wwn=0"},
         {"serial", "OLD<1>"},
         {"model", "ST4000"},
         {"from", 1790000000000000000},
         {"to", 1795000000000000000}},
        {{"bay", bay(1)}, {"label", "Slot 1"}, {"serial", "S1"}, {"from", 1795000100000000000}}}},
      {"readings",
       {{"resource", "dev://wwn=1"},
        {"to", 1795229629000000000},
        {"series",
         {{{"name", "temperature_celsius"},
           {"unit", "celsius"},
           {"last", 33},
           {"min", 30},
           {"max", 33},
           {"points", points}}}}}},
      {"config", {{"host", {{"name", "store1"}}}}},
      {"plugins", {{{"name", "zfs"}, {"state", "ok"}}}},
      {"resources", resources},
      {"cases",
       {old, open_case(2, "Major", "Disk returns wrong data"),
        open_case(3, "Minor", "<b>slow</b> & old")}}};
}

class Desktop : public testing::Test {
 protected:
  void SetUp() override {
    bus_.start("dbus-daemon", {"--session", "--nofork", "--print-address=1"});
    ASSERT_TRUE(bus_.waitForReadyRead(kPatienceMs));
    address_ = QString::fromUtf8(bus_.readLine()).trimmed();
    start_daemon();
    if (HasFatalFailure()) return;
    ui::Target target;
    target.bus = address_.toStdString();
    hosts_ = std::make_unique<Hosts>();
    session_ = hosts_->add(target);
    window_ = std::make_unique<Window>(*hosts_);
    window_->show();
    ASSERT_TRUE(until([&] { return session_->connected(); })) << session_->trouble().toStdString();
    view_ = window_->findChild<ChassisView*>();
    details_ = window_->findChild<Details*>();
    problems_ = window_->findChild<Problems*>();
  }
  void TearDown() override {
    window_.reset();
    hosts_.reset();
    stop(daemon_);
    stop(bus_);
  }

  virtual json known() const { return fixture(); }  // to the daemon

  void start_daemon(const QStringList& more = {}) {
    QTemporaryFile file;
    ASSERT_TRUE(file.open());
    file.write(QByteArray::fromStdString(known().dump()));
    file.flush();
    daemon_.start(qEnvironmentVariable("FAKE_FMD"),
                  QStringList{"--bus", address_} + more + QStringList{file.fileName()});
    ASSERT_TRUE(daemon_.waitForReadyRead(kPatienceMs));
    ASSERT_EQ(daemon_.readLine(), "ready\n");
  }
  template <typename Page>
  Page* page(const char* tab) {
    auto* tabs = window_->findChild<QTabWidget*>();
    for (int i = 0; i < tabs->count(); ++i)
      if (QString(tabs->tabText(i)).remove('&').startsWith(tab)) tabs->setCurrentIndex(i);
    return window_->findChild<Page*>();
  }
  static void stop(QProcess& process) {
    process.kill();
    process.waitForFinished();
  }
  QByteArray order(const json& what) {
    daemon_.write(QByteArray::fromStdString(what.dump() + "\n"));
    while (!daemon_.canReadLine() && daemon_.waitForReadyRead(kPatienceMs)) {
    }
    return daemon_.readLine();
  }
  // Runs the event loop until so() is true.
  static bool until(const std::function<bool()>& so) { return QTest::qWaitFor(so, kPatienceMs); }
  void click(const std::string& fmri) {
    QTest::mouseClick(view_->viewport(), Qt::LeftButton, {},
                      view_->place(QString::fromStdString(fmri)).center().toPoint());
  }
  QPushButton* button(const QString& text) {
    for (QPushButton* one : window_->findChildren<QPushButton*>())
      if (one->isVisible() && QString(one->text()).remove('&').startsWith(text)) return one;
    return nullptr;
  }
  bool says(const QString& text) {
    const auto labels = details_->findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(), [&](QLabel* l) { return l->text() == text; });
  }
  bool says_beginning(const QString& text) {
    const auto labels = details_->findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(),
                       [&](QLabel* l) { return l->text().startsWith(text); });
  }
  bool says_link(const QString& text) {
    const auto labels = details_->findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(),
                       [&](QLabel* l) { return l->accessibleName() == text; });
  }
  QColor ground(int n) {
    const QRectF at = view_->place(QString::fromStdString(bay(n)));
    return view_->viewport()->grab().toImage().pixelColor(
        QPoint(static_cast<int>(at.left() + at.width() * 0.03),
               static_cast<int>(at.top() + at.height() * 0.12)));
  }

  QProcess bus_, daemon_;
  QString address_;
  std::unique_ptr<Hosts> hosts_;
  Session* session_ = nullptr;
  std::unique_ptr<Window> window_;
  ChassisView* view_ = nullptr;
  Details* details_ = nullptr;
  Problems* problems_ = nullptr;
};

}  // namespace fmd::tray
