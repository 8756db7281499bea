#include "fmd/diagnosis/blame/odds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory_resource>

namespace fmd::blame {
namespace {

constexpr double kYear = 365.25 * 86'400;
constexpr size_t kGrid = 32;

// The values of f, and the probability of each. Dense near 0 and 1: with many parts nothing else
// contributes.
struct Grid {
  std::array<double, kGrid> log_f{}, f{}, log_miss{}, most{}, few{};
};

Grid make_grid() {
  Grid grid;
  const auto edge = [](double u) { return u * u * (3 - 2 * u); };
  const auto cube = [](double x) { return x * x * x; };
  for (size_t i = 0; i < kGrid; ++i) {
    const double from = edge(static_cast<double>(i) / kGrid);
    const double to = edge(static_cast<double>(i + 1) / kGrid);
    const double f = edge((static_cast<double>(i) + .5) / kGrid);
    grid.f[i] = f;
    grid.log_f[i] = std::log(f);
    grid.log_miss[i] = std::log1p(-f);
    grid.most[i] = std::log(cube(to) - cube(from));
    grid.few[i] = std::log(cube(1 - from) - cube(1 - to));
  }
  return grid;
}

const Grid& grid() {
  static const Grid kOnce = make_grid();
  return kOnce;
}

double per_second(double rate) {
  return std::log(rate / kYear);
}

double span_of(const Delay& delay) {
  return std::log1p(delay.longest / delay.shortest);
}

double log_delay(const Delay& delay, double seconds) {
  return -std::log((std::max(0.0, seconds) + delay.shortest) * span_of(delay));
}

// Probability of a failure within that time, of a part that fails.
double share_by(const Delay& delay, double seconds) {
  return std::min(0.9999, std::log1p(std::max(0.0, seconds) / delay.shortest) / span_of(delay));
}

double log_add(double a, double b) {
  const double both[] = {a, b};
  return log_sum(both);
}

double own_rate(const Trouble& t, bool with_hands) {
  if (t.scan && (!t.hard || !t.path)) return kRates.scan_sign;
  if (!t.path) return t.hard ? kRates.spoilt : kRates.spoilt_sign;
  const double rate = t.hard ? kRates.disk : kRates.sign;
  return t.may_be_pulled && with_hands ? rate + kRates.person / kRates.choices : rate;
}

// Each by itself, or after another one of its group.
double log_alone(const Troubles& t) {
  std::pmr::monotonic_buffer_resource memory;
  std::pmr::map<Hubs::Id, double> last_hard(&memory);  // group → when
  double sum = 0;
  for (const Trouble& one : t) {
    double rate = per_second(own_rate(one, t.size() > 1));
    const auto before = last_hard.find(one.group);
    if (one.path && before != last_hard.end())
      rate =
          log_add(rate, std::log(kRates.knock_on) + log_delay(kHubDelay, one.at - before->second));
    if (one.hard && one.group != Hubs::kNone) last_hard[one.group] = one.at;
    sum += rate;
  }
  return sum;
}

// Every model of which two or more disks failed may be the bad one.
double log_batch(const Troubles& t, double elapsed) {
  std::map<Hubs::Id, Troubles> by_model;
  double all = 0;
  for (const Trouble& one : t) {
    if (one.hard && one.model != Hubs::kNone) by_model[one.model].push_back(one);
    all += per_second(own_rate(one, true));
  }
  double sum = kImpossible;
  for (const auto& [model, batch] : by_model) {
    if (batch.size() < 2) continue;
    double others = all;
    for (const Trouble& one : batch) others -= per_second(own_rate(one, true));
    const size_t size = std::max(batch.front().same_model, batch.size());
    sum = log_add(sum, others + log_cause(kRates.batch, Share::few, kBatchDelay, batch,
                                          size - batch.size(), elapsed));
  }
  return sum;
}

// Seconds apart, now and then minutes.
double log_hand_gap(double gap) {
  const double seconds = std::max(gap, 0.05), x = std::log(seconds / 8);
  const double soon = 0.7 * std::exp(-x * x / 2) / (seconds * 2.5);
  const double later = gap > 5 ? 0.3 / ((gap + 1) * span_of(kHubDelay)) : 0;
  return std::log(soon + later + 1e-12);
}

double log_hands(const Troubles& t) {
  double sum = per_second(kRates.person);
  std::pmr::monotonic_buffer_resource memory;
  std::pmr::map<Hubs::Id, size_t> removed(&memory);
  for (size_t i = 0; i < t.size(); ++i) {
    if (!t[i].may_be_pulled) return kImpossible;
    sum -= std::log(kRates.choices);
    if (i > 0) sum += std::log(kRates.more) + log_hand_gap(t[i].at - t[i - 1].at);
    if (t[i].group != Hubs::kNone && ++removed[t[i].group] > t[i].spare_copies)
      sum += std::log(kRates.beyond);
  }
  return sum;
}

constexpr double kSteps[] = {0,     2,      5,      10,     20,      45,      90,      180,
                             360,   720,    1500,   3000,   6000,    12000,   24000,   48000,
                             86400, 172800, 345600, 691200, 1382400, 2764800, 5529600, 7776000};

}  // namespace

double log_sum(std::span<const double> terms) {
  const double most = *std::max_element(terms.begin(), terms.end());
  double sum = 0;
  for (const double term : terms) sum += std::exp(term - most);
  return most + std::log(sum);
}

double log_cause(double rate, Share share, const Delay& delay, const Troubles& t, size_t well,
                 double elapsed) {
  const Grid& g = grid();
  const double k = static_cast<double>(t.size()), n = k + static_cast<double>(well);
  const double seen = share_by(delay, elapsed);
  std::array<double, kGrid> terms;
  for (size_t i = 0; i < kGrid; ++i) {
    const double any = std::log(-std::expm1(n * g.log_miss[i]));
    terms[i] = (share == Share::most ? g.most[i] : g.few[i]) + any + (k - 1) * g.log_f[i] +
               (n - k) * std::log1p(-g.f[i] * seen);
  }
  double density = 0;
  for (size_t i = 1; i < t.size(); ++i) density += log_delay(delay, t[i].at - t[i - 1].at);
  return per_second(rate) - std::log(n) + density + log_sum(terms);
}

double log_hub(HubKind kind, const HubRates& rates, const Troubles& t, size_t well,
               double elapsed) {
  const double rate = kind == HubKind::machine ? rates.machine
                      : kind == HubKind::bay   ? kRates.bay
                                               : rates.path;
  return log_cause(rate, Share::most, kind == HubKind::bay ? kBayDelay : kHubDelay, t, well,
                   elapsed);
}

double Apart::any() const {
  const double all[] = {alone, batch, hands};
  return log_sum(all);
}

Apart log_apart(const Troubles& t, double elapsed) {
  return {log_alone(t), log_batch(t, elapsed), log_hands(t)};
}

double step_at(double elapsed) {
  const auto* beyond = std::upper_bound(std::begin(kSteps), std::end(kSteps), elapsed);
  return beyond == std::begin(kSteps) ? 0 : *(beyond - 1);
}

double step_after(double elapsed) {
  const auto* beyond = std::upper_bound(std::begin(kSteps), std::end(kSteps), elapsed);
  return beyond == std::end(kSteps) ? std::numeric_limits<double>::infinity() : *beyond;
}

}  // namespace fmd::blame
