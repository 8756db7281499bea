#include "ui/cli/waiting_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include "ui/client/words.h"

namespace fmd::cli {

void WaitingLine::show(int64_t seconds) {
  if (isatty(STDERR_FILENO) == 0) return;
  fmt::print(stderr, "\r\033[K{}, {} s", ui::clean(what_), seconds);
  fflush(stderr);
  shown_ = true;
}

void WaitingLine::clear() {
  if (shown_) fmt::print(stderr, "\r\033[K");
  shown_ = false;
}

}  // namespace fmd::cli
