#include "ui/mapping/chassis_resolvers.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "fmd/model/fmri.h"

namespace fmd::mapping {
namespace {

constexpr std::array<std::string_view, 6> kOrder = {"ses_slot", "ses_name", "sas_phy",
                                                    "pci_slot", "ata_port", "by_path"};

class Resolvers {
 public:
  explicit Resolvers(const Inventory& inventory) : inventory_(inventory) {}

  void add(std::string kind, std::string value, const std::string& member = "") {
    const bool known = std::any_of(found.begin(), found.end(), [&](const chassis::Resolver& one) {
      return one.kind == kind && one.value == value;
    });
    if (!known && !value.empty()) found.push_back({std::move(kind), std::move(value), member});
  }
  // The phy or PCI function through which the host reaches the disk.
  void add_disk(const Resource& disk) {
    for (const Resource* above : inventory_.parents(disk.fmri, Relation::path)) {
      if (!above->present) continue;
      if (above->type == "phy") add_phy(*above);
      // Only for NVMe, where the disk itself is in the PCI slot. A SAS disk's slot is its
      // controller's.
      if (above->type == "pci" && above->get("class").starts_with("0108"))
        add("pci_slot", above->get("slot"));
    }
    const std::string path = disk.get("by_path"), folder = "/dev/disk/by-path/";
    const std::string name = path.starts_with(folder) ? path.substr(folder.size()) : path;
    if (names_a_place(name)) add("by_path", name);
  }

  std::vector<chassis::Resolver> found;

 private:
  // An expander is identified by its SAS address, an HBA by its PCI address.
  void add_phy(const Resource& phy) {
    for (const Resource* owner : inventory_.parents(phy.fmri, Relation::path)) {
      const std::string name = owner->type == "hba"        ? owner->get("address")
                               : owner->type == "expander" ? owner->get("sas_address")
                                                           : "";
      if (owner->present && !name.empty()) add("sas_phy", name + "/" + phy.get("phy"));
    }
  }

  const Inventory& inventory_;
};

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

}  // namespace

std::string slot_of(const Resource& bay) {
  const auto fmri = Fmri::parse(bay.fmri);
  return fmri ? fmri->get("bay") : std::string();
}

bool names_a_place(const std::string& by_path) {
  const auto has = [&](const char* text) { return by_path.find(text) != by_path.npos; };
  if (has("-sas-")) return has("-phy");  // otherwise it is the disk's own address
  if (has("-ata-") || has("-nvme-") || has("-usb-")) return true;
  // A virtual disk that is a PCI device itself. "-scsi-0:0:3:0" is not a place: drivers number
  // disks in the order of discovery.
  return by_path.starts_with("pci-") && by_path.size() == 16;
}

std::vector<chassis::Resolver> resolvers_of(const Inventory& inventory, const Resource& bay,
                                            const std::string& member) {
  Resolvers all(inventory);
  const std::string place = bay.get("place");
  if (const size_t blank = place.find(' '); blank != place.npos)
    all.add(place.substr(0, blank), place.substr(blank + 1));
  else if (const std::string slot = slot_of(bay); !slot.empty())
    all.add(is_number(slot) ? "ses_slot" : "ses_name", slot, member);
  const bool shelf = place.empty() && member.empty();
  if (!shelf)
    for (const Edge& edge : bay.edges)
      if (const Resource* disk = inventory.find(edge.to);
          disk && edge.relation == Relation::contains && disk->present)
        all.add_disk(*disk);
  const auto rank = [](const chassis::Resolver& one) {
    return std::find(kOrder.begin(), kOrder.end(), one.kind) - kOrder.begin();
  };
  std::stable_sort(all.found.begin(), all.found.end(),
                   [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  return std::move(all.found);
}

}  // namespace fmd::mapping
