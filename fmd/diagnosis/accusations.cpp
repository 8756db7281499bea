#include "fmd/diagnosis/accusations.h"

#include <algorithm>
#include <limits>

#include "fmd/base/moment.h"
#include "fmd/diagnosis/about.h"
#include "fmd/diagnosis/suspect_text.h"
#include "fmd/diagnosis/suspects.h"

namespace fmd {
namespace {

constexpr int64_t kBesideSignsFor = int64_t{86'400} * 1'000'000'000;
constexpr std::pair<int64_t, int64_t> kNever{1, 0};

bool is_among(const std::vector<std::string>& faults, const std::string& fault) {
  return std::find(faults.begin(), faults.end(), fault) != faults.end();
}

bool is_in(const std::pair<int64_t, int64_t>& range, int64_t time_ns) {
  return range.first <= time_ns && time_ns <= range.second;
}

template <class Charges, class F>
void each_in(const Charges& charges, int64_t from, int64_t to, const F& f) {
  for (auto at = charges.lower_bound(from); at != charges.end() && at->first <= to; ++at)
    f(at->second);
}

}  // namespace

std::vector<Conviction> convictions_in(const Context& context, const Rule& common, const Case& c) {
  std::vector<Conviction> out;
  if (!is_convictable(c)) return out;
  for (const Suspect& s : c.suspects) {
    if (s.status != SuspectStatus::faulty || !common.names(s.fault_class) ||
        s.facts.contains(kFoundSo))
      continue;
    for (const std::string& name : c.rules)
      if (const Rule* rule = context.rules->find(name);
          rule && rule->fault->name == s.fault_class) {
        out.push_back({about(context, s).part, s.resource, s.fault_class, rule->name,
                       c.solved_steady_ns, s.facts.contains(kBesideSigns)});
        break;
      }
  }
  return out;
}

// --- what changes

void Accusations::catch_up() {
  const auto keys = holds_.take_changed_holds();
  const auto uuids = book_.take_changed_cases();
  const auto engines = serds_.take_counted();
  const std::array now{context_.inventory.structure(), context_.paths.changes(),
                       context_.left_changes};
  if (rules_ != context_.rules || now != std::array{structure_, paths_, left_} || !keys || !uuids ||
      !engines) {
    ++made_;
    books_.clear();
    parts_.clear();
    by_ways_.clear();
    rules_ = context_.rules;
    structure_ = now[0], paths_ = now[1], left_ = now[2];
  }
  const bool retold = generation_ != context_.inventory.generation();
  generation_ = context_.inventory.generation();
  const std::set<std::string, std::less<>> by_ways =
      retold ? by_ways_ : std::set<std::string, std::less<>>();
  made_ += !by_ways.empty();
  for (auto& [common, book] : books_) {
    for (const RuleKey& key : *keys) look_at(book, key);
    for (const std::string& uuid : *uuids) look_at(book, uuid);
    for (const std::string& uuid : by_ways) look_at(book, uuid);
    for (const SerdBank::Counted& engine : *engines) look_at(book, engine);
  }
}

Accusations::Book& Accusations::book(const Rule& common) {
  if (const auto at = books_.find(&common); at != books_.end()) return at->second;
  Book fresh{common,
             std::make_shared<Hanging>(
                 context_.inventory, Topology(context_.inventory, context_.paths, common), common)};
  Book& book = books_.emplace(&common, std::move(fresh)).first->second;
  for (const auto& [key, hold] : holds_.all()) look_at(book, key);
  for (const Case* c : book_.open_cases()) look_at(book, c->uuid);
  if (common.begun > 0)
    serds_.for_each([&](const SerdBank::Counted& engine) { look_at(book, engine); });
  look_at_gone(book);
  return book;
}

// What was so when fmd saw the part first is no sign of anything that happens now. What accuses nothing, since a person
// may have done it, shows that the part is gone.
void Accusations::look_at(Book& book, const RuleKey& key) {
  Filed& filed = book.of_holds[key];
  take_out(book, filed);
  const Hold* hold = holds_.find(key);
  const Rule* rule = context_.rules->find(key.rule);
  if (hold && rule && !hold->part.empty()) {
    const Case* c = book_.find(hold->uuid);
    if (book.common.names(rule->fault->name) && !(c && c->facts.contains(kFoundSo)))
      file(book, filed, near, hold->since_ns, hold->part, hold->ways);
    if (is_among(book.common.explains, rule->fault->name))
      file(book, filed, gone, hold->since_ns, hold->part);
  }
  if (filed.empty()) book.of_holds.erase(key);
}

void Accusations::look_at(Book& book, const std::string& uuid) {
  Filed& filed = book.of_cases[uuid];
  take_out(book, filed);
  if (const Case* c = book_.find(uuid))
    for (const Conviction& one : convictions_in(context_, book.common, *c)) {
      const Resource* r = context_.inventory.find(one.resource);
      if (r && (r->type == "path" || r->type == "multipath")) by_ways_.insert(uuid);
      file(book, filed, one.beside_signs ? for_long : near, one.time_ns, one.part,
           ways_of(context_, one.resource));
    }
  if (filed.empty()) book.of_cases.erase(uuid);
}

// Errors on the way to what accuses.
void Accusations::look_at(Book& book, const SerdBank::Counted& engine) {
  if (book.common.begun == 0 ||
      !book.common.names(context_.rules->rules()[engine.first].fault->name))
    return;
  Filed& filed = book.of_engines[engine];
  take_out(book, filed);
  if (const auto until = serds_.begun_until(engine.first, engine.second, book.common.begun))
    file(book, filed, begun, *until, part_of(engine));
  if (filed.empty()) book.of_engines.erase(engine);
}

void Accusations::look_at_gone(Book& book) {
  Filed filed;
  for (const auto& [part, since_ns] : context_.left)
    if (const Resource* r = context_.inventory.find(part);
        r && !r->present && book.common.compares(r->type))
      file(book, filed, gone, since_ns, part);
}

const std::string& Accusations::part_of(const SerdBank::Counted& engine) {
  const auto [at, is_new] = parts_.try_emplace(engine);
  if (is_new)
    at->second = about(context_,
                       make_suspect(context_, context_.rules->rules()[engine.first], engine.second))
                     .part;
  return at->second;
}

void Accusations::file(Book& book, Filed& filed, Kind kind, int64_t time_ns,
                       const std::string& part, const Crowd::Ways& ways) {
  const auto at = book.charges[kind].emplace(time_ns, Charge{book.hanging->part(part), ways});
  filed.emplace_back(kind, at);
  book.on_ways += !ways.empty();
  if (kind == near || kind == for_long) {
    book.found[at->second.part].emplace_back(kind, time_ns);
    book.newcomers.add(at->second.part);
  }
  for (const auto& window : book.windows)
    if (is_in(window->ranges[kind], time_ns)) count(*window, kind, at->second, true);
}

void Accusations::take_out(Book& book, Filed& filed) {
  for (const auto& [kind, at] : filed) {
    for (const auto& window : book.windows)
      if (is_in(window->ranges[kind], at->first)) count(*window, kind, at->second, false);
    if (kind == near || kind == for_long) {
      auto& times = book.found[at->second.part];
      times.erase(std::find(times.begin(), times.end(), std::pair(kind, at->first)));
    }
    book.on_ways -= !at->second.ways.empty();
    book.charges[kind].erase(at);
  }
  filed.clear();
}

// --- about some time

// A finding that was judged while others showed signs is compared with these when they become
// findings.
int64_t Accusations::within(const Rule& common, const Conviction& one) {
  return one.beside_signs ? std::max(kBesideSignsFor, common.within_ns) : common.within_ns;
}

Crowd& Accusations::at(const Rule& common, int64_t since_ns, With with) {
  catch_up();
  Book& of = book(common);
  if (with == With::gone && of.charges[gone].empty()) with = With::begun;
  if (with == With::begun && of.charges[begun].empty()) with = With::findings;
  Window& found = window(of, since_ns, with);
  move(of, found, since_ns);
  return found.crowd;
}

std::shared_ptr<Hanging> Accusations::hanging(const Rule& common) {
  catch_up();
  return book(common).hanging;
}

uint64_t Accusations::structure() {
  catch_up();
  return made_;
}

// What fails on some ways only may fail below another part with each word that comes or goes.
std::optional<std::vector<std::string>> Accusations::newcomers(const Rule& common,
                                                               const std::string& ancestor,
                                                               int64_t since_ns,
                                                               int64_t last_since_ns) {
  const Crowd& crowd = at(common, since_ns, With::findings);
  Book& of = book(common);
  auto parts = of.newcomers.take();
  const auto above = of.hanging->ancestor(ancestor);
  if (!parts || !above || of.on_ways > 0) return {};
  const auto range = [&](int64_t since) {
    return range_of(common, near, With::findings, since, context_.now.wall_ns);
  };
  const Range is = range(since_ns), was = range(last_since_ns);
  const auto add = [&](const Charge& charge) { parts->push_back(charge.part); };
  if (is.first < was.first) each_in(of.charges[near], is.first, was.first - 1, add);
  if (was.second < is.second) each_in(of.charges[near], was.second + 1, is.second, add);
  std::vector<std::string> out;
  for (const Crowd::Id part : *parts)
    if (of.hanging->compares(part) && crowd.contains(part) && of.hanging->is_below(part, *above))
      out.push_back(of.hanging->part_name(part));
  return out;
}

int64_t Accusations::span(const Rule& common, int64_t since_ns, const std::string& ancestor) {
  const Crowd& crowd = at(common, since_ns, With::findings);
  const Book& of = book(common);
  const auto above = of.hanging->ancestor(ancestor);
  std::optional<int64_t> first, last;
  const auto fails = [&](Crowd::Id part) {
    return above && of.hanging->compares(part) && of.hanging->is_below(part, *above) &&
           crowd.fails_over(part, *above);
  };
  for (const Kind kind : {near, for_long}) {
    const Range range = range_of(common, kind, With::findings, since_ns, context_.now.wall_ns);
    const Charges& charges = of.charges[kind];
    const auto begin = charges.lower_bound(range.first), end = charges.upper_bound(range.second);
    for (auto at = begin; at != end; ++at)
      if (fails(at->second.part)) {
        first = std::min(first.value_or(at->first), at->first);
        break;
      }
    for (auto at = end; at != begin;)
      if (--at; fails(at->second.part) && first_of(of, at->second.part, since_ns) == at->first) {
        last = std::max(last.value_or(at->first), at->first);
        break;
      }
  }
  return first && last ? *last - *first : 0;
}

std::optional<int64_t> Accusations::first_of(const Book& book, Crowd::Id part,
                                             int64_t since_ns) const {
  const auto found = book.found.find(part);
  if (found == book.found.end()) return {};
  const auto range = [&](Kind kind) {
    return range_of(book.common, kind, With::findings, since_ns, context_.now.wall_ns);
  };
  const Range about_then = range(near), for_long_then = range(for_long);
  std::optional<int64_t> first;
  for (const auto& [kind, time] : found->second)
    if (is_in(kind == near ? about_then : for_long_then, time))
      first = std::min(first.value_or(time), time);
  return first;
}

std::vector<int64_t> Accusations::firsts(const Rule& common, int64_t since_ns,
                                         const std::vector<std::string>& parts) {
  catch_up();
  const Book& of = book(common);
  std::vector<int64_t> out;
  for (const std::string& part : parts)
    if (const auto id = of.hanging->known_part(part))
      if (const auto first = first_of(of, *id, since_ns)) out.push_back(*first);
  return out;
}

std::vector<std::string> Accusations::convicting(const Rule& common) {
  catch_up();
  std::vector<std::string> out;
  for (const auto& [uuid, filed] : book(common).of_cases) out.push_back(uuid);
  return out;
}

// The nearest in time, since it has the least to be moved by; but that of what waits is not moved to now and back.
Accusations::Window& Accusations::window(Book& book, int64_t since_ns, With with) {
  Window* nearest = nullptr;
  size_t known = 0;
  const auto distance = [&](const Window& one) { return std::abs(one.since_ns - since_ns); };
  for (const auto& one : book.windows) {
    if (one->with != with) continue;
    ++known;
    if (!nearest || distance(*one) < distance(*nearest)) nearest = one.get();
  }
  if (nearest && (known == kWindows || distance(*nearest) <= book.common.within_ns / 16))
    return *nearest;
  std::array<Range, kKinds> nothing;
  nothing.fill(kNever);
  return *book.windows.emplace_back(
      std::make_unique<Window>(Window{with, nothing, since_ns, Crowd(book.hanging)}));
}

Accusations::Range Accusations::range_of(const Rule& common, Kind kind, With with, int64_t since_ns,
                                         int64_t wall_ns) {
  constexpr int64_t kEver = std::numeric_limits<int64_t>::max();
  const auto about = [&](int64_t within_ns) {
    return Range{add_times(since_ns, -within_ns), add_times(since_ns, within_ns)};
  };
  switch (kind) {
    case near:
      return about(common.within_ns);
    case for_long:
      return about(std::max(kBesideSignsFor, common.within_ns));
    case begun:
      return with == With::findings ? kNever : Range{wall_ns, kEver};
    default:
      return with == With::gone ? about(common.within_ns) : kNever;
  }
}

void Accusations::move(Book& book, Window& window, int64_t since_ns) {
  for (const Kind kind : {near, for_long, begun, gone}) {
    const Range was = window.ranges[kind];
    const Range is = range_of(book.common, kind, window.with, since_ns, context_.now.wall_ns);
    window.ranges[kind] = is;
    const auto out = [&](const Charge& charge) { count(window, kind, charge, false); };
    const auto in = [&](const Charge& charge) { count(window, kind, charge, true); };
    const Charges& charges = book.charges[kind];
    if (was.first > was.second || was.second < is.first || is.second < was.first) {
      each_in(charges, was.first, was.second, out);
      each_in(charges, is.first, is.second, in);
      continue;
    }
    if (was.first < is.first) each_in(charges, was.first, is.first - 1, out);
    if (is.second < was.second) each_in(charges, is.second + 1, was.second, out);
    if (is.first < was.first) each_in(charges, is.first, was.first - 1, in);
    if (was.second < is.second) each_in(charges, was.second + 1, is.second, in);
  }
  window.since_ns = since_ns;
}

void Accusations::count(Window& window, Kind kind, const Charge& charge, bool in) {
  if (kind == begun || kind == gone)
    in ? window.crowd.add_sign(charge.part) : window.crowd.take_sign(charge.part);
  else
    in ? window.crowd.accuse(charge.part, charge.ways)
       : window.crowd.take_back(charge.part, charge.ways);
}

}  // namespace fmd
