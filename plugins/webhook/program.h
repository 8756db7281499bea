// A program of the administrator's, run with an alert on its standard input. Single thread, on the loop.
#pragma once
#include <chrono>
#include <functional>
#include <string>

#include "plugins/sdk/host.h"

namespace fmd::webhook {

// Without a shell, with an environment of its own (PATH, LC_ALL), in a process group that is ended at the
// deadline. done: "" it ended with 0, else why not.
void run_program(sdk::Host& host, const std::string& program, const std::string& input,
                 std::chrono::milliseconds within, std::function<void(std::string)> done);

}  // namespace fmd::webhook
