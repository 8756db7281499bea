// History: which disk was in which bay, and measured values.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "fmd/base/json.h"
#include "fmd/base/json_members.h"
#include "fmd/base/json_value.h"
#include "fmd/base/text.h"
#include "fmd/control/json_filter.h"
#include "fmd/control/queries.h"
#include "fmd/store/reading_filter.h"
#include "fmd/store/reading_summary.h"

namespace fmd {
namespace {

using nlohmann::json;

constexpr int64_t kMostPoints = 10000;
constexpr size_t kMostBytesOfReadings = 1 << 20;  // of an answer
constexpr size_t kMostNames = 1000;

// The parts that a name may mean, and for a vdev or the like the disk below it.
std::set<std::string> parts_named(const Inventory& inventory, const std::string& name) {
  std::set<std::string> fmris;
  for (const Resource* resource : inventory.lookup(name)) {
    const Resource* disk = inventory.descend(resource->fmri, Relation::redundancy, "dev");
    fmris.insert(disk ? disk->fmri : resource->fmri);
  }
  return fmris;
}

bool is_about(const Tenancy& t, const std::string& name, const std::set<std::string>& fmris) {
  if (fmris.contains(t.bay) || fmris.contains(t.disk)) return true;
  // Parts that the inventory has forgotten.
  return name == t.bay || name == t.disk || name == t.serial || name == t.label;
}

std::string tenancy_document(const Tenancy& t) {
  std::string out;
  JsonMembers members(out);
  members.add("bay", t.bay);
  members.add("disk", t.disk);
  members.add("from", t.from_ns);
  if (t.from_after_ns != 0) members.add("from_after", t.from_after_ns);
  members.add("from_exact", t.from_exact);
  members.add("label", t.label);
  members.add("model", t.model);
  members.add("serial", t.serial);
  members.add("to", t.to_ns);
  if (t.to_after_ns != 0) members.add("to_after", t.to_after_ns);
  members.add("to_exact", t.to_exact);
  members.end();
  return out;
}

// Sorts as BayHistory::bays() does.
std::string stay_key(const std::string& bay, const Tenancy& t, size_t position) {
  return fmt::format("{} {:020}.{:06}", bay, std::max<int64_t>(0, t.from_ns), position);
}

std::string_view bay_of_key(std::string_view key) {
  return key.substr(0, std::min(key.rfind(' '), key.size()));
}

// The part with the readings: for a bay, its disk; a pool has its own.
Result<std::string> measured_part(const Inventory& inventory, const std::string& name) {
  if (name.empty()) return fail("\"part\" must name a part: FMRI, bay label, serial or device");
  std::set<std::string> fmris;
  for (const Resource* one : inventory.lookup(name))
    if (one->type == "zfs-pool") fmris.insert(one->fmri);
  if (fmris.size() == 1) return *fmris.begin();
  // So has a vdev (its latencies): by its FMRI; its other names are those of its disk.
  if (const Resource* one = inventory.find(name); one && one->type == "zfs-vdev") return name;
  for (const std::string& fmri : parts_named(inventory, name)) {
    const Resource* resource = inventory.find(fmri);
    const Resource* disk = resource && resource->type == "bay"
                               ? inventory.descend(fmri, Relation::contains, "dev")
                               : nullptr;
    fmris.insert(disk ? disk->fmri : fmri);
  }
  if (fmris.empty() && name.find("://") != std::string::npos) return name;  // forgotten since
  if (fmris.empty())
    return fail(fmt::format("no part is known by the name \"{}\"; see fmtopo", display(name)));
  if (fmris.size() > 1)
    return fail(fmt::format("\"{}\" may be any of {}: name one of these", display(name),
                            fmt::join(fmris, ", ")));
  return *fmris.begin();
}

json series_document(const ReadingSeries& series, const std::vector<ReadingPoint>& points,
                     int64_t from_ns, int64_t to_ns, size_t most_points) {
  const ReadingSummary sum = summarize(points, from_ns, to_ns);
  json doc = {{"name", series.name}, {"unit", series.unit}, {"count", sum.count},
              {"first", sum.first},  {"last", sum.last},    {"last_time", sum.last_ns},
              {"min", sum.min},      {"max", sum.max},      {"mean", sum.mean}};
  if (most_points == 0) return doc;
  json& list = doc["points"] = json::array();
  for (const ThinPoint& p : thin(points, most_points))
    list.push_back({{"time", p.time_ns}, {"value", p.value}, {"min", p.min}, {"max", p.max}});
  return doc;
}

}  // namespace

Result<std::string> query_bay_history(const Inventory& inventory, const BayHistory& history,
                                      std::string_view filter, Paging paging) {
  auto parsed = ListAnswer::filter(paging, filter, {"part", "from", "to"});
  if (!parsed) return tl::unexpected(parsed.error());
  ListAnswer answer(paging, *parsed);
  const std::string part = parsed->text("part");
  const auto from = parsed->integer("from"), to = parsed->integer("to");
  if (auto outcome = parsed->outcome(); !outcome) return tl::unexpected(outcome.error());
  const auto fmris = parts_named(inventory, part);
  bool found = false, full = false;
  const auto& bays = history.bays();
  for (auto at = bays.lower_bound(bay_of_key(answer.after())); at != bays.end(); ++at) {
    const auto& [bay, tenancies] = *at;
    for (size_t i = 0; i < tenancies.size() && !full; ++i) {
      const Tenancy& t = tenancies[i];
      if (!part.empty() && !is_about(t, part, fmris)) continue;
      if ((from && t.to_ns != 0 && t.to_ns < *from) || (to && t.from_ns > *to)) continue;
      found = true;
      const std::string key = stay_key(bay, t, i);
      full = answer.wants(key) && !answer.add_text(key, tenancy_document(t));
    }
    if (full) break;
  }
  if (!found && fmris.empty() && !part.empty() && answer.after().empty())
    return fail(fmt::format("no part is known by the name \"{}\"; see fmtopo", display(part)));
  return answer.text();
}

Result<StoreQuery> query_readings(const Inventory& inventory, int64_t wall_ns,
                                  std::string_view filter) {
  auto parsed = JsonFilter::parse(filter, {"part", "names", "from", "to", "points", "after"});
  if (!parsed) return tl::unexpected(parsed.error());
  const std::string part = parsed->text("part");
  ReadingQuery query;
  query.names = parsed->texts("names");
  const auto from = parsed->integer("from"), to = parsed->integer("to");
  const int64_t points = parsed->integer("points").value_or(0);
  query.first_name = parsed->text("after");
  if (auto outcome = parsed->outcome(); !outcome) return tl::unexpected(outcome.error());
  if (points < 0 || points > kMostPoints)
    return fail(fmt::format("\"points\" must be from 0 to {}", kMostPoints));
  if (query.names.size() > kMostNames) return fail("\"names\" has too many entries");
  const auto resource = measured_part(inventory, part);
  if (!resource) return tl::unexpected(resource.error());
  query.resource = *resource;
  // With the value that was in force when the time begins.
  const int64_t begin = std::max<int64_t>(0, from.value_or(0));
  query.from_ns = std::max<int64_t>(0, begin - ReadingFilter::kHoldsNs);
  query.to_ns = to;
  const int64_t end = std::min(to.value_or(wall_ns), wall_ns);
  const Resource* known = inventory.find(*resource);
  const json head = {{"resource", *resource},
                     {"label", inventory.location(*resource)},
                     {"serial", known ? known->get("serial") : ""},
                     {"from", begin},
                     {"to", end}};
  return [query, head, begin, end, points](const Store& store) -> Result<std::string> {
    const auto history = store.readings(query);
    if (!history) return tl::unexpected(history.error());
    json doc = head;
    json& series = doc["series"] = json::array();
    std::string next = history->next_name;
    size_t bytes = 0;
    for (const ReadingSeries& one : history->series) {
      const auto counted = in_force(one.points, begin);
      if (counted.empty()) continue;
      json document = series_document(one, counted, begin, end, static_cast<size_t>(points));
      bytes += dump_json(document).size();
      if (bytes > kMostBytesOfReadings && !series.empty()) {
        next = one.name;
        break;
      }
      series.push_back(std::move(document));
    }
    if (!next.empty()) {
      doc["more"] = true;
      doc["next"] = next;
    }
    if (!history->damage.empty()) doc["damage"] = history->damage;
    return dump_json(doc);
  };
}

}  // namespace fmd
