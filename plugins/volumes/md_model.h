// MdModel: what the arrays' state means, and what it is told as. Pure; what one look cannot tell
// stands in MdMemory.
//
//   a slot:  in-sync ──▶ faulty ──▶ (removed) missing ──▶ its new member rebuilds ──▶ in-sync: the
//            old one was replaced. A spare that the kernel takes goes the same way, at once.
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

// What fmd's command made of a member, as long as it stays so.
struct MdDeed {
  std::string key;
  std::string state;     // "faulty", "want-replacement"
  bool pending = false;  // its command is under way
  bool operator==(const MdDeed&) const = default;
};

// From one look, and one run, to the next.
struct MdMemory {
  struct Occupant {  // the last one that held a slot's data
    std::string fmri, device, disk, serial;
    bool operator==(const Occupant&) const = default;
  };
  struct Known {  // an array when it ran last
    std::string device, name, level;
    int raid_disks = 0;
    std::string boot;               // id of the boot in which it ran last
    std::set<std::string> devices;  // its members then; none: it had lost data
    bool stopped = false;           // in that boot
    Specs specs = {};               // Needs::of() while the array was present
    bool removable = false;         // all its members were on media that people unplug
    bool operator==(const Known&) const = default;
  };
  std::map<std::string, std::map<int, Occupant>> slots;  // array → slot
  std::map<std::string, Known> arrays;                   // all that ran, until they are re-created
  std::map<std::string, std::map<std::string, Occupant>> spares;  // array → member: its idle ones
  std::set<std::string> taken;  // spares that the kernel is filling in a failed member's place
  std::map<std::string, std::string> replaced;   // member → the one that has its data now
  std::map<std::string, MdDeed> deeds;           // member
  std::map<std::string, std::string> last_sync;  // array → "recover ended …"
  // Array → sectors that the last check found to differ and nothing has put right since. (The
  // kernel counts from 0 again when the next one begins, and also what a repair has put right.)
  std::map<std::string, uint64_t> mismatches;
  bool operator==(const MdMemory&) const = default;
};
nlohmann::json to_json(const MdMemory& memory);
MdMemory md_memory_from_json(const nlohmann::json& doc);

// Takes in a look. Arrays that are not there keep what is known of them. boot: the kernel's boot_id; "": unknown.
void note(const MdScan& scan, std::string_view boot, MdMemory& memory);

// "in-sync", "faulty", "rebuilding", "spare", "journal", "want-replacement" (in sync, and a spare
// is to take its place).
std::string member_state(const MdMember& member);
// "optimal", "degraded", "failed" (more is missing than it can bear), "inactive"; of one that is not there "stopped" or "missing"
std::string array_health(const MdArray& array);
// Why it may not go; "" it may: all data is there without it.
std::string md_refusal(const MdArray& array, const MdMember& member);
// How many further members, whichever these are, the array can do without once this one is out; nothing: it may not go.
std::optional<int> md_losses_left(const MdArray& array, const MdMember& member);
// The words of the inventory: "", "scrub", "resilver".
std::string md_busy(const MdArray& array);

std::map<std::string, nlohmann::json> md_resources(const MdScan& scan, const MdMemory& memory,
                                                   const Needs& needs);

const MdMember* find_member(const MdScan& scan, const std::string& fmri,
                            const MdArray** array = nullptr);
// The array's name for people: "md0 (backup)".
std::string array_name(const MdArray& array);

}  // namespace fmd::volumes
