#include "plugins/sdk/flight.h"

#include <utility>

namespace fmd::sdk {

bool Flight::start(std::function<std::string()> work, Done done) {
  if (busy_) return false;
  busy_ = true;
  const auto weak = weak_from_this();
  host_.run_apart(
      last_.ask(std::move(work)), deadline_,
      [weak, done = std::move(done)](CommandOutput output) {
        const auto self = weak.lock();
        if (!self) return;
        self->stuck_ = output.end == CommandOutput::End::deadline;
        self->busy_ = self->stuck_;
        const bool same = self->last_.take(output);
        done(output, same);
      },
      [weak] {
        if (const auto self = weak.lock(); self && self->stuck_) self->busy_ = self->stuck_ = false;
      });
  return true;
}

}  // namespace fmd::sdk
