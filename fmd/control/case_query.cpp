// ListCases: the cost of a page depends on its length, not on the number of cases.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "fmd/advice/part_names.h"
#include "fmd/base/json.h"
#include "fmd/base/text.h"
#include "fmd/control/queries.h"
#include "fmd/notify/case_document.h"
#include "fmd/notify/say_world.h"

namespace fmd {
namespace {

// Skipping a case takes under a microsecond, but 10,000 of them would take longer than a page may.
constexpr size_t kMostCasesLookedAt = 1000;
// Four digits have 65,536 values, so few of 10,000 cases share them.
constexpr size_t kLeastOfUuid = 4;

// FMRIs that `name` (FMRI, bay label, serial, device) may mean.
std::vector<std::string> meant_by(const Inventory& inventory, const std::string& name) {
  std::vector<std::string> fmris = {name};
  for (const Resource* resource : inventory.lookup(name)) fmris.push_back(resource->fmri);
  return fmris;
}

template <class... T>
bool any_of_these(const std::vector<std::string>& names, const T&... fields) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return ((!fields.empty() && fields == name) || ...);
  });
}

bool has_fru(const Case& c, const std::vector<std::string>& names) {
  return std::any_of(c.suspects.begin(), c.suspects.end(), [&](const Suspect& s) {
    return any_of_these(names, s.fru, s.fru_path, s.bay, s.serial, s.location);
  });
}

bool has_resource(const Case& c, const std::vector<std::string>& names) {
  return std::any_of(c.suspects.begin(), c.suspects.end(),
                     [&](const Suspect& s) { return any_of_these(names, s.resource, s.asru); });
}

// Which cases are listed, and how much of each.
struct CasesFilter {
  bool all = false, summary = false;
  CaseDetail detail = CaseDetail::whole;
  std::string uuid, uuid_prefix, fru, resource;
  std::vector<std::string> fru_names, resource_names;

  bool takes(const Case& c) const {
    return (fru.empty() || has_fru(c, fru_names)) &&
           (resource.empty() || has_resource(c, resource_names));
  }
};

Result<CasesFilter> cases_filter(JsonFilter& parsed, const Inventory& inventory) {
  CasesFilter out;
  out.all = parsed.boolean("all");
  out.summary = parsed.boolean("summary");
  if (parsed.boolean("no_evidence")) out.detail = CaseDetail::without_evidence;
  out.uuid = parsed.text("uuid");
  out.uuid_prefix = parsed.text("uuid_prefix");
  out.fru = parsed.text("fru");
  out.resource = parsed.text("resource");
  if (auto outcome = parsed.outcome(); !outcome) return tl::unexpected(outcome.error());
  if (!out.uuid_prefix.empty() && out.uuid_prefix.size() < kLeastOfUuid)
    return fail(
        fmt::format("\"uuid_prefix\" in the filter needs at least {} characters", kLeastOfUuid));
  if (!out.fru.empty()) out.fru_names = meant_by(inventory, out.fru);
  if (!out.resource.empty()) out.resource_names = meant_by(inventory, out.resource);
  return out;
}

// Sorted by age, because pages continue after the last age.
CasesByAge with_prefix(const Engine& engine, const std::string& prefix, bool all) {
  CasesByAge found;
  const auto& cases = engine.cases();
  for (auto at = cases.lower_bound(prefix); at != cases.end() && at->first.starts_with(prefix);
       ++at)
    if (all || at->second.open()) found.insert(&at->second);
  return found;
}

// An UNSOLVED case has no suspects yet.
void name_held(const Engine& engine, const std::string& uuid, const CasesAround& around,
               SayWorld& world) {
  const auto held = engine.held_finding(uuid);
  if (!held) return;
  world.held_part = suspect_words(engine.inventory(), held->suspect);
  if (held->deadline_ns == 0) return;
  constexpr size_t kToTheMinute = 12;  // "Nov 21 04:38"
  world.held_until =
      format_time_fma(wall_of(held->deadline_ns, around.now)).substr(0, kToTheMinute);
}

}  // namespace

Result<std::string> query_cases(const Engine& engine, const CasesAround& around,
                                std::string_view text, Paging paging) {
  auto parsed = ListAnswer::filter(
      paging, text, {"all", "uuid", "uuid_prefix", "fru", "resource", "no_evidence", "summary"});
  if (!parsed) return tl::unexpected(parsed.error());
  ListAnswer answer(paging, *parsed, ListAnswer::kMostBytesOfCases);
  const auto filter = cases_filter(*parsed, engine.inventory());
  if (!filter) return tl::unexpected(filter.error());
  const CasesByAge& by_age = engine.open_cases_by_age();
  const std::vector<const Case*> open(by_age.begin(), by_age.end());
  size_t looked_at = 0;
  const auto add = [&](const Case& c) {
    const auto key = [&c] {
      return numbered_key(static_cast<uint64_t>(std::max<int64_t>(0, c.opened_ns)), c.uuid);
    };
    if (!filter->takes(c))
      return paging == Paging::whole || ++looked_at < kMostCasesLookedAt || answer.end_at(key());
    if (filter->summary) return answer.add_text(key(), to_json_text(c, CaseDetail::summary));
    SayWorld world = say_world(c, engine.inventory(), around.index, around.dry_run,
                               around.auto_replace, around.maintenance, around.now.wall_ns);
    world.open = open;
    if (c.state == CaseState::unsolved) name_held(engine, c.uuid, around, world);
    return answer.add(key(), case_document(c, world, filter->detail));
  };
  if (!filter->uuid.empty()) {
    if (const Case* c = engine.find_case(filter->uuid)) add(*c);
    return answer.text();
  }
  CasesByAge found;
  if (!filter->uuid_prefix.empty()) found = with_prefix(engine, filter->uuid_prefix, filter->all);
  const CasesByAge& cases = !filter->uuid_prefix.empty() ? found
                            : filter->all                ? engine.cases_by_age()
                                                         : engine.open_cases_by_age();
  const auto [opened_ns, uuid] = answer.after_number();
  auto at = answer.after().empty()
                ? cases.begin()
                : cases.upper_bound(CaseAge(static_cast<int64_t>(opened_ns), uuid));
  for (; at != cases.end(); ++at)
    if (!add(**at)) break;
  return answer.text();
}

}  // namespace fmd
