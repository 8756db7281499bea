#include "fmd/diagnosis/common_cause.h"

#include <algorithm>
#include <cmath>

namespace fmd {
namespace {

constexpr double kNoChance = 0.01;

using Id = Hanging::Id;
using Ids = Hanging::Ids;

double log_factorial(size_t x) {
  constexpr size_t kKnown = 1 << 14;  // number of parts: each finding computes a probability
  static const std::vector<double> known = [] {
    std::vector<double> all(kKnown);
    for (size_t i = 0; i < kKnown; ++i) all[i] = std::lgamma(static_cast<double>(i) + 1);
    return all;
  }();
  return x < kKnown ? known[x] : std::lgamma(static_cast<double>(x) + 1);
}

double log_choose(size_t n, size_t k) {
  return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

class Search {
 public:
  Search(const Inventory& inventory, const Crowd& crowd, const Rule& rule)
      : inventory_(inventory), crowd_(crowd), hanging_(crowd.hanging()), rule_(rule) {}

  std::optional<CommonCause> find(Id part) {
    const Ids above = hanging_.above_over(part, crowd_.ways(part));
    const Id* best = nullptr;
    for (const Id& one : above)
      if (is_candidate(one) && (!best || explains_more(one, *best))) best = &one;
    return best ? where_others_are_well(*best, above) : std::nullopt;
  }

  std::optional<CommonCause> doubt(Id part) {
    const Ids above = hanging_.above_over(part, crowd_.ways(part));
    const Id* best = nullptr;
    for (const Id& one : above)
      if (crowd_.failing(one) >= rule_.undecided_from() &&
          (!best || crowd_.failing(one) > crowd_.failing(*best)))
        best = &one;
    return best ? where_others_are_well(*best, above) : std::nullopt;
  }

 private:
  std::optional<CommonCause> where_others_are_well(Id one, const Ids& above) {
    CommonCause out = told(one, above);
    const double bearable = (1 - rule_.well) * static_cast<double>(out.elsewhere);
    if (static_cast<double>(out.elsewhere_failing) > bearable && are_scattered(one, bearable))
      return {};
    return out;
  }

  bool is_candidate(Id one) {
    const size_t k = crowd_.failing(one), n = crowd_.below(one);
    if (k < rule_.count || !is_of_enough_kinds(one)) return false;
    const bool enough = static_cast<double>(k) >= rule_.share * static_cast<double>(n);
    if (rule_.proof == Proof::either) return enough || is_no_chance(one);
    return enough && (crowd_.bad() == k || is_no_chance(one));
  }

  bool is_of_enough_kinds(Id one) const {
    if (rule_.kinds <= 1) return true;
    std::vector<std::string> names;
    for (const Id part : crowd_.failing_parts(one)) names.push_back(hanging_.part_name(part));
    return kinds_among(inventory_, names) >= rule_.kinds;
  }

  // Where nothing but ways fails it is ways that are drawn: of those below each hangs there by one of its ways. Else two
  // controllers that lead to all disks could not be told apart by less than half of them.
  bool is_no_chance(Id one) const {
    const size_t drawn_from =
        crowd_.only_ways_fail(one) ? std::max(crowd_.all(), crowd_.all_ways()) : crowd_.all();
    return chance_of(crowd_.failing(one), crowd_.below(one), crowd_.bad(), drawn_from, kNoChance) <
           kNoChance;
  }

  // one comes later than best: it is as near or further up.
  bool explains_more(Id one, Id best) const {
    const size_t wide = crowd_.below(one), narrow = crowd_.below(best);
    const size_t of_wide = crowd_.failing(one), of_narrow = crowd_.failing(best);
    if (!includes(one, best)) return of_wide * narrow > of_narrow * wide;
    const size_t more = wide - narrow;
    if (more == 0) return of_wide > of_narrow;
    return 2 * (of_wide - of_narrow) >= more;
  }

  // Number of those that count.
  bool includes(Id wide, Id narrow) const {
    if (hanging_.includes(wide, narrow)) return true;
    if (hanging_.all_present()) return false;
    const Ids& below = hanging_.below(narrow);
    return std::all_of(below.begin(), below.end(), [&](Id part) {
      return !crowd_.counts(part) || hanging_.is_below(part, wide);
    });
  }

  // More than that many of the accused elsewhere are explained by nothing else: by no candidate that has nothing in common with
  // this one. Of each it is asked once, for all that is below it.
  bool are_scattered(Id here, double bearable) {
    enum class Explains : uint8_t { unknown, yes, no };
    std::vector<Explains> known(hanging_.ancestors(), Explains::unknown);
    const auto is_here = [&](const Ids& above) {
      return std::find(above.begin(), above.end(), here) != above.end();
    };
    const auto are_beside = [&](const Ids& above) {
      if (is_here(above))
        for (const Id one : above) known[one] = Explains::no;
    };
    const auto is_explained = [&](const Ids& over) {
      return std::any_of(over.begin(), over.end(), [&](Id one) {
        if (known[one] == Explains::unknown)
          known[one] = is_candidate(one) ? Explains::yes : Explains::no;
        return known[one] == Explains::yes;
      });
    };
    for (Id group = 0; group < hanging_.groups(); ++group)
      if (hanging_.present_in(group) > 0 || crowd_.whole_in(group) > 0)
        are_beside(hanging_.above_group(group));
    for (const auto& [part, over] : crowd_.on_ways()) are_beside(hanging_.above(part));
    size_t scattered = 0;
    for (Id group = 0; group < hanging_.groups(); ++group) {
      const Ids& above = hanging_.above_group(group);
      if (crowd_.whole_in(group) == 0 || is_here(above) || is_explained(above)) continue;
      scattered += crowd_.whole_in(group);
      if (static_cast<double>(scattered) > bearable) return true;
    }
    for (const auto& [part, over] : crowd_.on_ways())
      scattered += !is_here(hanging_.above(part)) && !is_explained(over);
    return static_cast<double>(scattered) > bearable;
  }

  // The very same parts are below both, and fail.
  bool is_alike(Id one, Id best) const {
    if (crowd_.below(one) != crowd_.below(best) || crowd_.failing(one) != crowd_.failing(best) ||
        !includes(one, best))
      return false;
    return crowd_.on_ways().empty() || crowd_.failing_parts(one) == crowd_.failing_parts(best);
  }

  CommonCause told(Id best, const Ids& above) const {
    CommonCause out;
    Ids alike;
    for (const Id one : above)
      if (is_alike(one, best)) alike.push_back(one);
    for (const Id one : alike) {
      const bool over_another = std::any_of(alike.begin(), alike.end(), [&](Id other) {
        return other != one && hanging_.is_above(one, other);
      });
      (over_another ? out.higher : out.lowest).push_back(hanging_.ancestor_name(one));
    }
    out.count = crowd_.failing(best);
    out.below = crowd_.below(best);
    out.elsewhere = crowd_.all() - out.below;
    out.elsewhere_failing = crowd_.bad() - crowd_.accused(best);
    return out;
  }

  const Inventory& inventory_;
  const Crowd& crowd_;
  const Hanging& hanging_;
  const Rule& rule_;
};

std::optional<Id> accused_part(const Crowd& crowd, const std::string& part, size_t least) {
  const auto id = crowd.hanging().known_part(part);
  return crowd.size() >= least && id && crowd.contains(*id) ? id : std::nullopt;
}

}  // namespace

size_t kinds_among(const Inventory& inventory, const std::vector<std::string>& parts) {
  std::set<std::pair<std::string, std::string>> kinds;
  for (const std::string& part : parts)
    if (const Resource* r = inventory.find(part)) kinds.emplace(r->type, r->get("kind"));
  return kinds.size();
}

double chance_of(size_t k, size_t n, size_t bad, size_t all, double enough) {
  double sum = 0;
  for (size_t i = k; i <= std::min(n, bad) && sum < enough; ++i) {
    if (n - i > all - bad) continue;
    sum += std::exp(log_choose(bad, i) + log_choose(all - bad, n - i) - log_choose(all, n));
  }
  return std::min(sum, 1.0);
}

std::optional<CommonCause> common_cause(const Inventory& inventory, const Crowd& crowd,
                                        const Rule& rule, const std::string& part) {
  const auto id = accused_part(crowd, part, rule.count);
  return id ? Search(inventory, crowd, rule).find(*id) : std::nullopt;
}

std::optional<CommonCause> common_doubt(const Inventory& inventory, const Crowd& crowd,
                                        const Rule& rule, const std::string& part) {
  const auto id = accused_part(crowd, part, rule.undecided_from());
  return id ? Search(inventory, crowd, rule).doubt(*id) : std::nullopt;
}

void name_failing(CommonCause& found, const Crowd& crowd) {
  found.failing.clear();
  if (const auto id = crowd.hanging().ancestor(found.lowest.front()))
    for (const Id part : crowd.failing_parts(*id))
      found.failing.push_back(crowd.hanging().part_name(part));
}

}  // namespace fmd
