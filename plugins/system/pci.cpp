#include "plugins/system/pci.h"

#include <fmt/format.h>
#include <systemd/sd-hwdb.h>

#include <array>
#include <memory>
#include <set>

#include "fmd/model/fmri.h"
#include "plugins/hardware/disk_identity.h"
#include "plugins/sdk/plugin.h"
#include "plugins/system/sysfs.h"

namespace fmd::machine {
namespace {

using nlohmann::json;

constexpr const char* kDevices = "/sys/bus/pci/devices";
constexpr const char* kSlots = "/sys/bus/pci/slots";

struct ClassName {
  int64_t code;
  const char* name;
};
// Base class and subclass, as in the PCI Code and ID Assignment Specification.
constexpr std::array<ClassName, 25> kClasses = {{{0x0100, "SCSI controller"},
                                                 {0x0101, "IDE controller"},
                                                 {0x0104, "RAID controller"},
                                                 {0x0105, "ATA controller"},
                                                 {0x0106, "SATA controller"},
                                                 {0x0107, "SAS controller"},
                                                 {0x0108, "NVMe controller"},
                                                 {0x0180, "Mass storage controller"},
                                                 {0x0200, "Ethernet controller"},
                                                 {0x0207, "InfiniBand controller"},
                                                 {0x0280, "Network controller"},
                                                 {0x0300, "VGA controller"},
                                                 {0x0302, "3D controller"},
                                                 {0x0380, "Display controller"},
                                                 {0x0403, "Audio device"},
                                                 {0x0600, "Host bridge"},
                                                 {0x0601, "ISA bridge"},
                                                 {0x0604, "PCI bridge"},
                                                 {0x0680, "Bridge"},
                                                 {0x0700, "Serial controller"},
                                                 {0x0880, "System peripheral"},
                                                 {0x0C03, "USB controller"},
                                                 {0x0C05, "SMBus"},
                                                 {0x0C04, "Fibre Channel controller"},
                                                 {0x1200, "Processing accelerator"}}};

// Controllers that have disks; an NVMe controller is part of its disk.
bool is_hba(int64_t code) {
  const int64_t kind = code >> 8;
  return kind == 0x0100 || kind == 0x0101 || kind == 0x0104 || kind == 0x0105 || kind == 0x0106 ||
         kind == 0x0107 || kind == 0x0C04;
}

std::string without_function(const std::string& address) {
  return address.substr(0, address.rfind('.'));
}

void describe(const sdk::Host& host, const std::string& folder, const NamePci& names,
              json& device) {
  json& properties = device["properties"];
  const auto code = read_number(host, folder + "/class");
  if (code) {
    properties["class"] = fmt::format("{:06x}", *code & 0xFFFFFF);
    set_text(device, "class_name", pci_class_name(*code));
  }
  const auto vendor = read_number(host, folder + "/vendor"),
             id = read_number(host, folder + "/device");
  if (vendor && id) properties["id"] = fmt::format("{:04x}:{:04x}", *vendor, *id);
  const PciNames named = names(read_text(host, folder + "/modalias"));
  set_text(device, "vendor", named.vendor);
  set_text(device, "model", named.model);
  const auto driver = host.resolve(folder + "/driver");
  if (driver) set_text(device, "driver", last_name(*driver));
  set_text(device, "link_speed", read_text(host, folder + "/current_link_speed"));
  set_text(device, "link_speed_max", read_text(host, folder + "/max_link_speed"));
  for (const char* width : {"current_link_width", "max_link_width"})
    if (const auto lanes = read_number(host, folder + "/" + width); lanes && *lanes > 0)
      properties[std::string_view(width) == "max_link_width" ? "link_width_max" : "link_width"] =
          *lanes;
}

// Slots by the address of the device in them, without the function.
std::map<std::string, std::string> add_slots(const sdk::Host& host, const hardware::Smbios& smbios,
                                             Facts& facts) {
  std::map<std::string, std::string> printed, by_address;
  for (const hardware::BoardSlot& slot : smbios.slots)
    if (!slot.address.empty()) printed.emplace(slot.address, slot.designator);
  const auto parsed = Fmri::parse(facts.system);
  const std::string id = parsed ? parsed->get("system") : "host";
  for (const std::string& name : names_in(host, kSlots)) {
    const std::string address = read_text(host, std::string(kSlots) + "/" + name + "/address");
    const std::string fmri = make_fmri("hc", {{"system", id}, {"pcislot", name}});
    json& slot = facts.add(fmri, "pci-slot");
    slot["properties"]["slot"] = name;
    const auto label = printed.find(address);
    slot["properties"]["label"] =
        label != printed.end() && !label->second.empty() ? label->second : "PCI slot " + name;
    set_text(slot, "address", address);
    facts.contain(fmri);
    if (!address.empty()) by_address.emplace(address, fmri);
  }
  return by_address;
}

// The controllers of a block device: several with native NVMe multipath.
std::set<std::string> controllers_of(const sdk::Host& host, const std::string& block) {
  const std::string real = host.resolve("/sys/block/" + block).value_or("");
  if (const std::string pci = nearest_pci(real); !pci.empty()) return {pci};
  std::set<std::string> found;
  if (real.find("/nvme-subsystem/") == std::string::npos) return found;
  const std::string subsystem(parent_path(real));
  for (const std::string& name : names_in(host, subsystem)) {
    const auto controller = host.resolve(subsystem + "/" + name);
    if (!controller || controller->starts_with(subsystem)) continue;
    if (const std::string pci = nearest_pci(*controller); !pci.empty()) found.insert(pci);
  }
  return found;
}

}  // namespace

NamePci hardware_database() {
  sd_hwdb* raw = nullptr;
  if (sd_hwdb_new(&raw) < 0) return [](const std::string&) { return PciNames(); };
  const std::shared_ptr<sd_hwdb> database(raw, [](sd_hwdb* hwdb) { sd_hwdb_unref(hwdb); });
  return [database](const std::string& modalias) {
    const auto value = [&](const char* key) {
      const char* text = nullptr;
      const bool known = sd_hwdb_get(database.get(), modalias.c_str(), key, &text) >= 0;
      return std::string(known && text ? text : "");
    };
    if (modalias.empty()) return PciNames();
    return PciNames{value("ID_VENDOR_FROM_DATABASE"), value("ID_MODEL_FROM_DATABASE")};
  };
}

std::string pci_class_name(int64_t code) {
  for (const ClassName& one : kClasses)
    if (one.code == code >> 8) return one.name;
  return {};
}

void add_pci(const sdk::Host& host, const hardware::Smbios& smbios, const NamePci& names,
             Facts& facts) {
  const auto slots = add_slots(host, smbios, facts);
  for (const std::string& address : names_in(host, kDevices)) {
    if (!is_pci_address(address)) continue;
    const std::string folder = std::string(kDevices) + "/" + address;
    const auto code = read_number(host, folder + "/class");
    json& device = facts.add(pci_fmri(address), code && is_hba(*code) ? "hba" : "pci");
    device["properties"]["address"] = address;
    describe(host, folder, names, device);
    const auto slot = slots.find(without_function(address));
    facts.link(slot == slots.end() ? facts.system : slot->second, "contains", pci_fmri(address));
    if (slot != slots.end()) device["properties"]["slot"] = last_name(slot->second).substr(8);
  }
  for (const std::string& address : names_in(host, kDevices)) {
    const auto real = host.resolve(std::string(kDevices) + "/" + address);
    const std::string bridge = real ? nearest_pci(parent_path(*real)) : "";
    if (!bridge.empty()) facts.link(pci_fmri(bridge), "path", pci_fmri(address));
  }
}

void add_disk_paths(const sdk::Host& host, Facts& facts) {
  std::set<std::string> behind_phys;
  for (const auto& [fmri, resource] : facts.resources)
    if (resource["type"] == "phy")
      for (const json& edge : resource["edges"])
        behind_phys.insert(edge["to"].get_ref<const std::string&>());
  for (const std::string& block : names_in(host, "/sys/block")) {
    if (block.starts_with("sr")) continue;  // optical drives are not disks
    const auto controllers = controllers_of(host, block);
    if (controllers.empty()) continue;
    const auto disk = hardware::identify_disk(host, block);
    if (!disk || disk->fmri.empty() || behind_phys.contains(disk->fmri)) continue;
    for (const std::string& pci : controllers) facts.link(pci_fmri(pci), "path", disk->fmri);
  }
}

}  // namespace fmd::machine
