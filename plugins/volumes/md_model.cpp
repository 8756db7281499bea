#include "plugins/volumes/md_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "fmd/base/json.h"
#include "fmd/base/text.h"
#include "fmd/model/fmri.h"
#include "fmd/model/last_copy.h"
#include "plugins/sdk/messages.h"
#include "plugins/volumes/md_journal.h"
#include "plugins/volumes/md_known.h"

namespace fmd::volumes {
namespace {

using nlohmann::json;

constexpr size_t kMostReplaced = 200;

bool holds_data(const MdMember& m) {
  return m.slot >= 0 && m.in_sync && !m.faulty && !m.gone;
}

// During a reshape, those of both geometries.
int slot_count(const MdArray& array) {
  return array.reshaping ? std::max(array.raid_disks, array.disks_before) : array.raid_disks;
}

// The slots of the array that have all their data, ignoring one member.
std::set<int> good_slots(const MdArray& array, const MdMember* without) {
  std::set<int> good;
  for (const MdMember& m : array.members)
    if (&m != without && holds_data(m)) good.insert(m.slot);
  return good;
}

// How many slots may be empty; also 0 for levels without redundancy.
int tolerance(const MdArray& array) {
  if (array.level == "raid1") return slot_count(array) - 1;
  if (array.level == "raid4" || array.level == "raid5") return 1;
  return array.level == "raid6" ? 2 : 0;
}

// raid10: each group of neighbours with the same data must have a good one. With far copies, or if
// the groups overlap, at most one disk may be missing.
bool raid10_whole(const MdArray& array, const std::set<int>& good) {
  const int copies = array.near_copies, disks = slot_count(array);
  const int missing = disks - static_cast<int>(good.size());
  if (copies < 1 || disks % copies != 0) return missing <= 1;
  for (int first = 0; first < disks; first += copies) {
    bool any = false;
    for (int slot = first; slot < first + copies; ++slot) any = any || good.count(slot);
    if (!any) return false;
  }
  return true;
}

bool has_all_data(const MdArray& array, const std::set<int>& good) {
  if (array.level == "raid10") return raid10_whole(array, good);
  return slot_count(array) - static_cast<int>(good.size()) <= tolerance(array);
}

// How many of those slots may become empty, in the worst case; below 0: data is already lost.
int spare_slots(const MdArray& array, const std::set<int>& good) {
  const int missing = slot_count(array) - static_cast<int>(good.size());
  if (array.level != "raid10") return tolerance(array) - missing;
  const int copies = array.near_copies, disks = slot_count(array);
  if (copies < 1 || disks % copies != 0) return 1 - missing;
  int least = copies;
  for (int first = 0; first < disks; first += copies) {
    int held = 0;
    for (int slot = first; slot < first + copies; ++slot) held += good.count(slot) ? 1 : 0;
    least = std::min(least, held);
  }
  return least - 1;
}

bool redundant(const MdArray& array) {
  return array.level == "raid10" ? array.near_copies != 1 : tolerance(array) > 0;
}

std::string service_of(const std::string& state) {
  if (state == "faulty") return "out-of-service";
  if (state == "missing") return "removed";
  return state == "want-replacement" ? "degraded" : "in-service";
}

// The member that is being rebuilt in this member's slot.
const MdMember* successor_of(const MdArray& array, const MdMemory& memory,
                             const std::string& fmri) {
  int slot = -1;
  if (const auto slots = memory.slots.find(array.fmri); slots != memory.slots.end())
    for (const auto& [number, occupant] : slots->second)
      if (occupant.fmri == fmri) slot = number;
  if (slot < 0) return nullptr;
  for (const MdMember& m : array.members)
    if (m.fmri != fmri && m.slot == slot && m.spare && !m.faulty) return &m;
  return nullptr;
}

// fmd writes no partition table, so a person replaces such a member.
void set_partition(const std::string& member, json& p) {
  if (member.find("/part=") != member.npos) p["partition"] = true;
}

json member_json(const MdArray& array, const MdMember& m, const MdMemory& memory) {
  const std::string state = member_state(m);
  json p{{"name", m.device},
         {"pool", array.device},
         {"path", "/dev/" + m.device},
         {"state", state},
         {"role", m.journal               ? "journal"
                  : m.slot < 0 && m.spare ? "spare"
                                          : "data"},
         {"service", service_of(state)},
         {"busy", md_busy(array)},
         {"group", array.fmri},
         {"read_errors_corrected", m.errors},
         {"bad_blocks", m.bad_blocks}};
  if (m.slot >= 0) p["slot"] = m.slot;
  set_partition(m.fmri, p);
  if (const std::string why = md_reshape_refusal(array); !why.empty()) p["replace_refusal"] = why;
  if (is_mapped(array)) p["mapped"] = true;
  if (memory.taken.count(m.fmri)) p["was_spare"] = true;
  const auto deed = memory.deeds.find(m.fmri);
  const bool ours =
      deed != memory.deeds.end() && !deed->second.pending && deed->second.state == state;
  if (ours) p["retired_by"] = deed->second.key;
  p["by_fmd"] = ours;
  if (const std::string why = md_refusal(array, m); !why.empty()) p["retire_refusal"] = why;
  if (const auto left = md_losses_left(array, m)) {
    p["losses_left"] = *left;
    p["losses_group"] = array_name(array);
  }
  if (const MdMember* next = successor_of(array, memory, m.fmri)) p["replacing"] = next->fmri;
  json edges = json::array();
  if (!m.disk.empty()) edges.push_back(sdk::edge("redundancy", m.disk));
  return sdk::resource(m.fmri, "md-member", std::move(p), std::move(edges));
}

// The resource of a member that held a slot's data and that the kernel no longer lists.
json missing_json(const MdArray& array, const MdMemory& memory, int slot,
                  const MdMemory::Occupant& last, const char* role = "data") {
  json p{
      {"name", last.device},  {"pool", array.device},       {"state", "missing"},  {"role", role},
      {"service", "removed"}, {"busy", md_busy(array)},     {"group", array.fmri}, {"slot", slot},
      {"by_fmd", false},      {"read_errors_corrected", 0}, {"bad_blocks", 0}};
  if (const MdMember* next = successor_of(array, memory, last.fmri)) p["replacing"] = next->fmri;
  set_partition(last.fmri, p);
  if (is_mapped(array)) p["mapped"] = true;
  if (const std::string why = md_reshape_refusal(array); !why.empty()) p["replace_refusal"] = why;
  json edges = json::array();
  if (!last.disk.empty()) edges.push_back(sdk::edge("redundancy", last.disk));
  return sdk::resource(last.fmri, "md-member", std::move(p), std::move(edges));
}

std::string scan_word(const MdArray& array) {
  if (array.reshaping) return "reshape";
  if (array.action == "recover" || array.action == "resync") return "resilver";
  if (array.action == "check" || array.action == "repair") return "scrub";
  return "none";
}

// The number of members whose data is not redundant; empty for layouts in which the position of a
// reshape does not show how far it is.
std::optional<uint64_t> data_disks(const MdArray& array) {
  const auto disks = static_cast<uint64_t>(array.raid_disks);
  const uint64_t parity = array.level == "raid6" ? 2 : 1;
  if (array.level == "raid4" || array.level == "raid5" || array.level == "raid6")
    return disks > parity ? std::optional(disks - parity) : std::nullopt;
  return {};
}

// The kernel gives a position in the array's data, laid out as before for what is still to be done
// (raid5_start_reshape(), reshape_request() in drivers/md/raid5.c).
std::optional<double> reshape_percent(const MdArray& array) {
  const auto disks = data_disks(array);
  if (!array.reshape_at || !disks || array.member_sectors == 0) return {};
  const uint64_t all = *disks * array.member_sectors;
  uint64_t done = *array.reshape_at;
  if (array.reshapes_backwards) done = all - std::min(all, done);
  return std::round(static_cast<double>(std::min(done, all)) / static_cast<double>(all) * 1000) /
         10;
}

// "has stopped at 42.5 %, from 3 to 4 disks".
std::string reshape_text(const MdArray& array) {
  const auto percent = reshape_percent(array);
  std::string text =
      percent ? fmt::format("has stopped at {} %", *percent) : "has stopped half-way";
  if (array.disks_before > 0 && array.disks_before != array.raid_disks)
    text += fmt::format(", from {} to {} disks", array.disks_before, array.raid_disks);
  return text;
}

json array_json(const MdArray& array, const MdMemory& memory) {
  const auto spares = std::count_if(array.members.begin(), array.members.end(), [](const auto& m) {
    return m.spare && m.slot < 0 && !m.faulty;
  });
  json p{{"name", array.device},           {"path", "/dev/" + array.device},
         {"level", array.level},           {"raid_disks", array.raid_disks},
         {"size_bytes", array.size_bytes}, {"health", array_health(array)},
         {"state", array.state},           {"degraded", array.degraded.value_or(0)},
         {"spares_available", spares},     {"scan", scan_word(array)},
         {"stopped", md_stopped(array)},   {"last_action", array.last_action}};
  if (p["stopped"] == "reshape") p["stopped_text"] = reshape_text(array);
  if (!array.name.empty()) p["label"] = array.name;
  if (array.state == "inactive") {
    p["members_there"] = members_there(array);
    p["members_missing"] = members_missing(array, memory);
  }
  if (const auto known = memory.mismatches.find(array.fmri); known != memory.mismatches.end())
    p["mismatch_sectors"] = known->second;
  if (const auto last = memory.last_sync.find(array.fmri); last != memory.last_sync.end())
    p["last_scan_text"] = last->second;
  if (scan_word(array) != "none" && array.sectors_all > 0) {
    const double part =
        static_cast<double>(array.sectors_done) / static_cast<double>(array.sectors_all);
    p["scan_percent"] = std::round(part * 1000) / 10;
    p["scan_rate_bytes"] = array.rate_bytes;
    if (array.rate_bytes > 0)
      p["scan_seconds_left"] = (array.sectors_all - array.sectors_done) * 512 / array.rate_bytes;
  }
  return sdk::resource(array.fmri, "md-array", std::move(p), json::array());
}

bool is_occupant(const MdArray& array, const MdMemory& memory, const std::string& fmri) {
  const auto known = memory.slots.find(array.fmri);
  return known != memory.slots.end() &&
         std::any_of(known->second.begin(), known->second.end(),
                     [&](const auto& entry) { return entry.second.fmri == fmri; });
}

// The number of slots without data, without a listed member and without a known former occupant.
int strangers(const MdArray& array, const MdMemory& memory) {
  const auto known = memory.slots.find(array.fmri);
  const std::set<int> good = good_slots(array, nullptr);
  int count = 0;
  for (int slot = 0; slot < slot_count(array); ++slot) {
    const bool taken = std::any_of(array.members.begin(), array.members.end(),
                                   [&](const MdMember& m) { return m.slot == slot; });
    const bool held = known != memory.slots.end() && known->second.count(slot);
    if (!good.count(slot) && !taken && !held) ++count;
  }
  for (const MdMember& m : array.members)
    if (m.faulty && m.slot < 0 && !memory.replaced.count(m.fmri) &&
        !is_occupant(array, memory, m.fmri))
      --count;
  return std::max(0, count);
}

// Former occupants of slots without data that the kernel no longer lists, and missing spares.
std::map<std::string, json> missing_members(const MdArray& array, const MdMemory& memory) {
  std::map<std::string, json> out;
  const std::set<int> good = good_slots(array, nullptr);
  std::set<std::string> listed;
  for (const MdMember& m : array.members) listed.insert(m.fmri);
  if (const auto known = memory.slots.find(array.fmri); known != memory.slots.end())
    for (const auto& [slot, last] : known->second)
      if (slot >= 0 && !good.count(slot) && !listed.count(last.fmri))
        out[last.fmri] = missing_json(array, memory, slot, last);
  if (const auto journal = missing_journal(array, memory))
    out[journal->fmri] = missing_json(array, memory, kJournalSlot, *journal, "journal");
  if (const auto spares = memory.spares.find(array.fmri); spares != memory.spares.end())
    for (const auto& [fmri, last] : spares->second)
      if (!listed.count(fmri) && !out.count(fmri))
        out[fmri] = missing_json(array, memory, -1, last, "spare");
  const int unknown = strangers(array, memory);
  for (int n = 0; n < unknown; ++n) {
    const MdMemory::Occupant nobody{fmt::format("{}/missing={}", array.fmri, n), "a member", "",
                                    ""};
    out[nobody.fmri] = missing_json(array, memory, -1, nobody);
  }
  return out;
}

void note_deed(const MdMember& m, MdMemory& memory) {
  const auto deed = memory.deeds.find(m.fmri);
  if (deed == memory.deeds.end()) return;
  const std::string state = member_state(m);
  // The kernel ends a replacement by making the old member faulty: part of the same action.
  if (deed->second.state == "want-replacement" && state == "faulty" && !deed->second.pending)
    deed->second.state = state;
  if (deed->second.state == state)
    deed->second.pending = false;
  else if (!deed->second.pending)
    memory.deeds.erase(deed);
}

// While a hot replacement is being filled, the slot belongs to the old member.
void note_occupant(const MdMember& m, std::map<int, MdMemory::Occupant>& slots, MdMemory& memory) {
  if (!holds_data(m) || m.replacement) return;
  MdMemory::Occupant& last = slots[m.slot];
  if (!last.fmri.empty() && last.fmri != m.fmri) memory.replaced[last.fmri] = m.fmri;
  memory.replaced.erase(m.fmri);
  last = {m.fmri, m.device, m.disk, m.serial};
}

bool idle_spare(const MdMember& m) {
  return m.spare && m.slot < 0 && !m.faulty && !m.journal;
}

// A spare that is no longer listed is missing until it is back or another has replaced it. If its
// device still exists, a person has removed it.
void note_spares(const MdArray& array, const std::set<std::string>& devices, MdMemory& memory) {
  auto& spares = memory.spares[array.fmri];
  std::set<std::string> listed;
  for (const MdMember& m : array.members) listed.insert(m.fmri);
  std::erase_if(spares, [&](const auto& one) {
    return !listed.count(one.first) && devices.count(one.second.device);
  });
  for (const MdMember& m : array.members) {
    if (member_state(m) != "rebuilding") memory.taken.erase(m.fmri);
    if (!idle_spare(m)) {
      if (spares.erase(m.fmri) > 0 && member_state(m) == "rebuilding") memory.taken.insert(m.fmri);
      continue;
    }
    const bool fresh = !spares.count(m.fmri);
    spares[m.fmri] = {m.fmri, m.device, m.disk, m.serial};
    memory.replaced.erase(m.fmri);
    const auto missing = std::find_if(spares.begin(), spares.end(),
                                      [&](const auto& one) { return !listed.count(one.first); });
    if (!fresh || missing == spares.end()) continue;
    memory.replaced[missing->first] = m.fmri;
    spares.erase(missing);
  }
}

void forget_replaced(MdMemory& memory) {
  while (memory.replaced.size() > kMostReplaced) memory.replaced.erase(memory.replaced.begin());
}

}  // namespace

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MdDeed, key, state, pending)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MdMemory::Occupant, fmri, device, disk, serial)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(MdMemory::Known, device, name, level, raid_disks,
                                                boot, devices, stopped, specs, removable)

