// Regions: the subtrees that fmd-snmp serves, registered with net-snmp's agent library and through
// it with the AgentX master. Requests are answered from the current view, without waiting. One per
// process.
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

  // Once, after the library's init_snmp(). entities: also the ENTITY MIBs.
  void serve(bool entities);
  void publish(std::shared_ptr<const View> view) { view_ = std::move(view); }

 private:
  struct Library;  // its callback; keeps the library's types out of this header
  std::shared_ptr<const View> view_;
  static Regions* only_;
};

}  // namespace fmd::snmp
