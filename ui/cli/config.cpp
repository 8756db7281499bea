// fmadm config: the configuration in force.
#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
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
  if (value.is_number_integer() &&
      (name.ends_with("_within") || name.ends_with("_after") || name.ends_with("_age")))
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

nlohmann::json without_empty(const nlohmann::json& doc) {
  nlohmann::json out = nlohmann::json::object();
  for (const auto& [name, value] : doc.items())
    if (value.is_object())
      out[name] = without_empty(value);
    else if (!value.empty() && value != "")
      out[name] = value;
  return out;
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

// Members about stored data and retention, shown on a page of their own.
constexpr const char* kStore[] = {"store", "retention", "socket", "state_dir"};
// Members that other commands show better.
constexpr const char* kElsewhere[] = {"notify", "notify_rules", "escalate", "plugins"};

std::string store_text(nlohmann::json doc) {
  if (nlohmann::json& store = doc["store"]; store.contains("packed_in_bytes"))
    for (const std::string what : {"packed", "sealed"})
      store[what + "_ratio"] = packing_ratio(store, what);
  nlohmann::json shown = nlohmann::json::object();
  for (const char* name : kStore)
    if (doc.contains(name)) shown[name] = doc[name];
  return object_text("", shown);
}

// Problems that need an action come first.
std::string troubles_text(const nlohmann::json& doc) {
  std::string out;
  for (const char* key : {"errors", "warnings"})
    for (const auto& text : doc.value(key, nlohmann::json::array()))
      out += wrapped(key[0] == 'e' ? "error: " : "warning: ", clean_prose(plain(text)), 9);
  const nlohmann::json store = doc.value("store", nlohmann::json::object());
  if (fmd::json_bool(store, "failing"))
    out += wrapped("error: ", "the store: " + clean_prose(fmd::json_text(store, "failure")), 9);
  return out.empty() ? out : out + '\n';
}

bool is_installed(const nlohmann::json& file) {
  return file.is_string() && file.get_ref<const std::string&>().starts_with("/usr/");
}

// Without empty values, the store's figures and the package's files.
std::string settings_text(nlohmann::json doc) {
  for (const char* name : {"errors", "warnings"}) doc.erase(name);
  for (const char* name : kStore) doc.erase(name);
  for (const char* name : kElsewhere) doc.erase(name);
  if (nlohmann::json& files = doc["files"]; files.is_array())
    files.erase(std::remove_if(files.begin(), files.end(), is_installed), files.end());
  return object_text("", without_empty(doc));
}

}  // namespace

Result<void> config(Client& client, const ConfigOptions& options) {
  auto doc = client.query("GetConfig");
  if (!doc) return tl::unexpected(doc.error());
  if (options.store && !options.json) return print(store_text(*doc));
  auto plugins = client.query("ListPlugins");
  if (!plugins) return tl::unexpected(plugins.error());
  if (options.json) {
    (*doc)["plugins"] = std::move(*plugins);
    return print(json_text(*doc));
  }
  return print(troubles_text(*doc) + plugins_text(*plugins) + '\n' + settings_text(*doc) +
               "\nMore: fmadm config --store, fmadm notify, fmadm rules show\n");
}

}  // namespace fmd::cli
