// One enclosure as /sys/class/enclosure shows it now. Reading an attribute makes the kernel ask the
// enclosure (SES pages): it can hang with the device, so this runs in a child (Host::run_apart) and
// comes back as bytes. Identity: the enclosure's logical id (H:C:T:L changes across boots) and the
// slot's number.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fmd/core/result.h"
#include "plugins/sdk/host.h"

namespace fmd::enclosure {

struct Bay {
  std::string component;  // the folder's name, raw: names are vendor text ("SLOT 10 1A  ")
  std::string slot;       // number in decimal; the component's name where numbers are not unique
  std::string status;     // "OK", "critical", "not installed", …
  std::string power;      // "on", "off"; "" unknown
  std::optional<int> fault, locate;  // as read; anything but 0 is on
  bool occupied = false;
  std::vector<std::string> disks;  // FMRIs of what is linked to it
};

struct Enclosure {
  std::string name;  // in /sys/class/enclosure, now
  std::string id;
  std::string label;  // vendor and model, else its name
  int components = 0;
  std::vector<Bay> bays;
};

inline constexpr std::string_view kFolder = "/sys/class/enclosure";

Enclosure scan_enclosure(const sdk::Host& host, const std::string& name);

std::string to_bytes(const Enclosure& enclosure);
Result<Enclosure> from_bytes(const std::string& bytes);

}  // namespace fmd::enclosure
