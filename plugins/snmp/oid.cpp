#include "plugins/snmp/oid.h"

#include <algorithm>

#include "plugins/snmp/mib_root.h"

namespace fmd::snmp {

const Oid& fmd_mib() {
  static const Oid root{FMD_MIB_ROOT};
  return root;
}

const Oid& fmd_status() {
  static const Oid root = below(fmd_mib(), {3});
  return root;
}

Oid below(const Oid& base, std::initializer_list<unsigned long> arcs) {
  Oid oid = base;
  oid.insert(oid.end(), arcs);
  return oid;
}

bool is_below(const Oid& oid, const Oid& base) {
  return oid.size() >= base.size() && std::equal(base.begin(), base.end(), oid.begin());
}

}  // namespace fmd::snmp
