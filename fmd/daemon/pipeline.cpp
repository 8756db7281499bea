#include "fmd/daemon/pipeline.h"

#include <fmt/format.h>
#include <syslog.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "fmd/base/text.h"
#include "fmd/model/self_events.h"

namespace fmd {
namespace {

constexpr int kMaxRounds = 4;
constexpr int kMaxReplaced = 3;

}  // namespace

Pipeline::Pipeline(Engine& engine, Reconciler& reconciler, Outbox& outbox, Store& store,
                   Clock clock, Hooks hooks)
    : engine_(engine),
      reconciler_(reconciler),
      outbox_(outbox),
      store_(store),
      clock_(std::move(clock)),
      hooks_(std::move(hooks)),
      next_seq_(store.last_seq() + 1) {
  last_flush_mono_ns_ = clock_.mono_ns() - kMaxWaitNs;
}

void Pipeline::submit(Work work) {
  if (queue_.empty()) first_queued_mono_ns_ = clock_.mono_ns();
  queued_events_ += work.events.size();
  queue_.push_back(std::move(work));
}

void Pipeline::submit_event(const std::string& event_class, const std::string& resource,
                            const std::string& reason) {
  const int priority = event_class.starts_with("sysevent.") ? LOG_NOTICE : LOG_WARNING;
  hooks_.log(priority, fmt::format("{} {}: {}", event_class, resource, reason));
  Work work;
  work.events.push_back(self_event(event_class, resource, {{"reason", reason}}, clock_.wall_ns()));
  submit(std::move(work));
}

void Pipeline::reconsider() {
  reconsider_ = true;
}

bool Pipeline::clock_work_due(int64_t wall_ns) const {
  const auto engine_at = engine_.next_deadline_ns();
  const auto reconciler_at = reconciler_.next_deadline_ns();
  return (engine_at && *engine_at <= wall_ns) || (reconciler_at && *reconciler_at <= wall_ns);
}

std::optional<int64_t> Pipeline::next_wake_ns() const {
  const int64_t mono = clock_.mono_ns();
  if (failing_) return retry_mono_ns_;
  if (queued_events_ >= kFlushEvents || reconsider_ || store_.is_damaged()) return mono;
  std::optional<int64_t> next;
  const auto at = [&](int64_t ns) { next = next ? std::min(*next, ns) : ns; };
  if (!queue_.empty()) at(std::max(mono, last_flush_mono_ns_ + kMaxWaitNs));
  const int64_t wall = clock_.wall_ns();
  for (const auto& deadline : {engine_.next_deadline_ns(), reconciler_.next_deadline_ns()})
    if (deadline) at(mono + std::max<int64_t>(0, *deadline - wall));
  return next;
}

bool Pipeline::urgent() const {
  if (queue_.empty()) return false;
  return queued_events_ >= kMostQueued || clock_.mono_ns() >= first_queued_mono_ns_ + kMaxWaitNs;
}

void Pipeline::run() {
  const int64_t mono = clock_.mono_ns();
  if (failing_ && mono < retry_mono_ns_) return;
  const bool due = failing_ || reconsider_ || store_.is_damaged() ||
                   queued_events_ >= kFlushEvents ||
                   (!queue_.empty() && mono >= last_flush_mono_ns_ + kMaxWaitNs) ||
                   clock_work_due(clock_.wall_ns());
  if (due) (void)flush();
}

Result<void> Pipeline::flush() {
  if (flushing_)
    return {};  // asked for from within an answer: what it queued is taken in the next round
  flushing_ = true;
  absorb();
  Result<void> outcome = write();
  flushing_ = false;
  last_flush_mono_ns_ = clock_.mono_ns();
  return outcome;
}

// Applies everything queued to the state in memory and gathers what has to be written.
void Pipeline::absorb() {
  const int64_t now = clock_.wall_ns();
  std::vector<Work> queue = std::exchange(queue_, {});
  queued_events_ = 0;
  for (Work& work : queue) {
    for (Event& event : work.events) {
      event.seq = next_seq_++;
      event.received_ns = now;
      engine_.on_event(event, now);
      batch_.events.push_back(std::move(event));
      changes_.last_seq = next_seq_ - 1;
    }
    for (const InventoryUpdate& update : work.inventory) {
      std::vector<InventoryChange> changed = engine_.on_inventory(update, now);
      for (StateRow& row : hooks_.inventory_changed(update, changed, now))
        batch_.rows.push_back(std::move(row));
      changes_.resources.insert(changes_.resources.end(), std::make_move_iterator(changed.begin()),
                                std::make_move_iterator(changed.end()));
    }
    for (Reading& reading : work.readings)
      if (reading_filter_.keep(reading)) batch_.readings.push_back(std::move(reading));
    if (work.apply) work.apply(now);
    batch_.rows.insert(batch_.rows.end(), std::make_move_iterator(work.rows.begin()),
                       std::make_move_iterator(work.rows.end()));
    if (work.committed) after_.push_back(std::move(work.committed));
  }
  if (const auto deadline = engine_.next_deadline_ns(); deadline && *deadline <= now)
    engine_.on_time(now);
  collect();
  const auto deadline = reconciler_.next_deadline_ns();
  if (deadline && *deadline <= now) reconsider_ = true;
  // What the reconciler records may let the engine move the case on, which is worth another look.
  for (int round = 0; reconsider_ && round < kMaxRounds; ++round) {
    reconsider_ = false;
    std::vector<Command> commands = reconciler_.step(now, hooks_.handled);
    commands_.insert(commands_.end(), std::make_move_iterator(commands.begin()),
                     std::make_move_iterator(commands.end()));
    collect();
  }
  reconsider_ = false;
  for (CaseNews& news : engine_.take_news()) {
    if (const Case* c = engine_.find_case(news.uuid))
      outbox_.add(news, *c, [&] { return hooks_.compose(*c, news.event); });
    changes_.cases[news.uuid] = news.event;
    changes_.news.push_back(std::move(news));
  }
  collect();
}

// Moves changed rows into the batch. Changed cases or resources are a reason for the reconciler to
// look.
void Pipeline::collect() {
  for (StateRow& row : engine_.take_changes()) {
    if (row.kind == "case")
      changes_.cases.emplace(row.key, row.doc.empty() ? "forgotten" : "changed");
    if (row.kind == "case" || row.kind == "resource") reconsider_ = true;
    batch_.rows.push_back(std::move(row));
  }
  for (std::vector<StateRow> rows : {reconciler_.take_changes(), outbox_.take_changes()})
    batch_.rows.insert(batch_.rows.end(), std::make_move_iterator(rows.begin()),
                       std::make_move_iterator(rows.end()));
}

Result<void> Pipeline::write() {
  if (Result<void> written = write_batch(); !written) {
    failed(written.error());
    return fail(fmt::format("it is in force but not on disk yet: {}", written.error().text()));
  }
  const bool was_failing = std::exchange(failing_, false);
  for (const auto& answer : std::exchange(after_, {})) answer();
  for (const Command& command : std::exchange(commands_, {})) hooks_.command(command);
  publish();
  if (was_failing) recovered();
  return {};
}

Result<void> Pipeline::write_batch() {
  for (int tries = 0; tries < kMaxReplaced; ++tries) {
    if (store_.is_damaged())  // a reader or upkeep may have met the damage
      if (Result<void> replaced = replace_damaged(); !replaced) return replaced;
    if (batch_.empty()) return {};
    const Result<void> committed = store_.commit(batch_);
    if (!committed && !store_.is_damaged()) return committed;
    if (!committed) continue;
    ++commits_;
    batch_ = {};
    return {};
  }
  return fail("each fresh file is damaged at once: the disk under it is broken");
}

void Pipeline::publish() {
  const Changes changes = std::exchange(changes_, {});
  if (!changes.cases.empty() || !changes.resources.empty() || changes.last_seq != 0)
    hooks_.changed(changes);
}

Result<void> Pipeline::replace_damaged() {
  const Result<void> replaced = store_.replace_damaged(clock_.wall_ns());
  if (!replaced) return replaced;
  // The fresh file may lack state that only the old one held: all that is in memory is written
  // again.
  engine_.mark_all_changed();
  reconciler_.mark_all_changed();
  reading_filter_.clear();
  for (std::vector<StateRow> rows : {outbox_.all_rows(), hooks_.own_rows()})
    batch_.rows.insert(batch_.rows.end(), std::make_move_iterator(rows.begin()),
                       std::make_move_iterator(rows.end()));
  submit_event(kStoreDamaged, kStoreResource,
               fmt::format("the store was damaged and is moved aside to {}. {}",
                           store_.moved_aside(), store_.salvage()));
  absorb();
  return {};
}

void Pipeline::failed(const Error& error) {
  const int64_t mono = clock_.mono_ns();
  failure_ = error.text();
  if (!failing_) {
    failing_ = true;
    retry_wait_ns_ = kFirstRetryNs;
    hooks_.log(
        LOG_CRIT,
        fmt::format("cannot write: {}. Nothing is acknowledged until it can be written", failure_));
    hooks_.hold_sources(true);
    submit_event(store_.is_full() ? kStoreFull : kStoreFailed, kStoreResource, failure_);
    absorb();
    publish();
  } else {
    retry_wait_ns_ = std::min(retry_wait_ns_ * 2, kLongestRetryNs);
  }
  retry_mono_ns_ = mono + retry_wait_ns_;
}

void Pipeline::recovered() {
  hooks_.log(LOG_NOTICE, "the store can be written again");
  failure_.clear();
  submit_event(kStoreOk, kStoreResource, "written again");
  hooks_.hold_sources(false);
}

}  // namespace fmd
