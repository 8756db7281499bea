// Generators of the machine's own board: memory and processors.
#include "stage.h"

namespace fmd::score {
namespace {

// The kernel counts: each look sees more.
void counts_up(Stage& s, const std::string& module, int64_t jitter) {
  for (int i = 1; i <= 6; ++i) {
    const int64_t at = s.cast.onset + i * kMin +
                       (jitter > 0 ? s.chance().below(static_cast<int>(jitter / kMs)) * kMs : 0);
    s.play.reading(at, Teller::system, module, "ce_count", i * s.count("errors"));
  }
}

void memory_module(Stage& s) {
  const std::string& one = s.one(s.host().modules);
  counts_up(s, one, 0);
  s.is("module", {one}, s.cast.onset);
}

// Two modules a channel: both have errors, each by itself a module's fault.
void channel(Stage& s) {
  const Host& host = s.host();
  const std::string& one = s.one(host.channels);
  const auto at = static_cast<size_t>(&one - host.channels.data());
  for (size_t n = 0; n < 2; ++n) counts_up(s, host.modules[2 * at + n], 20 * kSec);
  s.is("channel", {one}, s.cast.onset);
}

void cache(Stage& s) {
  const std::string& core = s.one(s.host().cores);
  const int times = s.count("times");
  for (int i = 0; i < times; ++i)
    s.play.event(
        s.cast.onset + i * kMin, Teller::cpu, "ereport.cpu.cache", core,
        {{"level", text("L2")}, {"severity", text("corrected")}, {"text", text("L2 cache")}});
  s.is("core", {core}, s.cast.onset);
}

}  // namespace

std::vector<Generator> board_generators() {
  return {
      {"memory module", {"module"}, {count("errors", 3, 30)}, any, memory_module},
      {"memory channel", {"channel"}, {count("errors", 3, 30)}, any, channel},
      {"processor cache", {"core"}, {count("times", 6, 12)}, any, cache},
  };
}

}  // namespace fmd::score
