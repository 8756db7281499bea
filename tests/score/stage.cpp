#include "stage.h"

#include <cmath>
#include <stdexcept>

namespace fmd::score {
namespace {

constexpr const char* kSpread = "spread";

}  // namespace

Knob count(const char* name, int64_t low, int64_t high) {
  return {Knob::Kind::count, name, low, high};
}

Knob time(const char* name, int64_t low, int64_t high) {
  return {Knob::Kind::time, name, low, high};
}

Knob word(const char* name, std::vector<std::string> words) {
  std::string first = words.front();
  return {Knob::Kind::word, name, 0, 0, std::move(words), std::move(first)};
}

const Knob& Stage::knob(const char* name) const {
  for (const Knob& one : knobs)
    if (one.name == name) return one;
  throw std::logic_error(std::string("no number ") + name + " in this generator's list");
}

int Stage::count(const char* name) {
  const Knob& k = knob(name);
  return chance().between(static_cast<int>(k.low), static_cast<int>(k.high));
}

int64_t Stage::time(const char* name) {
  const Knob& k = knob(name);
  const auto steps = static_cast<int>((k.high - k.low) / kMs);
  int64_t at = chance().below(steps + 1);
  if (k.name != kSpread) return k.low + at * kMs;
  if (log_uniform && steps > 0)  // from 0.1 s on
    at = static_cast<int64_t>(
        std::exp(std::log1p(steps / 100.0) * static_cast<double>(at) / steps) * 100 - 100);
  return static_cast<int64_t>(static_cast<double>(k.low + at * kMs) * spread);
}

int64_t Stage::latest_spread() const {
  for (const Knob& k : knobs)
    if (k.name == kSpread) return static_cast<int64_t>(static_cast<double>(k.high) * (spread - 1));
  return 0;
}

const std::string& Stage::word(const char* name) const {
  return knob(name).word;
}

void Stage::is(const char* role, std::set<std::string> fmris, int64_t since) {
  cast.roles[role].push_back({std::move(fmris), since});
}

const Disk& Stage::disk() {
  const int data = static_cast<int>(host().disks.size()) - host().spec.spares;
  return host().disks[static_cast<size_t>(chance().below(data))];
}

bool any(const Host&) {
  return true;
}
bool has_hub(const Host& host) {
  return host.disks.size() > 4;
}
bool one_way(const Host& host) {
  return has_hub(host) && !host.spec.multipath;
}
bool has_expander(const Host& host) {
  return host.spec.chain > 0;
}

const std::vector<Generator>& generators() {
  static const std::vector<Generator> all = [] {
    std::vector<Generator> out;
    for (auto* some : {disk_generators, path_generators, shelf_generators, board_generators,
                       bmc_generators, people_generators})
      for (Generator& one : some()) out.push_back(std::move(one));
    return out;
  }();
  return all;
}

}  // namespace fmd::score
