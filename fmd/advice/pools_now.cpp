#include "fmd/advice/pools_now.h"

#include <fmt/format.h>

#include <algorithm>

#include "fmd/advice/part_names.h"
#include "fmd/advice/storage.h"
#include "fmd/base/json.h"
#include "fmd/base/text.h"

namespace fmd {
namespace {

bool is_well(const std::string& health) {
  return health == "ONLINE" || health == "optimal" || health.empty();
}

std::string word_of(const Resource& leaf) {
  const std::string state = leaf.get("state");
  const bool by_person = leaf.is("state_by", "administrator");
  if (state == "OFFLINE" && by_person) return "was taken offline by an administrator";
  if (state == "OFFLINE") return "is offline";
  if (state == "FAULTED" && leaf.is("state_by", "fmd")) return "was taken out of service by fmd";
  if (state == "FAULTED")
    return by_person ? "was faulted by an administrator" : "was faulted by ZFS";
  if (state == "DEGRADED") return "is marked degraded";
  if (state == "REMOVED") return "was removed";
  if (state == "UNAVAIL" || state == "missing") return "cannot be opened";
  if (state == "faulty") return "is faulty";
  return {};
}

// "was removed 40 s ago"; a disk that dropped off its bus was not.
std::string gone_words(const GoneDisk& gone) {
  std::string word = gone.in_bay ? "stopped responding" : "was removed";
  if (gone.seconds > 0) word += fmt::format(" {} ago", time_left_words(gone.seconds));
  return word;
}

// "; a case and the spare follow at 04:38 unless it returns"
std::string words_of(const HeldVerdict& held, bool away) {
  if (held.newcomer.empty())
    return fmt::format("; a case{} at {} unless {}",
                       held.brings_spare ? " and the spare follow" : " follows", held.when,
                       away ? "it returns" : "it is used again by then");
  return fmt::format(
      ", and another disk ({}) is in its bay; a case follows at {}{}", held.newcomer, held.when,
      held.takes_newcomer ? ", and the new disk is used then if it is blank and large enough" : "");
}

// May differ from the member's state: ZFS notices changes late, and btrfs at its next mount.
bool has_disk(const Inventory& inventory, const Resource& leaf) {
  const Resource* disk = inventory.descend(leaf.fmri, Relation::redundancy, "dev");
  return disk && disk->present;
}

// "; the new disk in SLOT 03 is being filled"; "" if none takes its place.
std::string filled_words(const Inventory& inventory, const Resource& leaf) {
  const Resource* next = inventory.find(leaf.get("replacing"));
  if (!next || !next->is("service", "in-service")) return {};
  const Resource* disk = inventory.descend(next->fmri, Relation::redundancy, "dev");
  const bool in_bay = disk && !inventory.location(disk->fmri).empty();
  if (spare_taking_over(inventory, leaf))
    return fmt::format("; the spare {} is being filled", disk_words(inventory, *next));
  return fmt::format("; the new disk {}{} is being filled", in_bay ? "in " : "",
                     disk_words(inventory, *next));
}

// "SLOT 03 was removed 40 s ago; a case and the spare follow at 04:38 unless it returns."
std::string expected_of(const Inventory& inventory, const Resource& leaf, const LeafView& view) {
  const bool unnoticed = is_lost_unnoticed(inventory, leaf);
  std::string word = unnoticed ? "was removed" : word_of(leaf);
  if (word.empty()) return {};
  const bool removed = unnoticed || leaf.is("state", "REMOVED") || leaf.is("state", "missing");
  const bool back = removed && has_disk(inventory, leaf);
  if (back) word = "is there, but not in use";
  if (const auto gone = removed && view.gone ? view.gone(leaf) : std::nullopt)
    word = gone_words(*gone);
  std::string text = fmt::format("{} {}", view.name(leaf.fmri), word);
  const Resource* spare = inventory.find(leaf.get("spare_by"));
  if (const std::string filled = filled_words(inventory, leaf); !filled.empty())
    text += filled;
  else if (const auto held = view.held(leaf))
    text += words_of(*held, removed && !back);
  else if (spare && leaf.is("spare", "active"))
    text += fmt::format("; the spare {} holds all its data", disk_words(inventory, *spare));
  else if (spare)
    text += fmt::format("; the spare {} is being filled", disk_words(inventory, *spare));
  else if (leaf.is("state", "OFFLINE") && leaf.is("state_by", "administrator"))
    text += fmt::format("; it stays so until 'zpool online {} {}' is run",
                        display(leaf.get("pool"), 60), display(leaf.get("name"), 60));
  return text + ".";
}

// only_lost: of a pool that calls itself healthy because it has not noticed.
void collect(const Inventory& inventory, const Resource& from, int depth, const LeafView& view,
             bool only_lost, std::vector<std::string>& out) {
  constexpr int kDeepest = 8;
  for (const Edge& edge : from.edges) {
    const Resource* below =
        edge.relation == Relation::redundancy ? inventory.find(edge.to) : nullptr;
    const bool device = below && below->type == "btrfs-device";
    if (!below || (!device && below->type != "zfs-vdev" && below->type != "md-member")) continue;
    if (device || !below->get("service").empty()) {
      std::string text;
      if (!only_lost || is_lost_unnoticed(inventory, *below))
        text = expected_of(inventory, *below, view);
      if (!text.empty()) out.push_back(std::move(text));
    } else if (depth < kDeepest) {
      collect(inventory, *below, depth + 1, view, only_lost, out);
    }
  }
}

constexpr size_t kMostMembers = 6;  // listed for one pool

PoolNow pool_now(const Inventory& inventory, const Resource& r, const LeafView& view) {
  PoolNow pool;
  pool.fmri = r.fmri;
  pool.name = display(r.get("name").empty() ? r.fmri : r.get("name"), 60);
  pool.state = display(r.get("health"), 40);
  pool.scan = scan_words(inventory, r);
  const std::string blind = why_not_current(inventory, r);
  pool.responds = !r.is("observed", "not-observed");
  pool.well = is_well(pool.state) && blind.empty();
  if (!pool.responds)
    pool.state = "not responding";
  else if (!is_observed(inventory, r))
    pool.state = "not observed";  // its health is that of some time ago
  if (!blind.empty() && pool.responds)
    pool.expected.push_back(fmt::format("fmd cannot see {}: {}.", storage_name(r), blind));
  pool.survives = survives(inventory, r);
  if (!lacks_copies(r)) pool.redundancy = survival_words(inventory, r);
  LeafView leaves = view;
  // The case of a pool that has stopped explains its disks, so no case of their own is announced.
  if (lacks_copies(r)) leaves.held = [](const Resource&) { return std::nullopt; };
  if (blind.empty()) collect(inventory, r, 0, leaves, pool.well, pool.expected);
  if (pool.expected.size() > kMostMembers) {
    const size_t more = pool.expected.size() - kMostMembers;
    pool.expected.resize(kMostMembers);
    pool.expected.push_back(fmt::format("{} more.", more));
  }
  return pool;
}

// A btrfs with a single device has no redundancy to report; its cases are enough.
bool is_told_of(const Resource& r) {
  return r.type == "btrfs" && !r.get("health").empty() && number_in(r, "devices", 1) > 1;
}

}  // namespace

std::vector<PoolNow> pools_now(const Inventory& inventory, const LeafView& view) {
  std::vector<PoolNow> out;
  for (const auto& [fmri, r] : inventory.all())
    if (r.present && (r.type == "zfs-pool" || r.type == "md-array" || is_told_of(r)))
      out.push_back(pool_now(inventory, r, view));
  return out;
}

nlohmann::json to_json(const PoolNow& pool) {
  nlohmann::json doc = {{"fmri", pool.fmri},
                        {"name", pool.name},
                        {"state", pool.state},
                        {"well", pool.well},
                        {"expected", pool.expected}};
  if (!pool.redundancy.empty()) doc["redundancy"] = pool.redundancy;
  if (pool.survives) doc["survives"] = *pool.survives;
  if (!pool.scan.empty()) doc["scan"] = pool.scan;
  return doc;
}

}  // namespace fmd
