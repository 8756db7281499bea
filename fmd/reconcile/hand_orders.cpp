// Orders by people: retire, restore or replace one part, once, and return the result.
#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/json.h"
#include "fmd/base/text.h"
#include "fmd/model/part_name.h"
#include "fmd/reconcile/reconciler_impl.h"
#include "fmd/reconcile/replacement.h"

namespace fmd {
namespace {

Result<Asru> asru_to_order(const Engine& engine, std::string_view part) {
  auto asru = observe(engine.inventory(), part);
  if (!asru)
    return fail(fmt::format("{} is nothing that can be taken out of service", display(part)));
  if (!asru->present) return fail(fmt::format("{} is not there", asru->name));
  return std::move(*asru);
}

// As an open case knows it, else what stands there.
const Resource* old_disk_of(const Engine& engine, const std::string& asru) {
  const Inventory& inventory = engine.inventory();
  for (const Case* c : engine.cases_by_asru(asru))
    for (const Suspect& s : c->suspects)
      if (s.asru == asru && !s.fru.empty())
        if (const Resource* disk = inventory.find(s.fru)) return disk;
  return inventory.descend(asru, Relation::redundancy, "dev");
}

}  // namespace

bool Reconciler::Impl::case_is_about(const std::string& part) const {
  const auto cases = engine.cases_by_asru(part);
  return std::any_of(cases.begin(), cases.end(),
                     [&](const Case* c) { return is_faulty(*c, part); });
}

Result<uint64_t> Reconciler::Impl::begin_order(const Asru& asru, HandOrder order) {
  if (orders.count(asru.fmri))
    return fail(fmt::format("an order for {} is being carried out already", asru.name));
  if (config.dry_run) return fail("dry run is on: nothing is changed ('fmadm dry-run off')");
  order.number = next_order++;
  const uint64_t number = order.number;
  orders[asru.fmri] = std::move(order);
  parts.insert(asru.fmri);
  return number;
}

Result<uint64_t> Reconciler::order_retire(std::string_view part, Service level,
                                          std::string_view who, Moment) {
  const auto asru = asru_to_order(impl_->engine, part);
  if (!asru) return tl::unexpected(asru.error());
  auto number =
      impl_->begin_order(*asru, {0, std::string(who), Impl::HandOrder::What::retire, level});
  if (number) impl_->overrides.allow(asru->fmri);
  return number;
}

Result<uint64_t> Reconciler::order_restore(std::string_view part, std::string_view who, Moment) {
  const auto asru = asru_to_order(impl_->engine, part);
  if (!asru) return tl::unexpected(asru.error());
  auto number = impl_->begin_order(
      *asru, {0, std::string(who), Impl::HandOrder::What::restore, Service::in_service});
  if (!number) return number;
  impl_->overrides.allow(asru->fmri);
  if (impl_->case_is_about(asru->fmri)) impl_->overrides.keep(asru->fmri, who);
  return number;
}

Result<uint64_t> Reconciler::order_replace(std::string_view part, std::string_view disk, bool force,
                                           std::string_view who, Moment) {
  const Inventory& inventory = impl_->engine.inventory();
  const auto asru = asru_to_order(impl_->engine, part);
  if (!asru) return tl::unexpected(asru.error());
  const Resource* next = inventory.find(disk);
  if (!next || next->type != "disk") return fail(fmt::format("{} is not a disk", display(disk)));
  const std::string name = new_disk_name(inventory, *next);
  if (!next->present) return fail(fmt::format("{} is not there", name));
  const Resource* old_disk = old_disk_of(impl_->engine, asru->fmri);
  if (old_disk == next) return fail(fmt::format("{} is {} itself", name, asru->name));
  const Fitness fit = fitness(inventory, asru->fmri, old_disk, *next);
  if (fit.unfit == Unfit::in_use) return fail(fmt::format("{} {}", name, fit.why));
  if (fit.unfit == Unfit::larger_blocks)
    return fail(fmt::format("{} {}. {}", name, fit.why, how_to_take(asru->fmri, *next, fit)));
  if (fit.waits && !force)
    return fail(fmt::format("{} has not been read yet: try again in a moment", name));
  if (fit.unfit != Unfit::none && !force)
    return fail(fmt::format("{} {}. {}", name, fit.why, how_to_take(asru->fmri, *next, fit)));
  nlohmann::json args = replacement_args(*next);
  args["by"] = "person";
  if (force) args["force"] = true;
  // With force as well: fmadm told the person that the disk is blank, so they have not agreed to
  // overwrite anything else.
  if (next->is("content", "blank")) args["blank"] = true;
  if (fit.ashift) args["ashift"] = *fit.ashift;
  return impl_->begin_order(*asru, {0, std::string(who), Impl::HandOrder::What::replace,
                                    Service::unknown, "", next->fmri, args.dump()});
}

void Reconciler::Impl::order_done(const std::string& part, CommandStatus status, std::string text) {
  const auto at = orders.find(part);
  if (at == orders.end()) return;
  // A word that came to nothing keeps nothing in service.
  if (at->second.what == HandOrder::What::restore && status != CommandStatus::done)
    overrides.allow(part);
  order_results.push_back({at->second.number, status, std::move(text)});
  orders.erase(at);
  parts.insert(part);
}

Step Reconciler::Impl::order_step(const Asru& asru, const HandOrder& order) const {
  Step step;
  step.part = asru.fmri;
  const auto ordered = [&](std::string what, Step::Order command) {
    step.detail = fmt::format("by {}: {}", display(order.who), what);
    step.command = std::move(command);
    return step;
  };
  switch (order.what) {
    case HandOrder::What::restore:
      return ordered(fmt::format("put back into service {}", asru.name),
                     {CommandName::restore, InterventionKind::retire, true, Service::unknown,
                      R"({"by":"person"})"});
    case HandOrder::What::retire:
      return ordered(fmt::format("take out of service {}", asru.name),
                     {CommandName::retire, InterventionKind::retire, false, order.level,
                      fmt::format(R"({{"to":"{}"}})", service_name(order.level))});
    case HandOrder::What::replace:
      break;
  }
  step.action = ActionKind::replace;
  const Resource* disk = engine.inventory().find(order.disk);
  return ordered(fmt::format("replace {} by {}", asru.name,
                             disk ? new_disk_name(engine.inventory(), *disk) : order.disk),
                 {CommandName::replace, InterventionKind::replace, false, Service::unknown,
                  order.args, order.disk});
}

void Reconciler::Impl::carry_out(const std::string& part, const Asru& asru, const Look& at) {
  HandOrder& order = orders[part];
  if (!order.key.empty() || flights.under_way(part)) return;  // looked at again when it is answered
  const bool restore = order.what == HandOrder::What::restore;
  const bool replace = order.what == HandOrder::What::replace;
  const bool reached = restore ? asru.service == Service::in_service
                               : service_rank(asru.service) >= service_rank(order.level);
  if (reached && !replace)
    return order_done(part, CommandStatus::done,
                      fmt::format("{} is {} already", asru.name, asru.state));
  if (!at.handled(part))
    return order_done(part, CommandStatus::failed,
                      fmt::format("no plugin that takes commands for {} is connected", asru.name));
  const Step step = order_step(asru, order);
  const Owner owner{Owner::Kind::person, order.who};
  flights.reset({step.command->kind, restore, part});
  if (restore)
    if (const Intervention* i = interventions.find(InterventionKind::retire, part)) {
      Intervention next = *i;  // regardless of its cause, a person answers for it now
      next.owner = owner;
      interventions.put(std::move(next));
    }
  if (start(step, owner, {}, at)) order.key = at.out.back().key;
}

bool Reconciler::Impl::order_answered(const Command& command, const CommandResult& result) {
  const auto at = orders.find(command.resource);
  if (at == orders.end() || at->second.key != command.key) return false;
  const std::string name = name_in_place(engine.inventory(), command.resource);
  std::string text = display(result.reason, 500);
  if (text.empty())
    text = fmt::format("{} {}", name,
                       at->second.what == HandOrder::What::restore  ? "is in service again"
                       : at->second.what == HandOrder::What::retire ? "is out of service"
                                                                    : "is being replaced");
  if (result.unanswered) text += ". It may still take effect: 'fmadm actions' shows it then";
  order_done(command.resource, result.status, std::move(text));
  return true;
}

}  // namespace fmd
