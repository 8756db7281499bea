// Generators for the mainboard: memory and processors.
#include "stage.h"

namespace fmd::score {
namespace {

// The kernel's counter grows from poll to poll.
void counts_up(Stage& s, const std::string& module, int64_t jitter) {
  for (int i = 1; i <= 6; ++i) {
    const int64_t at = s.cast.onset + i * kMin +
                       (jitter > 0 ? s.chance().below(static_cast<int>(jitter / kMs)) * kMs : 0);
    s.play.reading(at, Teller::system, module, "ce_count", i * s.count("errors"));
  }
}

// Several modules fail, on different channels where possible.
void memory_module(Stage& s) {
  const bool corrected = s.word("severity") == "corrected";
  const auto& all = s.host().modules;
  const auto first = static_cast<size_t>(s.chance().below(static_cast<int>(all.size())));
  const auto modules = static_cast<size_t>(s.count("modules"));
  for (size_t n = 0; n < modules; ++n) {
    const std::string& one = all[(first + 2 * n) % all.size()];
    if (corrected)
      counts_up(s, one, n > 0 ? 20 * kSec : 0);
    else
      s.play.reading(s.cast.onset, Teller::system, one, "ue_count", 1);
    s.is("module", {one}, s.cast.onset);
  }
}

// Both modules of a channel have errors. On all channels: the processor is at fault.
void channel(Stage& s) {
  const Host& host = s.host();
  const bool all = s.word("which") == "all";
  const std::string& one = s.one(host.channels);
  for (size_t at = 0; at < host.channels.size(); ++at) {
    if (!all && host.channels[at] != one) continue;
    for (size_t n = 0; n < 2; ++n) counts_up(s, host.modules[2 * at + n], 20 * kSec);
  }
  if (all) return s.is("processor", {host.processors.front()}, s.cast.onset);
  s.is("channel", {one}, s.cast.onset);
}

// Machine checks of a core, or of what its cores share.
void machine_checks(Stage& s) {
  const std::string& what = s.word("what");
  const bool shared = what == "L3 cache" || what == "bus";
  const std::string& part = s.one(shared ? s.host().processors : s.host().cores);
  const char* event = what == "TLB"        ? "ereport.cpu.tlb"
                      : what == "internal" ? "ereport.cpu.internal"
                      : what == "bus"      ? "ereport.cpu.bus"
                                           : "ereport.cpu.cache";
  const char* level = what == "L3 cache" ? "L3" : what == "L1 cache" ? "L1" : "L2";
  const int times = s.count("times");
  const int64_t every = s.time("every");
  for (int i = 0; i < times; ++i)
    s.play.event(
        s.cast.onset + i * every, Teller::cpu, event, part,
        {{"level", text(level)}, {"severity", text(s.word("severity"))}, {"text", text(what)}});
  s.is(shared ? "processor" : "core", {part}, s.cast.onset);
}

// The processor spends most of its time on correcting errors.
void error_storm(Stage& s) {
  const std::string& cpu = s.one(s.host().processors);
  s.play.set(s.cast.onset, Teller::cpu, cpu, "corrected_per_minute", number(s.count("rate")));
  s.is("processor", {cpu}, s.cast.onset);
}

}  // namespace

std::vector<Generator> board_generators() {
  return {
      {"memory module",
       {"module"},
       {count("errors", 3, 30), count("modules", 1, 1),
        word("severity", {"corrected", "uncorrected"})},
       any,
       memory_module},
      {"memory channel",
       {"channel", "processor"},
       {count("errors", 3, 30), word("which", {"one", "all"})},
       any,
       channel},
      {"machine checks",
       {"core", "processor"},
       {word("what", {"L2 cache", "L1 cache", "L3 cache", "TLB", "internal", "bus"}),
        word("severity", {"corrected", "deferred", "uncorrected"}), count("times", 6, 12),
        time("every", kMin, kMin)},
       any,
       machine_checks},
      {"error storm", {"processor"}, {count("rate", 1000, 9000)}, any, error_storm},
  };
}

}  // namespace fmd::score
