// Odds: the logarithms of the likelihoods of what may have caused a series of items, as densities
// per second, and the rates that they use. Pure.
//
// A cause in common acts at the first onset; each of its n parts fails with an unknown probability
// f, some time later. The delay is log-uniform between `shortest` and `longest`: twelve disks
// within 2 s and twelve within 20 minutes are both explained, and each moment in which the other
// parts stay well counts against the cause:
//
//   L = rate / n · ∫ p(f) (1 − (1−f)ⁿ) f^(k−1) Π q(tᵢ − t₁) (1 − f·Q(elapsed))^(n−k) df
//
// with k failed parts, q(τ) = 1 / ((τ + shortest) · ln(1 + longest/shortest)) and Q its integral.
// Related work: Flock (CoNEXT 2023), Deepview (NSDI 2018), SCORE (NSDI 2005), Kaleidoscope (SC 2020).
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fmd/diagnosis/blame/hubs.h"
#include "fmd/diagnosis/blame/items.h"

namespace fmd::blame {

struct Rates {  // per year, unless the comment says otherwise
  // 1 to 2 % of disks fail a year (Backblaze drive statistics; Schroeder and Gibson, FAST 2007:
  // 2 to 4 % are replaced).
  double disk = 0.02;
  double sign = 1;  // some failed reads or transfers of a well disk; our number
  // 0.66 % of SATA disks had a wrong checksum in 17 months (Bairavasundaram et al., FAST 2008).
  double spoilt = 0.005;
  double spoilt_sign = 0.5;  // a few wrong checksums; our number
  double scan_sign = 219;    // found by a scrub of 4 h: one disk in ten, 0.1 / 4 h; our number
  double bay = 0.001;        // our number
  double batch = 0.01;       // disks of one model fail one after the other; our number
  double person = 5;         // someone removes disks; our number
  double more = 0.3;         // probability that they remove a further one; our number
  double beyond = 0.02;      // probability of a further one that the group cannot lose; our number
  double choices = 24;       // disks to choose from, a shelf's; our number
  // Probability that after a failure another disk of the group is found to be bad: its load grows,
  // the resilver reads all. 3.5 % of disks have latent errors (Bairavasundaram et al., SIGMETRICS
  // 2007), a group of six; our number.
  double knock_on = 0.002;
};
inline constexpr Rates kRates{};
struct HubRates {       // per year, from the rules (`rate`)
  double path = 0.005;  // of each level: an enclosure, a controller, a cable
  double machine = 0.005;
  bool operator==(const HubRates&) const = default;
};

struct Delay {           // seconds
  double shortest = 10;  // the kernel's commands and a shelf's polls take about that long
  double longest = 86'400;
};
inline constexpr Delay kHubDelay{}, kBatchDelay{86'400, 365 * 86'400.0},
    kBayDelay{3'600, 90 * 86'400.0};

// An item as the formulas need it.
struct Trouble {
  double at = 0;  // seconds since the first one; sorted
  bool path = true, hard = false, left = false, scan = false;
  bool may_be_pulled = false;  // left, and no bay contradicts
  Hubs::Id group = Hubs::kNone, model = Hubs::kNone;
  size_t spare_copies = 0;  // how many parts its group can lose
  size_t same_model = 0;    // disks of its model, well or not
};
using Troubles = std::vector<Trouble>;

enum class Share : uint8_t {
  most,  // of what a broken hub leads to: f ~ Beta(3, 1)
  few,   // of a batch: f ~ Beta(1, 3)
};

// t: the parts that failed. well: the parts known to be well. elapsed: seconds from the first
// onset to now, or to the last one's recovery if all recovered.
double log_cause(double rate, Share share, const Delay& delay, const Troubles& t, size_t well,
                 double elapsed);
double log_hub(HubKind kind, const HubRates& rates, const Troubles& t, size_t well, double elapsed);

struct Apart {       // without a cause below a hub
  double alone = 0;  // each by itself, or as the consequence of another in its group
  double batch = 0;  // of one model
  double hands = 0;  // a person removed them
  double any() const;
};
inline constexpr double kImpossible = -1e9;
Apart log_apart(const Troubles& t, double elapsed);

double log_sum(std::span<const double> terms);  // log Σ eˣ

// Time counts in steps, so that odds change only then: the greatest step up to elapsed seconds, and
// the least one beyond (infinite: none).
double step_at(double elapsed);
double step_after(double elapsed);

}  // namespace fmd::blame
