#include "ui/client/bus_wait.h"

#include <poll.h>
#include <time.h>

#include <algorithm>
#include <cerrno>

namespace fmd::ui {
namespace {

constexpr uint64_t kNever = UINT64_MAX;

uint64_t now_us() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000 + static_cast<uint64_t>(now.tv_nsec) / 1000;
}

}  // namespace

int wait_on(sd_bus* bus, uint64_t timeout_ms, int wake) {
  const int fd = sd_bus_get_fd(bus), events = sd_bus_get_events(bus);
  uint64_t until = kNever;  // when a pending call times out
  if (fd < 0) return fd;
  if (events < 0) return events;
  if (const int r = sd_bus_get_timeout(bus, &until); r < 0) return r;
  uint64_t wait_us = timeout_ms >= kNever / 1000 ? kNever : timeout_ms * 1000;
  if (until != kNever) {
    const uint64_t now = now_us();
    wait_us = std::min(wait_us, until > now ? until - now : 0);
  }
  timespec time{};
  time.tv_sec = static_cast<time_t>(wait_us / 1'000'000);
  time.tv_nsec = static_cast<long>(wait_us % 1'000'000) * 1000;
  pollfd both[] = {{fd, static_cast<short>(events), 0}, {wake, POLLIN, 0}};
  const int r = ppoll(both, 2, wait_us == kNever ? nullptr : &time, nullptr);
  if (r < 0) return -errno;
  return both[0].revents != 0;
}

}  // namespace fmd::ui
