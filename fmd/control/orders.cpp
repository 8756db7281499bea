// ControlService: parts taken out of service and back by hand. The reconciler does it, as it does
// what cases wish; whoever ordered it is answered when the part's plugin has.
#include <fmt/format.h>
#include <syslog.h>

#include <set>
#include <utility>

#include "fmd/base/log.h"
#include "fmd/base/text.h"
#include "fmd/control/control_service.h"

namespace fmd {
namespace {

// What can be taken out of service says so by its `service` (schemas/resources.md).
bool has_service(const Resource& resource) {
  return resource.present && !resource.get("service").empty();
}

// The part itself, or what stands on it: on a bay's disk, on the disks that hold its data.
void collect_asrus(const Inventory& inventory, const Resource& part, std::set<std::string>& asrus) {
  if (has_service(part)) {
    asrus.insert(part.fmri);
    return;
  }
  std::set<std::string> held = {part.fmri};
  for (const Edge& edge : part.edges)
    if (edge.relation == Relation::contains) held.insert(edge.to);
  for (const std::string& fmri : held) {
    if (const Resource* inside = inventory.find(fmri); inside && has_service(*inside))
      asrus.insert(fmri);
    for (const Resource* user : inventory.parents(fmri, Relation::redundancy))
      if (has_service(*user)) asrus.insert(user->fmri);
  }
}

}  // namespace

Result<std::string> ControlService::asru_of(std::string_view part) const {
  const Inventory& inventory = engine_.inventory();
  const auto named = inventory.meant(part);
  if (!named) return tl::unexpected(named.error());
  if (named->empty())
    return fail(fmt::format("nothing is known by the name \"{}\"; see fmtopo", display(part)));
  std::set<std::string> asrus;
  for (const Resource* resource : *named) collect_asrus(inventory, *resource, asrus);
  if (asrus.empty())
    return fail(
        fmt::format("\"{}\" is nothing that can be taken out of service, and nothing that "
                    "can stands on it",
                    display(part)));
  if (asrus.size() > 1)
    return fail(fmt::format("\"{}\" may be any of {}: name one of these", display(part),
                            fmt::join(asrus, ", ")));
  return *asrus.begin();
}

void ControlService::retire(std::string_view part, std::string_view level, std::string_view who,
                            Ordered done) {
  const Service to = parse_service(level);
  if (to != Service::degraded && to != Service::out_of_service)
    return done(
        fail(fmt::format("\"{}\" is no level; say degraded or out-of-service", display(level))));
  if (auto taken = road_.take_in(); !taken) return done(tl::unexpected(taken.error()));
  const auto asru = asru_of(part);
  if (!asru) return done(tl::unexpected(asru.error()));
  log_line(LOG_NOTICE,
           fmt::format("{} ordered to take {} out of service ({})", who, *asru, service_name(to)));
  await(reconciler_.order_retire(*asru, to, who, road_.now()), std::move(done));
}

void ControlService::restore(std::string_view part, std::string_view who, Ordered done) {
  if (auto taken = road_.take_in(); !taken) return done(tl::unexpected(taken.error()));
  const auto asru = asru_of(part);
  if (!asru) return done(tl::unexpected(asru.error()));
  log_line(LOG_NOTICE, fmt::format("{} ordered to put {} back into service", who, *asru));
  await(reconciler_.order_restore(*asru, who, road_.now()), std::move(done));
}

void ControlService::await(Result<uint64_t> order, Ordered done) {
  if (!order) return done(tl::unexpected(order.error()));
  orders_[*order] = std::move(done);
  const auto written = road_.commit();  // perhaps with the result already
  if (written) return;
  // It is in force, and its result will come, but who ordered it need not wait for that.
  if (auto waiting = orders_.extract(*order)) waiting.mapped()(tl::unexpected(written.error()));
}

void ControlService::ordered(const OrderResult& result) {
  auto waiting = orders_.extract(result.order);
  if (!waiting) return;  // of a run before, or told already
  if (result.status == CommandStatus::done)
    waiting.mapped()(result.text);
  else
    waiting.mapped()(fail(result.text));
}

void ControlService::stop() {
  for (const auto& [order, done] : std::exchange(orders_, {}))
    done(
        fail("fmd stops before the part's plugin has answered; see fmadm actions once it runs "
             "again"));
}

}  // namespace fmd
