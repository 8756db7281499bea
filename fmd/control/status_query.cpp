// GetStatus: the machine as it is now, beside the cases.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "fmd/advice/old_disk.h"
#include "fmd/advice/part_names.h"
#include "fmd/advice/pools_now.h"
#include "fmd/advice/pull_order.h"
#include "fmd/advice/rule_text.h"
#include "fmd/advice/storage.h"
#include "fmd/base/counted.h"
#include "fmd/base/duration.h"
#include "fmd/base/json.h"
#include "fmd/base/text.h"
#include "fmd/control/queries.h"

namespace fmd {
namespace {

using nlohmann::json;

// "8 pending sectors", else what the fault is called.
std::string held_words(const Rule& rule, const Resource* resource) {
  if (resource && !rule.counter.empty())
    if (const std::string value = resource->get(rule.property); !value.empty())
      return fmt::format("{} {}", display(value, 40), display(rule.counter, 60));
  // "ZFS pool is more than {limit} % full": nothing else is known before the verdict.
  bool complete = true;
  const std::string title =
      placeholders::fill(rule.fault->title, [&](std::string_view name) -> std::string {
        if (name == "limit" && rule.above) return fmt::format("{:g}", *rule.above);
        complete = false;
        return {};
      });
  return as_clause(display(complete ? title : rule.fault->name));
}

// Whether open cases accuse a part. Looked up, however many cases there are.
struct Accused {
  const Engine& engine;
  const Inventory& inventory = engine.inventory();

