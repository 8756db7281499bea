// Waits on a bus and another descriptor at once. Blocks; for the thread that owns the bus.
#pragma once
#include <systemd/sd-bus.h>

#include <cstdint>

namespace fmd::ui {

// Waits until the bus or `wake` (a file descriptor; -1 none) is readable. > 0: the bus is readable;
// 0: woken, or timeout_ms is over; < 0: -errno.
int wait_on(sd_bus* bus, uint64_t timeout_ms, int wake);

}  // namespace fmd::ui
