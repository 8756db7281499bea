// Regions: the parts of the tree of objects that fmd-snmp serves, registered with net-snmp's agent library, which tells
// the AgentX master. Every request is answered from the view of that moment; nothing is waited for. One a process.
#pragma once
#include <memory>

#include "plugins/snmp/oid.h"
#include "plugins/snmp/table.h"

namespace fmd::snmp {

class Regions {
 public:
  Regions();
  ~Regions();
  Regions(const Regions&) = delete;
  Regions& operator=(const Regions&) = delete;

  // Once, after the library's init_snmp(). entities: ENTITY-MIB and its like, too.
  void serve(bool entities);
  void publish(std::shared_ptr<const View> view) { view_ = std::move(view); }

 private:
  struct Library;  // its callback: the library's types are not for this header
  std::shared_ptr<const View> view_;
  static Regions* only_;
};

}  // namespace fmd::snmp
