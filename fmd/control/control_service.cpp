#include "fmd/control/control_service.h"

#include <fmt/format.h>
#include <syslog.h>

#include <algorithm>
#include <set>

#include "fmd/base/build_paths.h"
#include "fmd/base/log.h"
#include "fmd/base/text.h"
#include "fmd/control/queries.h"
#include "fmd/model/fmri.h"
#include "fmd/model/self_events.h"

namespace fmd {
namespace {

std::string_view kind_name(InventoryChange::Kind kind) {
  switch (kind) {
    case InventoryChange::Kind::added:
      return "added";
    case InventoryChange::Kind::changed:
      return "changed";
    case InventoryChange::Kind::absent:
      return "absent";
    case InventoryChange::Kind::removed:
      return "removed";
  }
  return "";
}

}  // namespace

ControlService::ControlService(Parts& parts, std::function<std::vector<std::string>()> reload)
    : parts_(parts), reload_(std::move(reload)) {}

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
  return parts_.action().dry_run;
}
const Engine& ControlService::engine() const {
  return *parts_.engine;
}
Result<std::string> ControlService::list_cases(std::string_view filter) const {
  return query_cases(parts_, filter);
}
Result<std::string> ControlService::list_events(std::string_view query) const {
  return query_events(parts_, query);
}
Result<std::string> ControlService::list_resources(std::string_view filter) const {
  return query_resources(parts_, filter);
}
Result<std::string> ControlService::list_bay_history(std::string_view filter) const {
  return query_bay_history(parts_, filter);
}
Result<std::string> ControlService::list_readings(std::string_view query) const {
  return query_readings(parts_, query);
}
Result<std::string> ControlService::list_plugins() const {
  return query_plugins(parts_);
}
Result<std::string> ControlService::list_serd() const {
  return query_serd(parts_);
}
Result<std::string> ControlService::list_outbox() const {
  return query_outbox(parts_);
}
Result<std::string> ControlService::get_config() const {
  return query_config(parts_);
}

// What plugins said before the administrator spoke is in the engine before the word is judged.
Result<void> ControlService::take_in_queue() {
  if (parts_.pipeline->failing())
    return fail("nothing can be changed now: " + parts_.pipeline->failure());
  return parts_.pipeline->flush();
}

Result<std::vector<std::string>> ControlService::judge(std::string_view verdict,
                                                       std::string_view uuid, std::string_view part,
                                                       std::string_view who) {
  using Verdict = Engine::Verdict;
  static const std::map<std::string_view, Verdict> verdicts = {{"repaired", Verdict::repaired},
                                                               {"replaced", Verdict::replaced},
                                                               {"acquitted", Verdict::acquitted}};
  const auto known = verdicts.find(verdict);
  if (known == verdicts.end())
    return fail(
        fmt::format("\"{}\" is no verdict; say repaired, replaced or acquitted", display(verdict)));
  if (auto taken = take_in_queue(); !taken) return tl::unexpected(taken.error());
  // A case narrows a part's name down by itself.
  if (uuid.empty())
    if (auto one = parts_.engine->inventory().meant(part); !one) return tl::unexpected(one.error());
  auto judged = parts_.engine->judge(known->second, uuid, part, who, parts_.clock.wall_ns());
  if (!judged) return judged;
  if (known->second == Verdict::acquitted) forget_plugins(*judged);
  if (auto written = parts_.pipeline->flush(); !written) return tl::unexpected(written.error());
  return judged;
}

// A dead plugin that is acquitted was taken away on purpose: it is not expected back.
void ControlService::forget_plugins(const std::vector<std::string>& uuids) {
  for (const std::string& uuid : uuids) {
    const Case* c = parts_.engine->find_case(uuid);
    for (const Suspect& suspect : c ? c->suspects : std::vector<Suspect>()) {
      const auto fmri = Fmri::parse(suspect.resource);
      if (!fmri || fmri->scheme != "fmd" || !parts_.hub->table().forget(fmri->get("plugin")))
        continue;
      Work work;
      InventoryUpdate update;
      update.source = kSelfSource;
      update.gone.push_back({suspect.resource, "destroyed", ""});
      work.inventory.push_back(std::move(update));
      parts_.pipeline->submit(std::move(work));
    }
  }
}

Result<void> ControlService::acknowledge(std::string_view uuid, std::string_view comment,
                                         std::string_view who) {
  if (auto taken = take_in_queue(); !taken) return taken;
  auto done = parts_.engine->acknowledge(uuid, who, comment, parts_.clock.wall_ns());
  if (!done) return done;
  return parts_.pipeline->flush();
}

