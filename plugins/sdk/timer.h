// Timer: one-shot timer on an sd-event loop, monotonic clock. Restarting it moves it; destroying it
// cancels it. Its function may restart or destroy the timer. Single thread.
//
// Recurring work that is not urgent starts lazily: at its due time or up to half as much later,
// together with other wake-ups of sd-event programs (sd_event_add_time(3), accuracy). An idle host
// then wakes once for all plugins.
#pragma once
#include <chrono>
#include <functional>
#include <memory>

struct sd_event;
struct sd_event_source;

namespace fmd::sdk {

struct SourceDeleter {
  void operator()(sd_event_source* source) const;  // disables and unrefs
};
using Source = std::unique_ptr<sd_event_source, SourceDeleter>;

class Timer {
 public:
  explicit Timer(sd_event* loop) : loop_(loop) {}
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  void start(std::chrono::milliseconds in, std::function<void()> fn);
  void start_lazily(std::chrono::milliseconds in, std::function<void()> fn);
  void stop();
  bool running() const;

 private:
  void arm(std::chrono::milliseconds in, std::chrono::milliseconds late, std::function<void()> fn);
  static int fired(sd_event_source*, uint64_t, void* self);
  sd_event* loop_;
  std::function<void()> fn_;
  Source source_;
};

}  // namespace fmd::sdk
