#include "draw.h"

#include <fmt/format.h>

#include <algorithm>

#include "corpus.h"

namespace fmd::score {

// Each play has its own rank, so that a new scenario hardly changes which plays a text draws.
std::vector<Job> draw(const std::vector<Job>& jobs, size_t count, const std::string& text) {
  std::vector<std::pair<uint64_t, size_t>> ranks;
  for (size_t i = 0; i < jobs.size(); ++i)
    ranks.emplace_back(
        seed_of(fmt::format("{}\n{}\n{}", text, jobs[i].scenario->label, jobs[i].seed)), i);
  std::sort(ranks.begin(), ranks.end());
  ranks.resize(std::min(count, ranks.size()));
  std::vector<size_t> chosen;
  for (const auto& [rank, i] : ranks) chosen.push_back(i);
  std::sort(chosen.begin(), chosen.end());
  std::vector<Job> drawn;
  for (const size_t i : chosen) drawn.push_back(jobs[i]);
  return drawn;
}

}  // namespace fmd::score
