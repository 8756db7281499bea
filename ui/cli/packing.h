// What packing the store has brought since fmd was started, and what it took.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace fmd::cli {

// A table of the store's part of GetConfig; "" an fmd that does not tell.
std::string packing_text(const nlohmann::json& store);
// "12.3:1", "-" where nothing was packed. what: "packed" or "sealed".
std::string packing_ratio(const nlohmann::json& store, const std::string& what);
// A processor's time, which is no round figure: "1.25s".
std::string cpu_text(int64_t ns);

}  // namespace fmd::cli
