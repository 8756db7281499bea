#include "plugins/sdk/timer.h"

#include <systemd/sd-event.h>

#include <algorithm>
#include <utility>

namespace fmd::sdk {

void SourceDeleter::operator()(sd_event_source* source) const {
  sd_event_source_disable_unref(source);
}

void Timer::start(std::chrono::milliseconds in, std::function<void()> fn) {
  arm(in, std::chrono::milliseconds(1), std::move(fn));  // 1 ms late: LED retries are short
}

void Timer::start_lazily(std::chrono::milliseconds in, std::function<void()> fn) {
  arm(in, std::max(in / 2, std::chrono::milliseconds(1)), std::move(fn));
}

void Timer::arm(std::chrono::milliseconds in, std::chrono::milliseconds late,
                std::function<void()> fn) {
  fn_ = std::move(fn);
  const auto us = [](std::chrono::milliseconds time) {
    return static_cast<uint64_t>(std::max<int64_t>(0, std::chrono::microseconds(time).count()));
  };
  sd_event_source* source = nullptr;
  if (sd_event_add_time_relative(loop_, &source, CLOCK_MONOTONIC, us(in), us(late), &Timer::fired,
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
  // Moved out first: the function may restart or destroy the timer.
  auto fn = std::exchange(timer->fn_, nullptr);
  timer->source_.reset();
  if (fn) fn();
  return 0;
}

}  // namespace fmd::sdk
