#include "fmd/diagnosis/tests/plain_search.h"

#include <algorithm>
#include <iterator>

#include "fmd/diagnosis/about.h"
#include "fmd/diagnosis/suspect_text.h"
#include "fmd/diagnosis/suspects.h"

namespace fmd::test {
namespace {

constexpr double kNoChance = 0.01;

using Names = std::vector<std::string>;  // sorted

struct Count {
  Names below, failing;
};

class Search {
 public:
  Search(const Inventory& inventory, const Topology& topology, const Rule& rule,
         const Accused& accused)
      : inventory_(inventory), topology_(topology), rule_(rule), accused_(accused) {}

  std::optional<CommonCause> find(const std::string& part) {
    const Names above = topology_.above_over(part, accused_.at(part));
    const std::string* best = nullptr;
    for (const std::string& one : above)
      if (is_candidate(one) && (!best || explains_more(one, *best))) best = &one;
    return best ? where_others_are_well(*best, above) : std::nullopt;
  }

  std::optional<CommonCause> doubt(const std::string& part) {
    const Names above = topology_.above_over(part, accused_.at(part));
    const std::string* best = nullptr;
    for (const std::string& one : above)
      if (failing(one) >= rule_.undecided_from() && (!best || failing(one) > failing(*best)))
        best = &one;
    return best ? where_others_are_well(*best, above) : std::nullopt;
  }

 private:
  size_t failing(const std::string& ancestor) { return count(ancestor).failing.size(); }

  std::optional<CommonCause> where_others_are_well(const std::string& one, const Names& above) {
    CommonCause out = told(one, above);
    const double bearable = (1 - rule_.well) * static_cast<double>(out.elsewhere);
    if (static_cast<double>(scattered(count(one))) > bearable) return {};
    return out;
  }

  // What left long ago is no sign that the others are well.
  bool counts(const std::string& fmri) const {
    const Resource* r = inventory_.find(fmri);
    return (r && r->present) || accused_.contains(fmri);
  }

  // All that hang on something. Late: where two fail among very many that is most of the cost.
  const Names& all() {
    if (!all_.empty()) return all_;
    for (const auto& [fmri, r] : inventory_.all())
      if (rule_.compares(r.type) && counts(fmri) && !topology_.above(fmri).empty())
        all_.push_back(fmri);
    bad_ = static_cast<size_t>(std::count_if(
        all_.begin(), all_.end(), [&](const std::string& p) { return accused_.contains(p); }));
    return all_;
  }

  bool fails_over(const std::string& part, const std::string& ancestor) {
    const auto accused = accused_.find(part);
    if (accused == accused_.end()) return false;
    if (accused->second.empty()) return true;
    const auto [at, is_new] = over_.try_emplace(part);
    if (is_new) {
      const Names over = topology_.above_over(part, accused->second);
      at->second.insert(over.begin(), over.end());
    }
    return at->second.contains(ancestor);
  }

  const Count& count(const std::string& ancestor) {
    const auto [at, is_new] = counts_.try_emplace(ancestor);
    if (!is_new) return at->second;
    for (std::string& fmri : topology_.below(ancestor, rule_.part_types)) {
      if (!counts(fmri)) continue;
      if (fails_over(fmri, ancestor)) at->second.failing.push_back(fmri);
      at->second.below.push_back(std::move(fmri));
    }
    return at->second;
  }

  bool is_candidate(const std::string& ancestor) {
    const Count& c = count(ancestor);
    const size_t k = c.failing.size(), n = c.below.size();
    if (k < rule_.count || kinds_among(inventory_, c.failing) < rule_.kinds) return false;
    const bool enough = static_cast<double>(k) >= rule_.share * static_cast<double>(n);
    if (rule_.proof == Proof::either) return enough || is_no_chance(c);
    return enough && (is_well_elsewhere(c) || is_no_chance(c));
  }

  bool is_well_elsewhere(const Count& c) {
    all();
    return bad_ == c.failing.size();
  }

  bool is_no_chance(const Count& c) {
    const size_t drawn_from = std::max(all().size(), ways_drawn_from(c));
    return chance_of(c.failing.size(), c.below.size(), bad_, drawn_from) < kNoChance;
  }

  // Where nothing but ways fails it is ways that are drawn: of those below each hangs there by one of its ways. Else two
  // controllers that lead to all disks could not be told apart by less than half of them.
  size_t ways_drawn_from(const Count& c) {
    const bool only_ways = std::none_of(c.failing.begin(), c.failing.end(), [&](const auto& part) {
      return accused_.at(part).empty();
    });
    if (!only_ways) return 0;
    if (ways_ == 0)
      for (const std::string& part : all()) ways_ += ways_to(part);
    return ways_;
  }

  size_t ways_to(const std::string& part) const {
    const Names above = topology_.above(part);
    const auto ways = std::count_if(above.begin(), above.end(), [&](const std::string& one) {
      const Resource* r = inventory_.find(one);
      return r && r->type == "path";
    });
    return std::max<size_t>(1, static_cast<size_t>(ways));
  }

  // one comes later than best: it is as near or further up.
  bool explains_more(const std::string& one, const std::string& best) {
    const Count &wide = count(one), &narrow = count(best);
    if (!std::includes(wide.below.begin(), wide.below.end(), narrow.below.begin(),
                       narrow.below.end()))
      return wide.failing.size() * narrow.below.size() > narrow.failing.size() * wide.below.size();
    const size_t more = wide.below.size() - narrow.below.size();
    if (more == 0) return wide.failing.size() > narrow.failing.size();
    return 2 * (wide.failing.size() - narrow.failing.size()) >= more;
  }

