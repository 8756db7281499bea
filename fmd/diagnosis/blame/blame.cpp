#include "fmd/diagnosis/blame/blame.h"

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory_resource>
#include <queue>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "fmd/base/moment.h"

namespace fmd::blame {
namespace {

constexpr double kSecondNs = 1e9;
// A shelf reports an empty bay within its poll of 10 s; the next step of time.
constexpr double kBayReports = 20;  // seconds

// Time for the remaining parts to recover once most have.
constexpr int64_t kRecovery = 90'000'000'000;

size_t most_of(size_t count) {
  return count - count / 3;
}

bool is_earlier_item(const Item* a, const Item* b) {
  return a->is_before(*b);
}

int64_t kept_ns(const Item& item, HubKind kind) {
  return kind == HubKind::bay && item.hard ? Items::kKeptForBay : Items::kDay;
}

int64_t next_step_ns(int64_t onset_ns, int64_t now_ns) {
  const double next = step_after(static_cast<double>(now_ns - onset_ns) / kSecondNs);
  return std::isinf(next) ? INT64_MAX : add_times(onset_ns, static_cast<int64_t>(next * kSecondNs));
}

bool contains(const std::vector<Hubs::Id>& sorted, Hubs::Id id) {
  return std::binary_search(sorted.begin(), sorted.end(), id);
}

}  // namespace

// --- evidence

bool Blame::sign(const std::string& part, Way way, const Sign& sign, int64_t now_ns) {
  if (items_.is_full() && !items_.find(part, way)) make_room(now_ns);
  const Items::Change change = items_.sign(part, way, sign, now_ns);
  if (change != Items::Change::none) touch(part, way);
  return change == Items::Change::evidence;
}

// The hubs of a removed item must not refer to it.
void Blame::make_room(int64_t now_ns) {
  if (items_.expire(now_ns))
    rebuild();
  else if (const auto removed = items_.make_room())
    touch(removed->first, removed->second);
}

bool Blame::withdraw(const std::string& part, Way way) {
  if (!items_.withdraw(part, way)) return false;
  touch(part, way);
  return true;
}

bool Blame::over(const std::string& part, Way way, int64_t now_ns) {
  if (!items_.over(part, way, now_ns)) return false;
  touch(part, way);
  return true;
}

bool Blame::person(const std::string& part, Person what) {
  bool changed = false;
  if (what == Person::removed) changed = removed_.insert(part).second;
  if (what == Person::returned) changed = removed_.erase(part) > 0;
  for (const Way way : {Way::path, Way::data})
    if (what == Person::repaired) changed |= items_.forget(part, way);
  if (changed)
    for (const Way way : {Way::path, Way::data}) touch(part, way);
  return changed;
}

void Blame::topology(const Layout& layout) {
  hubs_ = Hubs(layout);
  rebuild();
}

void Blame::rates(const HubRates& rates) {
  if (std::exchange(rates_, rates) == rates) return;
  for (Place& place : places_) place.look.dirty = true;
}

void Blame::restored() {
  rebuild();
}

void Blame::known_until(std::optional<int64_t> steady_ns) {
  if (std::exchange(known_until_ns_, steady_ns) == steady_ns) return;
  for (Place& place : places_) place.look.dirty = true;
}

void Blame::rebuild() {
  causes_.clear();
  places_.assign(2 * hubs_.hubs().size(), {});
  for (const auto& [key, item] : items_.all()) touch(key.first, key.second);
}

// The hubs to evaluate again after a change of the part's items. They include the hubs of the
// disk's other paths, because an enclosure is suspected only if all paths fail.
std::set<Hubs::Id> Blame::hubs_of(const std::string& part) const {
  std::set<Hubs::Id> out;
  const Hubs::Id id = hubs_.part(part);
  if (id == Hubs::kNone) return out;
  const Hubs::Part& disk = hubs_.parts()[hubs_.parts()[id].disk];
  out.insert(disk.hubs.begin(), disk.hubs.end());
  for (const Hubs::Id path : disk.paths)
    out.insert(hubs_.parts()[path].hubs.begin(), hubs_.parts()[path].hubs.end());
  out.insert(hubs_.machine());
  return out;
}

void Blame::touch(const std::string& part, Way way) {
  causes_.clear();  // they point to items
  const bool exists = items_.find(part, way) != nullptr;
  const Hubs::Id id = hubs_.part(part);
  for (const Hubs::Id hub : hubs_of(part)) {
    Place& at = place(hub, way);
    at.look.dirty = true;
    if (way == Way::path) place(hub, Way::data).look.dirty = true;  // see is_stale()
    const Hubs::Hub& shared = hubs_.hubs()[hub];
    if (exists && (contains(shared.parts, id) || contains(shared.disks, id)))
      at.keys.insert({part, way});
    else
      at.keys.erase({part, way});
  }
}

// --- what counts for a hub

Hubs::Id Blame::disk_of(const Item& item) const {
  const Hubs::Id id = hubs_.part(item.part);
  return id == Hubs::kNone ? id : hubs_.parts()[id].disk;
}

// No path to it works.
bool Blame::is_lost(Hubs::Id part) const {
  const Hubs::Part& disk = hubs_.parts()[hubs_.parts()[part].disk];
  const auto fails = [&](const std::string& name) {
    const Item* item = items_.find(name, Way::path);
    return item && !item->end_ns;
  };
  return fails(disk.name) || (!disk.paths.empty() &&
                              std::all_of(disk.paths.begin(), disk.paths.end(), [&](Hubs::Id path) {
                                return fails(hubs_.parts()[path].name);
                              }));
}

// It has several paths that share no part, and no known enclosure: only the machine explains that it
// is lost on all of them.
bool Blame::hangs_apart(Hubs::Id part) const {
  if (part == Hubs::kNone) return false;
  const Hubs::Part& disk = hubs_.parts()[hubs_.parts()[part].disk];
  return !disk.paths.empty() && std::all_of(disk.hubs.begin(), disk.hubs.end(), [&](Hubs::Id hub) {
    return hubs_.hubs()[hub].kind == HubKind::bay;
  });
}

// Wrong data from a disk whose path failed before: it missed writes, so what it holds is stale. That
// follows from the path.
bool Blame::is_stale(const Item& item) const {
  const Hubs::Id id = disk_of(item);
  if (item.way != Way::data || id == Hubs::kNone) return false;
  const auto failed_before = [&](const std::string& name) {
    const Item* path = items_.find(name, Way::path);
    return path && path->counts() && !path->own && path->onset_ns <= item.onset_ns &&
           (!path->end_ns || item.onset_ns <= add_times(*path->end_ns, Items::kDay));
  };
  const Hubs::Part& disk = hubs_.parts()[id];
  return failed_before(disk.name) ||
         std::any_of(disk.paths.begin(), disk.paths.end(),
                     [&](Hubs::Id path) { return failed_before(hubs_.parts()[path].name); });
}

bool Blame::may_cause(const Hubs::Hub& hub, const Item& item) const {
  if (item.own || item.undated || !item.counts() || removed_.contains(item.part) || is_stale(item))
    return false;
  const Hubs::Id id = hubs_.part(item.part);
  const bool is_place = hub.kind == HubKind::bay || hub.kind == HubKind::enclosure;
  if (hub.kind == HubKind::machine)
    return item.way == Way::data || hubs_.is_blind() || (hangs_apart(id) && is_lost(id));
  if (!contains(hub.parts, id)) return false;
  const Hubs::Part& part = hubs_.parts()[id];
  // A disk that is lost on all paths is not lost because of one of them.
  if (hub.kind == HubKind::path && part.disk != id && !contains(hub.parts, part.disk) &&
      !hubs_.parts()[part.disk].hubs.empty() && is_lost(id))
    return false;
  if (!is_place) return true;
  if (item.way == Way::data || (item.link && !item.hard)) return false;  // power spoils neither
  return hub.kind == HubKind::bay || is_lost(id);
}

Blame::Candidates Blame::candidates(Hubs::Id hub, Way way, const Explained& explained) const {
  const Hubs::Hub& shared = hubs_.hubs()[hub];
  Candidates out;
  std::pmr::monotonic_buffer_resource memory;
  std::pmr::unordered_set<Hubs::Id> troubled(&memory);
  for (const Items::Key& key : place(hub, way).keys) {
    const Item& item = items_.all().at(key);
    const auto expires = item.expires_ns(kept_ns(item, shared.kind));
    if (expires && now_ns_ > *expires) continue;
    if (expires) out.until_ns = std::min(out.until_ns, add_times(*expires, 1));
    troubled.insert(disk_of(item));
    if (explained.items.contains(&item) || !may_cause(shared, item)) continue;
    out.until_ns = std::min(out.until_ns, next_step_ns(item.onset_ns, now_ns_));
    if (const int64_t own = item.end_ns ? add_times(*item.end_ns, kRecovery) : 0; own > now_ns_)
      out.until_ns = std::min(out.until_ns, own);
    out.items.push_back(&item);
  }
  std::sort(out.items.begin(), out.items.end(), is_earlier_item);
  if (out.items.empty()) return out;
  for (const Hubs::Id disk : shared.disks) {
    const Hubs::Part& part = hubs_.parts()[disk];
    out.well += part.used && !troubled.contains(disk) && !explained.disks.contains(disk) &&
                !removed_.contains(part.name);
  }
  return out;
}

// One item a disk, however many paths to it fail. The run ends when most of its parts have recovered:
// later failures have another cause.
Blame::Run Blame::run_from(const List& all, size_t start, HubKind kind) const {
  const double longest = kind == HubKind::bay ? kBayDelay.longest : kHubDelay.longest;
  const int64_t last_ns =
      add_times(all[start]->onset_ns, static_cast<int64_t>(longest * kSecondNs));
  Run run{{}, start};
  std::pmr::monotonic_buffer_resource memory;
  std::pmr::map<Hubs::Id, size_t> places(&memory);
  std::priority_queue<int64_t, std::vector<int64_t>, std::greater<>> ends;
  size_t recovered = 0;
  for (; run.end < all.size() && all[run.end]->onset_ns <= last_ns; ++run.end) {
    const Item* item = all[run.end];
    for (; !ends.empty() && ends.top() < item->onset_ns; ends.pop()) ++recovered;
    if (kind != HubKind::bay && recovered > 1 && recovered >= most_of(run.items.size())) break;
    const auto [at, is_new] = places.try_emplace(disk_of(*item), run.items.size());
    if (is_new)
      run.items.push_back(item);
    else if (item->hard && !run.items[at->second]->hard)
      run.items[at->second] = item;
    if (item->end_ns) ends.push(*item->end_ns);
  }
  if (kind != HubKind::bay) drop_left_behind(run.items);
  std::sort(run.items.begin(), run.items.end(), is_earlier_item);
  return run;
}

// Removes parts that keep failing after most others have recovered: they are at fault themselves.
void Blame::drop_left_behind(List& items) const {
  std::vector<int64_t> ends;
  for (const Item* item : items)
    if (item->end_ns) ends.push_back(*item->end_ns);
  const size_t most = most_of(items.size());
  if (ends.size() < 2 || ends.size() < most) return;
  const auto last = ends.begin() + static_cast<std::ptrdiff_t>(most - 1);
  std::nth_element(ends.begin(), last, ends.end());
  if (known_ns() >= add_times(*last, kRecovery))
    std::erase_if(items, [](const Item* item) { return !item->end_ns; });
}

Trouble Blame::trouble(const Item& item, int64_t first_ns) const {
  Trouble out;
  out.at = static_cast<double>(item.onset_ns - first_ns) / kSecondNs;
  out.path = item.way == Way::path;
  out.hard = item.hard;
  out.left = item.left;
  out.scan = item.scan;
  const Hubs::Id id = disk_of(item);
  if (id == Hubs::kNone) {
    out.may_be_pulled = item.left;
    return out;
  }
  const Hubs::Part& disk = hubs_.parts()[id];
  const double age = step_at(static_cast<double>(now_ns_ - item.onset_ns) / kSecondNs);
  out.may_be_pulled = item.left && !(disk.bay_tells && age >= kBayReports);
  out.group = disk.group;
  if (disk.group != Hubs::kNone) out.spare_copies = hubs_.group(disk.group).tolerance;
  out.model = disk.model;
  if (disk.model != Hubs::kNone) out.same_model = hubs_.of_model(disk.model);
  return out;
}

Hypothesis Blame::hypothesis(Hubs::Id hub, Way way, std::vector<const Item*> items,
                             size_t well) const {
  Hypothesis out;
  out.hub = hub;
  out.way = way;
  out.well = well;
  const int64_t first_ns = items.front()->onset_ns;
  int64_t end_ns = 0;
  out.troubles.reserve(items.size());
  for (const Item* item : items) {
    out.troubles.push_back(trouble(*item, first_ns));
    end_ns = std::max(end_ns, item->end_ns.value_or(INT64_MAX));
  }
  end_ns = std::min(end_ns, known_ns());
  out.elapsed = step_at(static_cast<double>(std::max<int64_t>(0, end_ns - first_ns)) / kSecondNs);
  out.items = std::move(items);
  out.apart = log_apart(out.troubles, out.elapsed);
  if (hub == Hubs::kNone) return out;
  out.hub_log = log_hub(hubs_.hubs()[hub].kind, rates_, out.troubles, well, out.elapsed);
  out.gain = out.hub_log - out.apart.any();
  return out;
}

// --- the most likely set

bool Blame::is_better(const Hypothesis& a, const Hypothesis& b) const {
  if (std::abs(a.gain - b.gain) > 1e-9) return a.gain > b.gain;
  const auto rank = [&](const Hypothesis& h) {
    const Hubs::Hub& hub = hubs_.hubs()[h.hub];
    return std::tuple(hub.parts.size(), hub.kind, std::string_view(hub.names.front()));
  };
  return a.hub != b.hub && rank(a) < rank(b);
}

Hypothesis Blame::best_run(Hubs::Id hub, Way way, const Candidates& from) const {
  Hypothesis best;
  const size_t count = from.items.size(), first = std::min(count, kMostStarts / 2);
  const size_t step = std::max<size_t>(1, (count - first) / (kMostStarts / 2) + 1);
  std::set<size_t> starts;
  for (size_t start = 0; start < count; start += start < first ? 1 : step) starts.insert(start);
  const size_t limit = starts.size() + kMostStarts;
  for (auto at = starts.begin(); at != starts.end(); ++at) {
    Run run = run_from(from.items, *at, hubs_.hubs()[hub].kind);
    if (run.end < count && starts.size() < limit) starts.insert(run.end);
    Hypothesis next = hypothesis(hub, way, std::move(run.items), from.well);
    if (best.hub == Hubs::kNone || next.gain > best.gain + 1e-9) best = std::move(next);
  }
  return best;
}

Hypothesis Blame::evaluate(Hubs::Id hub, Way way, const Explained& explained) const {
  return best_run(hub, way, candidates(hub, way, explained));
}

const Hypothesis& Blame::look(Hubs::Id hub, Way way) {
  Look& last = place(hub, way).look;
  if (last.dirty || now_ns_ >= last.until_ns) {
    const Candidates from = candidates(hub, way, {});
    last = {best_run(hub, way, from), from.until_ns, false};
  }
  return last.best;
}

double Blame::lead_of(const Hypothesis& best, const std::vector<Hypothesis>& all) const {
  double rival = 0;  // no cause in common
  const std::vector<Hubs::Id>& disks = hubs_.hubs()[best.hub].disks;
  for (const Hypothesis& other : all) {
    const std::vector<Hubs::Id>& of = hubs_.hubs()[other.hub].disks;
    if (of != disks &&
        std::any_of(of.begin(), of.end(), [&](Hubs::Id one) { return contains(disks, one); }))
      rival = std::max(rival, other.gain);
  }
  return best.gain - rival;
}

void Blame::settle_way(Way way) {
  std::vector<Hypothesis> open;
  for (Hubs::Id hub = 0; hub < hubs_.hubs().size(); ++hub)
    if (!place(hub, way).keys.empty())
      if (const Hypothesis& h = look(hub, way); h.hub != Hubs::kNone) open.push_back(h);
  Explained explained;
  while (!open.empty()) {
    const auto best = std::min_element(
        open.begin(), open.end(),
        [this](const Hypothesis& a, const Hypothesis& b) { return is_better(a, b); });
    if (best->gain <= 0 || best->items.size() < 2) break;
    causes_.push_back(*best);
    causes_.back().lead = lead_of(*best, open);
    for (const Item* item : causes_.back().items) {
      explained.items.insert(item);
      explained.disks.insert(disk_of(*item));
    }
    for (Hypothesis& h : open) {
      const std::vector<Hubs::Id>& disks = hubs_.hubs()[h.hub].disks;
      if (std::any_of(disks.begin(), disks.end(),
                      [&](Hubs::Id one) { return explained.disks.contains(one); }))
        h = evaluate(h.hub, way, explained);
    }
    std::erase_if(open, [](const Hypothesis& h) { return h.hub == Hubs::kNone; });
  }
}

const std::vector<Hypothesis>& Blame::settle(int64_t now_ns) {
  now_ns_ = std::max(now_ns_, now_ns);
  if (items_.expire(now_ns_)) rebuild();
  causes_.clear();
  for (const Way way : {Way::path, Way::data}) settle_way(way);
  return causes_;
}

std::vector<Items::Key> Blame::by_themselves() const {
  std::pmr::monotonic_buffer_resource memory;
  std::pmr::unordered_set<const Item*> explained(&memory);
  for (const Hypothesis& cause : causes_) explained.insert(cause.items.begin(), cause.items.end());
  std::vector<Items::Key> out;
  for (const auto& [key, item] : items_.all())
    if (item.hard && !item.end_ns && !explained.contains(&item) && !is_stale(item))
      out.push_back(key);
  return out;
}

std::vector<const Item*> Blame::stale_below(const Hypothesis& cause) const {
  std::vector<const Item*> out;
  for (const auto& [key, item] : items_.all())
    if (key.second == cause.way && contains(hubs_.hubs()[cause.hub].disks, disk_of(item)) &&
        is_stale(item))
      out.push_back(&item);
  return out;
}

std::optional<int64_t> Blame::next_look() const {
  int64_t next = INT64_MAX;
  for (const Place& at : places_)
    if (!at.keys.empty()) next = std::min(next, at.look.until_ns);
  return next == INT64_MAX ? std::nullopt : std::optional(next);
}

}  // namespace fmd::blame
