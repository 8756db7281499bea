// Owners: finds the part that a sensor or a log entry is about, if another plugin also reports that
// part (a memory module, a processor, a bay), so that reports of the BMC and the kernel use the
// same FMRI. Pure.
#pragma once
#include <string>
#include <vector>

#include "fmd/chassis/library.h"
#include "plugins/hardware/dimm_names.h"
#include "plugins/ipmi/sdr.h"
#include "plugins/ipmi/sel.h"

namespace fmd::ipmi {

struct Owners {
  std::string system;                                 // its id
  std::vector<chassis::Library::Found> descriptions;  // of the host
  hardware::DimmNames dimms;
  std::vector<std::string> processors;  // present ones, by SMBIOS name, in the kernel's order

  // "" if unknown. The chassis description takes precedence: its key `ipmi` is the sensor's name,
  // or for BMCs whose entries give the module in the third data byte, name and byte: "ECC#2".
  std::string module_of(const std::string& sensor, const SelEntry& entry) const;
  std::string processor_of(const Sensor* sensor, const Sdr& sdr) const;
  // A bay of the host. Bays of a SES enclosure are excluded: their FMRI is the enclosure's.
  std::string bay_of(const std::string& sensor) const;
  const chassis::Bay* bay(const std::string& sensor) const;
  // The part of a memory module's or processor's sensor.
  std::string of(const Sensor& sensor, const Sdr& sdr) const;
  // The part of an entry, by its sensor type.
  std::string of(const Sensor* sensor, const SelEntry& entry, const Sdr& sdr) const;
};

}  // namespace fmd::ipmi