  // The accused elsewhere that nothing else explains.
  size_t scattered(const Count& here) {
    Names elsewhere;
    for (const std::string& part : all())
      if (accused_.contains(part) &&
          !std::binary_search(here.below.begin(), here.below.end(), part))
        elsewhere.push_back(part);
    return static_cast<size_t>(
        std::count_if(elsewhere.begin(), elsewhere.end(), [&](const std::string& part) {
          const Names above = topology_.above_over(part, accused_.at(part));
          return std::none_of(above.begin(), above.end(), [&](const std::string& one) {
            return disjoint(count(one), here) && is_candidate(one);
          });
        }));
  }

  static bool disjoint(const Count& a, const Count& b) {
    Names both;
    std::set_intersection(a.below.begin(), a.below.end(), b.below.begin(), b.below.end(),
                          std::back_inserter(both));
    return both.empty();
  }

  CommonCause told(const std::string& best, const Names& above) {
    const Count& c = count(best);
    CommonCause out;
    Names alike;
    for (const std::string& one : above)
      if (count(one).below == c.below && count(one).failing == c.failing) alike.push_back(one);
    for (const std::string& one : alike) {
      const bool over_another = std::any_of(
          alike.begin(), alike.end(),
          [&](const std::string& other) { return other != one && topology_.is_above(one, other); });
      (over_another ? out.higher : out.lowest).push_back(one);
    }
    out.failing = c.failing;
    out.count = c.failing.size();
    out.below = c.below.size();
    out.elsewhere = all().size() - c.below.size();
    out.elsewhere_failing =
        static_cast<size_t>(std::count_if(all().begin(), all().end(), [&](const std::string& part) {
          return accused_.contains(part) &&
                 !std::binary_search(c.below.begin(), c.below.end(), part);
        }));
    return out;
  }

  const Inventory& inventory_;
  const Topology& topology_;
  const Rule& rule_;
  const Accused& accused_;
  Names all_;
  size_t bad_ = 0, ways_ = 0;
  std::map<std::string, Count> counts_;
  std::map<std::string, std::set<std::string>>
      over_;  // of those accused on some ways: what lies on these
};

}  // namespace

std::optional<CommonCause> plain_cause(const Inventory& inventory, const Topology& topology,
                                       const Rule& rule, const std::string& part,
                                       const Accused& accused) {
  if (accused.size() < rule.count || !accused.contains(part)) return {};
  return Search(inventory, topology, rule, accused).find(part);
}

std::optional<CommonCause> plain_doubt(const Inventory& inventory, const Topology& topology,
                                       const Rule& rule, const std::string& part,
                                       const Accused& accused) {
  if (accused.size() < rule.undecided_from() || !accused.contains(part)) return {};
  return Search(inventory, topology, rule, accused).doubt(part);
}

namespace {

bool is_near(int64_t a, int64_t b, int64_t within) {
  return (a > b ? a - b : b - a) <= within;
}

void add_convicted(const Context& context, const CaseBook& book, const Rule& common, int64_t since,
                   Accused& out) {
  for (const auto& [uuid, c] : book.all())
    if (c.open())
      for (const Conviction& one : convictions_in(context, common, c)) {
        const int64_t within = one.beside_signs
                                   ? std::max<int64_t>(86'400'000'000'000, common.within_ns)
                                   : common.within_ns;
        if (!is_near(one.time_ns, since, within)) continue;
        const std::set<std::string> ways = ways_of(context, one.resource);
        const auto [at, is_new] = out.try_emplace(one.part, ways);
        if (is_new || at->second.empty()) continue;
        if (ways.empty())
          at->second.clear();
        else
          at->second.insert(ways.begin(), ways.end());
      }
}

}  // namespace

Accused plain_accused(const Context& context, const CaseBook& book, const HoldBank& holds,
                      const SerdBank& serds, const Rule& common, int64_t since,
                      Accusations::With with) {
  Accused out;
  for (const auto& [key, hold] : holds.all()) {
    const Rule* rule = context.rules->find(key.rule);
    const Case* c = book.find(hold.uuid);
    if (!rule || hold.part.empty() || !common.names(rule->fault->name) ||
        (c && c->facts.contains(kFoundSo)) || !is_near(hold.since_ns, since, common.within_ns))
      continue;
    const auto [at, is_new] = out.try_emplace(hold.part, hold.ways);
    if (is_new || at->second.empty()) continue;
    if (hold.ways.empty())
      at->second.clear();
    else
      at->second.insert(hold.ways.begin(), hold.ways.end());
  }
  add_convicted(context, book, common, since, out);
  if (with == Accusations::With::findings) return out;
  const std::vector<Rule>& rules = context.rules->rules();
  for (const SerdView& view : serds.view()) {
    const Rule* rule = context.rules->find(view.rule);
    if (common.begun == 0 || !common.names(rule->fault->name)) continue;
    const auto until =
        serds.begun_until(static_cast<uint32_t>(rule - rules.data()), view.resource, common.begun);
    if (until && context.now.wall_ns <= *until)
      out.try_emplace(about(context, make_suspect(context, *rule, view.resource)).part);
  }
  if (with == Accusations::With::begun) return out;
  for (const auto& [key, hold] : holds.all()) {
    const Rule* rule = context.rules->find(key.rule);
    if (rule && !hold.part.empty() && is_near(hold.since_ns, since, common.within_ns) &&
        std::find(common.explains.begin(), common.explains.end(), rule->fault->name) !=
            common.explains.end())
      out.try_emplace(hold.part);
  }
  for (const auto& [part, since_ns] : context.left)
    if (const Resource* r = context.inventory.find(part);
        r && !r->present && common.compares(r->type) && is_near(since_ns, since, common.within_ns))
      out.try_emplace(part);
  return out;
}

}  // namespace fmd::test
