// AbsentDisk: another disk of a case's pool, array or file system that is out of its bay. Its return
// comes before the replacement that the case asks for: a person may have pulled the wrong disk. Pure.
#pragma once
#include <optional>
#include <string>

#include "fmd/advice/say_orders.h"
#include "fmd/advice/situation.h"

namespace fmd {

struct AbsentDisk {
  std::string name;         // "SLOT 05", "disk DISK05G0"
  std::string serial;       // cleaned, "" unknown
  std::string storage;      // "pool tank"
  bool in_bay = false;      // the name is its bay's
  bool awaits_new = false;  // its own case asks for a new disk
};

std::optional<AbsentDisk> absent_disk_of(const Situation& s, const SayWorld& world);
// Puts the return of that disk before the orders.
void order_its_return(const AbsentDisk& absent, const Situation& s, Orders& out);

}  // namespace fmd
