// Notifications and objects of schemas/FMD-MIB.txt, filled from a notice. Pure.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "plugins/sdk/notifier.h"
#include "plugins/snmp/oid.h"

namespace fmd::snmp {

struct Notification {
  Oid trap;                                          // value of snmpTrapOID.0
  std::vector<std::pair<Oid, std::string>> objects;  // SnmpAdminString: UTF-8, at most 255 bytes
};

// An error if the MIB has no notification for the event.
Result<Notification> notification_of(const sdk::Notice& notice);

}  // namespace fmd::snmp