json to_json(const MdMemory& memory) {
  json slots = json::object();
  for (const auto& [array, of] : memory.slots)
    for (const auto& [slot, occupant] : of) slots[array][std::to_string(slot)] = occupant;
  return {{"slots", std::move(slots)},     {"arrays", memory.arrays},
          {"spares", memory.spares},       {"taken", memory.taken},
          {"replaced", memory.replaced},   {"deeds", memory.deeds},
          {"last_sync", memory.last_sync}, {"mismatches", memory.mismatches}};
}

MdMemory md_memory_from_json(const json& doc) {
  MdMemory memory;
  for (const auto& [array, of] : doc.at("slots").items())
    for (const auto& [slot, occupant] : of.items())
      memory.slots[array][std::stoi(slot)] = occupant.get<MdMemory::Occupant>();
  if (doc.contains("spares"))  // earlier versions did not write it, nor the arrays
    memory.spares = doc["spares"].get<decltype(memory.spares)>();
  if (doc.contains("taken")) memory.taken = doc["taken"].get<std::set<std::string>>();
  if (doc.contains("arrays")) memory.arrays = doc["arrays"].get<decltype(memory.arrays)>();
  memory.replaced = doc.at("replaced").get<std::map<std::string, std::string>>();
  memory.deeds = doc.at("deeds").get<std::map<std::string, MdDeed>>();
  memory.last_sync = doc.at("last_sync").get<std::map<std::string, std::string>>();
  memory.mismatches = doc.at("mismatches").get<std::map<std::string, uint64_t>>();
  return memory;
}

