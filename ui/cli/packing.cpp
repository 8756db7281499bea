#include "ui/cli/packing.h"

#include <fmt/format.h>

#include "fmd/base/json.h"
#include "fmd/base/text.h"
#include "ui/cli/layout.h"

namespace fmd::cli {

std::string cpu_text(int64_t ns) {
  return fmt::format("{:.2f}s", static_cast<double>(ns) / 1e9);
}

std::string packing_ratio(const nlohmann::json& store, const std::string& what) {
  const auto in = store.value(what + "_in_bytes", uint64_t{0});
  const auto out = store.value(what + "_out_bytes", uint64_t{0});
  if (in == 0 || out == 0) return "-";
  return fmt::format("{:.1f}:1", static_cast<double>(in) / static_cast<double>(out));
}

std::string packing_text(const nlohmann::json& store) {
  if (!store.contains("packed_in_bytes")) return "";
  Table table({"STORE", "BYTES", "PACKED", "RATIO", "CPU"});
  for (const char* part : {"packed", "sealed"}) {
    const std::string what = part;
    table.add({what == "packed" ? "committed" : what,
               format_bytes(store.value(what + "_in_bytes", uint64_t{0})),
               format_bytes(store.value(what + "_out_bytes", uint64_t{0})),
               packing_ratio(store, what), cpu_text(store.value(what + "_cpu", int64_t{0}))});
  }
  return table.text();
}

}  // namespace fmd::cli