// The bay that the part is, or that holds it.
Result<std::string> ControlService::bay_of(std::string_view part) const {
  const Inventory& inventory = parts_.engine->inventory();
  const auto named = inventory.meant(part);
  if (!named) return tl::unexpected(named.error());
  if (named->empty())
    return fail(fmt::format("nothing is known by the name \"{}\"; see fmtopo", display(part)));
  std::set<std::string> bays;
  for (const Resource* resource : *named) {
    const Resource* disk = inventory.descend(resource->fmri, Relation::redundancy, "dev");
    const std::string held = disk ? disk->fmri : resource->fmri;
    if (resource->type == "bay") bays.insert(resource->fmri);
    for (const Resource* parent : inventory.parents(held, Relation::contains))
      if (parent->type == "bay") bays.insert(parent->fmri);
  }
  if (bays.empty()) return fail(fmt::format("no bay is known that holds \"{}\"", display(part)));
  if (bays.size() > 1)
    return fail(fmt::format("\"{}\" may be any of {}: name one of these", display(part),
                            fmt::join(bays, ", ")));
  return *bays.begin();
}

Result<void> ControlService::act_on_wish() {
  parts_.pipeline->reconsider();
  return parts_.pipeline->flush();
}

Result<std::string> ControlService::locate(std::string_view part, bool on, std::string_view who) {
  if (auto taken = take_in_queue(); !taken) return tl::unexpected(taken.error());
  auto bay = bay_of(part);
  if (!bay) return bay;
  if (auto wished = parts_.reconciler->locate(*bay, on); !wished)
    return tl::unexpected(wished.error());
  log_line(LOG_INFO,
           fmt::format("{} asked to switch the locate LED of {} {}", who, *bay, on ? "on" : "off"));
  if (auto written = act_on_wish(); !written) return tl::unexpected(written.error());
  return bay;
}

Result<std::string> ControlService::hold_locate(std::string_view part, std::string_view holder,
                                                std::string_view who) {
  if (auto taken = take_in_queue(); !taken) return tl::unexpected(taken.error());
  auto bay = bay_of(part);
  if (!bay) return bay;
  if (auto wished = parts_.reconciler->hold_locate(*bay, holder); !wished)
    return tl::unexpected(wished.error());
  log_line(LOG_INFO,
           fmt::format("{} asked to have the locate LED of {} on for a while", who, *bay));
  if (auto written = act_on_wish(); !written) return tl::unexpected(written.error());
  return bay;
}

// While nothing can be written it waits, like every command, for the next try.
Result<void> ControlService::release_locate(std::string_view holder) {
  const auto bays = parts_.reconciler->release_locate(holder);
  if (bays.empty()) return {};
  log_line(LOG_INFO, fmt::format("who had the locate LED of {} on for a while is done with it",
                                 fmt::join(bays, ", ")));
  return act_on_wish();
}

std::set<std::string> ControlService::locate_holders() const {
  return parts_.reconciler->locate_holders();
}

Result<void> ControlService::set_dry_run(bool on, std::string_view who) {
  if (auto taken = take_in_queue(); !taken) return taken;
  const bool as_configured = on == parts_.config.action.dry_run;
  const bool before = dry_run();
  parts_.dry_run_wish = as_configured ? std::nullopt : std::optional<bool>(on);
  parts_.reconciler->set_config(parts_.action());
  Work work;
  work.rows.push_back(dry_run_row(parts_.dry_run_wish, who));
  parts_.pipeline->submit(std::move(work));
  parts_.pipeline->reconsider();
  log_line(LOG_NOTICE, fmt::format("{} switched dry run {}", who, on ? "on" : "off"));
  if (before != on)
    for (ControlObserver* observer : std::vector<ControlObserver*>(observers_))
      observer->dry_run_changed(on);
  return parts_.pipeline->flush();
}

std::vector<std::string> ControlService::reload(std::string_view who) {
  log_line(LOG_INFO, fmt::format("{} asked to read rules and configuration again", who));
  const bool before = dry_run();
  std::vector<std::string> errors = reload_();
  if (before != dry_run())
    for (ControlObserver* observer : std::vector<ControlObserver*>(observers_))
      observer->dry_run_changed(dry_run());
  return errors;
}

}  // namespace fmd
