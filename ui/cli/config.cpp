#include <fmt/format.h>

#include "fmd/base/json.h"
#include "fmd/base/text.h"
#include "ui/cli/commands.h"
#include "ui/cli/daemon.h"
#include "ui/cli/layout.h"
#include "ui/cli/packing.h"

namespace fmd::cli {
namespace {

std::string plain(const nlohmann::json& value) {
  if (value.empty() || value == "") return "-";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "on" : "off";
  if (!value.is_array())
    return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string text;
  for (const auto& item : value) text += (text.empty() ? "" : ", ") + plain(item);
  return text;
}

// "journal_bytes": 123456 is for programs; people read sizes and durations.
std::string plain(const std::string& name, const nlohmann::json& value) {
  if (value.is_number_integer() && name.ends_with("_bytes"))
    return format_bytes(value.get<uint64_t>());
  if (value.is_number_integer() && name.ends_with("_cpu")) return cpu_text(value.get<int64_t>());
  if (value.is_number_integer() && (name.ends_with("_within") || name.ends_with("_age")))
    return format_duration(value.get<int64_t>());
  return plain(value);
}

std::string plugins_text(const nlohmann::json& plugins) {
  Table table({"PLUGIN", "VERSION", "STATE", "REASON"});
  for (const auto& p : plugins)
    table.add(
        {p.value("name", ""), p.value("version", ""), p.value("state", ""), p.value("reason", "")});
  return table.empty() ? "No plugin has connected yet.\n" : table.text();
}

std::string object_text(const std::string& prefix, const nlohmann::json& doc) {
  std::string out;
  for (const auto& [name, value] : doc.items()) {
    if (value.is_object()) {
      out += object_text(prefix + name + ".", value);
    } else if (!value.empty() && value.is_array() && value.front().is_object()) {
      out += fmt::format("{}{}\n", pad(clean(prefix + name), 26), value.size());
    } else {
      out += wrapped(pad(clean(prefix + name), 26), clean_prose(plain(name, value)), 26);
    }
  }
  return out;
}

}  // namespace

Result<void> config(Client& client, bool json) {
  auto doc = client.query("GetConfig");
  if (!doc) return tl::unexpected(doc.error());
  auto plugins = client.query("ListPlugins");
  if (!plugins) return tl::unexpected(plugins.error());
  if (json) {
    (*doc)["plugins"] = std::move(*plugins);
    return print(json_text(*doc));
  }
  std::string out;
  // What somebody should do something about comes first.
  for (const char* key : {"errors", "warnings"}) {
    for (const auto& text : doc->value(key, nlohmann::json::array()))
      out += wrapped(key[0] == 'e' ? "error: " : "warning: ", clean_prose(plain(text)), 9);
    doc->erase(key);
  }
  if (!out.empty()) out += '\n';
  doc->erase("plugins");  // shown as a table
  if (nlohmann::json& store = (*doc)["store"]; store.contains("packed_in_bytes"))
    for (const std::string what : {"packed", "sealed"})
      store[what + "_ratio"] = packing_ratio(store, what);
  return print(out + plugins_text(*plugins) + '\n' + object_text("", *doc));
}

}  // namespace fmd::cli
