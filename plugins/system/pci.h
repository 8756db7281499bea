// PCI devices and slots, and the disks that hang on a controller without a SAS fabric between them
// (SATA, NVMe, RAID, virtio). Sources: /sys/bus/pci, /sys/block, /sys/class/nvme-subsystem, SMBIOS
// for the slots' printed names, udev's hardware database for the devices'.
#pragma once
#include <functional>
#include <string>

#include "plugins/hardware/smbios.h"
#include "plugins/sdk/host.h"
#include "plugins/system/facts.h"

namespace fmd::machine {

// What a device is called, by its modalias.
struct PciNames {
  std::string vendor, model;
};
using NamePci = std::function<PciNames(const std::string& modalias)>;
// From udev's database; answers nothing when there is none.
NamePci hardware_database();

// "SATA controller" of 0x010601; "" for a class we have no word for.
std::string pci_class_name(int64_t code);

// Resources `pci` and `hba`, contained in the system or in their slot; bridge → device by `path`.
void add_pci(const sdk::Host& host, const hardware::Smbios& smbios, const NamePci& names,
             Facts& facts);
// `path` controller → disk. After add_pci and add_sas: disks behind a phy are left to that.
void add_disk_paths(const sdk::Host& host, Facts& facts);

}  // namespace fmd::machine
