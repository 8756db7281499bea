// WindowBench: the cost of the whole window with all pages, with a fake fmd that knows a big host.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>

namespace fmd::tray {

int64_t resident_kib();              // of this process
bool write_known(const char* file);  // the fake fmd's data
// Adds "window_…" figures: CPU time (ms) of the window's thread and of the others; memory. program:
// this one, run to write the fake fmd's data, whose memory is not the window's.
void measure_window(const char* program, const char* fake_fmd, nlohmann::json& out);

}  // namespace fmd::tray