void note(const MdScan& scan, std::string_view boot, MdMemory& memory) {
  for (const MdArray& array : scan.arrays) {
    auto& slots = memory.slots[array.fmri];
    if (array.raid_disks > 0 && !array.reshaping)
      slots.erase(slots.lower_bound(array.raid_disks), slots.end());
    for (const MdMember& m : array.members) {
      note_deed(m, memory);
      note_occupant(m, slots, memory);
    }
    if (array.state != "inactive") {
      note_spares(array, scan.devices, memory);
      note_journal(array, memory);
    }
    if (array.mismatches && scan_word(array) == "none") {
      if (array.last_action == "check") memory.mismatches[array.fmri] = *array.mismatches;
      if (array.last_action == "repair") memory.mismatches[array.fmri] = 0;
    }
  }
  forget_replaced(memory);
  note_arrays(scan, boot, memory);
}

std::string member_state(const MdMember& m) {
  if (m.faulty) return "faulty";
  if (m.gone) return "missing";
  if (m.journal) return "journal";
  if (m.in_sync) return m.want_replacement ? "want-replacement" : "in-sync";
  return m.slot >= 0 ? "rebuilding" : "spare";
}

std::string array_health(const MdArray& array) {
  if (array.state == "inactive") return "inactive";
  if (array.state == "broken" || !has_all_data(array, good_slots(array, nullptr))) return "failed";
  const bool any_gone =
      std::any_of(array.members.begin(), array.members.end(),
                  [](const MdMember& m) { return m.gone && m.in_sync && m.slot >= 0; });
  return any_gone || array.degraded.value_or(0) > 0 ? "degraded" : "optimal";
}

