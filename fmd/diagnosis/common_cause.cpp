#include "fmd/diagnosis/common_cause.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace fmd {
namespace {

constexpr double kNoChance = 0.01;

using Names = std::vector<std::string>;  // sorted

double log_choose(size_t n, size_t k) {
  const auto log_factorial = [](size_t x) { return std::lgamma(static_cast<double>(x) + 1); };
  return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

class Search {
 public:
  Search(const Inventory& inventory, const Topology& topology, const Rule& rule,
         const Accused& accused)
      : inventory_(inventory), topology_(topology), rule_(rule), accused_(accused) {}

  std::optional<CommonCause> find(const std::string& part) {
    const Names above = topology_.above(part);
    const std::string* best = nullptr;
    for (const std::string& one : above)
      if (is_candidate(one) && (!best || explains_more(one, *best))) best = &one;
    return best ? std::optional(told(*best, above)) : std::nullopt;
  }

 private:
  struct Count {
    Names below, failing;
  };

  // Parts that are absent without being accused count neither as failing nor as well.
  bool counts(const std::string& fmri) const {
    const Resource* r = inventory_.find(fmri);
    return (r && r->present) || accused_.contains(fmri);
  }

  // All that have an ancestor.
  const Names& all() {
    if (!all_.empty()) return all_;
    for (const auto& [fmri, r] : inventory_.all())
      if (rule_.compares(r.type) && counts(fmri) && !topology_.above(fmri).empty())
        all_.push_back(fmri);
    bad_ = static_cast<size_t>(std::count_if(
        all_.begin(), all_.end(), [&](const std::string& p) { return accused_.contains(p); }));
    return all_;
  }

  const Count& count(const std::string& ancestor) {
    const auto [at, is_new] = counts_.try_emplace(ancestor);
    if (!is_new) return at->second;
    for (std::string& fmri : topology_.below(ancestor, rule_.part_types)) {
      if (!counts(fmri)) continue;
      if (accused_.contains(fmri)) at->second.failing.push_back(fmri);
      at->second.below.push_back(std::move(fmri));
    }
    return at->second;
  }

  bool is_candidate(const std::string& ancestor) {
    const Count& c = count(ancestor);
    const size_t k = c.failing.size(), n = c.below.size();
    if (k < rule_.count || kinds_among(inventory_, c.failing) < rule_.kinds) return false;
    const bool enough = static_cast<double>(k) >= rule_.share * static_cast<double>(n);
    all();
    const bool beyond_chance = chance_of(k, n, bad_, all_.size()) < kNoChance;
    if (rule_.proof == Proof::either) return enough || beyond_chance;
    return enough && (bad_ == k || beyond_chance);
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

  CommonCause told(const std::string& best, const Names& above) {
    const Count& c = count(best);
    CommonCause out;
    Names alike;
    for (const std::string& one : above)
      if (count(one).below == c.below) alike.push_back(one);
    for (const std::string& one : alike) {
      const bool over_another = std::any_of(
          alike.begin(), alike.end(),
          [&](const std::string& other) { return other != one && topology_.is_above(one, other); });
      (over_another ? out.higher : out.lowest).push_back(one);
    }
    out.failing = c.failing;
    out.below = c.below.size();
    out.elsewhere = all().size() - c.below.size();
    out.elsewhere_failing = bad_ - c.failing.size();
    return out;
  }

  const Inventory& inventory_;
  const Topology& topology_;
  const Rule& rule_;
  const Accused& accused_;
  Names all_;
  size_t bad_ = 0;
  std::map<std::string, Count> counts_;
};

}  // namespace

size_t kinds_among(const Inventory& inventory, const std::vector<std::string>& parts) {
  std::set<std::pair<std::string, std::string>> kinds;
  for (const std::string& part : parts)
    if (const Resource* r = inventory.find(part)) kinds.emplace(r->type, r->get("kind"));
  return kinds.size();
}

double chance_of(size_t k, size_t n, size_t bad, size_t all) {
  double sum = 0;
  for (size_t i = k; i <= std::min(n, bad); ++i)
    if (n - i <= all - bad)
      sum += std::exp(log_choose(bad, i) + log_choose(all - bad, n - i) - log_choose(all, n));
  return std::min(sum, 1.0);
}

std::optional<CommonCause> common_cause(const Inventory& inventory, const Topology& topology,
                                        const Rule& rule, const Accused& accused,
                                        const std::string& part) {
  if (accused.size() < rule.count || !accused.contains(part)) return {};
  return Search(inventory, topology, rule, accused).find(part);
}

}  // namespace fmd
