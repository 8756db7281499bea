#include "ui/tray/tests/window_bench.h"

#include <time.h>

#include <QApplication>
#include <QEventLoop>
#include <QProcess>
#include <QTabWidget>
#include <QTemporaryFile>
#include <QTimer>
#include <fstream>
#include <string>

#include "fmd/base/json.h"
#include "ui/tray/chassis_view.h"
#include "ui/tray/tests/shelves.h"
#include "ui/tray/window.h"

namespace fmd::tray {
namespace {

using nlohmann::json;

constexpr int kUpdates = 10, kPatienceMs = 120'000;

double cpu_ms(clockid_t of) {
  timespec now{};
  clock_gettime(of, &now);
  return static_cast<double>(now.tv_sec) * 1000 + static_cast<double>(now.tv_nsec) / 1e6;
}

// CPU time of the window's thread, and of the process.
struct Cost {
  double own = cpu_ms(CLOCK_THREAD_CPUTIME_ID), all = cpu_ms(CLOCK_PROCESS_CPUTIME_ID);
  double own_since() const { return cpu_ms(CLOCK_THREAD_CPUTIME_ID) - own; }
  double others_since() const { return cpu_ms(CLOCK_PROCESS_CPUTIME_ID) - all - own_since(); }
};

json known(const Inventory& inventory) {
  json doc{{"config", {{"host", {{"name", "big"}}}}},
           {"plugins", {{{"name", "zfs"}, {"state", "ok"}}}},
           {"resources", json::array()}};
  for (const auto& [fmri, one] : inventory.all())
    doc["resources"].push_back(Inventory::to_json(one));
  return doc;
}

bool wait_for(QProcess& process, QByteArray& line) {
  while (!process.canReadLine())
    if (!process.waitForReadyRead(kPatienceMs)) return false;
  line = process.readLine().trimmed();
  return true;
}

// Waits for that signal and the resulting paints.
template <typename Begin>
bool settled(Session& session, const Begin& begin) {
  QEventLoop loop;
  QObject::connect(&session, &Session::changed, &loop, &QEventLoop::quit, Qt::QueuedConnection);
  QTimer::singleShot(kPatienceMs, &loop, [&] { loop.exit(1); });
  begin();
  const bool came = loop.exec() == 0;
  for (int turn = 0; turn < 3; ++turn) QApplication::processEvents();
  return came;
}

}  // namespace

int64_t resident_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmRSS:")) return std::stoll(line.substr(6));
  return 0;
}

bool write_known(const char* file) {
  std::ofstream to(file);
  to << known(shelves()).dump();
  to.close();
  return to.good();
}

void measure_window(const char* program, const char* fake_fmd, json& out) {
  QProcess bus, daemon;
  QByteArray line;
  bus.start("dbus-daemon", {"--session", "--nofork", "--print-address=1"});
  if (!wait_for(bus, line)) return;
  const QString address = QString::fromUtf8(line);
  {
    QTemporaryFile file;
    if (!file.open() || QProcess::execute(program, {"--known", file.fileName()}) != 0) return;
    daemon.start(fake_fmd, {"--bus", address, file.fileName()});
    if (!wait_for(daemon, line)) return;
  }
  const Cost first;
  Hosts hosts;
  Window window(hosts);
  window.resize(1600, 1000);
  window.show();
  ui::Target target;
  target.bus = address.toStdString();
  Session* session = nullptr;
  {
    session = hosts.add(target);
    if (!settled(*session, [] {}) || !session->connected()) return;
  }
  out["window_first_paint_ms"] = first.own_since();
  // Show each page once: the memory that they keep is part of the result.
  auto* tabs = window.findChild<QTabWidget*>();
  for (int page = tabs->count() - 1; page >= 0; --page) {
    tabs->setCurrentIndex(page);
    QEventLoop rest;
    QTimer::singleShot(500, &rest, &QEventLoop::quit);
    rest.exec();
  }
  json bay = Inventory::to_json(*session->snapshot()->inventory.find("hc://chassis=0/bay=2"));
  const Cost updates;
  for (int i = 0; i < kUpdates; ++i) {
    bay["properties"]["led.fault"] = i % 2 == 0 ? "on" : "off";
    const bool came = settled(*session, [&] {
      daemon.write(QByteArray::fromStdString(json{{"resource", bay}}.dump() + "\n"));
      wait_for(daemon, line);
    });
    if (!came) return;
  }
  out["window_update_ms"] = updates.own_since() / kUpdates;
  out["window_reading_ms"] = updates.others_since() / kUpdates;
  out["window_resident_kib"] = resident_kib();
  window.close();
  for (QProcess* one : {&daemon, &bus}) {
    one->kill();
    one->waitForFinished();
  }
}

}  // namespace fmd::tray
