#include "plugins/snmp/resilvers.h"

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "fmd/base/json_value.h"
#include "plugins/sdk/whole_file.h"

namespace fmd::snmp {
namespace {

using nlohmann::json;

int64_t whole(const Resource& part, std::string_view property) {
  const auto at = part.properties.find(property);
  if (at == part.properties.end()) return 0;
  const auto* number = std::get_if<int64_t>(&at->second);
  return number != nullptr ? *number : 0;
}

}  // namespace

std::vector<PoolScan> pool_scans(const Inventory& inventory) {
  std::vector<PoolScan> pools;
  for (const auto& [fmri, part] : inventory.all())
    if (part.present && (part.type == "zfs-pool" || part.type == "md-array"))
      pools.push_back({fmri, part.get("name"), part.get("health"), part.get("last_scan_text"),
                       !part.is("observed", "not-observed"), part.is("scan", "resilver"),
                       whole(part, "scan_started")});
  return pools;
}

Result<Resilvers> Resilvers::open(const std::string& folder) {
  Resilvers resilvers;
  if (folder.empty()) return resilvers;
  resilvers.path_ = folder + "/resilvers";
  if (auto read = resilvers.load(); !read) return tl::unexpected(read.error());
  return resilvers;
}

Result<void> Resilvers::load() {
  std::ifstream file(path_);
  if (!file) return {};  // the first time
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const json doc = json::parse(text, nullptr, false);
  if (!doc.is_object() || !doc.contains("running") || !doc.contains("ended") ||
      !doc["running"].is_object() || !doc["ended"].is_object())
    return fail("is not what fmd-snmp wrote; it may be removed", path_);
  for (const auto& [fmri, since] : doc["running"].items())
    if (since.is_number_integer()) running_.emplace(fmri, since.get<int64_t>());
  for (const auto& [key, one] : doc["ended"].items())
    ended_.emplace(
        key, Resilvered{json_text(one, "pool"), json_text(one, "health"), json_text(one, "result"),
                        json_text(one, "host"), key, json_int(one, "time")});
  return {};
}

Result<void> Resilvers::save() const {
  if (path_.empty()) return {};
  json doc{{"running", running_}, {"ended", json::object()}};
  for (const auto& [key, one] : ended_)
    doc["ended"][key] = {{"pool", one.pool},
                         {"health", one.health},
                         {"result", one.result},
                         {"host", one.host},
                         {"time", one.time_ns}};
  return sdk::write_whole(path_, dump_json(doc) + "\n");
}

Result<void> Resilvers::see(const std::vector<PoolScan>& pools, const std::string& host,
                            int64_t wall_ns) {
  const auto running = running_;
  for (const PoolScan& pool : pools) {
    if (!pool.observed) continue;
    const auto at = running_.find(pool.fmri);
    if (pool.resilvers) {
      if (at == running_.end())
        running_.emplace(pool.fmri, pool.started_ns != 0 ? pool.started_ns : wall_ns);
      continue;
    }
    if (at == running_.end()) continue;
    const std::string key = "resilver:" + pool.fmri + ":" + std::to_string(at->second);
    ended_.emplace(key, Resilvered{pool.name, pool.health, pool.last, host, key, wall_ns});
    running_.erase(at);
  }
  return running == running_ ? Result<void>() : save();
}

Result<void> Resilvers::told(const std::string& key) {
  return ended_.erase(key) == 0 ? Result<void>() : save();
}

}  // namespace fmd::snmp
