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
#include "plugins/enclosure/ses_pages.h"
#include "plugins/sdk/host.h"

namespace fmd::enclosure {

// One LED as one method drives it.
struct Light {
  std::string indication;  // "fault", "locate"
  std::string method;      // "ses", "npem", "pci"
  std::string file;
  bool there = false;        // the file is
  std::optional<int> value;  // as read
  bool raw = false;          // "pci" behind VMD: pciehp's four bits as they are, not off, on, blink
};

struct Bay {
  std::string component;  // the folder's name, raw: names are vendor text ("SLOT 10 1A  ")
  std::string slot;       // number in decimal; the component's name where numbers are not unique
  std::string status;     // "OK", "critical", "not installed", …
  std::string power;      // "on", "off"; "" unknown
  bool occupied = false;
  std::vector<std::string> disks;  // FMRIs of what is linked to it
  std::string device;              // "sdf": the first of them, now; "" none
  std::string diskseq;             // the kernel's number of this appearance of it; "" it has none
  std::vector<Light> lights;
  std::string label;  // of a bay that was found (not told, not SES); "" else
};

struct Enclosure {
  std::string name;   // in /sys/class/enclosure, now; "" the host's own box
  std::string id;     // of the chassis (SameIds)
  std::string label;  // vendor and model, else its name
  int components = 0;
  std::string sg;        // "sg3": its SCSI generic device, now; "" none
  chassis::Facts facts;  // what its description is known by
  std::vector<Bay> bays;
  std::string logical_id;  // what it says; several may say the same
  std::string own_id;  // of this processor: its SAS address, else where it hangs; "" of the host's
};

inline constexpr std::string_view kFolder = "/sys/class/enclosure";

// known: as an earlier scan found it, nullptr when it is to be read anew. While it has the same identity and components, only what may
// have changed is read: a bay is six files and not twenty-six.
Enclosure scan_enclosure(const sdk::Host& host, const std::string& name, const Enclosure* known);
// Which disks are linked to its bays, by now; everything else stays as it is known. Asks no device.
void look_for_disks(const sdk::Host& host, Enclosure& box);
// The kernel has the same slots for it as when it was scanned. Asks no device.
bool is_as_scanned(const sdk::Host& host, const Enclosure& box);
// What its status page says of the slots, in place of their attributes. False, and nothing is
// taken, when these are not the kernel's slots.
bool take_slots(Enclosure& box, const std::vector<Slot>& slots);
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