std::string md_refusal(const MdArray& array, const MdMember& member) {
  if (!holds_data(member)) return "";
  if (!redundant(array))
    return fmt::format("{}the array ({}) has no redundancy", kLastCopy, array.level);
  if (md_stopped(array) == "reshape")
    return fmt::format(
        "{}a reshape of the array has stopped half-way, and not all copies are good "
        "until it ends",
        kLastCopy);
  const auto running = [&](const char* action) { return array.action == action; };
  if (running("resync") || running("recover") || array.reshaping)
    return fmt::format("{}a {} of the array is running, and not all copies are good until it ends",
                       kLastCopy, array.action);
  if (has_all_data(array, good_slots(array, &member))) return "";
  return fmt::format("{}too few other members of the array are good", kLastCopy);
}

bool is_mapped(const MdArray& array) {
  return std::any_of(array.members.begin(), array.members.end(),
                     [](const MdMember& m) { return m.mapped; });
}

std::string md_stopped(const MdArray& array) {
  if (array.reshaping) return array.action != "reshape" || array.stalled ? "reshape" : "none";
  // The kernel begins at the first write to an array that is "read-auto".
  const bool waits = array.state.starts_with("read") || array.state == "inactive";
  const bool works = array.action != "idle" && array.action != "frozen";
  const bool unfilled =
      std::any_of(array.members.begin(), array.members.end(),
                  [](const MdMember& m) { return member_state(m) == "rebuilding"; });
  return unfilled && !waits && !works ? "rebuild" : "none";
}

