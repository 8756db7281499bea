// Manager: the methods and properties of /org/fmd/FaultManager1, each passed on to Control. Queries
// are answered once the caller's uid is known; changes pass the Authorizer first. Single thread.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>

#include "fmd/bus/allowances.h"
#include "fmd/bus/authorizer.h"
#include "fmd/bus/callers.h"
#include "fmd/bus/holders.h"
#include "fmd/bus/private_ids.h"
#include "fmd/bus/sd_handles.h"
#include "fmd/bus/turns.h"
#include "fmd/bus/unread.h"
#include "fmd/control/control.h"

namespace fmd::bus {

struct Manager {
  Control& control;
  Callers callers;
  Unread unread;
  Authorizer authorizer;
  Holders holders;  // of locate lights
  // Queries answered from memory, one per turn of the loop, and queries that read the disk.
  Turns from_memory, from_disk;
  Allowances allowances = {};                        // for replies that sd-bus generates
  std::function<bool(uint32_t uid)> reads_all = {};  // besides those who may change all
  std::optional<PrivateIds> private_ids = {};        // none: not needed yet

  // For a new or changed case or resource; nullptr: it was removed.
  template <class Thing>
  void add_private(const Thing* thing) {
    if (!private_ids || !thing) return;
    private_ids->add(*thing);
    if (private_ids->has_outgrown()) private_ids.reset();
  }

  // Whether the user may read what only root can read of the machine.
  bool may_know(uint32_t uid) const {
    return authorizer.privileged(uid) || (reads_all && reads_all(uid));
  }
};

uint32_t open_cases(const Control& control);
// manager must outlive the bus. Returns a negative errno.
int export_manager(sd_bus* bus, Manager& manager);

}  // namespace fmd::bus
