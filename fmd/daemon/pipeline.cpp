#include "fmd/daemon/pipeline.h"

#include <fmt/format.h>
#include <syslog.h>

#include <algorithm>
#include <utility>

#include "fmd/base/text.h"
#include "fmd/model/self_events.h"
#include "fmd/notify/case_event.h"
#include "fmd/notify/message.h"

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

}  // namespace

Pipeline::Pipeline(Durable& durable, Store& store, Arrivals& arrivals, const Handlers& handlers,
                   std::string host)
    : durable_(durable),
      store_(store),
      arrivals_(arrivals),
      handlers_(handlers),
      host_(std::move(host)),
      last_flush_ns_(durable.clock.steady_ns() - kMaxWaitNs),
      next_seq_(store.last_seq() + 1) {}

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
  for (const auto& deadline :
       {durable_.engine.next_deadline_ns(), durable_.reconciler.next_deadline_ns(),
        durable_.telling.next_deadline_ns(), durable_.alerts.reminders.next_deadline_ns(),
        durable_.outbox.next_digest_ns(), durable_.outbox.next_expiry_ns(),
        durable_.alerts.maintenance.next_change_ns(durable_.clock.now()),
        arrivals_.next_deadline_ns(last_flush_ns_)})
    if (deadline) next = std::min(next.value_or(*deadline), *deadline);
  if (!queue_.empty() || durable_.reconciler.has_work())
    next = std::min(next.value_or(now_ns), now_ns);
  return next;
}

std::optional<int64_t> Pipeline::next_wake_ns() const {
  const int64_t now = durable_.clock.steady_ns();
  if (!next_.log.empty()) return now;
  if (failing_) return retry_ns_;
  if (queued_events_ >= kFlushEvents || store_.is_damaged()) return now;
  const auto next = next_deadline_ns(now);
  // However much is overdue, commits come no closer than that.
  return next ? std::optional(std::max(*next, last_flush_ns_ + kMaxWaitNs)) : std::nullopt;
}

bool Pipeline::urgent() const {
  if (queue_.empty()) return false;
  return queued_events_ >= kMostQueued ||
         durable_.clock.steady_ns() >= first_queued_ns_ + kMaxWaitNs;
}

Committed Pipeline::run() {
  const int64_t now = durable_.clock.steady_ns();
  const bool due =
      failing_ ? now >= retry_ns_
               : queued_events_ >= kFlushEvents || store_.is_damaged() ||
                     (now >= last_flush_ns_ + kMaxWaitNs && is_due(next_deadline_ns(now), now));
  if (due) return flush();
  Committed only_log;
  only_log.log = std::exchange(next_.log, {});
  return only_log;
}

Committed Pipeline::flush() {
  absorb();
  const Result<void> outcome = write();
  last_flush_ns_ = durable_.clock.steady_ns();
  Committed out;
  out.outcome = outcome;
  out.log = std::exchange(next_.log, {});
  out.hold_sources = std::exchange(next_.hold_sources, {});
  out.orders = std::exchange(next_.orders, {});
  if (outcome) {
    out.answers = std::exchange(next_.answers, {});
    out.commands = std::exchange(next_.commands, {});
  }
  out.changes = std::exchange(next_.changes, {});
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
  tell(now);
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
    for (Reading& reading : work.readings)
      if (reading_filter_.keep(reading)) batch_.readings.push_back(std::move(reading));
    if (work.apply) work.apply(durable_, now);
    append(batch_.rows, std::move(work.rows));
    if (work.committed) next_.answers.push_back(std::move(work.committed));
  }
}

void Pipeline::take_inventory(const InventoryUpdate& update, Moment now) {
  std::vector<InventoryChange> changed = durable_.engine.on_inventory(update, now);
  durable_.bay_history.observe(durable_.engine.inventory(), update, changed, now.wall_ns);
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
  // What cannot be written down first is not done: it is planned when it can, as things are then.
  // What the reconciler records may let the engine move the case on, which is worth another look.
  for (int round = 0; round < kMaxRounds && !failing_ && planning_due(now.steady_ns); ++round) {
    append(next_.commands, durable_.reconciler.step(now, [this](std::string_view fmri) {
      return handlers_.handled(fmri);
    }));
    collect();
  }
  append(next_.orders, durable_.reconciler.take_order_results());
  for (std::string& line : durable_.reconciler.take_said())
    next_.log.push_back({LOG_NOTICE, std::move(line)});
}

