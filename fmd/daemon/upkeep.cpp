#include "fmd/daemon/upkeep.h"

#include <fmt/format.h>
#include <malloc.h>
#include <syslog.h>

#include <algorithm>
#include <utility>

#include "fmd/base/log.h"
#include "fmd/base/text.h"

namespace fmd {
namespace {

constexpr int64_t kMoreWorkNs = 50LL * 1000000;  // between two bites when sealing has work left
constexpr int64_t kOneDayNs = 86400LL * 1000000000;

void warn(const char* what, const Result<void>& outcome) {
  if (!outcome) log_line(LOG_WARNING, fmt::format("{}: {}", what, outcome.error().text()));
}

}  // namespace

Upkeep::Upkeep(Pipeline& pipeline, const Engine& engine, const SteadyClock& clock,
               ClockWatch& clock_watch, StoreJobs& store, const Retention& retention,
               std::function<void()> refresh_counters, std::function<void()> give_room_back)
    : pipeline_(pipeline),
      engine_(engine),
      clock_(clock),
      clock_watch_(clock_watch),
      store_(store),
      retention_(retention),
      refresh_counters_(std::move(refresh_counters)),
      give_room_back_(std::move(give_room_back)) {
  const int64_t now = clock_.steady_ns();
  next_seal_ns_ = now + kSealEachNs;
  next_minute_ns_ = now;
  next_retain_ns_ = now + kMinuteNs;  // soon after the start, then each hour
}

int64_t Upkeep::next_wake_ns() const {
  const int64_t next = std::min(next_minute_ns_, next_retain_ns_);
  // Where nothing was written nothing is to be sealed, and an idle machine is left alone.
  const uint64_t commits = pipeline_.commits();
  const bool done = commits == sealed_at_commit_ && commits == rested_at_commit_;
  return done ? next : std::min(next, next_seal_ns_);
}

void Upkeep::run() {
  const int64_t now = clock_.steady_ns();
  bool rests = false;
  if (now >= next_seal_ns_) {
    next_seal_ns_ = now + kSealEachNs;
    rests = pipeline_.commits() != rested_at_commit_;
    seal();
  }
  if (now >= next_minute_ns_) {
    next_minute_ns_ = now + kMinuteNs;
    watch_clock();
    refresh_counters_();
    rests = true;
  }
  if (now >= next_retain_ns_) {
    next_retain_ns_ = now + kRetainEachNs;
    watch_clock();
    retain();
  }
  if (rests) rest();
}

void Upkeep::watch_clock() {
  const auto turn = clock_watch_.observe(clock_.now(), clock_.synchronised());
  if (turn == ClockWatch::Turn::doubted)
    log_line(LOG_WARNING,
             fmt::format("the clock is {} days {} of what it was: nothing is dropped by its age "
                         "until it has agreed with itself for an hour or is synchronised",
                         std::abs(clock_watch_.off_ns()) / kOneDayNs,
                         clock_watch_.off_ns() > 0 ? "ahead" : "short"));
  if (turn == ClockWatch::Turn::believed)
    log_line(LOG_NOTICE, "the clock is believed again: what is too old is dropped again");
}

bool Upkeep::is_calm() const {
  return pipeline_.idle() && pipeline_.waiting_events() < Pipeline::kFlushEvents;
}

// What a storm or an inventory took goes back once little has come since the last look: sealing what it left may take
// many minutes.
void Upkeep::rest() {
  const uint64_t seq = pipeline_.last_seq();
  const uint64_t events = seq - std::exchange(rest_seq_, seq);
  if (events >= Pipeline::kFlushEvents || !is_calm()) return;
  rested_at_commit_ = pipeline_.commits();
  give_room_back_();
  malloc_trim(0);
}

void Upkeep::seal() {
  const uint64_t commits = pipeline_.commits();
  // Not under load, and not when nothing was written.
  if (sealing_ || commits == sealed_at_commit_ || !is_calm()) return;
  sealing_ = true;
  store_.seal([this, commits](const Result<bool>& more) {
    sealing_ = false;
    sealed(more, commits);
  });
}

void Upkeep::sealed(const Result<bool>& more, uint64_t commits) {
  if (!more)
    log_line(LOG_WARNING, fmt::format("journal blocks cannot be merged: {}", more.error().text()));
  else if (*more)
    next_seal_ns_ = clock_.steady_ns() + kMoreWorkNs;
  else {
    sealed_at_commit_ = commits;
    malloc_trim(0);  // what sealing took
  }
}

void Upkeep::retain() {
  const bool believed = clock_watch_.believed();
  const auto before = [believed, now = clock_.wall_ns()](int64_t age_ns) {
    return believed ? add_times(now, -age_ns) : 0;  // nothing is that old
  };
  forget_resolved(before(retention_.resolved_age_ns));
  Work work;
  work.apply = [limit = before(retention_.bay_history_age_ns)](Durable& durable, Moment) {
    durable.bay_history.forget(limit);
  };
  pipeline_.submit(std::move(work));
  if (pipeline_.stalled() || (pipeline_.failing() && !store_.facts().full)) return;
  // The limits of size hold whatever the time is.
  store_.run([readings_before = before(retention_.readings_age_ns),
              readings_bytes = retention_.readings_bytes,
              journal_before = before(retention_.journal_age_ns),
              journal_bytes = retention_.journal_bytes,
              counted_to = pipeline_.counted_to()](Store& store) {
    const auto readings = store.retain_readings(readings_before, readings_bytes);
    const auto journal = store.retain(journal_before, journal_bytes, counted_to);
    return [readings, journal] {
      warn("old readings cannot be dropped", readings);
      warn("old journal blocks cannot be dropped", journal);
    };
  });
}

void Upkeep::forget_resolved(int64_t before_ns) {
  std::vector<std::string> old;
  for (const auto& [uuid, c] : engine_.cases())
    if (!c.open() && c.resolved_ns > 0 && c.resolved_ns < before_ns) old.push_back(uuid);
  if (old.empty()) return;
  Work work;
  work.apply = [old](Durable& durable, Moment) {
    for (const std::string& uuid : old)
      for (const std::string& entry : durable.forget_case(uuid))
        log_line(
            LOG_WARNING,
            fmt::format("message {} was never delivered; its case is too old to be kept", entry));
  };
  pipeline_.submit(std::move(work));
}

}  // namespace fmd
