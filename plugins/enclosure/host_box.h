// The host's own box: bays outside of SES enclosures, as described by the host's description or
// discovered (ATA ports, PCI slots). Has the form of an Enclosure. Runs in a child (places.h).
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "fmd/chassis/library.h"
#include "plugins/enclosure/enclosure_scan.h"

namespace fmd::enclosure {

// Described bays are named by their ids, discovered ones by their place: "ata-0000:00:1f.2-1",
// "pci-7". A described bay is omitted if this machine has none of its places.
Enclosure scan_host(const sdk::Host& host, const std::vector<chassis::Library::Found>& found);

}  // namespace fmd::enclosure
