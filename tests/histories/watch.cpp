// The invariants checked at each instant.
#include "watch.h"

#include <fmt/format.h>

#include <algorithm>

#include "names.h"

namespace fmd::histories {
namespace {

constexpr Ns kWindow = 24 * kHour;  // ActionConfig::max_retired_within_ns
constexpr Ns kRarely = 2 * kHour;
constexpr Ns kOscillation = 10 * kMin;
constexpr size_t kMostChanges = 6;

std::string describe(const Command& c) {
  return fmt::format("{} {} {} [{}]", command_name(c.name), c.resource, c.args, c.key);
}

bool undoes_by_person(const Command& c) {
  return c.args.find("\"person\"") != std::string::npos;
}

// Brings back a disk that had been gone; leaves nothing to undo.
bool is_return(const Command& c) {
  return c.args.find("\"return\"") != std::string::npos;
}

// Exempt from the silence: a fault LED that cannot be driven is retried forever, as the texts say.
bool may_go_on(const World& world, const Command& c) {
  const int bay = bay_in(c.resource);
  return bay >= 0 && !c.undo && world.bays[static_cast<size_t>(bay)].led == LedShape::cannot_drive;
}

}  // namespace

void Watch::violated(std::string invariant, std::string text) {
  if (!found_ && !but_.contains(invariant))
    found_ = Violation{std::move(invariant), std::move(text)};
}

void Watch::touched(int leaf, Ns now) {
  std::deque<Ns>& touches = touches_[leaf];
  touches.push_back(now);
  while (touches.front() < now - 2 * kOscillation) touches.pop_front();
}

void Watch::sent(const Command& command, bool ordered, Ns now) {
  if (silent_ && !may_go_on(world_, command)) {
    const auto denied = denied_.find({command.name, command.resource});
    if (denied == denied_.end())
      return violated("converges", "nobody has touched anything for hours, and fmd still sends: " +
                                       describe(command));
    // Rare repetitions are allowed.
    Ns& last = last_asked_[{command.name, command.resource}];
    if (now - std::exchange(last, now) > kRarely) return;
    violated("keeps asking", fmt::format("nothing has changed for hours, the answer was '{}': {}",
                                         denied->second, describe(command)));
  }
  check_owner(command);
  if (command.name == CommandName::replace && !ordered) check_hearsay(command);
  if (command.kind == InterventionKind::fault_led && !command.undo) check_light(command);
  const int leaf = leaf_in(command.resource);
  if (leaf < 0) return;
  if (command.name == CommandName::retire) check_sent_retire(command, ordered, leaf, now);
  if (!undoes_by_person(command)) return;
  std::set<std::string>& keys = restores_sent_[command.resource];
  keys.insert(command.key);
  // fmd retries as long as that reason keeps the part in service.
  const int ordered_times = restores_ordered_[command.resource];
  const bool kept = daemon_.reconciler().kept_in_service().contains(command.resource);
  if (ordered_times == 0 || (static_cast<int>(keys.size()) > ordered_times && !kept))
    violated("not ours",
             "fmd says that a person wants this, and nobody has ordered it: " + describe(command));
}

void Watch::check_sent_retire(const Command& command, bool ordered, int leaf, Ns now) {
  if (ordered) return;
  const Resource* r = daemon_.engine().inventory().find(command.resource);
  const bool degrades = command.args.find("degraded") != std::string::npos;
  const std::string refusal = r ? r->get(degrades ? "degrade_refusal" : "retire_refusal") : "";
  if (!refusal.empty())
    return violated("last copy",
                    fmt::format("fmd knows '{}' and still sends: {}", refusal, describe(command)));
  check_healthy(command, leaf);
  outstanding_[leaf][command.key] = now;
  check_blast_radius(leaf, now);
}

// Counts actual state: commands that may still take effect, and parts that fmd retired on its own
// that have not been in service since.
void Watch::check_blast_radius(int leaf, Ns now) {
  const int pool = world_.leafs[static_cast<size_t>(leaf)].pool;
  std::vector<std::string> out;
  bool all_fmds = true;
  for (size_t i = 0; i < world_.leafs.size(); ++i) {
    const int other = static_cast<int>(i);
    if (world_.leafs[i].pool != pool || !world_.leafs[i].in_pool) continue;
    const auto under_way = outstanding_.find(other);
    const auto taken = taken_.find(other);
    const bool counts = (under_way != outstanding_.end() && !under_way->second.empty()) ||
                        (taken != taken_.end() && taken->second > now - kWindow);
    if (!counts) continue;
    out.push_back(fmt::format("{} ({})", world_.leaf_name(other), state_word(world_.state(other))));
    const bool flying = under_way != outstanding_.end() && !under_way->second.empty();
    all_fmds = all_fmds && (flying || !world_.leafs[i].retired_by.empty());
  }
  if (static_cast<int>(out.size()) <= shape_.max_retired) return;
  // Includes parts that fmd took out and others changed without putting them back.
  violated(all_fmds ? "blast radius" : "blast radius, taken over",
           fmt::format("fmd by itself takes out {} parts of one pool, allowed are {}: {}",
                       out.size(), shape_.max_retired, fmt::join(out, ", ")));
}

// A disk may be overwritten only if fmd-disk, which never lies here, reported it as blank. The plugin
// opens the path, so it must be that disk's.
void Watch::check_hearsay(const Command& command) {
  const auto args = nlohmann::json::parse(command.args, nullptr, false);
  const int disk = disk_in(args.value("device", ""));
  if (disk < 0 || disk >= static_cast<int>(ever_blank_.size()))
    return violated("hearsay", "this is no disk: " + describe(command));
  if (!ever_blank_[static_cast<size_t>(disk)])
    violated("hearsay", "a disk that was never blank would be overwritten: " + describe(command));
  if (args.value("path", "") != disk_path(disk))
    violated("hearsay", "this is the path of another disk: " + describe(command));
}

void Watch::routed(const Command& command, std::string_view plugin) {
  const Source acting = command.resource.starts_with("zfs://") ? Source::zfs : Source::enclosure;
  const int bay = bay_in(command.resource);
  const bool of_none = bay >= 0 && !world_.bays[static_cast<size_t>(bay)].known;
  if (plugin != source_name(acting) && !of_none)
    violated("foreign part", fmt::format("fmd-{} gets the command for a part that another plugin "
                                         "acts on: {}",
                                         plugin, describe(command)));
}

// A fault LED may be lit only in a bay that has held the faulty disk.
void Watch::check_light(const Command& command) {
  const int bay = bay_in(command.resource);
  const Intervention* lit =
      daemon_.reconciler().interventions().find(command.kind, command.resource);
  const Case* c = lit ? daemon_.engine().find_case(lit->owner.name) : nullptr;
  if (!c || bay < 0 || !world_.bays[static_cast<size_t>(bay)].known) return;
  for (const Suspect& s : c->suspects) {
    const auto leaf = static_cast<size_t>(std::max(0, leaf_in(s.asru)));
    const bool is_leaf = leaf_in(s.asru) >= 0 && leaf < world_.leafs.size();
    if (been_in_.contains({disk_in(s.fru), bay}) ||
        (is_leaf && been_in_.contains({world_.leafs[leaf].disk, bay})))
      return;
  }
  violated("foreign part", fmt::format("no suspect of {} has been in SLOT {:02}: {}", c->uuid, bay,
                                       describe(command)));
}

void Watch::check_owner(const Command& command) {
  const Intervention* i = daemon_.reconciler().interventions().find(command.kind, command.resource);
  if (!i) {
    // An administrator ordered it, and it undoes nothing of fmd's.
    if (!command.undo || (command.kind != InterventionKind::locate_led &&
                          !undoes_by_person(command) && !is_return(command)))
      violated("written before", "a command without an intervention: " + describe(command));
    return;
  }
  if (i->owner.kind != Owner::Kind::acting_case) return;
  const Case* c = daemon_.engine().find_case(i->owner.name);
  if (!has_reason(c, i->owner.name))
    violated("resolved acts", fmt::format("its case {} is {}: {}", i->owner.name,
                                          c ? "resolved" : "unknown", describe(command)));
}

void Watch::answered(const Command& command, const CommandResult& result) {
  if (result.status == CommandStatus::done && !result.already)
    denied_.erase({command.name, command.resource});
  else
    denied_[{command.name, command.resource}] = result.already ? "already so" : result.reason;
}

// --- At the plugin ------------------------------------------------------------------------------------------------

void Watch::acting(const Command& command) {
  const int leaf = leaf_in(command.resource), bay = bay_in(command.resource);
  if (leaf >= 0) {
    state_before_ = world_.state(leaf);
    lost_before_ = world_.data_lost(world_.leafs[static_cast<size_t>(leaf)].pool);
  }
  if (bay >= 0) lit_before_ = world_.bays[static_cast<size_t>(bay)].fault_by;
}

void Watch::never(const Command& command) {
  if (command.name == CommandName::retire)
    outstanding_[leaf_in(command.resource)].erase(command.key);
}

void Watch::acted(const Command& command, bool ordered, Ns now) {
  const int leaf = leaf_in(command.resource), bay = bay_in(command.resource);
  if (bay >= 0) {
    const bool dark = lit_before_ == LitBy::other && !world_.bays[static_cast<size_t>(bay)].fault;
    if (dark && command.kind == InterventionKind::fault_led)
      violated("not ours",
               "a light that somebody else had lit was switched off: " + describe(command));
    return;
  }
  if (leaf < 0) return;
  const VdevState after = world_.state(leaf);
  if (command.name == CommandName::retire) {
    const auto since = outstanding_[leaf].find(command.key);
    if (since != outstanding_[leaf].end() && after != state_before_ && !ordered)
      taken_[leaf] = since->second;
    never(command);
  }
  if (is_return(command) && after != state_before_ && state_before_ != VdevState::removed)
    violated("not ours", fmt::format("it was {}, and nobody had wished it back: {}",
                                     state_word(state_before_), describe(command)));
  if (!lost_before_ && world_.data_lost(world_.leafs[static_cast<size_t>(leaf)].pool))
    violated("last copy", "this took the last copy of something: " + describe(command));
  if (after == state_before_ || ordered) return;
  changes_[leaf].push_back(now);
  check_oscillation(leaf, now);
}

void Watch::check_oscillation(int leaf, Ns now) {
  std::deque<Ns>& changes = changes_[leaf];
  while (!changes.empty() && changes.front() < now - kOscillation) changes.pop_front();
  // Each outside change may cause one action and its reversal.
  if (changes.size() <= kMostChanges + 2 * touches_[leaf].size()) return;
  violated("oscillates", fmt::format("fmd has changed the service of {} {} times in 10 minutes",
                                     world_.leaf_name(leaf), changes.size()));
}

// --- Each group ---------------------------------------------------------------------------------------------------

// A part that was back in service, however briefly, no longer counts as taken out.
void Watch::world_changed() {
  // Others changed it before fmd saw its key again: nothing shows any more that it was fmd.
  std::erase_if(unadopted_, [&](int leaf) {
    const bool unknown = world_.leafs[static_cast<size_t>(leaf)].retired_by.empty();
    if (unknown) taken_.erase(leaf);
    return unknown;
  });
  note_places();
  note_states();
  for (auto at = taken_.begin(); at != taken_.end();) {
    const VdevState state = world_.state(at->first);
    const bool back = state == VdevState::online || state == VdevState::avail ||
                      !world_.leafs[static_cast<size_t>(at->first)].in_pool;
    at = back ? taken_.erase(at) : std::next(at);
  }
}

void Watch::grouped() {
  for (const auto& [id, i] : daemon_.reconciler().interventions().all()) {
    if (i.kind == InterventionKind::retire) unadopted_.erase(leaf_in(i.part));
    if (i.owner.kind != Owner::Kind::acting_case || i.kind == InterventionKind::replace) continue;
    const Case* c = daemon_.engine().find_case(i.owner.name);
    if (!has_reason(c, i.owner.name))
      violated("resolved acts",
               fmt::format("{} of {} is {} and belongs to {}, which is {}",
                           intervention_name(i.kind), i.part, intervention_state_name(i.state),
                           i.owner.name, c ? "resolved" : "unknown"));
  }
  check_evidence();
  acquitted_.merge(acquitting_);
  acquitting_.clear();
  if (acquitted_.empty()) return;
  for (const auto& [uuid, c] : daemon_.engine().cases()) {
    if (c.state == CaseState::unsolved || !c.open()) continue;
    for (const Suspect& s : c.suspects)
      if (s.status == SuspectStatus::faulty &&
          s.fault_class == "fault.io.disk.predictive-failure" &&
          acquitted_.contains(disk_in(s.resource)))
        violated("acquittal",
                 fmt::format("{} was called harmless, and {} convicts it again", s.resource, uuid));
  }
}

bool promises(const Action& a) {
  switch (a.state) {
    case ActionState::planned:
    case ActionState::running:
    case ActionState::done:
    case ActionState::resilvering:
      return true;
    case ActionState::waiting:
      return a.obstacle == Obstacle::none || a.obstacle == Obstacle::busy ||
             a.obstacle == Obstacle::no_plugin;
    case ActionState::refused:
    case ActionState::failed:
    case ActionState::lost:
    case ActionState::returning:
    case ActionState::returned:
    case ActionState::dry_run:
      return false;
  }
  return false;
}

namespace {

// Whether the message says that an action of this kind is not done.
bool speaks_of(const Tidings& tidings, ActionKind kind) {
  std::string_view word;
  switch (kind) {
    case ActionKind::retire:
    case ActionKind::out_of_service:
      word = "out of service";
      break;
    case ActionKind::spare:
      word = "spare";
      break;
    case ActionKind::replace:
      word = "new disk";
      break;
    case ActionKind::fault_led:
      word = "LED";
      break;
  }
  const bool retirement = kind == ActionKind::retire || kind == ActionKind::out_of_service;
  return std::any_of(tidings.not_done.begin(), tidings.not_done.end(),
                     [&](const std::string& sentence) {
                       return sentence.find(word) != std::string::npos ||
                              (retirement && sentence.find("degraded") != std::string::npos);
                     });
}

}  // namespace

void Watch::told(const Tidings& tidings, const Case& c) {
  Said& said = said_[c.uuid];
  const std::string& event = tidings.news.event;
  if (said.resolved > 0)
    violated("messages", fmt::format("{} is told of {} after 'resolved'", event, c.uuid));
  if (event != "diagnosed" && said.diagnosed == 0 && event == "updated")
    violated("messages", fmt::format("'updated' is told of {} before 'diagnosed'", c.uuid));
  if (event == "diagnosed" && ++said.diagnosed > 1)
    violated("messages", fmt::format("'diagnosed' is told twice of {}", c.uuid));
  if (event == "resolved") ++said.resolved;
  for (const Suspect& s : c.suspects)
    if (const int disk = disk_in(s.fru);
        s.fault_class == "fault.io.disk.predictive-failure" && disk >= 0 && !smart_.contains(disk))
      violated("hearsay", "its SMART status never failed: " + s.fru);
  said.event = event;
  if (!c.suspects.empty()) {
    said.location = c.suspects.front().location;
    said.serial = c.suspects.front().serial;
  }
  said.promised.clear();
  for (const Action& a : c.actions) {
    // An action that is being retried may be listed as not done.
    said.promised[{a.kind, a.part}] = promises(a) && !speaks_of(tidings, a.kind);
  }
}

}  // namespace fmd::histories
