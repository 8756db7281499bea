// Object identifiers in net-snmp's format, and the roots of fmd's MIBs.
#pragma once
#include <initializer_list>
#include <vector>

namespace fmd::snmp {

using Oid = std::vector<unsigned long>;

const Oid& fmd_mib();     // FMD-MIB::fmdMIB
const Oid& fmd_status();  // FMD-STATUS-MIB::fmdStatusMIB
Oid below(const Oid& base, std::initializer_list<unsigned long> arcs);
bool is_below(const Oid& oid, const Oid& base);  // or equal

}  // namespace fmd::snmp
