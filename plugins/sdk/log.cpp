// Log lines of plugins: to stderr with the journal's priority prefix, device text escaped.
#include <unistd.h>

#include <string>

#include "fmd/base/text.h"
#include "plugins/sdk/plugin.h"

namespace fmd::sdk {

// One write per line, so that lines of a plugin and of its child processes do not mix. Escaped,
// since it may contain device text.
void log(int priority, std::string_view text) {
  const std::string line =
      "<" + std::to_string(priority & 7) + ">" + fmd::display(text, 2000) + "\n";
  if (::write(STDERR_FILENO, line.data(), line.size()) < 0) return;  // nowhere left to report it
}

}  // namespace fmd::sdk
