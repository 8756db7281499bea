// ENTITY-MIB, ENTITY-SENSOR-MIB and ENTITY-STATE-MIB (RFC 4133, 3433, 4268), built from the parts.
// Managers can show these tables without knowing fmd.
#pragma once
#include <map>
#include <vector>

#include "plugins/snmp/entities.h"
#include "plugins/snmp/table.h"

namespace fmd::snmp {

const Oid& entity_mib();         // entityMIBObjects
const Oid& entity_sensor_mib();  // entitySensorObjects
const Oid& entity_state_mib();   // entityStateObjects

// Remembers when each part's state and the tree of parts last changed. Single thread.
class EntityTables {
 public:
  // started_ns: steady time at which the program began, the origin of TimeTicks.
  explicit EntityTables(int64_t started_ns) : started_ns_(started_ns) {}
  std::vector<Table> build(const Knowledge& knowledge, const std::vector<Entity>& parts);

 private:
  struct Known {
    EntityState state;
    int64_t since_ns;  // wall time
  };
  Table physical(const std::vector<Entity>& parts) const;
  Table contains(const std::vector<Entity>& parts) const;
  Table general(const Knowledge& knowledge, const std::vector<Entity>& parts);
  Table sensors(const Knowledge& knowledge, const std::vector<Entity>& parts) const;
  Table states(const Knowledge& knowledge, const std::vector<Entity>& parts);

  int64_t started_ns_;
  std::map<uint32_t, uint32_t> tree_;  // number → parent, since the last change
  uint32_t tree_changed_ = 0;          // 1/100 s since the program began
  std::map<uint32_t, Known> known_;
};

}  // namespace fmd::snmp
