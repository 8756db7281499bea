// WindowBench: what the whole window costs, with all its pages, over a fake fmd that knows a big host.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>

namespace fmd::tray {

int64_t resident_kib();              // of this process
bool write_known(const char* file);  // what the fake fmd is to know
// Adds "window_…" figures: milliseconds of the window's own thread, and of the others; memory. program: this one, which
// writes what the fake fmd knows, for its memory is not the window's.
void measure_window(const char* program, const char* fake_fmd, nlohmann::json& out);

}  // namespace fmd::tray
