#include "plugins/enclosure/places.h"

#include <algorithm>
#include <utility>

#include "plugins/hardware/pci_address.h"

namespace fmd::enclosure {
namespace {

std::vector<std::string> list(const sdk::Host& host, const std::string& folder) {
  return host.list(folder).value_or(std::vector<std::string>{});
}

std::string attribute(const sdk::Host& host, const std::string& file) {
  auto text = host.read(file);
  return text ? trim(*text) : std::string();
}

std::vector<std::string> starting(const sdk::Host& host, const std::string& folder,
                                  const std::string& start) {
  auto names = list(host, folder);
  std::erase_if(names, [&](const std::string& name) { return !name.starts_with(start); });
  return names;
}

// Disks below folder/targetH:C:T/H:C:T:L/block, without optical drives.
void add_scsi(const sdk::Host& host, const std::string& folder, std::vector<std::string>& blocks) {
  for (const auto& target : starting(host, folder, "target"))
    for (const auto& unit : list(host, folder + "/" + target)) {
      if (unit.find(':') == unit.npos) continue;
      for (const auto& block : list(host, folder + "/" + target + "/" + unit + "/block"))
        if (!block.starts_with("sr")) blocks.push_back(block);
    }
}

// "nvme0c1n2" is one path to the disk nvme0n2.
std::string whole_name(std::string name) {
  const size_t path = name.find('c'), space = name.find('n', 1);
  if (path != name.npos && space != name.npos && path < space) name.erase(path, space - path);
  return name;
}

void add_nvme(const sdk::Host& host, const std::string& device, std::vector<std::string>& blocks) {
  for (const auto& controller : starting(host, device + "/nvme", "nvme"))
    for (const auto& space : starting(host, device + "/nvme/" + controller, "nvme"))
      if (const std::string name = whole_name(space);
          std::find(blocks.begin(), blocks.end(), name) == blocks.end())
        blocks.push_back(name);
}

// NPEM is in the port above the slot or in the disk itself.
void add_npem(const sdk::Host& host, const std::vector<std::string>& addresses, Place& place) {
  for (const auto& address : addresses)
    for (auto [indication, name] : {std::pair{"fault", "fail"}, {"locate", "locate"}}) {
      const std::string file = "/sys/class/leds/" + address + ":enclosure:" + name + "/brightness";
      const bool known =
          std::any_of(place.lights.begin(), place.lights.end(),
                      [&](const Light& light) { return light.indication == indication; });
      if (!known && host.exists(file))
        place.lights.push_back(read_light(host, indication, "npem", file));
    }
}

Place scan_ata(const sdk::Host& host, const std::string& port) {
  Place place{"ata_port", "", "", "", {}, false, {}};
  const auto real = host.resolve("/sys/class/ata_port/" + port);
  if (!real) return place;
  place.at = hardware::pci_address_in(*real);
  place.number = attribute(host, *real + "/port_no");
  if (place.number.empty() || place.at.empty()) return place;
  place.name = place.at + "/" + place.number;
  const std::string folder = real->substr(0, real->find("/ata_port/"));
  for (const auto& scsi_host : starting(host, folder, "host"))
    add_scsi(host, folder + "/" + scsi_host, place.blocks);
  return place;
}

Place scan_slot(const sdk::Host& host, const std::string& name) {
  const std::string folder = "/sys/bus/pci/slots/" + name;
  Place place{"pci_slot", name, attribute(host, folder + "/address"), "", {}, false, {}};
  if (place.at.empty()) return place;
  std::vector<std::string> addresses;  // the port above first: it remains when the disk is removed
  if (const auto bus =
          host.resolve("/sys/class/pci_bus/" + place.at.substr(0, place.at.rfind(':'))))
    addresses.push_back(hardware::pci_address_in(bus->substr(0, bus->find("/pci_bus/"))));
  for (const auto& device : starting(host, "/sys/bus/pci/devices", place.at + ".")) {
    addresses.push_back(device);
    const std::string at = "/sys/bus/pci/devices/" + device;
    add_nvme(host, at, place.blocks);
    place.other |= list(host, at + "/nvme").empty();
  }
  add_npem(host, addresses, place);
  if (host.exists(folder + "/attention"))
    for (const char* indication : {"fault", "locate"}) {
      place.lights.push_back(read_light(host, indication, "pci", folder + "/attention"));
      place.lights.back().raw = place.at.find(':') > 4;  // VMD's domains begin at 10000
    }
  return place;
}

// "0000:03:00.0/4": phy 4 of that HBA; "500605b0…/3": phy 3 of the expander with that SAS address.
std::optional<Place> scan_phy(const sdk::Host& host, const std::string& name) {
  const size_t slash = name.rfind('/');
  if (slash == name.npos) return {};
  const std::string owner = name.substr(0, slash), number = name.substr(slash + 1);
  for (const auto& phy : list(host, "/sys/class/sas_phy")) {
    if (!phy.ends_with(":" + number)) continue;
    const auto real = host.resolve("/sys/class/sas_phy/" + phy);
    if (!real) continue;
    const std::string above = real->substr(0, real->find("/" + phy + "/"));
    const std::string unit = above.substr(above.rfind('/') + 1);
    std::string address = attribute(host, "/sys/class/sas_device/" + unit + "/sas_address");
    if (address.starts_with("0x")) address.erase(0, 2);
    const bool of_hba = unit.starts_with("host") && hardware::pci_address_in(above) == owner;
    if (!of_hba && (address.empty() || address != owner)) continue;
    Place place{"sas_phy", name, hardware::pci_address_in(above), number, {}, false, {}};
    for (const auto& port : starting(host, above, "port-")) {
      const std::string folder = above + "/" + port;
      if (!host.exists(folder + "/" + phy)) continue;
      for (const auto& device : starting(host, folder, "end_device-"))
        add_scsi(host, folder + "/" + device, place.blocks);
    }
    return place;
  }
  return {};
}

Place scan_path(const sdk::Host& host, const std::string& name) {
  Place place{"by_path", name, "", "", {}, false, {}};
  if (name.find('/') != name.npos) return place;
  const auto target = host.read_link("/dev/disk/by-path/" + name);
  if (target) place.blocks.push_back(target->substr(target->rfind('/') + 1));
  return place;
}

}  // namespace

std::vector<Place> ata_ports(const sdk::Host& host) {
  std::vector<Place> places;
  for (const auto& port : list(host, "/sys/class/ata_port"))
    if (Place place = scan_ata(host, port); !place.name.empty()) places.push_back(std::move(place));
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    const auto key = [](const Place& p) {
      return std::pair(p.at, to_number(p.number).value_or(0));
    };
    return key(a) < key(b);
  });
  return places;
}

std::vector<Place> pci_slots(const sdk::Host& host) {
  std::vector<Place> places;
  for (const auto& name : list(host, "/sys/bus/pci/slots"))
    if (Place place = scan_slot(host, name); !place.at.empty()) places.push_back(std::move(place));
  return places;
}

std::optional<Place> find_place(const sdk::Host& host, const chassis::Resolver& resolver) {
  if (resolver.kind == "sas_phy") return scan_phy(host, resolver.value);
  if (resolver.kind == "by_path") return scan_path(host, resolver.value);
  if (resolver.kind == "pci_slot") {
    if (resolver.value.find('/') != resolver.value.npos) return {};
    Place place = scan_slot(host, resolver.value);
    return place.at.empty() ? std::nullopt : std::optional(std::move(place));
  }
  if (resolver.kind == "ata_port")
    for (Place& place : ata_ports(host))
      if (place.name == resolver.value) return std::move(place);
  return {};
}

}  // namespace fmd::enclosure
