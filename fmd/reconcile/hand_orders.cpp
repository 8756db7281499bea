// What persons order by hand: retire and restore one part, once, and tell what came of it.
#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/text.h"
#include "fmd/reconcile/reconciler_impl.h"

namespace fmd {
namespace {

Result<Asru> asru_to_order(const Engine& engine, std::string_view part) {
  auto asru = observe(engine.inventory(), part);
  if (!asru)
    return fail(fmt::format("{} is nothing that can be taken out of service", display(part)));
  if (!asru->present) return fail(fmt::format("{} is not there", asru->name));
  return std::move(*asru);
}

}  // namespace

bool Reconciler::Impl::case_is_about(const std::string& part) const {
  const auto cases = engine.cases_by_asru(part);
  return std::any_of(cases.begin(), cases.end(),
                     [&](const Case* c) { return is_faulty(*c, part); });
}

Result<uint64_t> Reconciler::order_retire(std::string_view part, Service level,
                                          std::string_view who, Moment) {
  const auto asru = asru_to_order(impl_->engine, part);
  if (!asru) return tl::unexpected(asru.error());
  if (impl_->orders.count(asru->fmri))
    return fail(fmt::format("an order for {} is being carried out already", asru->name));
  if (impl_->config.dry_run) return fail("dry run is on: nothing is changed ('fmadm dry-run off')");
  impl_->overrides.allow(asru->fmri);
  impl_->orders[asru->fmri] = {impl_->next_order, std::string(who), false, level, ""};
  impl_->parts.insert(asru->fmri);
  return impl_->next_order++;
}

Result<uint64_t> Reconciler::order_restore(std::string_view part, std::string_view who, Moment) {
  const auto asru = asru_to_order(impl_->engine, part);
  if (!asru) return tl::unexpected(asru.error());
  if (impl_->orders.count(asru->fmri))
    return fail(fmt::format("an order for {} is being carried out already", asru->name));
  if (impl_->config.dry_run) return fail("dry run is on: nothing is changed ('fmadm dry-run off')");
  impl_->overrides.allow(asru->fmri);
  if (impl_->case_is_about(asru->fmri)) impl_->overrides.keep(asru->fmri, who);
  impl_->orders[asru->fmri] = {impl_->next_order, std::string(who), true, Service::in_service, ""};
  impl_->parts.insert(asru->fmri);
  return impl_->next_order++;
}

void Reconciler::Impl::order_done(const std::string& part, CommandStatus status, std::string text) {
  const auto at = orders.find(part);
  if (at == orders.end()) return;
  // A word that came to nothing keeps nothing in service.
  if (at->second.restore && status != CommandStatus::done) overrides.allow(part);
  order_results.push_back({at->second.number, status, std::move(text)});
  orders.erase(at);
  parts.insert(part);
}

void Reconciler::Impl::carry_out(const std::string& part, const Asru& asru, const Look& at) {
  HandOrder& order = orders[part];
  if (!order.key.empty() || flights.under_way(part)) return;  // looked at again when it is answered
  const bool reached = order.restore ? asru.service == Service::in_service
                                     : service_rank(asru.service) >= service_rank(order.level);
  if (reached)
    return order_done(part, CommandStatus::done,
                      fmt::format("{} is {} already", asru.name, asru.state));
  if (!at.handled(part))
    return order_done(part, CommandStatus::failed,
                      fmt::format("no plugin that takes commands for {} is connected", asru.name));
  Step step;
  step.part = part;
  step.detail =
      fmt::format("by {}: {} {}", display(order.who),
                  order.restore ? "put back into service" : "take out of service", asru.name);
  const Owner owner{Owner::Kind::person, order.who};
  step.command =
      order.restore ? Step::Order{CommandName::restore, InterventionKind::retire, true,
                                  Service::unknown, R"({"by":"person"})"}
                    : Step::Order{CommandName::retire, InterventionKind::retire, false, order.level,
                                  fmt::format(R"({{"to":"{}"}})", service_name(order.level))};
  flights.reset({InterventionKind::retire, order.restore, part});
  if (order.restore)
    if (const Intervention* i = interventions.find(InterventionKind::retire, part)) {
      Intervention next = *i;  // whoever did it, a person answers for it now
      next.owner = owner;
      interventions.put(std::move(next));
    }
  if (start(step, owner, {}, at)) order.key = at.out.back().key;
}

bool Reconciler::Impl::order_answered(const Command& command, const CommandResult& result) {
  const auto at = orders.find(command.resource);
  if (at == orders.end() || at->second.key != command.key) return false;
  const std::string name = part_name(engine.inventory(), command.resource);
  std::string text = display(result.reason, 500);
  if (text.empty())
    text = fmt::format("{} {}", name,
                       at->second.restore ? "is in service again" : "is out of service");
  if (result.unanswered) text += ". It may still take effect: 'fmadm actions' shows it then";
  order_done(command.resource, result.status, std::move(text));
  return true;
}

}  // namespace fmd
