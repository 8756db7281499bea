// The machine as `fmadm faulty` prints it at its head: host name and what DMI tells.
#pragma once
#include "fmd/control/shown.h"

namespace fmd {

HostIdentity read_host_identity();
std::string read_machine_name();  // in FMRIs

}  // namespace fmd
