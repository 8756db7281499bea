// Manager: the methods and properties of /org/fmd/FaultManager1 itself, each handed to Control.
// Queries are answered once it is known whose they are; changes pass the Authorizer first. Single thread.
#pragma once
#include <cstdint>

#include "fmd/bus/authorizer.h"
#include "fmd/bus/callers.h"
#include "fmd/bus/holders.h"
#include "fmd/bus/sd_handles.h"
#include "fmd/bus/unread.h"
#include "fmd/control/control.h"

namespace fmd::bus {

struct Manager {
  Control& control;
  Callers callers;
  Unread unread;
  Authorizer authorizer;
  Holders holders;  // of locate lights
};

uint32_t open_cases(const Control& control);
// manager must outlive the bus. Returns a negative errno.
int export_manager(sd_bus* bus, Manager& manager);

}  // namespace fmd::bus
