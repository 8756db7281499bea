#include "properties.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace fmd::score {
namespace {

// Accusations and actions, with numbers in place of FMRIs.
std::multiset<std::string> without_labels(const Host& host, const Outcome& outcome) {
  std::map<std::string, size_t> numbers;
  for (size_t i = 0; i < host.fmris().size(); ++i) numbers.emplace(host.fmris()[i], i);
  const auto number = [&](const std::string& fmri) {
    const auto at = numbers.find(fmri);
    return at == numbers.end() ? fmri : std::to_string(at->second);
  };
  std::multiset<std::string> out;
  for (const Blamed& b : outcome.blamed)
    out.insert(
        fmt::format("{} {} {} {}", b.at, b.fault_class, number(b.parts.front()), b.certainty));
  for (const auto* done : {&outcome.retired, &outcome.spared, &outcome.lit})
    for (const Done& one : *done) out.insert(number(one.fmri));
  return out;
}

// The most disks behind any part that is accused first.
size_t width(const Host& host, const Outcome& outcome) {
  size_t most = 0;
  for (const Blamed& b : outcome.blamed)
    for (const Hub& hub : host.hubs)
      if (b.first && b.parts.front() == hub.fmri) most = std::max(most, hub.disks.size());
  return most;
}

}  // namespace

bool same_with_other_labels(const Job& job, const Rules& rules) {
  const ShapeSpec& shape = *job.scenario->shape;
  Host host(shape), other(shape, Variant::relabelled);
  const auto one = without_labels(host, play(job, host, rules, {}).outcome);
  return one == without_labels(other, play(job, other, rules, {}).outcome);
}

bool no_wider_with_bystanders(const Job& job, const Rules& rules) {
  const ShapeSpec& shape = *job.scenario->shape;
  Host host(shape), more(shape, Variant::bystanders);
  const size_t without = width(host, play(job, host, rules, {}).outcome);
  return without == 0 || width(more, play(job, more, rules, {}).outcome) <= without;
}

}  // namespace fmd::score
