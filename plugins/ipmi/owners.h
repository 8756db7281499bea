// Owners: the part that a sensor or an entry of the log is about, where it is a part that somebody else
// tells of as well: a memory module, a processor, a bay. So that what the BMC and the kernel say of one
// part is said of one FMRI. Pure.
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
  std::vector<std::string>
      processors;  // as SMBIOS calls those that are there, in the kernel's order

  // "" when it is not known. The description goes first: `ipmi` is the sensor's name, or that with "#" and
  // the entry's third byte of data, which tells many BMCs' modules apart: "ECC#2".
  std::string module_of(const std::string& sensor, const SelEntry& entry) const;
  std::string processor_of(const Sensor* sensor, const Sdr& sdr) const;
  // A host's own bay: those in a SES enclosure have their name from that.
  std::string bay_of(const std::string& sensor) const;
  const chassis::Bay* bay(const std::string& sensor) const;
  // A memory module's or processor's sensor: that part.
  std::string of(const Sensor& sensor, const Sdr& sdr) const;
  // Of an entry, by its sensor's type.
  std::string of(const Sensor* sensor, const SelEntry& entry, const Sdr& sdr) const;
};

}  // namespace fmd::ipmi
