#include "fmd/control/control_service.h"

#include <fmt/format.h>
#include <syslog.h>

#include <algorithm>

#include "fmd/base/build_paths.h"
#include "fmd/base/log.h"
#include "fmd/base/text.h"
#include "fmd/control/queries.h"

namespace fmd {
namespace {

std::string_view kind_name(InventoryChange::Kind kind) {
  switch (kind) {
    case InventoryChange::Kind::added:
      return "added";
    case InventoryChange::Kind::changed:
    case InventoryChange::Kind::measured:
      return "changed";
    case InventoryChange::Kind::absent:
      return "absent";
    case InventoryChange::Kind::removed:
      return "removed";
  }
  return "";
}

}  // namespace

ControlService::ControlService(Engine& engine, Reconciler& reconciler, PluginHub& hub, Sight sight,
                               Voice voice, Road& road)
    : engine_(engine),
      reconciler_(reconciler),
      hub_(hub),
      sight_(sight),
      voice_(voice),
      road_(road) {}

void ControlService::changed(const Changes& changes) {
  for (ControlObserver* observer : std::vector<ControlObserver*>(observers_)) {
    for (const InventoryChange& change : changes.resources)
      observer->resource_changed(change.fmri, kind_name(change.kind));
    for (const auto& [uuid, event] : changes.cases) observer->case_changed(uuid, event);
    if (changes.last_seq != 0) observer->events_logged(changes.last_seq);
  }
}

void ControlService::add_observer(ControlObserver* observer) {
  observers_.push_back(observer);
}

void ControlService::remove_observer(ControlObserver* observer) {
  observers_.erase(std::remove(observers_.begin(), observers_.end(), observer), observers_.end());
}

std::string ControlService::version() const {
  return FMD_VERSION;
}
bool ControlService::dry_run() const {
  return road_.dry_run();
}
const Engine& ControlService::engine() const {
  return engine_;
}
CasesAround ControlService::around_cases() const {
  return {index_.of(engine_.inventory()), voice_.alerts.maintenance, dry_run(), road_.now(),
          road_.shown().action.auto_replace};
}

Result<std::string> ControlService::list(std::string_view list, std::string_view filter,
                                         Paging paging) const {
  if (list == "cases") return query_cases(engine_, around_cases(), filter, paging);
  if (list == "resources") return query_resources(engine_, road_.now().wall_ns, filter, paging);
  if (list == "bay-history")
    return query_bay_history(engine_.inventory(), sight_.bay_history, filter, paging);
  if (list == "serd") return query_serd(engine_, filter, paging);
  if (list == "outbox") return query_outbox(sight_.outbox, filter, paging);
  if (list == "explanations") return query_explanations(engine_, road_.now(), filter, paging);
  return fail(fmt::format(
      "there is no list \"{}\"; there are: cases, resources, bay-history, serd, outbox, "
      "explanations",
      display(list)));
}
Result<std::string> ControlService::list_page(std::string_view list_name,
                                              std::string_view filter) const {
  return list(list_name, filter, Paging::page);
}
Result<std::string> ControlService::list_cases(std::string_view filter) const {
  return list("cases", filter, Paging::whole);
}
void ControlService::ask_store(Result<StoreQuery> query, Ordered done) const {
  if (!query) return done(tl::unexpected(query.error()));
  sight_.store.ask([query = std::move(*query), done = std::move(done)](const Store& store) {
    return [done, answer = query(store)] { done(answer); };
  });
}
void ControlService::list_events(std::string_view query, Ordered done) const {
  ask_store(query_events(engine_, road_.shown().event_classes, query), std::move(done));
}
Result<std::string> ControlService::list_resources(std::string_view filter) const {
  return list("resources", filter, Paging::whole);
}
Result<std::string> ControlService::list_bay_history(std::string_view filter) const {
  return list("bay-history", filter, Paging::whole);
}
void ControlService::list_readings(std::string_view query, Ordered done) const {
  ask_store(query_readings(engine_.inventory(), road_.now().wall_ns, query), std::move(done));
}
Result<std::string> ControlService::list_plugins() const {
  return query_plugins(hub_.table(), engine_.inventory(), road_.shown());
}
Result<std::string> ControlService::list_serd() const {
  return list("serd", {}, Paging::whole);
}
Result<std::string> ControlService::list_outbox() const {
  return list("outbox", {}, Paging::whole);
}
Result<std::string> ControlService::list_actions() const {
  return query_actions(reconciler_, engine_, sight_.bay_history, index_.of(engine_.inventory()));
}
Result<std::string> ControlService::get_config() const {
  return query_config(engine_, sight_.store.facts(), hub_.table(), road_.shown());
}

Result<std::string> ControlService::get_status() const {
  return query_status(engine_, *road_.shown().rules, sight_.bay_history, around_cases());
}

Result<void> ControlService::acknowledge(std::string_view uuid, std::string_view comment,
                                         std::string_view who) {
  if (auto taken = road_.take_in(); !taken) return taken;
  auto done = engine_.acknowledge(uuid, who, comment, road_.now());
  if (!done) return done;
  return road_.commit();
}

void ControlService::tell_dry_run(bool before) {
  if (const bool now = dry_run(); now != before)
    for (ControlObserver* observer : std::vector<ControlObserver*>(observers_))
      observer->dry_run_changed(now);
}

Result<void> ControlService::set_dry_run(bool on, std::string_view who) {
  if (auto taken = road_.take_in(); !taken) return taken;
  const bool before = dry_run();
  road_.wish_dry_run(on, who);
  log_line(LOG_NOTICE, fmt::format("{} switched dry run {}", who, on ? "on" : "off"));
  tell_dry_run(before);
  return road_.commit();
}

std::vector<std::string> ControlService::reload(std::string_view who) {
  log_line(LOG_INFO, fmt::format("{} asked to read rules and configuration again", who));
  const bool before = dry_run();
  std::vector<std::string> errors = road_.reload();
  tell_dry_run(before);
  return errors;
}

}  // namespace fmd
