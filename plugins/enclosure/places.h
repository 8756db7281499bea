// Places: finds locations for disks outside of SES enclosures: ATA ports, PCI slots, SAS phys,
// udev's by-path names. A place is identified by the controller's PCI address and the port number
// there, never by a host number. May block in the kernel: runs in a child (Host::run_apart).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fmd/chassis/description.h"
#include "plugins/enclosure/enclosure_scan.h"
#include "plugins/sdk/host.h"

namespace fmd::enclosure {

struct Place {
  std::string kind;                 // "ata_port", "pci_slot", "sas_phy", "by_path"
  std::string name;                 // as in a resolver: "0000:00:1f.2/1", "7"
  std::string at;                   // PCI address of the controller or of the device in the slot
  std::string number;               // of the port; "" none
  std::vector<std::string> blocks;  // names of the disks there: "sdb", "nvme0n1"
  bool other = false;               // contains a device that is not a disk
  std::vector<Light> lights;
};

// Source: /sys/class/ata_port; every port of every controller, in order.
std::vector<Place> ata_ports(const sdk::Host& host);
// Source: /sys/bus/pci/slots.
std::vector<Place> pci_slots(const sdk::Host& host);
// The place that a resolver names; empty if this machine does not have it. by_path: always a place,
// because an empty one has no link.
std::optional<Place> find_place(const sdk::Host& host, const chassis::Resolver& resolver);

}  // namespace fmd::enclosure
