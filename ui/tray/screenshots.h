// Screenshots: every page of the window, and the map helper, painted to a folder once that which is to be shown is there.
#pragma once
#include <QSize>
#include <QString>
#include <chrono>
#include <functional>

namespace fmd::tray {

class Session;
class Window;

struct Awaited {
  std::function<bool()> there;      // it is
  std::function<QString()> failed;  // it never will be, and why; "" it may yet
  std::chrono::milliseconds patience = std::chrono::minutes(3);
};
// Shows the window and runs the application's loop. "": all are painted; else why not: pictures of something else than what was
// to be shown are worse than none.
QString take_screenshots(Window& window, const QString& folder, const Awaited& awaited);
// The map helper with some bays placed. It switches their locate lights: only of a host that is simulated.
QString take_map_helper_screenshot(Session& session, const QString& folder, const QSize& size);

}  // namespace fmd::tray
