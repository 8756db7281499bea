// Pipeline: scheduling of the work, and its results.
#include "fmd/daemon/pipeline.h"

#include <fmt/format.h>
#include <syslog.h>

#include <algorithm>
#include <utility>

#include "fmd/daemon/pipeline_parts.h"
#include "fmd/model/self_events.h"

namespace fmd {

using pipeline::append;
using pipeline::is_due;
using pipeline::merge;

void pipeline::merge(Changes& into, Changes from) {
  for (auto& [uuid, event] : from.cases)
    if (event == "changed")
      into.cases.emplace(uuid, event);
    else
      into.cases[uuid] = event;
  append(into.news, std::move(from.news));
  append(into.happenings, std::move(from.happenings));
  append(into.resources, std::move(from.resources));
  into.last_seq = std::max(into.last_seq, from.last_seq);
}

Pipeline::Pipeline(Durable& durable, StoreJobs& store, uint64_t last_seq, Arrivals& arrivals,
                   const Handlers& handlers, std::string host)
    : durable_(durable),
      store_(store),
      arrivals_(arrivals),
      handlers_(handlers),
      host_(std::move(host)),
      pace_(durable.clock.steady_ns()),
      next_seq_(last_seq + 1),
      counted_to_(durable.tail.waits() ? 0 : last_seq) {}

// --- when ---

void Pipeline::submit(Work work) {
  if (queue_.empty() && batch_.empty()) waits_since_ns_ = durable_.clock.steady_ns();
  queued_events_ += work.events.size();
  queue_.push_back(std::move(work));
}

void Pipeline::submit_event(const std::string& event_class, const std::string& resource,
                            const std::string& reason) {
  const int priority = event_class.starts_with("sysevent.") ? LOG_NOTICE : LOG_WARNING;
  next_.log.push_back({priority, fmt::format("{} {}: {}", event_class, resource, reason)});
  Work work;
  work.events.push_back(
      self_event(event_class, resource, {{"reason", reason}}, durable_.clock.wall_ns()));
  submit(std::move(work));
}

std::optional<int64_t> Pipeline::next_deadline_ns(int64_t now_ns) const {
  std::optional<int64_t> next;
  const auto at = [&next](const std::optional<int64_t>& deadline) {
    if (deadline) next = std::min(next.value_or(*deadline), *deadline);
  };
  for (const auto& deadline :
       {durable_.engine.next_deadline_ns(), durable_.telling.next_deadline_ns(),
        durable_.happenings.next_deadline_ns(), durable_.alerts.reminders.next_deadline_ns(),
        durable_.outbox.next_digest_ns(), durable_.outbox.next_expiry_ns(),
        durable_.alerts.maintenance.next_change_ns(durable_.clock.now()),
        arrivals_.next_deadline_ns(pace_.last_ns())})
    at(deadline);
  if (!queue_.empty()) at(now_ns);
  if (fast_again_ns_ != 0 && !stalled_) at(fast_again_ns_);
  if (held_back()) return next;  // nothing is planned
  if (!busy() && (untold_ || !nothing_to_write())) at(now_ns);
  if (!busy()) at(durable_.tail.next_deadline_ns());
  at(durable_.reconciler.next_deadline_ns());
  if (durable_.reconciler.has_work()) at(now_ns);
  return next;
}

bool Pipeline::nothing_to_write() const {
  return batch_.empty() && !durable_.engine.has_case_rows();
}

// What is slow is the disk under one job: a write that waits behind a question has not begun.
int64_t Pipeline::stalls_ns() const {
  return std::max(begun_ns_, moved_ns_) + kStalledNs;
}

std::optional<int64_t> Pipeline::next_wake_ns() const {
  const int64_t now = durable_.clock.steady_ns();
  if (!next_.log.empty()) return now;
  std::optional<int64_t> next = next_deadline_ns(now);
  // However much is overdue, commits come no closer than that.
  if (next) next = std::max(*next, pace_.next_ns());
  if (goes_on_gathering()) return now;
  if (busy()) {
    if (next) next = std::max(*next, begun_ns_ + kBusyNs);
    return stalled_ ? next : std::min(next.value_or(stalls_ns()), stalls_ns());
  }
  if (failing_) return std::min(next.value_or(retry_ns_), retry_ns_);
  if (cut_ || is_much(waiting_events()) || store_.damaged()) return now;
  return next;
}

// What the next group is made of is applied before more is read: it is in the processor's cache yet. Beside a group
// that is being written that is what its time is for.
bool Pipeline::goes_on_gathering() const {
  if (held_back()) return false;
  if (!busy())
    return queued_events_ >= kWarmEvents && !is_whole_group(waiting_events()) && !waits_long();
  return cut_ || (queued_events_ >= kWarmEvents && !is_whole_group(batch_.events.size()));
}

// A larger group is cheaper; but one that takes in all that sources may have unacknowledged leaves nothing to
// be applied while it is written.
bool Pipeline::is_whole_group(size_t events) const {
  return events >= (busy() ? kMostQueued : kGroupEvents);
}

bool Pipeline::take_turn() {
  return !std::exchange(yields_, false) && urgent();
}

bool Pipeline::waits_long() const {
  return durable_.clock.steady_ns() >= waits_since_ns_ + Pace::kEachNs;
}

bool Pipeline::urgent() const {
  if (!held_back() && (goes_on_gathering() || is_whole_group(waiting_events()))) return true;
  return (!queue_.empty() || (!busy() && !batch_.empty())) && waits_long();
}

Committed Pipeline::run() {
  const uint64_t before = commits_;
  if (store_.collect(0) > 0) moved_ns_ = durable_.clock.steady_ns();
  if (commits_ != before) return take_out();  // what is written goes out before the next begins
  const int64_t now = durable_.clock.steady_ns();
  watch_speed(now);
  const bool time = now >= pace_.next_ns() && is_due(next_deadline_ns(now), now);
  if (goes_on_gathering()) {
    (void)gather_until(add_times(now, kSliceNs));  // what follows of it is looked at once a group
    hold_sources();
  } else if (busy() || (failing_ && now < retry_ns_)) {
    wait_longer(now, time);
  } else if (cut_ || failing_ || is_much(waiting_events()) || store_.damaged() || time) {
    const int64_t slice_ends = failing_ ? INT64_MAX : add_times(now, kSliceNs);
    if (!absorb_until(slice_ends)) return take_out();
    begin();
    store_.collect(0);  // a store that is done at once
    pace_.took(durable_.clock.steady_ns());
  }
  return take_out();
}

Committed Pipeline::flush(int64_t patience_ns) {
  absorb();
  // The group in progress goes first; a damaged store takes its time.
  for (int round = 0; round < kMaxReplaced; ++round) {
    begin();
    store_.collect(patience_ns);
    if (busy() || failing_ || nothing_to_write()) break;
  }
  pace_.took(durable_.clock.steady_ns());
  Committed out = take_out();
  if (busy() || !nothing_to_write())
    out.outcome = fail(fmt::format("it is in force but not on disk yet: {}",
                                   failing_ ? failure_ : "the disk is slow to take it"));
  return out;
}

void Pipeline::take_in() {
  (void)absorb_until(INT64_MAX, Tells::later);
}

// While it can be told at once, what changed is told once it is written.
Committed Pipeline::take_out() {
  if (held_back() || (!busy() && !cut_ && nothing_to_write()))
    merge(ready_.changes, std::exchange(next_.changes, {}));
  Committed out = std::exchange(ready_, {});
  out.log = std::exchange(next_.log, {});
  out.flow = std::exchange(next_.flow, {});
  out.orders = std::exchange(next_.orders, {});
  return out;
}

}  // namespace fmd
