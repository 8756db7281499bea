#include "plugins/sdk/timer.h"

#include <systemd/sd-event.h>

#include <algorithm>
#include <utility>

namespace fmd::sdk {

void SourceDeleter::operator()(sd_event_source* source) const {
  sd_event_source_disable_unref(source);
}

void Timer::start(std::chrono::milliseconds in, std::function<void()> fn) {
  fn_ = std::move(fn);
  const auto wait_us =
      static_cast<uint64_t>(std::max<int64_t>(0, std::chrono::microseconds(in).count()));
  sd_event_source* source = nullptr;
  // Accuracy 1 ms: LED retries and back-offs are short.
  if (sd_event_add_time_relative(loop_, &source, CLOCK_MONOTONIC, wait_us, 1000, &Timer::fired,
                                 this) < 0)
    source = nullptr;
  source_.reset(source);
}

void Timer::stop() {
  source_.reset();
  fn_ = nullptr;
}

bool Timer::running() const {
  return source_ != nullptr;
}

int Timer::fired(sd_event_source*, uint64_t, void* self) {
  auto* timer = static_cast<Timer*>(self);
  // Taken out first: the function may start the timer again, or destroy it.
  auto fn = std::exchange(timer->fn_, nullptr);
  timer->source_.reset();
  if (fn) fn();
  return 0;
}

}  // namespace fmd::sdk
