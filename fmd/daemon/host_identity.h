// The machine as in the header of `fmadm faulty`: host name and DMI's data.
#pragma once
#include "fmd/control/shown.h"

namespace fmd {

HostIdentity read_host_identity();
std::string read_machine_name();  // in FMRIs

}  // namespace fmd
