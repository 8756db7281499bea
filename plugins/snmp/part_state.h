// The state of a part in the terms of FMD-STATUS-MIB and ENTITY-STATE-MIB. Pure.
#pragma once
#include <cstdint>
#include <string>

#include "fmd/model/inventory.h"
#include "ui/client/verdicts.h"

namespace fmd::snmp {

// FmdResourceState, with the MIB's numbers.
enum class ResourceState : int32_t { other = 1, ok = 2, degraded = 3, unknown = 4, faulted = 5 };
ResourceState resource_state(const Resource& part, const ui::Verdicts& verdicts, bool fresh);
ResourceState worse_of(ResourceState a, ResourceState b);

// A row of ENTITY-STATE-MIB without its time, with the numbers of ENTITY-STATE-TC-MIB (RFC 4268).
struct EntityState {
  int32_t admin = 4;    // locked 2, unlocked 4, unknown 1
  int32_t oper = 3;     // disabled 2, enabled 3, unknown 1
  int32_t usage = 1;    // idle 2, active 3, unknown 1
  uint8_t alarm = 0;    // bits from the left: unknown, underRepair, critical, major, minor, warning
  int32_t standby = 4;  // hotStandby 2, providingService 4, unknown 1
  bool operator==(const EntityState&) const = default;
};
EntityState entity_state(const Inventory& inventory, const Resource& part,
                         const ui::Verdicts& verdicts, bool fresh);

}  // namespace fmd::snmp
