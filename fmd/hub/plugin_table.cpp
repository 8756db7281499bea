#include "fmd/hub/plugin_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fmd/base/duration.h"

namespace fmd {
namespace {

using Watch = PluginRecord::Watch;

std::optional<PluginFinding> back(PluginRecord& record) {
  const Watch before = std::exchange(record.watch, Watch::fine);
  if (before == Watch::fine || before == Watch::put_away) return {};
  const bool was_dead = before == Watch::dead;
  return PluginFinding{"sysevent.fmd.plugin.back", record.hello.name,
                       was_dead ? "it has connected again" : "it is heard again"};
}

}  // namespace

std::string PluginRecord::shown_state() const {
  switch (watch) {
    case Watch::dead:
      return "dead";
    case Watch::silent:
      return "silent";
    case Watch::put_away:
      return unit == UnitState::stopped ? "stopped" : "disabled";
    case Watch::fine:
      break;
  }
  return state;
}

std::string PluginRecord::shown_reason() const {
  if (watch != Watch::put_away) return reason;
  const std::string name = unit_of_plugin(hello.name);
  if (unit == UnitState::unmet) return "a condition of " + name + " is not met";
  if (unit == UnitState::disabled) return name + " is disabled";
  return fmt::format("{0} has been stopped; 'systemctl start {0}' starts it again", name);
}

void PluginTable::expect(const std::string& name, const std::string& version,
                         std::string_view state, const std::string& reason, bool has_unit,
                         int64_t boot_ns) {
  PluginRecord& record = records_[name];
  record.hello.name = name;
  record.hello.version = version;
  record.has_unit = has_unit;
  record.watch = state == "dead" ? Watch::dead : state == "silent" ? Watch::silent : Watch::fine;
  if (state == "disabled" || state == "stopped") {
    record.watch = Watch::put_away;
    record.unit = state == "stopped" ? UnitState::stopped : UnitState::disabled;
  } else if (record.watch == Watch::fine && !state.empty()) {
    record.state = state;
    record.reason = reason;
  }
  record.gone_boot_ns = std::max(boot_ns, kBootNs - kGraceNs);
}

std::optional<PluginFinding> PluginTable::connected(PluginHello hello, PeerId peer,
                                                    const Peer& process, int64_t boot_ns,
                                                    int64_t wall_ns) {
  PluginRecord& record = records_[hello.name];
  record.hello = std::move(hello);
  record.peer = peer;
  record.process = process;
  record.batches_unacked = 0;
  record.held = false;
  record.asked_boot_ns = 0;
  record.came_since = true;
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
  found->second.asked_boot_ns = 0;
  found->second.unit = UnitState::unknown;
}

std::vector<std::string> PluginTable::to_ask(int64_t boot_ns) {
  std::vector<std::string> names;
  for (auto& [name, record] : records_) {
    if (record.hello.transient) continue;
    const bool never = record.asked_boot_ns == 0;
    const int64_t each = record.expected_back() ? kAskAwayNs : kAskSeldomNs;
    if (record.connected() && record.has_unit && !never) continue;
    if (!never && record.asked_boot_ns + each > boot_ns) continue;
    record.asked_boot_ns = std::max<int64_t>(boot_ns, 1);
    names.push_back(name);
  }
  return names;
}

PluginTable::Told PluginTable::told(std::string_view name, UnitState unit, int64_t boot_ns) {
  PluginRecord* record = find(name);
  if (!record || unit == UnitState::unknown) return {};
  Told out;
  if (unit != UnitState::absent && !record->has_unit) out.changed = record->has_unit = true;
  if (record->connected()) return out;
  const bool removed = unit == UnitState::absent && record->has_unit;
  if (put_away(unit) || removed) {
    out.changed |= record->watch != Watch::put_away || record->unit != unit;
    if (std::exchange(record->watch, Watch::put_away) != Watch::put_away)
      out.finding = {"sysevent.fmd.plugin.stopped", record->hello.name,
                     removed ? unit_of_plugin(name) + " has been removed" : ""};
    record->unit = unit;
    if (out.finding && !removed) out.finding->reason = record->shown_reason();
    if (removed) records_.erase(records_.find(name));
    out.removed = removed;
    return out;
  }
  record->unit = unit;
  // Somebody wants it again: it is given as long as any other to come.
  if (record->watch != Watch::put_away) return out;
  record->watch = Watch::fine;
  record->gone_boot_ns = std::max(boot_ns, kBootNs - kGraceNs);
  out.changed = true;
  return out;
}

std::optional<PluginFinding> PluginTable::restarted(std::string_view name, uint32_t restarts) {
  PluginRecord* record = find(name);
  if (!record || !std::exchange(record->came_since, false)) return {};
  const auto before = std::exchange(record->restarts, restarts);
  if (!before || restarts <= *before) return {};
  return PluginFinding{"ereport.fmd.plugin.restarted", record->hello.name,
                       fmt::format("{} ended unexpectedly; systemd has restarted it {} since it "
                                   "was started",
                                   unit_of_plugin(name),
                                   restarts == 1 ? "once" : fmt::format("{} times", restarts))};
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
      if (suspended || record.held) record.last_seen_boot_ns = boot_ns;
      if (record.hello.transient || record.watch != Watch::fine || silent_at(record) > boot_ns)
        continue;
      record.watch = Watch::silent;
      found.push_back({"ereport.fmd.plugin.silent", name,
                       fmt::format("nothing heard for {} s, a heartbeat is due each {} s",
                                   (boot_ns - record.last_seen_boot_ns) / 1000000000,
                                   (record.hello.heartbeat_ms + 999) / 1000)});
    } else if (record.expected_back() && record.gone_boot_ns + kGraceNs <= boot_ns) {
      record.watch = Watch::dead;
      found.push_back({"ereport.fmd.plugin.dead", name,
                       fmt::format("it has not been connected for {} s{}", kGraceNs / 1000000000,
                                   record.unit == UnitState::failed
                                       ? ", and " + unit_of_plugin(name) + " has failed"
                                       : "")});
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
    } else if (record.expected_back()) {
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

}  // namespace fmd
