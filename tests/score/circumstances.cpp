#include "circumstances.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "corpus.h"

namespace fmd::score {
namespace {

constexpr double kWidestSpread = 30;
constexpr int64_t kShortestLag = 10 * kMs, kLongestLag = 8 * kSec;

double log_uniform(histories::Chance& chance, double low, double high) {
  return low * std::pow(high / low, chance.below(1'000'001) / 1e6);
}

bool is_one_of(const std::vector<Generator>& some, const std::string& name) {
  return std::any_of(some.begin(), some.end(), [&](const Generator& g) { return name == g.name; });
}

// Bays show nothing about disks that fail, and much about hands and shelves.
bool needs_no_bays(const Generator& generator) {
  const std::string name = generator.name;
  return name != "shelf without power" &&
         (is_one_of(disk_generators(), name) || is_one_of(path_generators(), name));
}

Bays drawn_bays(histories::Chance& chance, const Generator& generator) {
  const int at = chance.below(3);
  if (at == 0) return Bays::tell;
  return at == 2 && needs_no_bays(generator) ? Bays::none : Bays::silent;
}

}  // namespace

Circumstances drawn_circumstances(const Scenario& scenario, uint64_t seed) {
  histories::Chance chance(seed_of("circumstances\n" + scenario.label) + seed * 1'000'003);
  Circumstances out;
  out.form.bays = drawn_bays(chance, *scenario.generator);
  out.form.pools = chance.between(1, 3);
  out.spread = chance.percent(50) ? log_uniform(chance, 1, kWidestSpread) : 1;
  out.log_uniform = chance.percent(50);
  out.zed = chance.percent(25);
  for (const Teller teller : {Teller::disk, Teller::zfs, Teller::enclosure, Teller::smart})
    if (chance.percent(50))
      out.lag[teller] = static_cast<int64_t>(
          log_uniform(chance, static_cast<double>(kShortestLag), static_cast<double>(kLongestLag)));
  if (chance.percent(25))
    out.restart = {chance.percent(50) ? Teller::zfs : Teller::enclosure,
                   chance.below(120'000) * kMs, chance.between(2, 20) * kSec};
  if (chance.percent(50)) out.noise = chance.between(1, 3);
  return out;
}

std::string Circumstances::text() const {
  const char* bays = form.bays == Bays::tell     ? "bays tell"
                     : form.bays == Bays::silent ? "silent bays"
                                                 : "no bays";
  std::string out = fmt::format("{}, {} pools, spread {:.1f}{}", bays, form.pools, spread,
                                log_uniform ? " log-uniform" : "");
  if (zed) out += ", ZED acts";
  for (const auto& [teller, ns] : lag)
    out += fmt::format(", {} {:.1f} s late", teller_name(teller), static_cast<double>(ns) / kSec);
  if (restart) out += fmt::format(", {} restarts", teller_name(restart->teller));
  if (noise) out += fmt::format(", {} other errors", noise);
  return out;
}

Scenario required_under(const Circumstances& circumstances, Scenario scenario) {
  std::vector<Wish> must;
  for (const Wish& wish : scenario.must) {
    const bool is_required =
        wish.deed == Deed::light ? circumstances.form.bays != Bays::none : !circumstances.zed;
    (is_required ? must : scenario.may).push_back(wish);  // it stays allowed
  }
  scenario.must = std::move(must);
  int64_t more = 0;
  for (const auto& [teller, ns] : circumstances.lag) more = std::max(more, ns);
  if (circumstances.restart) more += circumstances.restart->lasts;
  for (const Knob& knob : scenario.knobs)
    if (knob.name == "spread")
      more += static_cast<int64_t>(static_cast<double>(knob.high) * (circumstances.spread - 1));
  for (Truth& truth : scenario.truths) truth.within += more;
  for (Wish& wish : scenario.must)
    if (wish.time) *wish.time += more;
  return scenario;
}

std::set<std::string> families_listed(const std::string& text) {
  std::set<std::string> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (!line.empty() && line.front() != '#') out.insert(line);
  return out;
}

std::vector<std::string> unknown_families(const std::set<std::string>& listed,
                                          const std::vector<Scenario>& corpus) {
  std::vector<std::string> out;
  for (const std::string& name : listed)
    if (std::none_of(corpus.begin(), corpus.end(),
                     [&](const Scenario& s) { return s.family == name; }))
      out.push_back(name);
  return out;
}

}  // namespace fmd::score
