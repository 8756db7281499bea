// The tables of FMD-STATUS-MIB, built from fmd's state. Pure.
#pragma once
#include <vector>

#include "plugins/snmp/entities.h"
#include "plugins/snmp/table.h"

namespace fmd::snmp {

std::vector<Table> fmd_tables(const Knowledge& knowledge, const std::vector<Entity>& parts,
                              PartNumbers& numbers);

}  // namespace fmd::snmp
