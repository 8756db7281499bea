// Screenshots: paints every page and the map helper to a folder once the awaited state is reached.
#pragma once
#include <QSize>
#include <QString>
#include <chrono>
#include <functional>

namespace fmd::tray {

class Session;
class Window;

struct Awaited {
  std::function<bool()> there;      // whether the state is reached
  std::function<QString()> failed;  // why it never will be; "" if it may
  std::chrono::milliseconds patience = std::chrono::minutes(3);
};
// Shows the window and runs the application's loop. Returns "" if all were painted, else the error:
// no pictures are better than pictures of another state.
QString take_screenshots(Window& window, const QString& folder, const Awaited& awaited);
// The map helper with some bays placed. Only for simulated hosts: it switches locate LEDs.
QString take_map_helper_screenshot(Session& session, const QString& folder, const QSize& size);

}  // namespace fmd::tray
