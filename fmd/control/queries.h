// Queries: builds the JSON documents of schemas/dbus/README.md. Read only; an error says what is
// wrong with the filter. Single thread.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "fmd/advice/part_index.h"
#include "fmd/base/moment.h"
#include "fmd/base/result.h"
#include "fmd/control/list_answer.h"
#include "fmd/control/shown.h"
#include "fmd/diagnosis/engine.h"
#include "fmd/hub/plugin_table.h"
#include "fmd/model/bay_history.h"
#include "fmd/notify/maintenance.h"
#include "fmd/notify/outbox.h"
#include "fmd/reconcile/reconciler.h"
#include "fmd/store/store_jobs.h"

namespace fmd {

// The inputs of a case's words apart from the engine.
struct CasesAround {
  const PartIndex& index;  // of the engine's inventory
  const Maintenance& maintenance;
  bool dry_run = false;
  Moment now = {};
  bool auto_replace = true;  // [action] in fmd.toml
};
Result<std::string> query_cases(const Engine& engine, const CasesAround& around,
                                std::string_view filter, Paging paging);
// One account for each cause: {"uuid"} of a case, {"part"}, or everything.
Result<std::string> query_explanations(const Engine& engine, Moment now, std::string_view filter,
                                       Paging paging);
// Queries of the store: built at once and run on the store's thread; an error in the query is
// returned at once.
using StoreQuery = std::function<Result<std::string>(const Store&)>;
// classes: those declared. A "class" that none of them can be is an error with the nearest.
Result<StoreQuery> query_events(const Engine& engine, const std::vector<std::string>& classes,
                                std::string_view query);
Result<std::string> query_resources(const Engine& engine, int64_t now_ns, std::string_view filter,
                                    Paging paging);
Result<std::string> query_bay_history(const Inventory& inventory, const BayHistory& history,
                                      std::string_view filter, Paging paging);
Result<StoreQuery> query_readings(const Inventory& inventory, int64_t wall_ns,
                                  std::string_view filter);
std::string query_plugins(const PluginTable& plugins, const Inventory& inventory,
                          const Shown& shown);
Result<std::string> query_serd(const Engine& engine, std::string_view filter, Paging paging);
Result<std::string> query_outbox(const Outbox& outbox, std::string_view filter, Paging paging);
std::string query_actions(const Reconciler& reconciler, const Engine& engine,
                          const BayHistory& bays, const PartIndex& index);
std::string query_status(const Engine& engine, const RuleSet& rules, const BayHistory& bays,
                         const CasesAround& around);
std::string query_config(const Engine& engine, const StoreFacts& store, const PluginTable& plugins,
                         const Shown& shown);

}  // namespace fmd
