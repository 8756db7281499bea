// ControlService: parts taken out of service, put back and replaced by command. The reconciler
// carries it out as it does for cases; the caller gets an answer when the part's plugin has
// answered.
#include <fmt/format.h>
#include <syslog.h>

#include <utility>

#include "fmd/base/log.h"
#include "fmd/base/text.h"
#include "fmd/control/control_service.h"
#include "fmd/control/named_parts.h"

namespace fmd {

void ControlService::retire(std::string_view part, std::string_view level, std::string_view who,
                            Ordered done) {
  const Service to = parse_service(level);
  if (to != Service::degraded && to != Service::out_of_service)
    return done(
        fail(fmt::format("\"{}\" is not a level; use degraded or out-of-service", display(level))));
  if (auto taken = road_.take_in(); !taken) return done(tl::unexpected(taken.error()));
  const auto asru = asru_named(engine_, part);
  if (!asru) return done(tl::unexpected(asru.error()));
  log_line(LOG_NOTICE,
           fmt::format("{} ordered to take {} out of service ({})", who, *asru, service_name(to)));
  await(reconciler_.order_retire(*asru, to, who, road_.now()), std::move(done));
}

void ControlService::restore(std::string_view part, std::string_view who, Ordered done) {
  if (auto taken = road_.take_in(); !taken) return done(tl::unexpected(taken.error()));
  const auto asru = asru_named(engine_, part);
  if (!asru) return done(tl::unexpected(asru.error()));
  log_line(LOG_NOTICE, fmt::format("{} ordered to put {} back into service", who, *asru));
  await(reconciler_.order_restore(*asru, who, road_.now()), std::move(done));
}

std::string ControlService::name_part(std::string_view part) const {
  return words_for(engine_, part);
}

void ControlService::replace(std::string_view part, std::string_view with, bool force,
                             std::string_view who, Ordered done) {
  if (auto taken = road_.take_in(); !taken) return done(tl::unexpected(taken.error()));
  const auto asru = asru_named(engine_, part);
  if (!asru) return done(tl::unexpected(asru.error()));
  const auto disk = disk_named(engine_.inventory(), with);
  if (!disk) return done(tl::unexpected(disk.error()));
  log_line(LOG_NOTICE, fmt::format("{} ordered to replace {} by {}{}", who, *asru, *disk,
                                   force ? ", whatever it is" : ""));
  await(reconciler_.order_replace(*asru, *disk, force, who, road_.now()), std::move(done));
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
  if (!waiting) return;  // from a run before, or answered already
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
