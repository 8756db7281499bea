// The desktop's cost for a big host: 20 shelves of 60 bays, painted off screen.
// fmd-ui-bench                      the picture alone
// fmd-ui-bench --window FAKE_FMD    the whole window with a fake fmd on its own bus
// fmd-ui-bench --known FILE         writes the fake fmd's data
// Prints the CPU costs as JSON; tests/bench/bench.py judges them.
#include <sys/resource.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QImage>
#include <QScrollBar>
#include <QTimer>
#include <cstdio>
#include <string_view>

#include "fmd/base/json.h"
#include "fmd/scene/scene.h"
#include "ui/tray/chassis_view.h"
#include "ui/tray/tests/shelves.h"
#include "ui/tray/tests/window_bench.h"

namespace {

using namespace fmd;
using tray::kBays;
using tray::kShelves;

constexpr int kFrames = 120;

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view asked = argc > 2 ? argv[1] : "";
  if (asked == "--known") return tray::write_known(argv[2]) ? 0 : 1;
  QApplication app(argc, argv);
  if (asked == "--window") {
    nlohmann::json out;
    tray::measure_window(argv[0], argv[2], out);
    printf("%s\n", out.dump().c_str());
    return out.empty() ? 1 : 0;
  }
  const Inventory inventory = tray::shelves();
  tray::ChassisView view;
  view.resize(1600, 1000);
  QImage screen(view.size(), QImage::Format_ARGB32_Premultiplied);
  const auto ms = [](const QElapsedTimer& timer) {
    return static_cast<double>(timer.nsecsElapsed()) / 1e6;
  };
  nlohmann::json out{{"bays", kShelves * kBays}};

  QElapsedTimer timer;
  // CPU time per frame, which does not depend on the load of the machine.
  const auto frames = [&](const auto& frame) {
    const double before = cpu_seconds();
    for (int i = 0; i < kFrames; ++i) frame(i);
    return (cpu_seconds() - before) * 1000 / kFrames;
  };
  const double begun = cpu_seconds();
  view.show_scenes(scene::compose_all(inventory, {}));
  view.render(&screen);
  out["first_paint_ms"] = (cpu_seconds() - begun) * 1000;

  out["compose_ms"] = frames([&](int) { (void)scene::compose_all(inventory, {}); });
  // One visible bay changes; then all of them.
  view.show();
  QApplication::processEvents();
  std::vector<scene::Scene> scenes[2] = {scene::compose_all(inventory, {}), {}};
  scenes[1] = scenes[0];
  scenes[1][0].faces[0].parts[2].state = scene::PartState::faulted;
  const auto update = [&](int i) {
    (void)scene::compose_all(inventory, {});
    view.show_scenes(scenes[i % 2]);
    QApplication::processEvents();
  };
  out["update_one_ms"] = frames(update);
  for (scene::Scene& scene : scenes[1])
    for (scene::Part& part : scene.faces[0].parts) part.state = scene::PartState::faulted;
  out["update_all_ms"] = frames(update);

  QScrollBar& bar = *view.verticalScrollBar();
  out["scroll_ms"] = frames([&](int i) {
    bar.setValue(bar.maximum() * i / kFrames);
    view.render(&screen);
  });

  // Everything visible at once: the most shapes that a frame can have.
  view.resize(300, 12000);
  QImage tall(view.size(), QImage::Format_ARGB32_Premultiplied);
  timer.start();
  for (int i = 0; i < 10; ++i) view.render(&tall);
  out["all_in_sight_ms"] = ms(timer) / 10;

  out["resident_kib"] = tray::resident_kib();
  // Without changes or blinking lights nothing is computed. Finish pending paints first.
  view.show_scenes({});
  QApplication::processEvents();
  const double before = cpu_seconds();
  QEventLoop idle;
  QTimer::singleShot(2000, &idle, &QEventLoop::quit);
  idle.exec();
  out["idle_cpu_ms"] = (cpu_seconds() - before) * 1000;
  printf("%s\n", out.dump().c_str());
  return 0;
}
