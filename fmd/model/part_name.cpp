#include "fmd/model/part_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "fmd/base/text.h"
#include "fmd/model/fmri.h"

namespace fmd {
namespace {

bool is_of_one_disk(const Resource& r) {
  return r.type == "disk" || r.type == "md-member" || r.type == "btrfs-device" ||
         (r.type == "zfs-vdev" && !r.get("path").empty());
}

// The disk that it is or is made of; the inventory may have forgotten the resource itself.
const Resource* disk_of(const Inventory& inventory, const Resource& r) {
  if (r.type == "disk") return &r;
  if (const Resource* disk = inventory.descend(r.fmri, Relation::redundancy, "dev")) return disk;
  for (const Edge& edge : r.edges)
    if (edge.relation == Relation::redundancy && edge.to.starts_with("dev://"))
      return inventory.find(edge.to);
  return nullptr;
}

std::string bay_in_words(const std::string& bay) {
  const bool only_digits =
      std::all_of(bay.begin(), bay.end(), [](char c) { return c >= '0' && c <= '9'; });
  return (only_digits ? "bay " : "") + display(bay);
}

// "" unless it is of one disk whose bay or serial number is known.
std::string place_of(const Inventory& inventory, const Resource& r, bool with_serial) {
  if (!is_of_one_disk(r)) return {};
  const Resource* disk = disk_of(inventory, r);
  const std::string bay = inventory.location(disk ? disk->fmri : r.fmri);
  const std::string serial = disk ? display(disk->get("serial")) : std::string();
  if (bay.empty()) return serial.empty() ? "" : "disk " + serial;
  return bay_in_words(bay) +
         (with_serial && !serial.empty() ? fmt::format(" (serial {})", serial) : "");
}

}  // namespace

std::string name_of(const Resource& r) {
  if (const std::string printed = r.printed_name(); !printed.empty()) return display(printed);
  for (const std::string_view property : {"name", "label", "serial"})
    if (const std::string name = r.get(property); !name.empty()) return display(name);
  // "SCSI controller 0000:03:00.0"
  if (const std::string address = r.get("address");
      !address.empty() && (r.type == "hba" || r.type == "pci")) {
    const std::string kind = r.get("class_name");
    return display((kind.empty() ? "PCI device" : kind) + " " + address);
  }
  return display(r.fmri);
}

std::string name_in_place(const Inventory& inventory, const std::string& fmri) {
  const Resource* r = inventory.find(fmri);
  if (!r) return display(fmri_words(fmri));
  const std::string place = place_of(inventory, *r, false);
  return place.empty() ? name_of(*r) : place;
}

std::string name_with_serial(const Inventory& inventory, const Resource& r) {
  const std::string place = place_of(inventory, r, true);
  return place.empty() ? name_of(r) : place;
}

}  // namespace fmd