std::string md_reshape_refusal(const MdArray& array) {
  if (!array.reshaping) return {};
  return fmt::format("array {} is being reshaped: its members stay as they are until that ends",
                     array_name(array));
}

std::optional<int> md_losses_left(const MdArray& array, const MdMember& member) {
  if (member.journal || !md_refusal(array, member).empty()) return std::nullopt;
  const int left = spare_slots(array, good_slots(array, &member));
  return left < 0 ? std::nullopt : std::optional(left);
}

std::string md_busy(const MdArray& array) {
  const std::string word = scan_word(array);
  return word == "none" ? "" : word == "reshape" ? "resilver" : word;
}

std::map<std::string, json> md_resources(const MdScan& scan, const MdMemory& memory,
                                         const Needs& needs) {
  std::map<std::string, json> out;
  for (const MdArray& array : scan.arrays) {
    json whole = array_json(array, memory);
    std::map<std::string, json> members;
    for (const MdMember& m : array.members) members[m.fmri] = member_json(array, m, memory);
    if (array.state != "inactive") members.merge(missing_members(array, memory));
    for (auto& [fmri, member] : members) whole["edges"].push_back(sdk::edge("redundancy", fmri));
    out[array.fmri] = std::move(whole);
    out.merge(members);
  }
  out.merge(missing_arrays(scan, memory, needs));
  return out;
}

const MdMember* find_member(const MdScan& scan, const std::string& fmri, const MdArray** array) {
  for (const MdArray& one : scan.arrays)
    for (const MdMember& m : one.members)
      if (m.fmri == fmri) {
        if (array) *array = &one;
        return &m;
      }
  return nullptr;
}

std::string array_name(const MdArray& array) {
  const bool named = !array.name.empty() && "md" + array.name != array.device;
  return named ? fmt::format("{} ({})", display(array.device), display(array.name))
               : display(array.device);
}

}  // namespace fmd::volumes
