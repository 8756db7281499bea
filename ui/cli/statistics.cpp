#include "ui/cli/statistics.h"

#include <fmt/format.h>
#include <time.h>

#include <cerrno>

#include "fmd/base/json.h"
#include "fmd/base/text.h"
#include "ui/cli/commands.h"
#include "ui/cli/layout.h"
#include "ui/cli/packing.h"

namespace fmd::cli {
namespace {

std::string number(const nlohmann::json& doc, const char* key) {
  const auto it = doc.find(key);
  return it == doc.end() || !it->is_number() ? "-" : it->dump();
}

std::string when(const nlohmann::json& doc, const char* key) {
  const int64_t ns = doc.value(key, int64_t{0});
  return ns > 0 ? format_time_fma(ns) : "-";
}

std::string counters_text(const nlohmann::json& plugins) {
  Table table({"PLUGIN", "STATE", "EVENTS", "REJECT", "UNACK", "CMDS", "FAILED", "LAST SEEN"});
  for (const nlohmann::json& p : plugins)
    table.add({p.value("name", ""), p.value("state", ""), number(p, "events_received"),
               number(p, "events_rejected"), number(p, "batches_unacked"),
               number(p, "commands_sent"), number(p, "commands_failed"), when(p, "last_seen")});
  return table.empty() ? "No plugin has connected yet.\n" : table.text();
}

// The plugins, and below them how the store packs their data.
Result<std::string> plugins_and_store(Client& client, const nlohmann::json& plugins) {
  const auto config = client.query("GetConfig");
  if (!config) return tl::unexpected(config.error());
  const std::string store = packing_text(config->value("store", nlohmann::json::object()));
  return counters_text(plugins) + (store.empty() ? "" : '\n' + store);
}

std::string serd_text(const nlohmann::json& engines) {
  Table table({"RULE", "COUNT", "N/T", "NEWEST", "STATE", "RESOURCE"});
  for (const nlohmann::json& e : engines)
    table.add({e.value("rule", ""), number(e, "count"),
               number(e, "n") + "/" + format_duration(e.value("within", int64_t{0})),
               when(e, "newest"), e.value("fired", false) ? "fired" : "counting",
               e.value("resource", "")});
  return table.empty() ? "No SERD engine is counting.\n" : table.text();
}

// Waits until the next multiple of the interval, however long the query took.
void wait_for(timespec& next, unsigned interval_s) {
  next.tv_sec += interval_s;
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, nullptr) == EINTR) {
  }
}

}  // namespace

Result<void> statistics(Client& client, const StatOptions& options) {
  timespec next{};
  clock_gettime(CLOCK_MONOTONIC, &next);
  for (unsigned shown = 0;;) {
    const auto doc = client.query(options.serd ? "ListSerd" : "ListPlugins");
    if (!doc) return tl::unexpected(doc.error());
    const bool stream = options.interval_s > 0;
    std::string text;
    if (!options.json) {
      auto tables =
          options.serd ? Result<std::string>(serd_text(*doc)) : plugins_and_store(client, *doc);
      if (!tables) return tl::unexpected(tables.error());
      text = std::move(*tables);
    }
    if (options.json)
      text = stream ? doc->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n'
                    : json_text(*doc);
    else if (shown > 0)
      text = '\n' + text;
    if (auto said = print(text); !said) return said;
    ++shown;
    if (!stream || (options.count > 0 && shown >= options.count)) return {};
    wait_for(next, options.interval_s);
  }
}

}  // namespace fmd::cli
