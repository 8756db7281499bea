// PCI devices and slots, and disks on a controller without a SAS fabric (SATA, NVMe, RAID, virtio).
// Sources: /sys/bus/pci, /sys/block, /sys/class/nvme-subsystem; SMBIOS for the slots' printed
// names, udev's hardware database for device names.
#pragma once
#include <functional>
#include <string>

#include "plugins/hardware/smbios.h"
#include "plugins/sdk/host.h"
#include "plugins/system/facts.h"

namespace fmd::machine {

// A device's names, by its modalias.
struct PciNames {
  std::string vendor, model;
};
using NamePci = std::function<PciNames(const std::string& modalias)>;
// From udev's database; returns empty names if there is none.
NamePci hardware_database();

// "SATA controller" for 0x010601; "" for an unknown class.
std::string pci_class_name(int64_t code);

// Adds resources `pci` and `hba`, contained in the system or in their slot; `path`: bridge →
// device.
void add_pci(const sdk::Host& host, const hardware::Smbios& smbios, const NamePci& names,
             Facts& facts);
// `path`: controller → disk. After add_pci and add_sas, which handles disks behind a phy.
void add_disk_paths(const sdk::Host& host, Facts& facts);

}  // namespace fmd::machine
