// What is told by SNMP: the objects of schemas/FMD-MIB.txt, filled from a notice. Pure.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plugins/sdk/notifier.h"

namespace fmd::snmp {

using Oid = std::vector<unsigned long>;

// netSnmpPlaypen.1: net-snmp's arc for private use. fmd has no enterprise number of its own.
const Oid& base();

struct Notification {
  Oid trap;  // value of snmpTrapOID.0
  std::vector<std::pair<Oid, std::string>>
      objects;  // DisplayString-like, UTF-8, at most 255 bytes each
};

Result<Notification> notification_of(const sdk::Notice& notice);

}  // namespace fmd::snmp