void Pipeline::tell(Moment now) {
  Telling& telling = durable_.telling;
  const auto find = [this](std::string_view uuid) { return durable_.engine.find_case(uuid); };
  for (CaseNews& news : durable_.engine.take_news()) {
    if (const Case* c = find(news.uuid)) telling.take(news, *c, now);
    next_.changes.cases[news.uuid] = news.event;
    next_.changes.news.push_back(std::move(news));
  }
  if (!changed_cases_.empty()) durable_.alerts.reminders.cases_changed();
  for (const std::string& uuid : std::exchange(changed_cases_, {}))
    if (const Case* c = find(uuid)) telling.looked(*c, now);
  const auto expected = [this, now](const Suspect& suspect) {
    return arrivals_.expected_for(suspect, now.steady_ns);
  };
  if (!durable_.alerts.maintenance.on_time(now.wall_ns).empty()) telling.let_go();
  const Telling::Held held = [this, now](const Case& c) {
    return durable_.alerts.held(c, durable_.engine.inventory(), now);
  };
  for (const Tidings& tidings : telling.due(find, expected, now, held)) announce(tidings, now);
  for (const Telling::Withheld& w : telling.take_withheld())
    if (const Case* c = find(w.uuid))
      durable_.alerts.withheld(*c, case_event_name(w.event), durable_.engine.inventory(), now);
  remind(held, now);
  durable_.outbox.close_digests(now);
  for (std::string& line : durable_.alerts.take_said())
    next_.log.push_back({LOG_INFO, std::move(line)});
}

void Pipeline::remind(const Telling::Held& held, Moment now) {
  const Engine& engine = durable_.engine;
  for (Reminders::Due& due :
       durable_.alerts.reminders.due(engine.cases(), engine.inventory(), held, now)) {
    Tidings again;
    again.news = {std::string(case_event_name(CaseEvent::reminder)), due.uuid, now.wall_ns};
    again.only_to = std::move(due.target);
    announce(again, now);
  }
}

void Pipeline::announce(const Tidings& tidings, Moment now) {
  const Case* c = durable_.engine.find_case(tidings.news.uuid);
  if (!c) return;
  const Inventory& inventory = durable_.engine.inventory();
  durable_.alerts.tell(tidings, *c, inventory, now, durable_.outbox, [&](const Tidings& t) {
    return compose_message(*c, t, {host_, inventory});
  });
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

Result<void> Pipeline::write() {
  if (Result<void> written = write_batch(); !written) {
    failed(written.error());
    return fail(fmt::format("it is in force but not on disk yet: {}", written.error().text()));
  }
  if (std::exchange(failing_, false)) recovered();
  return {};
}

Result<void> Pipeline::write_batch() {
  for (int tries = 0; tries < kMaxReplaced; ++tries) {
    if (store_.is_damaged())  // a reader or upkeep may have met the damage
      if (Result<void> replaced = replace_damaged(); !replaced) return replaced;
    if (batch_.empty()) return {};
    const Result<void> committed = commit_batch();
    if (committed) {
      ++commits_;
      batch_ = {};
      return {};
    }
    if (!store_.is_damaged()) return committed;
  }
  return fail("each fresh file is damaged at once: the disk under it is broken");
}

Result<void> Pipeline::commit_batch() {
  batch_.rows.push_back(durable_.clock.row());
  Result<void> committed = store_.commit(batch_);
  if (!committed) batch_.rows.pop_back();
  return committed;
}

Result<void> Pipeline::replace_damaged() {
  const Result<void> replaced = store_.replace_damaged(durable_.clock.wall_ns());
  if (!replaced) return replaced;
  // The fresh file may lack state that only the old one held: all that is in memory is written
  // again, and after it what was about to be, such as a cursor that goes with events of this batch.
  std::vector<StateRow> pending = std::exchange(batch_.rows, {});
  durable_.mark_all_changed();
  collect();
  append(batch_.rows, std::move(pending));
  reading_filter_.clear();
  submit_event(kStoreDamaged, kStoreResource,
               fmt::format("the store was damaged and is moved aside to {}. {}",
                           store_.moved_aside(), store_.salvage()));
  absorb();
  return {};
}

void Pipeline::failed(const Error& error) {
  failure_ = error.text();
  if (!std::exchange(failing_, true)) {
    retry_wait_ns_ = kFirstRetryNs;
    next_.log.push_back(
        {LOG_CRIT, fmt::format("cannot write: {}. Nothing is acknowledged until it can be written",
                               failure_)});
    next_.hold_sources = true;
    drop_commands();
    submit_event(store_.is_full() ? kStoreFull : kStoreFailed, kStoreResource, failure_);
    absorb();
  } else {
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
  next_.hold_sources = false;
  submit_event(kStoreOk, kStoreResource, "written again");
}

}  // namespace fmd
