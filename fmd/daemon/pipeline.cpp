#include "fmd/daemon/pipeline.h"

#include <fmt/format.h>
#include <syslog.h>

#include <algorithm>
#include <utility>

#include "fmd/base/duration.h"
#include "fmd/base/text.h"
#include "fmd/model/self_events.h"

namespace fmd {
namespace {

constexpr int kMaxRounds = 4;
constexpr int kMaxReplaced = 3;

template <class T>
void append(std::vector<T>& to, std::vector<T> from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

bool is_due(const std::optional<int64_t>& deadline, int64_t now_ns) {
  return deadline && *deadline <= now_ns;
}

void merge(Changes& into, Changes from) {
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

}  // namespace

Pipeline::Pipeline(Durable& durable, StoreJobs& store, uint64_t last_seq, Arrivals& arrivals,
                   const Handlers& handlers, std::string host)
    : durable_(durable),
      store_(store),
      arrivals_(arrivals),
      handlers_(handlers),
      host_(std::move(host)),
      last_flush_ns_(durable.clock.steady_ns() - kMaxWaitNs),
      next_seq_(last_seq + 1) {}

// --- when ---

void Pipeline::submit(Work work) {
  if (queue_.empty()) first_queued_ns_ = durable_.clock.steady_ns();
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
        arrivals_.next_deadline_ns(last_flush_ns_)})
    at(deadline);
  if (!queue_.empty()) at(now_ns);
  if (fast_again_ns_ != 0 && !stalled_) at(fast_again_ns_);
  if (held_back()) return next;  // nothing is planned
  if (!busy() && (untold_ || !batch_.empty())) at(now_ns);
  at(durable_.reconciler.next_deadline_ns());
  if (durable_.reconciler.has_work()) at(now_ns);
  return next;
}

std::optional<int64_t> Pipeline::next_wake_ns() const {
  const int64_t now = durable_.clock.steady_ns();
  if (!next_.log.empty()) return now;
  std::optional<int64_t> next = next_deadline_ns(now);
  // However much is overdue, commits come no closer than that.
  if (next) next = std::max(*next, last_flush_ns_ + kMaxWaitNs);
  if (busy()) {
    if (next) next = std::max(*next, begun_ns_ + kBusyNs);
    const int64_t stalls = begun_ns_ + kStalledNs;
    return stalled_ ? next : std::min(next.value_or(stalls), stalls);
  }
  if (failing_) return std::min(next.value_or(retry_ns_), retry_ns_);
  if (queued_events_ >= kFlushEvents || store_.damaged()) return now;
  return next;
}

bool Pipeline::urgent() const {
  if (queue_.empty()) return false;
  return queued_events_ >= kMostQueued ||
         durable_.clock.steady_ns() >= first_queued_ns_ + kMaxWaitNs;
}

Committed Pipeline::run() {
  const uint64_t before = commits_;
  store_.collect(0);
  if (commits_ != before) return take_out();  // what is written goes out before the next begins
  const int64_t now = durable_.clock.steady_ns();
  watch_speed(now);
  const bool time = now >= last_flush_ns_ + kMaxWaitNs && is_due(next_deadline_ns(now), now);
  if (busy() || (failing_ && now < retry_ns_)) {
    wait_longer(now, time);
  } else if (failing_ || queued_events_ >= kFlushEvents || store_.damaged() || time) {
    absorb();
    begin();
    store_.collect(0);  // a store that is done at once
    last_flush_ns_ = durable_.clock.steady_ns();
  }
  return take_out();
}

Committed Pipeline::flush(int64_t patience_ns) {
  absorb();
  // A group that is under way goes first; a damaged store takes its time too.
  for (int round = 0; round < kMaxReplaced; ++round) {
    begin();
    store_.collect(patience_ns);
    if (busy() || failing_ || batch_.empty()) break;
  }
  last_flush_ns_ = durable_.clock.steady_ns();
  Committed out = take_out();
  if (busy() || !batch_.empty())
    out.outcome = fail(fmt::format("it is in force but not on disk yet: {}",
                                   failing_ ? failure_ : "the disk is slow to take it"));
  return out;
}

void Pipeline::take_in() {
  absorb();
}

// While it can be told at once, what changed is told once it is written.
Committed Pipeline::take_out() {
  if (held_back() || !busy()) merge(ready_.changes, std::exchange(next_.changes, {}));
  Committed out = std::exchange(ready_, {});
  out.log = std::exchange(next_.log, {});
  out.hold_sources = std::exchange(next_.hold_sources, {});
  out.orders = std::exchange(next_.orders, {});
  return out;
}

// --- taking in ---

// Applies everything queued to the state in memory and gathers what has to be written.
void Pipeline::absorb() {
  const Moment now = durable_.clock.now();
  take_queue(now);
  look_at_outbox(now);
  if (is_due(durable_.engine.next_deadline_ns(), now.steady_ns)) durable_.engine.on_time(now);
  collect();
  plan(now);
  // A message is composed when the case it is about can be written with it, or cannot be for now.
  untold_ = busy() && !held_back();
  if (!untold_) tell(now);
  collect();
}

void Pipeline::take_queue(Moment now) {
  std::vector<Work> queue = std::exchange(queue_, {});
  queued_events_ = 0;
  for (Work& work : queue) {
    for (Event& event : work.events) {
      event.seq = next_seq_++;
      event.received_ns = now.wall_ns;
      durable_.engine.on_event(event, now);
      batch_.events.push_back(std::move(event));
      next_.changes.last_seq = next_seq_ - 1;
    }
    for (const InventoryUpdate& update : work.inventory) take_inventory(update, now);
    // A gap in the history, rather than sources that are not heard for as long as the disk is full.
    for (Reading& reading : work.readings)
      if (batch_.readings.size() < kMostReadings && reading_filter_.keep(reading))
        batch_.readings.push_back(std::move(reading));
    if (work.apply) work.apply(durable_, now);
    append(batch_.rows, std::move(work.rows));
    if (work.committed) next_.answers.push_back(std::move(work.committed));
  }
}

void Pipeline::take_inventory(const InventoryUpdate& update, Moment now) {
  std::vector<InventoryChange> changed = durable_.engine.on_inventory(update, now);
  durable_.bay_history.observe(durable_.engine.inventory(), update, changed, now.wall_ns);
  durable_.happenings.observe(durable_.sight(now), update, changed);
  for (const InventoryChange& change : changed) durable_.reconciler.resource_changed(change.fmri);
  append(next_.changes.resources, std::move(changed));
}

// What nobody could be told, and channels that do not deliver: a case of its own.
void Pipeline::look_at_outbox(Moment now) {
  for (const GivenUp& given_up : durable_.outbox.expire(now)) {
    const Delivery& message = given_up.delivery;
    const auto note = [&](const std::string& uuid, const std::string& event) {
      durable_.alerts.gave_up(uuid, message.key, message.notifier, given_up.why, now);
      durable_.engine.note(
          uuid, "notify",
          fmt::format("{} given up ({}): {}", message.notifier, event, given_up.why), now);
    };
    if (message.members.size() < 2)
      note(message.uuid, message.event);
    else
      for (const DigestItem& item : message.members) note(item.uuid, item.event);
  }
  std::vector<Resource> channels = durable_.outbox.channels().take_changed();
  if (channels.empty()) return;
  InventoryUpdate update;
  update.source = kSelfSource;
  update.resources = std::move(channels);
  take_inventory(update, now);
}

bool Pipeline::planning_due(int64_t now_ns) const {
  return durable_.reconciler.has_work() || is_due(durable_.reconciler.next_deadline_ns(), now_ns);
}

void Pipeline::plan(Moment now) {
  const auto handled = [this](std::string_view fmri) { return handlers_.handled(fmri); };
  // What cannot be written down first is not done: it is planned when it can, as things are then. But
  // for lights: they harm nobody, and people need them now.
  if (held_back()) {
    append(ready_.commands, durable_.reconciler.step(now, handled, Reconciler::Scope::lights));
    collect();
  }
  // What the reconciler records may let the engine move the case on, which is worth another look.
  for (int round = 0; round < kMaxRounds && !held_back() && planning_due(now.steady_ns); ++round) {
    append(next_.commands, durable_.reconciler.step(now, handled));
    collect();
  }
  append(next_.orders, durable_.reconciler.take_order_results());
  for (std::string& line : durable_.reconciler.take_said())
    next_.log.push_back({LOG_NOTICE, std::move(line)});
}

// Moves changed rows into the batch, and tells the reconciler which cases to look at.
void Pipeline::collect() {
  for (StateRow& row : durable_.engine.take_changes()) {
    if (row.kind == "case") {
      next_.changes.cases.emplace(row.key, row.doc.empty() ? "forgotten" : "changed");
      durable_.reconciler.case_changed(row.key);
      changed_cases_.insert(row.key);
    }
    if (row.kind == "evidence") durable_.reconciler.case_changed(row.key);  // its errors go on
    batch_.rows.push_back(std::move(row));
  }
  append(batch_.rows, durable_.take_other_changes());
}

// --- writing ---

void Pipeline::begin() {
  if (busy()) return;
  if (store_.damaged()) return replace_damaged();  // a reader or upkeep may have met the damage
  if (batch_.empty()) {
    append(ready_.answers, std::exchange(next_.answers, {}));
    append(ready_.commands, std::exchange(next_.commands, {}));
    return;
  }
  batch_.rows.push_back(durable_.clock.row());
  auto batch = std::make_shared<Batch>(std::exchange(batch_, {}));
  group_ = Group{batch, std::exchange(next_.answers, {}), std::exchange(next_.commands, {}),
                 std::exchange(next_.changes, {})};
  begun_ns_ = durable_.clock.steady_ns();
  store_.run([this, batch = std::shared_ptr<const Batch>(batch)](Store& store) {
    const Result<void> outcome = store.commit(*batch);
    return [this, outcome, full = store.is_full()] { finished(outcome, full); };
  });
}

void Pipeline::finished(const Result<void>& outcome, bool full) {
  Group group = std::move(*group_);
  group_.reset();
  merge(ready_.changes, std::exchange(group.changes, {}));
  if (std::exchange(stalled_, false)) {
    const int64_t now = durable_.clock.steady_ns();
    fast_again_ns_ = now + kFastAgainNs;
    next_.log.push_back(
        {LOG_WARNING, fmt::format("the store took {} to write",
                                  format_duration((now - begun_ns_) / kSecondNs * kSecondNs))});
  }
  if (!outcome) {
    put_back(std::move(group));
    if (store_.damaged()) return replace_damaged();
    return failed(outcome.error(), full);
  }
  append(ready_.answers, std::move(group.answers));
  append(ready_.commands, std::move(group.commands));
  ++commits_;
  replaced_ = 0;
  if (std::exchange(failing_, false))
    recovered();
  else
    hold_sources(false);
}

// Before what has gathered meanwhile.
void Pipeline::put_back(Group group) {
  Batch& batch = *group.batch;
  batch.rows.pop_back();  // the clock's
  append(batch.events, std::move(batch_.events));
  append(batch.rows, std::move(batch_.rows));
  append(batch.readings, std::move(batch_.readings));
  batch_ = std::move(batch);
  append(group.answers, std::move(next_.answers));
  append(group.commands, std::move(next_.commands));
  next_.answers = std::move(group.answers);
  next_.commands = std::move(group.commands);
}

// While nothing can be written, or a commit takes its time: memory is kept as things are, as far as it
// reaches.
void Pipeline::wait_longer(int64_t now_ns, bool due) {
  if (group_ && !stalled_ && now_ns >= begun_ns_ + kStalledNs) {
    stalled_ = true;
    submit_event(kStoreSlow, kStoreResource,
                 fmt::format("a write has taken more than {}", format_duration(kStalledNs)));
    due = true;
    merge(ready_.changes, std::exchange(group_->changes, {}));
  }
  if (due && (failing_ || now_ns >= begun_ns_ + kBusyNs)) {
    absorb();
    last_flush_ns_ = now_ns;
  }
  if (batch_.events.size() + queued_events_ >= kMostQueued) hold_sources(true);
  if (batch_.rows.size() >= compact_at_) compact();
}

// Of rows that were written over meanwhile only the last counts: a disk may be full for days.
void Pipeline::compact() {
  std::vector<StateRow>& rows = batch_.rows;
  std::set<std::pair<std::string_view, std::string_view>> seen;
  std::vector<bool> last(rows.size());
  for (size_t i = rows.size(); i-- > 0;) last[i] = seen.emplace(rows[i].kind, rows[i].key).second;
  std::vector<StateRow> kept;
  kept.reserve(seen.size());
  for (size_t i = 0; i < rows.size(); ++i)
    if (last[i]) kept.push_back(std::move(rows[i]));
  rows = std::move(kept);
  compact_at_ = std::max(kMostQueued, 2 * rows.size());
}

void Pipeline::watch_speed(int64_t now_ns) {
  if (fast_again_ns_ == 0 || stalled_ || now_ns < fast_again_ns_) return;
  fast_again_ns_ = 0;
  submit_event(kStoreFast, kStoreResource,
               fmt::format("no write has taken long for {}", format_duration(kFastAgainNs)));
}

void Pipeline::hold_sources(bool on) {
  if (std::exchange(held_, on) != on) next_.hold_sources = on;
}

void Pipeline::replace_damaged() {
  if (replaced_++ >= kMaxReplaced)
    return failed(Error{"each fresh file is damaged at once: the disk under it is broken", "", 0},
                  false);
  replacing_ = true;
  begun_ns_ = durable_.clock.steady_ns();
  store_.run([this, wall_ns = durable_.clock.wall_ns()](Store& store) {
    const Result<void> outcome = store.replace_damaged(wall_ns);
    const std::string story = fmt::format("the store was damaged and is moved aside to {}. {}",
                                          store.moved_aside(), store.salvage());
    return [this, outcome, story, full = store.is_full()] { replaced(outcome, story, full); };
  });
}

void Pipeline::replaced(const Result<void>& outcome, const std::string& story, bool full) {
  replacing_ = false;
  if (!outcome) return failed(outcome.error(), full);
  // The fresh file may lack state that only the old one held: all that is in memory is written
  // again, and after it what was about to be, such as a cursor that goes with events of this batch.
  std::vector<StateRow> pending = std::exchange(batch_.rows, {});
  durable_.mark_all_changed();
  collect();
  append(batch_.rows, std::move(pending));
  reading_filter_.clear();
  submit_event(kStoreDamaged, kStoreResource, story);
  absorb();
  begin();
}

void Pipeline::failed(const Error& error, bool full) {
  failure_ = error.text();
  if (!std::exchange(failing_, true)) {
    retry_wait_ns_ = kFirstRetryNs;
    next_.log.push_back(
        {LOG_CRIT, fmt::format("cannot write: {}. Nothing is acknowledged until it can be written",
                               failure_)});
    drop_commands();
    submit_event(full ? kStoreFull : kStoreFailed, kStoreResource, failure_);
    absorb();
  } else {
    drop_commands();
    retry_wait_ns_ = std::min(retry_wait_ns_ * 2, kLongestRetryNs);
  }
  retry_ns_ = durable_.clock.steady_ns() + retry_wait_ns_;
}

// By the time their intent is on disk the wish may have vanished: they are planned anew then.
void Pipeline::drop_commands() {
  for (const Command& command : std::exchange(next_.commands, {}))
    durable_.reconciler.unsent(command);
}

void Pipeline::recovered() {
  next_.log.push_back({LOG_NOTICE, "the store can be written again"});
  failure_.clear();
  hold_sources(false);
  submit_event(kStoreOk, kStoreResource, "written again");
}

}  // namespace fmd
