// Runs the administrator's program with an alert on its standard input. Single thread, on the loop.
#pragma once
#include <chrono>
#include <functional>
#include <string>

#include "plugins/sdk/host.h"

namespace fmd::webhook {

// Runs without a shell, with a minimal environment (PATH, LC_ALL), in a process group that is
// killed at the deadline. done: "" if it exited with 0, else the reason.
void run_program(sdk::Host& host, const std::string& program, const std::string& input,
                 std::chrono::milliseconds within, std::function<void(std::string)> done);

}  // namespace fmd::webhook
