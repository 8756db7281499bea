#include "plugins/system/sas.h"

#include <algorithm>
#include <array>
#include <set>

#include "fmd/model/fmri.h"
#include "plugins/hardware/disk_identity.h"
#include "plugins/sdk/plugin.h"
#include "plugins/system/sysfs.h"

namespace fmd::machine {
namespace {

using nlohmann::json;

constexpr std::array<const char*, 4> kCounters = {
    "invalid_dword_count", "running_disparity_error_count", "loss_of_dword_sync_count",
    "phy_reset_problem_count"};

std::string device_path(const sdk::Host& host, const char* class_name, const std::string& name) {
  return host.resolve("/sys/class/" + std::string(class_name) + "/" + name + "/device")
      .value_or("");
}

// A device with phys: an HBA or an expander, by its name in sysfs ("host0", "expander-0:0").
struct Owner {
  std::string fmri;     // of the resource with a path to its phys
  std::string address;  // in its phys' FMRIs
};
using Owners = std::map<std::string, Owner>;

void add_expanders(const sdk::Host& host, Owners& owners, Facts& facts) {
  for (const std::string& name : names_in(host, "/sys/class/sas_expander")) {
    const std::string device = "/sys/class/sas_device/" + name;
    const std::string address = sas_address(read_text(host, device + "/sas_address"));
    if (address.empty()) continue;  // it cannot be identified
    const std::string fmri = make_fmri("dev", {{"sas", address}});
    json& expander = facts.add(fmri, "expander");
    const std::string folder = "/sys/class/sas_expander/" + name + "/";
    set_text(expander, "name", name);
    set_text(expander, "sas_address", address);
    set_text(expander, "vendor", read_text(host, folder + "vendor_id"));
    set_text(expander, "model", read_text(host, folder + "product_id"));
    set_text(expander, "firmware", read_text(host, folder + "product_rev"));
    set_text(expander, "enclosure", sas_address(read_text(host, device + "/enclosure_identifier")));
    owners[name] = {fmri, address};
  }
}

// An HBA's address is that of its phys; the lowest if they differ.
void add_hosts(const sdk::Host& host, const std::map<std::string, std::string>& phy_paths,
               Owners& owners, Facts& facts) {
  for (const std::string& name : names_in(host, "/sys/class/sas_host")) {
    const std::string pci = nearest_pci(device_path(host, "sas_host", name));
    std::string address;
    for (const auto& [phy, path] : phy_paths) {
      if (last_name(parent_path(path)) != name) continue;
      const auto own = sas_address(read_text(host, "/sys/class/sas_phy/" + phy + "/sas_address"));
      if (!own.empty() && (address.empty() || own < address)) address = own;
    }
    if (pci.empty() || address.empty()) continue;
    json& hba = facts.add(pci_fmri(pci), "hba");
    hba["type"] = "hba";
    set_text(hba, "name", name);
    set_text(hba, "sas_address", address);
    const std::string scsi = "/sys/class/scsi_host/" + name + "/";
    set_text(hba, "firmware", read_text(host, scsi + "version_fw"));
    set_text(hba, "board", read_text(host, scsi + "board_name"));
    set_text(hba, "bios", read_text(host, scsi + "version_bios"));
    owners[name] = {pci_fmri(pci), address};
  }
}

// Disks of an end device, on all its logical units.
std::vector<std::string> disks_of(const sdk::Host& host, const std::string& end_device) {
  std::vector<std::string> disks;
  for (const std::string& target : names_in(host, end_device)) {
    if (!target.starts_with("target")) continue;
    for (const std::string& unit : names_in(host, end_device + "/" + target))
      for (const std::string& block :
           names_in(host, end_device + "/" + target + "/" + unit + "/block"))
        if (auto disk = hardware::identify_disk(host, block); disk && !disk->fmri.empty())
          disks.push_back(disk->fmri);
  }
  return disks;
}

struct Attached {
  std::string address;             // of the device at the other end
  std::vector<std::string> fmris;  // expander or disks
};

// By the name of the phy that leads to the device. A device is in the folder of its port, which
// links the port's phys: several for a wide port.
std::map<std::string, Attached> attached_to_phys(const sdk::Host& host, const Owners& owners) {
  std::map<std::string, Attached> by_phy;
  for (const std::string& name : names_in(host, "/sys/class/sas_device")) {
    const std::string path = device_path(host, "sas_device", name);
    if (path.empty()) continue;
    Attached what;
    what.address = sas_address(read_text(host, "/sys/class/sas_device/" + name + "/sas_address"));
    if (const auto owner = owners.find(name); owner != owners.end())
      what.fmris = {owner->second.fmri};
    else
      what.fmris = disks_of(host, path);
    for (const std::string& phy : names_in(host, std::string(parent_path(path))))
      if (phy.starts_with("phy-")) by_phy[phy] = what;
  }
  return by_phy;
}

void add_phy(const sdk::Host& host, const std::string& name, const Owner& owner,
             const Attached* attached, const std::string& device, Facts& facts) {
  const std::string folder = "/sys/class/sas_phy/" + name + "/";
  const auto number = read_number(host, folder + "phy_identifier");
  if (!number || *number < 0 || *number > 255) return;
  const std::string fmri =
      make_fmri("dev", {{"sas", owner.address}, {"phy", std::to_string(*number)}});
  json& phy = facts.add(fmri, "phy");
  phy["properties"]["phy"] = *number;
  set_text(phy, "name", name);
  const std::string rate = read_text(host, folder + "negotiated_linkrate");
  set_text(phy, "link_rate", rate);
  phy["properties"]["link"] = rate.find("Gbit") != rate.npos;
  set_text(phy, "link_rate_max", read_text(host, folder + "maximum_linkrate"));
  facts.link(owner.fmri, "path", fmri);
  if (attached) {
    set_text(phy, "attached", attached->address);
    for (const std::string& other : attached->fmris) facts.link(fmri, "path", other);
  }
  for (const char* counter : kCounters)
    facts.gauges[device].push_back({fmri, counter, folder + counter, 1, "count"});
}

}  // namespace

void add_sas(const sdk::Host& host, Facts& facts) {
  std::map<std::string, std::string> phy_paths;  // /sys/devices/…/host0/phy-0:0
  for (const std::string& phy : names_in(host, "/sys/class/sas_phy"))
    if (std::string path = device_path(host, "sas_phy", phy); !path.empty())
      phy_paths.emplace(phy, std::move(path));
  Owners owners;
  add_expanders(host, owners, facts);
  add_hosts(host, phy_paths, owners, facts);
  const auto attached = attached_to_phys(host, owners);
  for (const auto& [phy, path] : phy_paths) {
    const std::string holder(last_name(parent_path(path)));
    const auto owner = owners.find(holder);
    if (owner == owners.end()) continue;
    // Report an expander once, also if a second path leads to it (another HBA, or the other end of
    // a cable).
    const auto other = attached.find(phy);
    add_phy(host, phy, owner->second, other == attached.end() ? nullptr : &other->second,
            "SAS " + holder, facts);
  }
  // One file per counter. If two paths lead to one expander, read it through the first.
  std::set<std::pair<std::string, std::string>> asked;
  for (auto& [device, gauges] : facts.gauges)
    std::erase_if(gauges, [&](const Gauge& g) {
      return !asked.insert({g.resource, g.name}).second;
    });
  std::erase_if(facts.gauges, [](const auto& entry) { return entry.second.empty(); });
}

}  // namespace fmd::machine
