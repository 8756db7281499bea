// Pipeline: groups of changes are written, and what happens when that fails or takes its time.
#include <fmt/format.h>
#include <syslog.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <utility>

#include "fmd/base/duration.h"
#include "fmd/base/text.h"
#include "fmd/daemon/pipeline.h"
#include "fmd/daemon/pipeline_parts.h"
#include "fmd/model/self_events.h"
#include "fmd/protocol/spare_events.h"

namespace fmd {

using pipeline::append;
using pipeline::merge;

void Pipeline::begin() {
  if (busy()) return;
  if (store_.damaged()) return replace_damaged();  // a reader or upkeep may have met the damage
  const int64_t now = durable_.clock.steady_ns();
  const bool checkpoint = durable_.tail.is_due(durable_.engine, now);
  append(batch_.rows, durable_.engine.take_case_rows());
  if (batch_.empty() && !(checkpoint && durable_.tail.waits())) {
    append(ready_.answers, std::exchange(next_.answers, {}));
    append(ready_.commands, std::exchange(next_.commands, {}));
    return;
  }
  if (checkpoint) append(batch_.rows, durable_.engine.take_changes());
  durable_.tail.take_rows(checkpoint, now, batch_.rows);
  append(batch_.rows, durable_.engine.take_measured(kMeasuredRows));
  batch_.rows.push_back(durable_.clock.row());
  auto batch = std::make_shared<Batch>(std::exchange(batch_, {}));
  group_ = Group{batch,
                 std::exchange(next_.answers, {}),
                 std::exchange(next_.commands, {}),
                 std::exchange(next_.changes, {}),
                 std::nullopt,
                 std::exchange(ahead_, false)};
  if (checkpoint) group_->counted_to = next_seq_ - 1;
  begun_ns_ = waits_since_ns_ = now;
  store_.run([this, batch = std::shared_ptr<const Batch>(batch)](Store& store) {
    const Result<void> outcome = store.commit(*batch);
    const After after{store.is_full(), store.lives_on_reserve(), store.is_unread()};
    return [this, outcome, after] { finished(outcome, after); };
  });
}

// The part that could be written although the disk is full.
void Pipeline::watch_reserve(bool low) {
  if (std::exchange(low_, low) == low || failing_) return;
  if (!low) return submit_event(kStoreOk, kStoreResource, "there is space again");
  next_.log.push_back(
      {LOG_CRIT, "no space is left for the store: it lives on the little that it had kept free"});
  submit_event(kStoreFull, kStoreResource, "no space is left but what fmd had kept free for this");
}

void Pipeline::finished(const Result<void>& outcome, const After& after) {
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
    ready_.start_again = after.unread;
    if (store_.damaged()) return replace_damaged();
    return failed(outcome.error(), after.full);
  }
  append(ready_.answers, std::move(group.answers));
  append(ready_.commands, std::move(group.commands));
  protocol::spare_events().give(std::move(group.batch->events));
  counted_to_ = group.counted_to.value_or(counted_to_);
  ++commits_;
  for (const StateRow& row : group.batch->rows) {
    ++written_.rows;
    written_.bytes += row.kind.size() + row.key.size() + row.doc.size();
  }
  replaced_ = 0;
  if (group.ahead && !ahead_) ready_.lights_ahead.emplace();
  watch_reserve(after.low);
  if (std::exchange(failing_, false))
    recovered();
  else
    set_flow(Flow::acked);
}

// Before the rows that have gathered meanwhile.
void Pipeline::put_back(Group group) {
  Batch& batch = *group.batch;
  ahead_ = ahead_ || group.ahead;
  batch.rows.pop_back();  // the clock's
  batch.events.append(std::move(batch_.events));
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
  if (busy() && !stalled_ && now_ns >= stalls_ns()) {
    stalled_ = true;
    set_flow(Flow::ahead);
    submit_event(kStoreSlow, kStoreResource,
                 fmt::format("a write has taken more than {}", format_duration(kStalledNs)));
    due = true;
    if (group_) {
      merge(ready_.changes, std::exchange(group_->changes, {}));
      lights_first(group_->commands);
    }
    lights_first(next_.commands);
  }
  if (due && (failing_ || now_ns >= begun_ns_ + kBusyNs)) {
    absorb();
    pace_.took(now_ns);
  }
  hold_sources();
  if (batch_.rows.size() >= compact_at_) compact();
}

void Pipeline::hold_sources() {
  if (batch_.events.size() + queued_events_ >= kMostQueued) set_flow(Flow::held);
}

// Planned before the disk hung: LEDs need not wait for their intent to be on disk.
void Pipeline::lights_first(std::vector<Command>& commands) {
  const auto others = std::stable_partition(
      commands.begin(), commands.end(),
      [](const Command& command) { return command.name == CommandName::set_led; });
  light({std::make_move_iterator(commands.begin()), std::make_move_iterator(others)});
  commands.erase(commands.begin(), others);
}

void Pipeline::light(std::vector<Command> commands) {
  if (commands.empty()) return;
  append(ready_.commands, std::move(commands));
  std::vector<StateRow> rows;
  for (const auto& [id, lit] : durable_.reconciler.interventions().all()) {
    if (lit.kind != InterventionKind::fault_led) continue;
    rows.push_back(Interventions::row_of(lit));
    append(rows, durable_.engine.rows_of(lit.part));  // an unknown part has no light
  }
  ready_.lights_ahead = std::move(rows);
  ahead_ = true;
}

// Of rows that were overwritten meanwhile only the last one counts: a disk may be full for days.
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

// Input held back for lack of memory continues after a write.
void Pipeline::set_flow(Flow flow) {
  if (flow == flow_ || (flow_ == Flow::held && flow == Flow::ahead)) return;
  next_.flow = flow_ = flow;
}

void Pipeline::replace_damaged() {
  if (replaced_ >= kMaxReplaced)
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
  ++replaced_;
  // The fresh file may lack state that only the old one held: all that is in memory is written
  // again, and after it what was about to be, such as a cursor that goes with events of this batch.
  std::vector<StateRow> pending = std::exchange(batch_.rows, {});
  durable_.mark_all_changed();
  // Rows of resources are older than what is collected: only that one was gone counts, and first, for
  // it may be there again.
  const auto resources = std::stable_partition(
      pending.begin(), pending.end(), [](const StateRow& row) { return row.kind != "resource"; });
  std::copy_if(std::make_move_iterator(resources), std::make_move_iterator(pending.end()),
               std::back_inserter(batch_.rows),
               [](const StateRow& row) { return row.doc.empty(); });
  pending.erase(resources, pending.end());
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
    set_flow(Flow::ahead);
    submit_event(full ? kStoreFull : kStoreFailed, kStoreResource, failure_);
    absorb();
  } else {
    drop_commands();
    retry_wait_ns_ = std::min(retry_wait_ns_ * 2, kLongestRetryNs);
  }
  retry_ns_ = durable_.clock.steady_ns() + retry_wait_ns_;
}

// The wish may be gone when the intent is on disk: plan again then.
void Pipeline::drop_commands() {
  for (const Command& command : std::exchange(next_.commands, {}))
    durable_.reconciler.unsent(command);
}

void Pipeline::recovered() {
  next_.log.push_back({LOG_NOTICE, "the store can be written again"});
  failure_.clear();
  set_flow(Flow::acked);
  if (!low_) submit_event(kStoreOk, kStoreResource, "written again");
}

}  // namespace fmd
