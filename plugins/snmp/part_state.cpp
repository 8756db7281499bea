#include "plugins/snmp/part_state.h"

#include <algorithm>
#include <vector>

namespace fmd::snmp {
namespace {

using ui::Health;

constexpr uint8_t kAlarmUnknown = 0x80, kUnderRepair = 0x40, kCritical = 0x20, kMajor = 0x10,
                  kMinor = 0x08, kWarning = 0x04;

bool is_silent(const Resource& part) {
  const std::string status = part.get("status"), level = part.get("level");
  return status == "unknown" || level == "unknown" || part.is("observed", "not-observed") ||
         part.is("smart.state", "hung");
}

// The users of a part, with their redundancy: a disk's vdevs and md members, or the part itself.
std::vector<const Resource*> users(const Inventory& inventory, const Resource& part) {
  std::vector<const Resource*> found = inventory.parents(part.fmri, Relation::redundancy);
  std::erase_if(found, [](const Resource* one) { return !one->present; });
  if (!part.get("service").empty()) found.push_back(&part);
  return found;
}

bool is_idle_spare(const Resource& user) {
  if (!user.is("role", "spare")) return false;
  // An idle ZFS spare has no parent vdev; one in use is below spare-N.
  const std::string parent = user.get("parent_type");
  return parent.empty() || parent == "none";
}

uint8_t severity_bit(const Case& found) {
  switch (severity_rank(found.severity)) {
    case 3:
      return kCritical;
    case 2:
      return kMajor;
    default:
      return kMinor;
  }
}

uint8_t alarm_of(const Resource& part, const ui::Verdicts& verdicts) {
  uint8_t bits = 0;
  const Case* found = verdicts.gravest(part.fmri);
  if (found != nullptr) bits |= severity_bit(*found);
  if (found == nullptr && health_of(part, verdicts) == Health::failed) bits |= kMajor;
  if (found == nullptr && health_of(part, verdicts) == Health::degraded) bits |= kWarning;
  if (found == nullptr && verdicts.under_repair(part.fmri) != nullptr) bits |= kUnderRepair;
  if (is_silent(part)) bits |= kAlarmUnknown;
  return bits;
}

}  // namespace

ResourceState resource_state(const Resource& part, const ui::Verdicts& verdicts, bool fresh) {
  if (!part.present) return ResourceState::other;
  const Health health = health_of(part, verdicts);
  if (health == Health::failed) return ResourceState::faulted;
  if (!fresh || is_silent(part)) return ResourceState::unknown;
  return health == Health::ok ? ResourceState::ok : ResourceState::degraded;
}

ResourceState worse_of(ResourceState a, ResourceState b) {
  const auto rank = [](ResourceState state) {
    switch (state) {
      case ResourceState::faulted:
        return 4;
      case ResourceState::degraded:
        return 3;
      case ResourceState::unknown:
        return 2;
      case ResourceState::ok:
        return 1;
      case ResourceState::other:
        break;
    }
    return 0;
  };
  return rank(a) >= rank(b) ? a : b;
}

EntityState entity_state(const Inventory& inventory, const Resource& part,
                         const ui::Verdicts& verdicts, bool fresh) {
  EntityState state;
  if (!fresh) return {1, 1, 1, kAlarmUnknown, 1};
  state.alarm = alarm_of(part, verdicts);
  const auto standing_on_it = users(inventory, part);
  const auto any = [&](auto holds) {
    return std::any_of(standing_on_it.begin(), standing_on_it.end(),
                       [&](const Resource* user) { return holds(*user); });
  };
  const bool out = any([](const Resource& user) {
    return user.is("service", "out-of-service") || user.is("service", "removed");
  });
  if (any([](const Resource& user) { return !user.get("retired_by").empty(); }) && out)
    state.admin = 2;
  if (out || part.is("status", "not installed") || health_of(part, verdicts) == Health::failed)
    state.oper = 2;
  // A disk at fault that still holds data is in operation.
  if (!out && verdicts.gravest(part.fmri) != nullptr && !standing_on_it.empty()) state.oper = 3;
  if (is_silent(part)) state.oper = 1;
  const bool idle = (!standing_on_it.empty() &&
                     !any([](const Resource& user) { return !is_idle_spare(user); })) ||
                    part.is("standby", "true");
  if (part.type == "disk" || idle) state.usage = idle || standing_on_it.empty() ? 2 : 3;
  if (idle) state.standby = 2;
  return state;
}

}  // namespace fmd::snmp
