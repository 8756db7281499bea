// One enclosure as /sys/class/enclosure shows it now. Reading an attribute makes the kernel ask the
// enclosure (SES pages): it can hang with the device, so this runs in a child (Host::run_apart) and
// comes back as bytes. Identity: the enclosure's logical id (H:C:T:L changes across boots) and the
// slot's number. The host's own box (host_box.h) comes in the same form.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/chassis/description.h"
#include "plugins/sdk/host.h"

namespace fmd::enclosure {

// One LED as one method drives it.
struct Light {
  std::string indication;  // "fault", "locate"
  std::string method;      // "ses", "npem", "pci"
  std::string file;
  bool there = false;        // the file is
  std::optional<int> value;  // as read
};

struct Bay {
  std::string component;  // the folder's name, raw: names are vendor text ("SLOT 10 1A  ")
  std::string slot;       // number in decimal; the component's name where numbers are not unique
  std::string status;     // "OK", "critical", "not installed", …
  std::string power;      // "on", "off"; "" unknown
  bool occupied = false;
  std::vector<std::string> disks;  // FMRIs of what is linked to it
  std::string device;              // "sdf": the first of them, now; "" none
  std::vector<Light> lights;
  std::string label;  // of a bay that was found (not told, not SES); "" else
};

struct Enclosure {
  std::string name;  // in /sys/class/enclosure, now; "" the host's own box
  std::string id;
  std::string label;  // vendor and model, else its name
  int components = 0;
  std::string sg;        // "sg3": its SCSI generic device, now; "" none
  chassis::Facts facts;  // what its description is known by
  std::vector<Bay> bays;
};

inline constexpr std::string_view kFolder = "/sys/class/enclosure";

Enclosure scan_enclosure(const sdk::Host& host, const std::string& name);
// Which disks are linked to its bays, by now; everything else stays as it is known. Asks no device.
void look_for_disks(const sdk::Host& host, Enclosure& box);
// Takes over what look_for_disks() has found.
void take_disks(Enclosure& box, const Enclosure& seen);
// Adds the disks of these block devices, each once.
void add_disks(const sdk::Host& host, const std::vector<std::string>& blocks, Bay& bay);
Light read_light(const sdk::Host& host, std::string indication, std::string method,
                 std::string file);
std::optional<int> to_number(const std::string& text);
std::string trim(std::string text);

std::string to_bytes(const Enclosure& enclosure);
Result<Enclosure> from_bytes(const std::string& bytes);

}  // namespace fmd::enclosure
