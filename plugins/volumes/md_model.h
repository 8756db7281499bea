// MdModel: judges the state of md arrays and describes it as resources. Pure; state from earlier
// scans is kept in MdMemory.
//
//   a slot:  in-sync ──▶ faulty ──▶ (removed) missing ──▶ its new member rebuilds ──▶ in-sync: the
//            old one was replaced. A spare that the kernel uses takes the same path, at once.
#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/volumes/md_scan.h"
#include "plugins/volumes/needs.h"

namespace fmd::volumes {

// The state of a member caused by fmd's command; erased when the state changes.
struct MdDeed {
  std::string key;
  std::string state;     // "faulty", "want-replacement"
  bool pending = false;  // its command is running
  bool operator==(const MdDeed&) const = default;
};

// State kept between scans and between runs.
struct MdMemory {
  struct Occupant {  // the last member that held a slot's data
    std::string fmri, device, disk, serial;
    bool operator==(const Occupant&) const = default;
  };
  struct Known {  // an array when it last ran
    std::string device, name, level;
    int raid_disks = 0;
    std::string boot;               // id of the boot in which it last ran
    std::set<std::string> devices;  // its members then; none: it had lost data
    bool stopped = false;           // in that boot, by a person
    Specs specs = {};               // Needs::of() while the array was present
    bool removable = false;         // all its members were on media that people unplug
    bool operator==(const Known&) const = default;
  };
  std::map<std::string, std::map<int, Occupant>> slots;  // array → slot
  std::map<std::string, Known> arrays;                   // all that have run, until re-created
  std::map<std::string, std::map<std::string, Occupant>> spares;  // array → member: idle ones
  std::set<std::string> taken;  // spares that the kernel is filling to replace a failed member
  std::map<std::string, std::string> replaced;   // member → the one that now holds its data
  std::map<std::string, MdDeed> deeds;           // member
  std::map<std::string, std::string> last_sync;  // array → "recover ended …"
  // Array → sectors that the last check found to differ and that have not been repaired since. (The
  // kernel counts from 0 again when the next check begins, and also counts repaired ones.)
  std::map<std::string, uint64_t> mismatches;
  bool operator==(const MdMemory&) const = default;
};
nlohmann::json to_json(const MdMemory& memory);
MdMemory md_memory_from_json(const nlohmann::json& doc);

// Records a scan. Absent arrays keep what is known of them. boot: the kernel's boot_id; "":
// unknown.
void note(const MdScan& scan, std::string_view boot, MdMemory& memory);

// "in-sync", "faulty", "rebuilding", "spare", "journal", "want-replacement" (in sync, to be
// replaced by a spare).
std::string member_state(const MdMember& member);
// "optimal", "degraded", "failed" (more is missing than its level survives), "inactive"; of an
// absent array "stopped" or "missing".
std::string array_health(const MdArray& array);
// Why the member must not be removed; "" if all data exists without it.
std::string md_refusal(const MdArray& array, const MdMember& member);
// Whether its members are on LUKS, LVM or the like, so that a new disk itself is no member.
bool is_mapped(const MdArray& array);
// The work that has stopped half-way, so that only a person can resume it: "reshape", "rebuild" (a
// member's slot is not being filled) or "none".
std::string md_stopped(const MdArray& array);
// Why no member may be retired, restored or replaced now, whatever its state; "" no reshape.
std::string md_reshape_refusal(const MdArray& array);
// The number of further members, in the worst case, that the array can lose once this one is out;
// empty if it must not be removed.
std::optional<int> md_losses_left(const MdArray& array, const MdMember& member);
// As in the inventory: "", "scrub", "resilver".
std::string md_busy(const MdArray& array);

std::map<std::string, nlohmann::json> md_resources(const MdScan& scan, const MdMemory& memory,
                                                   const Needs& needs);

const MdMember* find_member(const MdScan& scan, const std::string& fmri,
                            const MdArray** array = nullptr);
// For people: "md0 (backup)".
std::string array_name(const MdArray& array);

}  // namespace fmd::volumes
