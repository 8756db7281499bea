#include "plugins/volumes/md_known.h"

#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/json.h"
#include "fmd/base/text.h"
#include "plugins/sdk/messages.h"

namespace fmd::volumes {
namespace {

constexpr const char* kNoneKnown = "none known";

bool has_uuid(const std::string& array) {
  return array.starts_with("md://uuid=");
}

// The disk or partition of a member, without its array: "/disk=5000…/part=1".
std::string_view who_of(std::string_view member) {
  const size_t at = member.find("/disk=");
  return at == member.npos ? std::string_view() : member.substr(at);
}

bool is_there(const MdScan& scan, const std::string& fmri) {
  return std::any_of(scan.arrays.begin(), scan.arrays.end(),
                     [&](const MdArray& array) { return array.fmri == fmri; });
}

bool has_member_of(const MdArray& array, const std::map<int, MdMemory::Occupant>& slots) {
  return std::any_of(array.members.begin(), array.members.end(), [&](const MdMember& m) {
    const std::string_view who = who_of(m.fmri);
    return !who.empty() && std::any_of(slots.begin(), slots.end(), [&](const auto& slot) {
      return who_of(slot.second.fmri) == who;
    });
  });
}

std::string in_words(const std::string& device, const std::string& serial) {
  return serial.empty() ? display(device)
                        : fmt::format("{} (serial {})", display(device), display(serial, 60));
}

// Empty for an array that has lost data: when it is stopped, its case must stay.
std::set<std::string> members_in_use(const MdArray& array) {
  std::set<std::string> devices;
  if (array_health(array) == "failed") return devices;
  for (const MdMember& m : array.members)
    if (m.in_sync && !m.faulty) devices.insert(m.device);
  return devices;
}

bool was_stopped(const MdScan& scan, const MdMemory::Known& known) {
  return !known.boot.empty() && !known.devices.empty() &&
         std::includes(scan.devices.begin(), scan.devices.end(), known.devices.begin(),
                       known.devices.end());
}

void add(std::string& list, const std::string& one) {
  list += (list.empty() ? "" : ", ") + one;
}

}  // namespace

void recognise(MdScan& scan, const MdMemory& memory) {
  for (MdArray& array : scan.arrays) {
    if (!has_uuid(array.fmri))
      for (const auto& [fmri, slots] : memory.slots)
        if (!is_there(scan, fmri) && has_member_of(array, slots)) {
          array.fmri = fmri;
          for (MdMember& m : array.members) m.fmri = fmri + std::string(who_of(m.fmri));
          break;
        }
    const auto known = memory.arrays.find(array.fmri);
    if (array.state != "inactive" || known == memory.arrays.end()) continue;
    if (array.level.empty()) array.level = known->second.level;
    if (array.name.empty()) array.name = known->second.name;
    if (array.raid_disks == 0) array.raid_disks = known->second.raid_disks;
  }
}

void note_arrays(const MdScan& scan, std::string_view boot, MdMemory& memory) {
  std::erase_if(memory.arrays, [&](const auto& known) {
    const auto slots = memory.slots.find(known.first);
    return slots != memory.slots.end() && !is_there(scan, known.first) &&
           std::any_of(scan.arrays.begin(), scan.arrays.end(), [&](const MdArray& array) {
             return has_uuid(array.fmri) && has_member_of(array, slots->second);
           });
  });
  for (auto& [fmri, known] : memory.arrays)
    if (known.boot != boot)
      known.stopped = false;  // a boot starts it again, if its members are present
    else
      known.stopped = !is_there(scan, fmri) && (known.stopped || was_stopped(scan, known));
  for (const MdArray& array : scan.arrays) {
    if (!has_uuid(array.fmri)) continue;
    if (array.state == "inactive") {
      const auto known = memory.arrays.find(array.fmri);
      if (known != memory.arrays.end()) known->second.devices.clear();
    } else {
      memory.arrays[array.fmri] = {array.device,     array.name,        array.level,
                                   array.raid_disks, std::string(boot), members_in_use(array)};
    }
  }
}

void note_needs(const MdScan& scan, const Needs& needs, MdMemory& memory) {
  for (const MdArray& array : scan.arrays) {
    const auto known = memory.arrays.find(array.fmri);
    if (known == memory.arrays.end() || array.state == "inactive") continue;
    known->second.specs = needs.of(array.device);
    known->second.removable =
        !array.members.empty() &&
        std::all_of(array.members.begin(), array.members.end(),
                    [&](const MdMember& m) { return needs.removable.contains(m.device); });
  }
}

std::string members_there(const MdArray& array) {
  std::string list;
  for (const MdMember& m : array.members) add(list, in_words(m.device, m.serial));
  return list.empty() ? kNoneKnown : list;
}

std::string members_missing(const MdArray& array, const MdMemory& memory) {
  std::string list;
  if (const auto slots = memory.slots.find(array.fmri); slots != memory.slots.end())
    for (const auto& [slot, last] : slots->second)
      if (std::none_of(array.members.begin(), array.members.end(),
                       [&](const MdMember& m) { return m.fmri == last.fmri; }))
        add(list, in_words(last.device, last.serial));
  return list.empty() ? kNoneKnown : list;
}

std::map<std::string, nlohmann::json> missing_arrays(const MdScan& scan, const MdMemory& memory,
                                                     const Needs& needs) {
  std::map<std::string, nlohmann::json> out;
  for (const auto& [fmri, known] : memory.arrays) {
    if (is_there(scan, fmri) || !needs.misses(known.specs, known.removable)) continue;
    // It may be one of the arrays whose UUID is unknown.
    if (scan.nameless > 0 && scan.devices.contains(known.device)) continue;
    MdArray gone;
    gone.fmri = fmri;
    const char* state = known.stopped ? "stopped" : "missing";
    nlohmann::json p{{"name", known.device},
                     {"path", "/dev/" + known.device},
                     {"level", known.level},
                     {"raid_disks", known.raid_disks},
                     {"health", state},
                     {"state", state},
                     {"scan", "none"},
                     {"members_there", kNoneKnown},
                     {"members_missing", members_missing(gone, memory)}};
    if (!known.name.empty()) p["label"] = known.name;
    out[fmri] = sdk::resource(fmri, "md-array", std::move(p));
  }
  return out;
}

}  // namespace fmd::volumes
