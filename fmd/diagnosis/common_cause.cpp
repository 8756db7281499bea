#include "fmd/diagnosis/common_cause.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "fmd/base/duration.h"
#include "fmd/diagnosis/blame/odds.h"

namespace fmd {
namespace {

constexpr size_t kSeveral = 2;
constexpr double kSure = 3;  // log odds: 20 to 1
constexpr double kYear = 365.25 * 86'400;

using Names = std::vector<std::string>;  // sorted

size_t kinds_among(const Inventory& inventory, const Names& parts) {
  std::set<std::pair<std::string, std::string>> kinds;
  for (const std::string& part : parts)
    if (const Resource* r = inventory.find(part)) kinds.emplace(r->type, r->get("kind"));
  return kinds.size();
}

class Search {
 public:
  Search(const Inventory& inventory, const Topology& topology, const Rule& rule,
         const Accused& accused, int64_t now_ns)
      : inventory_(inventory),
        topology_(topology),
        rule_(rule),
        accused_(accused),
        now_ns_(now_ns) {}

  std::optional<CommonCause> find(const std::string& part) {
    const Names above = topology_.above(part);
    const std::string* best = nullptr;
    double most = kSure;
    for (const std::string& one : above)
      if (const double odds = log_odds(one); odds > most) {
        best = &one;
        most = odds;
      }
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

  double log_odds(const std::string& ancestor) {
    const Count& c = count(ancestor);
    const size_t k = c.failing.size(), n = c.below.size();
    if (k < kSeveral || kinds_among(inventory_, c.failing) < rule_.kinds ||
        static_cast<double>(k) < rule_.share * static_cast<double>(n))
      return blame::kImpossible;
    std::vector<int64_t> onsets;
    for (const std::string& part : c.failing) onsets.push_back(accused_.at(part));
    std::sort(onsets.begin(), onsets.end());
    const auto since = [&](int64_t ns) {
      return static_cast<double>(ns - onsets.front()) / static_cast<double>(kSecondNs);
    };
    blame::Troubles troubles;
    for (const int64_t onset : onsets) troubles.push_back({.at = since(onset)});
    // Which parts hang on what no relation describes is not known, so none of them is known to be well.
    const size_t well = rule_.in_common.empty() ? n - k : 0;
    const double together = blame::log_cause(rule_.rate, blame::Share::most, blame::kHubDelay,
                                             troubles, well, since(now_ns_));
    return together - static_cast<double>(k) * std::log(rule_.own / kYear);
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
    for (const auto& [fmri, r] : inventory_.all())
      if (rule_.compares(r.type) && counts(fmri) && !topology_.above(fmri).empty() &&
          !std::binary_search(c.below.begin(), c.below.end(), fmri)) {
        ++out.elsewhere;
        out.elsewhere_failing += accused_.contains(fmri);
      }
    return out;
  }

  const Inventory& inventory_;
  const Topology& topology_;
  const Rule& rule_;
  const Accused& accused_;
  const int64_t now_ns_;
  std::map<std::string, Count> counts_;
};

}  // namespace

std::optional<CommonCause> common_cause(const Inventory& inventory, const Topology& topology,
                                        const Rule& rule, const Accused& accused,
                                        const std::string& part, int64_t now_ns) {
  if (accused.size() < kSeveral || !accused.contains(part)) return {};
  return Search(inventory, topology, rule, accused, now_ns).find(part);
}

}  // namespace fmd
