// Gain and cost of packing the store since fmd was started.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace fmd::cli {

// A table from the store's part of GetConfig; "" if fmd does not report it.
std::string packing_text(const nlohmann::json& store);
// "12.3:1", or "-" if nothing was packed. what: "packed" or "sealed".
std::string packing_ratio(const nlohmann::json& store, const std::string& what);
// CPU time, unrounded: "1.25s".
std::string cpu_text(int64_t ns);

}  // namespace fmd::cli