  bool contains(std::string_view fmri) const {
    const auto accuses = [&](const Case* c) {
      return any_faulty(*c, [&](const Suspect& s) { return s.resource == fmri || s.asru == fmri; });
    };
    return std::ranges::any_of(engine.cases_by_resource(fmri), accuses) ||
           std::ranges::any_of(engine.cases_by_asru(fmri), accuses);
  }
  bool contains(std::string_view fmri, std::string_view fault_class) const {
    return std::ranges::any_of(engine.cases_by_resource(fmri), [&](const Case* c) {
      return any_faulty(
          *c, [&](const Suspect& s) { return s.resource == fmri && s.fault_class == fault_class; });
    });
  }
  template <class Is>
  static bool any_faulty(const Case& c, Is is) {
    return c.state != CaseState::unsolved && std::ranges::any_of(c.suspects, [&](const Suspect& s) {
             return s.status == SuspectStatus::faulty && is(s);
           });
  }
  // ZFS's states of a member follow from the fault in its case, or in a case about the path to its disk.
  bool is_known(const HoldView& hold, const Rule& rule) const {
    return contains(hold.resource, rule.fault->name) ||
           (hold.resource.starts_with("zfs://") && contains(hold.resource)) ||
           hangs_on_one(hold.resource);
  }
  // True if a controller, expander or shelf on the way to its disk is accused.
  bool hangs_on_one(std::string_view fmri) const {
    const Resource* disk = inventory.find(fmri);
    if (disk && disk->type != "disk") disk = inventory.descend(fmri, Relation::redundancy, "dev");
    std::vector<std::string> above{disk ? disk->fmri : std::string(fmri)};
    constexpr int kHighest = 8;
    for (int level = 0; level < kHighest && !above.empty(); ++level) {
      std::vector<std::string> next;
      for (const std::string& below : above)
        for (const Resource* r : inventory.parents(below, Relation::path)) {
          if (contains(r->fmri)) return true;
          next.push_back(r->fmri);
        }
      above = std::move(next);
    }
    return false;
  }
};

// A pool, an array or a vdev with several disks: it must not be named as one of them.
bool has_members(const Inventory& inventory, const Resource& part) {
  return part.type == "zfs-pool" || part.type == "md-array" || part.type == "btrfs" ||
         std::ranges::any_of(part.edges, [&](const Edge& edge) {
           const Resource* below =
               edge.relation == Relation::redundancy ? inventory.find(edge.to) : nullptr;
           return below && below->type == "zfs-vdev";
         });
}

// Last bay of a member's disk that is gone; nullptr: it is present, or the bay is unknown.
const Tenancy* last_stay(const Inventory& inventory, const BayHistory& bays,
                         std::string_view fmri) {
  const Resource* disk = inventory.find(fmri);
  if (disk && has_members(inventory, *disk)) return nullptr;
  if (disk && disk->type != "disk") disk = inventory.descend(fmri, Relation::redundancy, "dev");
  return disk && !disk->present ? bays.last_of(disk->fmri) : nullptr;
}

// A disk that is gone by the bay where it was.
std::string last_name(const Inventory& inventory, const BayHistory& bays, std::string_view fmri) {
  const Tenancy* stay = last_stay(inventory, bays, fmri);
  return stay && !stay->label.empty() ? bay_words(stay->label) : resource_words(inventory, fmri);
}

// "serial Z1Y0": the disk that is now in the bay of one that is gone; "" none.
std::string newcomer_words(const Inventory& inventory, const BayHistory& bays,
                           std::string_view fmri) {
  const Tenancy* stay = last_stay(inventory, bays, fmri);
  const Resource* bay = stay ? inventory.find(stay->bay) : nullptr;
  if (!bay) return {};
  for (const Edge& edge : bay->edges) {
    const Resource* disk = edge.relation == Relation::contains ? inventory.find(edge.to) : nullptr;
    if (disk && disk->present && disk->type == "disk" && disk->fmri != stay->disk)
      return "serial " + display(disk->get("serial"), 60);
  }
  return {};
}

// "04:38", or with its day when that is not soon.
std::string clock_words(int64_t wall_ns, Moment now) {
  constexpr int64_t kSoonNs = 12LL * 3600 * 1'000'000'000;
  const std::string minute = format_time_fma(wall_ns).substr(0, 12);  // "Nov 21 04:38"
  return wall_ns < add_times(now.wall_ns, kSoonNs) ? minute.substr(7) : minute;
}

json held_document(const Engine& engine, const RuleSet& rules, const BayHistory& bays,
                   const Accused& accused, Moment now) {
  const Inventory& inventory = engine.inventory();
  std::map<std::string, json> by_part;
  for (const HoldView& hold : engine.holds()) {
    const Rule* rule = rules.find(hold.rule);
    if (!rule || accused.is_known(hold, *rule)) continue;
    const std::string text = held_words(*rule, inventory.find(hold.resource));
    // Keep the suspicion of each part that is decided first.
    json& one = by_part[last_name(inventory, bays, hold.resource)];
    const int64_t decided_by = hold.deadline_ns == 0 ? 0 : wall_of(hold.deadline_ns, now);
    const int64_t known = one.is_null() ? 0 : one["decided_by_ns"].get<int64_t>();
    if (!one.is_null() && (decided_by == 0 || (known != 0 && known <= decided_by))) continue;
    one = {{"resource", hold.resource},
           {"name", last_name(inventory, bays, hold.resource)},
           {"text", text},
           {"decided_by_ns", decided_by}};
  }
  json out = json::array();
  for (auto& [name, one] : by_part) out.push_back(std::move(one));
  return out;
}

// Predicts the actions at the end of a hold, by the retire policy of the rule's fault.
HeldVerdict held_verdict(const HoldView& hold, const Resource& leaf, const Inventory& inventory,
                         const RuleSet& rules, const BayHistory& bays, const CasesAround& around,
                         Moment now) {
  HeldVerdict out{clock_words(wall_of(hold.deadline_ns, now), now)};
  out.newcomer = newcomer_words(inventory, bays, leaf.fmri);
  const Rule* rule = rules.find(hold.rule);
  if (!rule || around.dry_run || !acts_on(inventory, leaf)) return out;
  const RetirePolicy& policy = rule->fault->retire;
  out.brings_spare =
      policy.spare && number_in(leaf, "spares_available", 0) > 0 && !leaf.is("role", "spare");
  out.takes_newcomer = policy.replace_same_bay && around.auto_replace;
  return out;
}

std::optional<GoneDisk> gone_disk(const Inventory& inventory, const BayHistory& bays,
                                  const Resource& leaf, Moment now) {
  const Tenancy* stay = last_stay(inventory, bays, leaf.fmri);
  if (!stay) return {};
  GoneDisk gone;
  if (stay->to_ns > 0) gone.seconds = std::max<int64_t>(1, (now.wall_ns - stay->to_ns) / kSecondNs);
  const Resource* bay = inventory.find(stay->bay);
  gone.in_bay =
      bay && bay->is("occupied", "true") && newcomer_words(inventory, bays, leaf.fmri).empty();
  return gone;
}

json maintenance_document(const Engine& engine, const Maintenance& maintenance, Moment now) {
  json windows = json::array();
  for (json& window : maintenance.list(now.wall_ns))
    if (window.value("running", false)) windows.push_back(std::move(window));
  if (windows.empty()) return {};
  const auto held_back = std::ranges::count_if(engine.open_cases_by_age(), [&](const Case* c) {
    return c->faulty() && c->state != CaseState::unsolved &&
           maintenance.covering(*c, engine.inventory(), now.wall_ns);
  });
  const json& first = windows.front();
  const std::string name = first.value("name", "");
  const std::string reason = first.value("reason", "");
  std::string text = fmt::format("maintenance of {}{} until {}: messages wait",
                                 name.empty() ? "this host" : display(name, 60),
                                 reason.empty() ? "" : fmt::format(" ({})", display(reason, 60)),
                                 format_time_fma(first.value("until", int64_t{0})));
  if (held_back > 0) text += fmt::format(" ({} held back)", counted(held_back, "problem"));
  return {{"end", "fmadm maintenance end " + first.value("id", "")},
          {"held_back", held_back},
          {"text", std::move(text)},
          {"windows", std::move(windows)}};
}

// The first one to pull of several disks that are each safe to pull.
json pull_order_document(const Engine& engine, const CasesAround& around) {
  constexpr size_t kMost = 200;  // more at once have a cause in common
  json out = json::array();
  const auto& open = engine.open_cases_by_age();
  if (open.size() > kMost) return out;
  for (const PullOrder& order :
       pull_orders({open.begin(), open.end()},
                   {engine.inventory(), around.index, around.dry_run, around.auto_replace}))
    out.push_back(to_json(order));
  return out;
}

// Replaced disks that are still in the machine.
json old_disks_document(const Engine& engine) {
  const Inventory& inventory = engine.inventory();
  json out = json::array();
  std::set<std::string> seen;
  for (const auto& [uuid, c] : engine.cases()) {
    const Resource* disk = c.faulty() ? nullptr : old_disk_in_bay(c, inventory);
    if (!disk || !seen.insert(disk->fmri).second) continue;
    out.push_back({{"resource", disk->fmri},
                   {"name", resource_words(inventory, disk->fmri)},
                   {"case", uuid},
                   {"text", old_disk_words(c, inventory)}});
  }
  return out;
}

}  // namespace

std::string query_status(const Engine& engine, const RuleSet& rules, const BayHistory& bays,
                         const CasesAround& around) {
  const Moment now = around.now;
  const std::vector<HoldView> holds = engine.holds();
  const Accused accused{engine};
  const Inventory& inventory = engine.inventory();
  const LeafView view{[&](std::string_view fmri) { return last_name(inventory, bays, fmri); },
                      [&](const Resource& leaf) -> std::optional<HeldVerdict> {
                        if (accused.contains(leaf.fmri) || accused.hangs_on_one(leaf.fmri))
                          return {};
                        const HoldView* first = nullptr;
                        for (const HoldView& hold : holds)
                          if (hold.resource == leaf.fmri && hold.deadline_ns > 0 &&
                              (!first || hold.deadline_ns < first->deadline_ns))
                            first = &hold;
                        if (!first) return {};
                        return held_verdict(*first, leaf, inventory, rules, bays, around, now);
                      },
                      [&](const Resource& leaf) { return gone_disk(inventory, bays, leaf, now); }};
  json doc = {{"pools", json::array()},
              {"held", held_document(engine, rules, bays, accused, now)},
              {"pull_order", pull_order_document(engine, around)},
              {"old_disks", old_disks_document(engine)},
              {"unanswering", json::array()}};
  for (const PoolNow& pool : pools_now(inventory, view)) {
    doc["pools"].push_back(to_json(pool));
    if (!pool.responds)
      doc["unanswering"].push_back(
          {{"resource", pool.fmri},
           {"name", pool.name},
           {"text",
            fmt::format("pool {} does not respond; what fmd shows of it is what it saw last",
                        pool.name)}});
  }
  if (json window = maintenance_document(engine, around.maintenance, now); !window.is_null())
    doc["maintenance"] = std::move(window);
  return doc.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace fmd
