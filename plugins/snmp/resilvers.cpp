#include "plugins/snmp/resilvers.h"

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "fmd/base/json_value.h"
#include "plugins/sdk/whole_file.h"
#include "plugins/snmp/cells.h"

namespace fmd::snmp {
namespace {

using nlohmann::json;

// ZFS's "resilvered 3.2G in …", and what md calls so: "recover ended …", "resync ended …".
bool is_resilver(const std::string& ended) {
  return ended.find("resilver") != ended.npos || ended.starts_with("recover ") ||
         ended.starts_with("resync ");
}

}  // namespace

std::vector<PoolScan> pool_scans(const Inventory& inventory) {
  std::vector<PoolScan> pools;
  for (const auto& [fmri, part] : inventory.all())
    if (part.present && (part.type == "zfs-pool" || part.type == "md-array"))
      pools.push_back({fmri, part.get("name"), part.get("health"), part.get("last_scan_text"),
                       !part.is("observed", "not-observed")});
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
  if (!doc.is_object() || !doc.contains("last") || !doc.contains("ended") ||
      !doc["last"].is_object() || !doc["ended"].is_object())
    return fail("is not what fmd-snmp wrote; it may be removed", path_);
  for (const auto& [fmri, ended] : doc["last"].items())
    if (ended.is_string()) last_.emplace(fmri, ended.get<std::string>());
  for (const auto& [key, one] : doc["ended"].items())
    ended_.emplace(
        key, Resilvered{json_text(one, "pool"), json_text(one, "health"), json_text(one, "result"),
                        json_text(one, "host"), key, json_int(one, "time")});
  return {};
}

Result<void> Resilvers::save() const {
  if (path_.empty()) return {};
  json doc{{"last", last_}, {"ended", json::object()}};
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
  bool changed = false;
  for (const PoolScan& pool : pools) {
    if (!pool.observed) continue;
    const auto [at, is_new] = last_.try_emplace(pool.fmri, pool.last);
    changed = changed || is_new;
    // A plugin that was started anew may not know it yet.
    if (is_new || pool.last.empty() || pool.last == at->second) continue;
    at->second = pool.last;
    changed = true;
    if (!is_resilver(pool.last)) continue;
    const std::string key = admin_string("resilver:" + pool.fmri + ":" + pool.last);
    ended_.emplace(key, Resilvered{pool.name, pool.health, pool.last, host, key, wall_ns});
  }
  return changed ? save() : Result<void>();
}

Result<void> Resilvers::told(const std::string& key) {
  return ended_.erase(key) == 0 ? Result<void>() : save();
}

}  // namespace fmd::snmp
