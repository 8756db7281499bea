// The host's own box: bays that no SES enclosure has, as the host's description tells them or as
// they are found (ATA ports, PCI slots). Comes in the form of an Enclosure. For a child (places.h).
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "fmd/chassis/library.h"
#include "plugins/enclosure/enclosure_scan.h"

namespace fmd::enclosure {

// Bays of the first-named description are named by their ids; found ones by their place:
// "ata-0000:00:1f.2-1", "pci-7". A bay none of whose places this machine has is left out.
Enclosure scan_host(const sdk::Host& host, const std::vector<chassis::Library::Found>& found);

}  // namespace fmd::enclosure
