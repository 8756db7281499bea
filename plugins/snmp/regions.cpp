#include "plugins/snmp/regions.h"

#include <syslog.h>
#include <time.h>

#include <algorithm>

#include "plugins/sdk/plugin.h"
#include "plugins/snmp/entity_tables.h"
#include "plugins/snmp/netsnmp.h"

namespace fmd::snmp {
namespace {

constexpr int64_t kSecondNs = 1000000000;

int64_t boottime_ns() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return now.tv_sec * kSecondNs + now.tv_nsec;
}

struct Fill {
  netsnmp_variable_list* variable;

  void operator()(std::monostate) const {}
  void operator()(int32_t value) const {
    const long wide = value;
    snmp_set_var_typed_value(variable, ASN_INTEGER, &wide, sizeof wide);
  }
  void operator()(uint32_t value) const { number(ASN_GAUGE, value); }
  void operator()(Ticks value) const { number(ASN_TIMETICKS, value.hundredths); }
  void operator()(Since value) const {
    number(ASN_GAUGE, static_cast<unsigned long>(
                          std::max<int64_t>(boottime_ns() - value.steady_ns, 0) / kSecondNs));
  }
  void operator()(const std::string& value) const {
    snmp_set_var_typed_value(variable, ASN_OCTET_STR, value.data(), value.size());
  }
  void operator()(const Oid& value) const {
    snmp_set_var_typed_value(variable, ASN_OBJECT_ID, value.data(), value.size() * sizeof(oid));
  }
  void number(u_char type, unsigned long value) const {
    snmp_set_var_typed_value(variable, type, &value, sizeof value);
  }
};

}  // namespace

struct Regions::Library {
  // The requested object, or for GETNEXT the next one within the requested range. Otherwise the
  // request stays unchanged, and the agent continues in the next region.
  static void next(const View& view, netsnmp_request_info* request) {
    const Oid name(request->requestvb->name,
                   request->requestvb->name + request->requestvb->name_length);
    std::optional<Table::Found> found;
    if (const Cell* itself = request->inclusive != 0 ? view.get(name) : nullptr)
      found = Table::Found{name, itself};
    else
      found = view.next(name);
    if (!found) return;
    if (request->range_end_len > 0 &&
        snmp_oid_compare(found->name.data(), found->name.size(), request->range_end,
                         request->range_end_len) >= 0)
      return;
    snmp_set_var_objid(request->requestvb, found->name.data(), found->name.size());
    std::visit(Fill{request->requestvb}, *found->cell);
  }

  static int answer(netsnmp_mib_handler*, netsnmp_handler_registration*,
                    netsnmp_agent_request_info* info, netsnmp_request_info* requests) {
    static const View none{std::vector<Table>()};
    const std::shared_ptr<const View> held = only_ != nullptr ? only_->view_ : nullptr;
    const View& view = held ? *held : none;
    for (auto* request = requests; request != nullptr; request = request->next) {
      if (request->processed != 0) continue;
      if (info->mode == MODE_GETNEXT) {
        next(view, request);
        continue;
      }
      const Oid name(request->requestvb->name,
                     request->requestvb->name + request->requestvb->name_length);
      if (const Cell* cell = view.get(name))
        std::visit(Fill{request->requestvb}, *cell);
      else
        netsnmp_set_request_error(info, request, SNMP_NOSUCHINSTANCE);
    }
    return SNMP_ERR_NOERROR;
  }

  static void serve(const char* name, const Oid& root) {
    netsnmp_handler_registration* region = netsnmp_create_handler_registration(
        name, answer, root.data(), root.size(), HANDLER_CAN_RONLY);
    if (region == nullptr || netsnmp_register_handler(region) != MIB_REGISTERED_OK)
      sdk::log(LOG_ERR, std::string("the tables of ") + name + " cannot be served");
  }
};

Regions* Regions::only_ = nullptr;

Regions::Regions() {
  only_ = this;
}

Regions::~Regions() {
  only_ = nullptr;
}

void Regions::serve(bool entities) {
  Library::serve("FMD-STATUS-MIB", fmd_status());
  if (!entities) return;
  Library::serve("ENTITY-MIB", entity_mib());
  Library::serve("ENTITY-SENSOR-MIB", entity_sensor_mib());
  Library::serve("ENTITY-STATE-MIB", entity_state_mib());
}

}  // namespace fmd::snmp
