// Inference: shared parts that are more likely at fault than their disks.
#include <algorithm>
#include <iterator>

#include "fmd/diagnosis/inference.h"

namespace fmd {

using blame::Way;

// A case is left out if another of its findings is the disk's own.
std::vector<SharedCause> Inference::shared_causes(int64_t now_ns) {
  follow_rules();
  bring_up_to_date(now_ns);
  std::set<std::string> own;
  for (const Key& key : blame_.by_themselves())
    if (const auto at = claimed_.find(key); at != claimed_.end())
      own.insert(at->second.begin(), at->second.end());
  std::vector<SharedCause> out;
  for (const blame::Hypothesis& cause : blame_.causes()) out.push_back(shared_cause(cause, own));
  return out;
}

std::optional<int64_t> Inference::shareable_since(const std::string& uuid) const {
  const auto at = claims_.find(uuid);
  if (at == claims_.end()) return {};
  const blame::Hubs& hubs = blame_.hubs();
  const auto is_shared = [&](blame::Hubs::Id hub) {
    return hubs.hubs()[hub].kind != blame::HubKind::bay && hubs.hubs()[hub].disks.size() > 2;
  };
  std::optional<int64_t> since;
  for (const Key& key : at->second) {
    const blame::Item& item = *blame_.items().find(key.first, key.second);
    if (item.own) return {};
    const blame::Hubs::Id part = hubs.part(key.first);
    if (item.way != Way::path || !item.hard || item.undated || part == blame::Hubs::kNone) continue;
    const std::vector<blame::Hubs::Id>& above = hubs.parts()[part].hubs;
    if (std::any_of(above.begin(), above.end(), is_shared))
      since = std::min(since.value_or(item.onset_ns), item.onset_ns);
  }
  return since;
}

// The rules that accuse such a part by findings of this way. Bays have none.
std::vector<const Rule*> Inference::rules_for(blame::HubKind hub, Way way) const {
  std::vector<const Rule*> out;
  if (hub == blame::HubKind::bay) return out;
  for (const Rule& rule : rules_->rules()) {
    if (rule.kind != RuleKind::cause || !rule.is_of_disks()) continue;
    if (rule.in_common.empty() == (hub == blame::HubKind::machine)) continue;
    const auto at = evidences_.find(rule.faults.front());
    if (at != evidences_.end() && at->second.way == way) out.push_back(&rule);
  }
  return out;
}

// The case's finding that accuses shared parts, if any. Held: its rule, or the wait for others, holds it
// back.
Inference::Finding Inference::finding_of(const std::string& uuid) const {
  const auto accuses = [&](const std::string& fault) {
    const auto at = evidences_.find(fault);
    return at != evidences_.end() && at->second.accuses;
  };
  const Case* c = book_.find(uuid);
  if (!c) return Finding::none;
  if (c->state != CaseState::unsolved)
    return std::any_of(c->suspects.begin(), c->suspects.end(),
                       [&](const Suspect& s) {
                         return s.status == SuspectStatus::faulty && accuses(s.fault_class);
                       })
               ? Finding::concluded
               : Finding::none;
  const std::optional<RuleKey> key = holds_.of_case(uuid);
  const Rule* rule = key ? context_.rules->find(key->rule) : nullptr;
  if (!rule || !accuses(rule->fault->name)) return Finding::none;
  return holds_.find(*key)->waited ? Finding::concluded : Finding::held;
}

SharedCause Inference::shared_cause(const blame::Hypothesis& cause, const Parts& own) const {
  const blame::Hubs& hubs = blame_.hubs();
  const blame::Hubs::Hub& hub = hubs.hubs()[cause.hub];
  SharedCause out{hub.kind, cause.way, hub.names, rules_for(hub.kind, cause.way)};
  out.of = cause.items.size() + cause.well;
  out.below = hub.disks.size();
  out.first_ns = cause.items.front()->onset_ns;
  out.last_ns = cause.items.back()->onset_ns;
  out.gain = cause.gain;
  out.lead = cause.lead;
  const auto add_cases = [&](const Parts& of) {
    std::set_difference(of.begin(), of.end(), own.begin(), own.end(),
                        std::back_inserter(out.cases));
  };
  for (const blame::Item* item : cause.items) {
    out.ongoing += !item->end_ns;
    if (!item->end_ns) out.ongoing_ns = std::min(out.ongoing_ns, item->onset_ns);
    out.disks.push_back(hubs.parts()[hubs.parts()[hubs.part(item->part)].disk].name);
    const auto at = claimed_.find(blame::Items::View(item->part, item->way));
    Finding finding = Finding::none;
    if (at != claimed_.end())
      for (const std::string& uuid : at->second) finding = std::max(finding, finding_of(uuid));
    out.found += item->hard || finding != Finding::none;
    out.concluded += finding == Finding::concluded;
    if (at == claimed_.end()) continue;
    add_cases(at->second);
    out.explained +=
        std::any_of(at->second.begin(), at->second.end(), [&](const std::string& uuid) {
          const Case* c = book_.find(uuid);
          return c && !c->explained_by.empty();
        });
  }
  if (cause.way == Way::data)
    for (const blame::Item* item : blame_.stale_below(cause))
      if (const auto at = claimed_.find(blame::Items::View(item->part, item->way));
          at != claimed_.end())
        add_cases(at->second);
  std::sort(out.disks.begin(), out.disks.end());
  std::sort(out.cases.begin(), out.cases.end());
  out.cases.erase(std::unique(out.cases.begin(), out.cases.end()), out.cases.end());
  const std::vector<blame::Hubs::Id>& below = hub.disks;
  for (const blame::Hubs::Id disk : hubs.hubs()[hubs.machine()].parts) {
    if (!hubs.parts()[disk].used || std::binary_search(below.begin(), below.end(), disk)) continue;
    ++out.elsewhere;
    const blame::Item* item = blame_.items().find(hubs.parts()[disk].name, cause.way);
    out.elsewhere_failing += item && item->hard && !item->end_ns;
  }
  return out;
}

}  // namespace fmd
