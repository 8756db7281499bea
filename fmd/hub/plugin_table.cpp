#include "fmd/hub/plugin_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/duration.h"

namespace fmd {
namespace {

using Watch = PluginRecord::Watch;

std::optional<PluginFinding> back(PluginRecord& record) {
  if (record.watch == Watch::fine) return {};
  const bool was_dead = record.watch == Watch::dead;
  record.watch = Watch::fine;
  return PluginFinding{"sysevent.fmd.plugin.back", record.hello.name,
                       was_dead ? "it has connected again" : "it is heard again"};
}

}  // namespace

std::string PluginRecord::shown_state() const {
  return watch == Watch::dead ? "dead" : watch == Watch::silent ? "silent" : state;
}

void PluginTable::expect(const std::string& name, const std::string& version,
                         std::string_view state, int64_t boot_ns) {
  PluginRecord& record = records_[name];
  record.hello.name = name;
  record.hello.version = version;
  record.watch = state == "dead" ? Watch::dead : state == "silent" ? Watch::silent : Watch::fine;
  record.gone_boot_ns = std::max(boot_ns, kBootNs - kGraceNs);
}

std::optional<PluginFinding> PluginTable::connected(PluginHello hello, PeerId peer,
                                                    const Peer& process, int64_t boot_ns,
                                                    int64_t wall_ns) {
  PluginRecord& record = records_[hello.name];
  record.hello = std::move(hello);
  record.peer = peer;
  record.process = process;
  record.state = "ok";
  record.reason.clear();
  record.batches_unacked = 0;
  record.last_seen_boot_ns = boot_ns;
  record.last_seen_ns = wall_ns;
  return back(record);
}

std::optional<PluginFinding> PluginTable::seen(std::string_view name, int64_t boot_ns,
                                               int64_t wall_ns) {
  PluginRecord* record = find(name);
  if (!record || !record->connected()) return {};
  record->last_seen_boot_ns = boot_ns;
  record->last_seen_ns = wall_ns;
  return back(*record);
}

void PluginTable::disconnected(std::string_view name, int64_t boot_ns) {
  auto found = records_.find(name);
  if (found == records_.end()) return;
  if (found->second.hello.transient) {
    records_.erase(found);
    return;
  }
  found->second.peer = 0;
  found->second.batches_unacked = 0;
  found->second.gone_boot_ns = boot_ns;
}

bool PluginTable::forget(std::string_view name) {
  const auto found = records_.find(name);
  if (found == records_.end() || found->second.connected()) return false;
  records_.erase(found);
  return true;
}

int64_t PluginTable::silent_at(const PluginRecord& record) {
  return record.last_seen_boot_ns + kMissedBeats * record.hello.heartbeat_ms * kMsNs;
}

std::vector<PluginFinding> PluginTable::check(int64_t boot_ns, bool suspended) {
  std::vector<PluginFinding> found;
  for (auto& [name, record] : records_) {
    if (record.connected()) {
      if (suspended) record.last_seen_boot_ns = boot_ns;
      if (record.hello.transient || record.watch != Watch::fine || silent_at(record) > boot_ns)
        continue;
      record.watch = Watch::silent;
      found.push_back({"ereport.fmd.plugin.silent", name,
                       fmt::format("nothing heard for {} s, a heartbeat is due each {} s",
                                   (boot_ns - record.last_seen_boot_ns) / 1000000000,
                                   (record.hello.heartbeat_ms + 999) / 1000)});
    } else if (record.watch != Watch::dead && record.gone_boot_ns + kGraceNs <= boot_ns) {
      record.watch = Watch::dead;
      found.push_back({"ereport.fmd.plugin.dead", name,
                       fmt::format("it has not been connected for {} s", kGraceNs / 1000000000)});
    }
  }
  return found;
}

std::optional<int64_t> PluginTable::next_check_ns() const {
  std::optional<int64_t> next;
  const auto at = [&](int64_t ns) { next = next ? std::min(*next, ns) : ns; };
  for (const auto& [name, record] : records_) {
    if (record.connected()) {
      if (!record.hello.transient && record.watch == Watch::fine) at(silent_at(record));
    } else if (record.watch != Watch::dead) {
      at(record.gone_boot_ns + kGraceNs);
    }
  }
  return next;
}

PluginRecord* PluginTable::find(std::string_view name) {
  auto found = records_.find(name);
  return found == records_.end() ? nullptr : &found->second;
}

const PluginRecord* PluginTable::find(std::string_view name) const {
  auto found = records_.find(name);
  return found == records_.end() ? nullptr : &found->second;
}

const PluginRecord* PluginTable::handler_of(std::string_view target) const {
  const PluginRecord* best = nullptr;
  size_t longest = 0;
  for (const auto& [name, record] : records_) {
    if (!record.connected()) continue;
    for (const std::string& prefix : record.hello.handles) {
      if (prefix.empty() || prefix.size() < longest || !target.starts_with(prefix)) continue;
      if (prefix.size() == longest && best) continue;
      best = &record;
      longest = prefix.size();
    }
  }
  return best;
}

}  // namespace fmd
