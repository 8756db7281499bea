#include "fmd/model/part_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "fmd/base/text.h"
#include "fmd/model/fmri.h"

namespace fmd {
namespace {

constexpr size_t kLongestName = 60;

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

std::string serial_of(const Resource* disk) {
  return disk ? display(disk->get("serial"), kLongestName) : std::string();
}

}  // namespace

bool has_name(const Resource& resource, std::string_view name) {
  return std::any_of(kOwnNames.begin(), kOwnNames.end(),
                     [&](const char* property) { return resource.is(property, name); });
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) || c == ' ' || c == '-' || c == '_' || c == '.' || c == '/';
  });
}

std::string bay_words(std::string_view label) {
  const bool only_digits =
      std::all_of(label.begin(), label.end(), [](char c) { return c >= '0' && c <= '9'; });
  return (only_digits ? "bay " : "") + display(label, kLongestName);
}

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

std::string name_of(const Inventory& inventory, std::string_view fmri) {
  const Resource* r = inventory.find(fmri);
  return r ? name_of(*r) : display(fmri_words(fmri));
}

std::string place_of_disk(const Inventory& inventory, const Resource& r) {
  if (!is_of_one_disk(r)) return {};
  const Resource* disk = disk_of(inventory, r);
  if (const std::string bay = inventory.location(disk ? disk->fmri : r.fmri); !bay.empty())
    return bay_words(bay);
  const std::string serial = serial_of(disk);
  return serial.empty() ? "" : "disk " + serial;
}

std::string name_in_place(const Inventory& inventory, std::string_view fmri) {
  const Resource* r = inventory.find(fmri);
  const std::string place = r ? place_of_disk(inventory, *r) : std::string();
  return place.empty() ? name_of(inventory, fmri) : place;
}

std::string name_with_serial(const Inventory& inventory, const Resource& r) {
  const std::string place = place_of_disk(inventory, r);
  const std::string serial = place.empty() ? std::string() : serial_of(disk_of(inventory, r));
  if (place.empty()) return name_of(r);
  return serial.empty() || place == "disk " + serial ? place
                                                     : fmt::format("{} (serial {})", place, serial);
}

std::string name_with_serial(const Inventory& inventory, std::string_view fmri) {
  const Resource* r = inventory.find(fmri);
  return r ? name_with_serial(inventory, *r) : display(fmri_words(fmri));
}

}  // namespace fmd
