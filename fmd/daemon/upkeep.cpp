#include "fmd/daemon/upkeep.h"

#include <fmt/format.h>
#include <syslog.h>

#include <algorithm>

#include "fmd/base/log.h"

namespace fmd {
namespace {

constexpr int64_t kMoreWorkNs = 100LL * 1000000;  // between two bites when sealing has work left

}  // namespace

Upkeep::Upkeep(Parts& parts, std::function<void()> refresh_counters)
    : parts_(parts), refresh_counters_(std::move(refresh_counters)) {
  const int64_t mono = parts_.clock.mono_ns();
  next_seal_ns_ = mono + kSealEachNs;
  next_counters_ns_ = mono + kCountersEachNs;
  next_retain_ns_ = mono + kCountersEachNs;  // soon after the start, then each hour
}

int64_t Upkeep::next_wake_ns() const {
  return std::min({next_seal_ns_, next_counters_ns_, next_retain_ns_});
}

void Upkeep::run() {
  const int64_t mono = parts_.clock.mono_ns();
  if (mono >= next_seal_ns_) {
    next_seal_ns_ = mono + kSealEachNs;
    seal();
  }
  if (mono >= next_counters_ns_) {
    next_counters_ns_ = mono + kCountersEachNs;
    refresh_counters_();
  }
  if (mono >= next_retain_ns_) {
    next_retain_ns_ = mono + kRetainEachNs;
    retain();
  }
}

void Upkeep::seal() {
  const uint64_t commits = parts_.pipeline->commits();
  // Full batches make full blocks: nothing to merge under load, and nothing when nothing was
  // written.
  if (commits == sealed_at_commit_ || parts_.pipeline->failing() ||
      parts_.pipeline->queued_events() >= Pipeline::kFlushEvents)
    return;
  const Result<bool> more = parts_.store->seal_some();
  if (!more)
    log_line(LOG_WARNING, fmt::format("journal blocks cannot be merged: {}", more.error().text()));
  else if (*more)
    next_seal_ns_ = parts_.clock.mono_ns() + kMoreWorkNs;
  else
    sealed_at_commit_ = commits;
}

void Upkeep::retain() {
  const int64_t now = parts_.clock.wall_ns();
  forget_resolved(now);
  parts_.bay_history.forget(now - parts_.config.bay_history_age_ns);
  if (std::vector<StateRow> rows = parts_.bay_history.take_changes(); !rows.empty()) {
    Work work;
    work.rows = std::move(rows);
    parts_.pipeline->submit(std::move(work));
  }
  if (parts_.pipeline->failing() && !parts_.store->is_full()) return;
  auto kept = parts_.store->retain_readings(now - parts_.config.readings_age_ns,
                                            parts_.config.readings_bytes);
  if (!kept)
    log_line(LOG_WARNING, fmt::format("old readings cannot be dropped: {}", kept.error().text()));
  kept = parts_.store->retain(now - parts_.config.journal_age_ns, parts_.config.journal_bytes);
  if (!kept)
    log_line(LOG_WARNING,
             fmt::format("old journal blocks cannot be dropped: {}", kept.error().text()));
}

void Upkeep::forget_resolved(int64_t now_ns) {
  std::vector<std::string> old;
  for (const auto& [uuid, c] : parts_.engine->cases())
    if (!c.open() && c.resolved_ns > 0 && c.resolved_ns < now_ns - parts_.config.resolved_age_ns)
      old.push_back(uuid);
  if (old.empty()) return;
  Work work;
  work.apply = [this, old](int64_t) {
    for (const std::string& uuid : old) {
      for (const std::string& entry : parts_.outbox.forget_case(uuid))
        log_line(
            LOG_WARNING,
            fmt::format("message {} was never delivered; its case is too old to be kept", entry));
      parts_.engine->forget_case(uuid);
    }
  };
  parts_.pipeline->submit(std::move(work));
}

}  // namespace fmd
