// Waiting on a bus and on something else at once. Blocks; from the thread that owns the bus.
#pragma once
#include <systemd/sd-bus.h>

#include <cstdint>

namespace fmd::ui {

// Until something comes in on the bus, or `wake` (a file descriptor; -1 none) can be read. 0: nothing came within
// timeout_ms, or it was woken; > 0: something came; < 0: -errno.
int wait_on(sd_bus* bus, uint64_t timeout_ms, int wake);

}  // namespace fmd::ui
