// Places: where in a machine a disk can sit when no SES enclosure tells: ATA ports, PCI slots, SAS
// phys, udev's by-path names. A place is known by the controller's PCI address and the port's
// number there, never by a host number. May block in the kernel: for a child (Host::run_apart).
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
  std::string name;                 // as a resolver names it: "0000:00:1f.2/1", "7"
  std::string at;                   // PCI address of the controller or of what is in the slot
  std::string number;               // of the port; "" none
  std::vector<std::string> blocks;  // names of the disks there: "sdb", "nvme0n1"
  bool other = false;               // something sits there that is no disk
  std::vector<Light> lights;
};

// Source: /sys/class/ata_port; every port of every controller, in order.
std::vector<Place> ata_ports(const sdk::Host& host);
// Source: /sys/bus/pci/slots.
std::vector<Place> pci_slots(const sdk::Host& host);
// The place that a resolver means; nothing when this machine has none such. by_path: always, since
// an empty one has no name.
std::optional<Place> find_place(const sdk::Host& host, const chassis::Resolver& resolver);

}  // namespace fmd::enclosure
