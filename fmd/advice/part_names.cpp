#include "fmd/advice/part_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "fmd/advice/storage.h"
#include "fmd/base/text.h"
#include "fmd/model/fmri.h"

namespace fmd {
namespace {

constexpr size_t kLongestName = 60;

std::string own_name(const Resource& r) {
  if (r.type == "zfs-pool" || r.type == "md-array" || r.type == "btrfs") return storage_name(r);
  if (r.type == "plugin")
    return "fmd-" +
           display(r.get("name").empty() ? r.fmri.substr(r.fmri.find('=') + 1) : r.get("name"),
                   kLongestName);
  if (r.type == "service") return "fmd";
  if (r.type == "channel") return "channel " + display(r.get("name"), kLongestName);
  for (const std::string_view property : {"label", "name"})
    if (const std::string name = r.get(property); !name.empty()) return display(name, kLongestName);
  if (const std::string address = r.get("address"); !address.empty()) {
    const std::string kind = r.get("class_name");
    return display((kind.empty() ? "PCI device" : kind) + " " + address, kLongestName);
  }
  return {};
}

bool names_a_disk(const Suspect& s) {
  return s.fru.starts_with("dev://") && !s.fru.starts_with("dev://path=");
}

// The name as the case remembers it; the inventory has forgotten the part.
std::string remembered(const Suspect& s, std::string_view fmri) {
  const auto fact = [&](std::string_view name) {
    const auto at = s.facts.find(name);
    return at == s.facts.end() ? std::string() : at->second;
  };
  if (fmri.starts_with("zfs://pool=") && fmri.find('/', 11) == fmri.npos && !fact("pool").empty())
    return "pool " + display(fact("pool"), kLongestName);
  if (fmri.starts_with("fmd://plugin=")) return "fmd-" + display(fmri.substr(13), kLongestName);
  return fact("name").empty() ? display(fmri_words(fmri), kLongestName)
                              : display(fact("name"), kLongestName);
}

}  // namespace

std::string suspect_words(const Inventory& inventory, const Suspect& s) {
  if (names_a_disk(s)) {
    if (!s.location.empty()) return bay_words(s.location);
    if (!s.serial.empty()) return "disk " + display(s.serial, kLongestName);
    if (const Resource* disk = inventory.find(s.fru); disk && !disk->get("path").empty())
      return display(disk->get("path"), kLongestName);
  }
  for (const std::string& fmri : {s.fru, s.resource}) {
    const Resource* r = fmri.empty() ? nullptr : inventory.find(fmri);
    std::string name = r ? own_name(*r) : std::string();
    // A dimm's or a processor's own label may be missing where that of its socket is known.
    if (name.empty() && r && fmri == s.fru && !s.location.empty()) name = bay_words(s.location);
    if (name.empty()) continue;
    const std::string pool = r->get("pool");
    return r->type == "zfs-vdev" && !pool.empty()
               ? fmt::format("{} of pool {}", name, display(pool, kLongestName))
               : name;
  }
  return remembered(s, s.resource);
}

std::string suspects_words(const Inventory& inventory, const Case& c) {
  std::vector<std::string> names;
  for (const bool faulty : {true, false}) {
    if (!names.empty()) break;
    for (const Suspect& s : c.suspects) {
      if (faulty && s.status != SuspectStatus::faulty) continue;
      std::string name = suspect_words(inventory, s);
      if (std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(std::move(name));
    }
  }
  if (names.empty()) return "a part";
  if (names.size() == 1) return names.front();
  if (names.size() == 2) return names[0] + " or " + names[1];
  return fmt::format("{} or {} more", names[0], names.size() - 1);
}

std::string disk_words(const Inventory& inventory, const Resource& vdev) {
  const Resource* disk = inventory.descend(vdev.fmri, Relation::redundancy, "dev");
  if (disk)
    if (const std::string bay = inventory.location(disk->fmri); !bay.empty()) return bay_words(bay);
  return display(vdev.get("name"), kLongestName);
}

std::string resource_words(const Inventory& inventory, std::string_view fmri) {
  const Resource* r = inventory.find(fmri);
  if (!r) return display(fmri_words(fmri), kLongestName);
  if (std::string place = place_of_disk(inventory, *r); !place.empty()) return place;
  const std::string name = own_name(*r);
  return name.empty() ? display(fmri_words(fmri), kLongestName) : name;
}

std::string command_name(const Inventory& inventory, const PartIndex& index, const Suspect& s) {
  const std::string& fmri = s.fru.empty() ? (s.asru.empty() ? s.resource : s.asru) : s.fru;
  if (names_a_disk(s)) {
    if (is_plain_name(s.location) && index.only(s.location)) return "\"" + s.location + "\"";
    const Resource* disk = is_plain_name(s.serial) ? index.only(s.serial) : nullptr;
    if (disk && disk->is("serial", s.serial)) return "\"" + s.serial + "\"";
  }
  return command_name(inventory, index, fmri);
}

std::string command_name(const Inventory& inventory, const PartIndex& index,
                         const std::string& fmri) {
  const Resource* r = inventory.find(fmri);
  // A vdev's own name is a device name, which may be another disk's tomorrow.
  if (!r || r->type == "zfs-vdev" || r->type == "md-member" || r->type == "btrfs-device")
    return fmri;
  const std::string name = r->type == "disk" ? r->get("serial") : own_name(*r);
  return is_plain_name(name) && index.only(name) == r ? "\"" + name + "\"" : fmri;
}

}  // namespace fmd
