// Reads one enclosure from /sys/class/enclosure. Reading an attribute makes the kernel query the
// enclosure (SES pages), which can hang, so this runs in a child (Host::run_apart) that returns
// bytes. Identity: the enclosure's logical id (H:C:T:L changes across boots) and the slot's number.
// The host's own box (host_box.h) has the same form.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/chassis/description.h"
#include "plugins/enclosure/ses_pages.h"
#include "plugins/sdk/host.h"

namespace fmd::enclosure {

// One LED, driven by one method.
struct Light {
  std::string indication;  // "fault", "locate"
  std::string method;      // "ses", "npem", "pci"
  std::string file;
  bool there = false;        // the file exists
  std::optional<int> value;  // as read
  bool raw = false;          // "pci" behind VMD: pciehp's four raw bits, not off, on, blink
};

struct Bay {
  std::string component;  // the folder's name, raw: vendor text ("SLOT 10 1A  ")
  std::string slot;       // decimal number; the component's name if numbers are not unique
  std::string status;     // "OK", "critical", "not installed", …
  std::string power;      // "on", "off"; "" unknown
  bool occupied = false;
  std::vector<std::string> disks;  // FMRIs of the disks in it
  std::string device;              // present name of the first disk, "sdf"; "" none
  std::string diskseq;             // the kernel's number of this appearance of the disk; "" none
  std::vector<Light> lights;
  std::string label;  // of a discovered bay (neither described nor SES); else ""
};

struct Enclosure {
  std::string name;   // present name in /sys/class/enclosure; "": the host's own box
  std::string id;     // of the chassis (SameIds)
  std::string label;  // vendor and model, else the name
  int components = 0;
  std::string sg;        // present name of its SCSI generic device, "sg3"; "" none
  chassis::Facts facts;  // to match chassis descriptions
  std::vector<Bay> bays;
  std::string logical_id;  // as reported; several may report the same
  std::string own_id;      // of this processor: its SAS address, else its path; "" for the host
};

inline constexpr std::string_view kFolder = "/sys/class/enclosure";

// known: an earlier scan; nullptr to read everything. While identity and components are the same,
// only variable properties are read: six files per bay instead of twenty-six.
Enclosure scan_enclosure(const sdk::Host& host, const std::string& name, const Enclosure* known);
// Updates the disks in the bays and nothing else. Sends no command to the device.
void look_for_disks(const sdk::Host& host, Enclosure& box);
// True if the kernel has the same slots for it as when scanned. Sends no command to the device.
bool is_as_scanned(const sdk::Host& host, const Enclosure& box);
// Takes the slots' state from the status page instead of their attributes. Returns false and
// changes nothing if these are not the kernel's slots.
bool take_slots(Enclosure& box, const std::vector<Slot>& slots);
// Takes the result of look_for_disks().
void take_disks(Enclosure& box, const Enclosure& seen);
// Adds the disks of these block devices, without duplicates.
void add_disks(const sdk::Host& host, const std::vector<std::string>& blocks, Bay& bay);
Light read_light(const sdk::Host& host, std::string indication, std::string method,
                 std::string file);
std::optional<int> to_number(const std::string& text);
std::string trim(std::string text);

std::string to_bytes(const Enclosure& enclosure);
Result<Enclosure> from_bytes(const std::string& bytes);

}  // namespace fmd::enclosure
