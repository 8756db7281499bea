// Pipeline: applies the queue to the state in memory and gathers the rows to write.
#include <fmt/format.h>
#include <syslog.h>

#include <algorithm>
#include <utility>

#include "fmd/daemon/pipeline.h"
#include "fmd/daemon/pipeline_parts.h"
#include "fmd/model/self_events.h"

namespace fmd {

using pipeline::append;
using pipeline::is_due;

namespace {

constexpr int kMaxRounds = 4;

}  // namespace

// Applies everything queued to the state in memory and gathers the rows to write.
void Pipeline::absorb() {
  (void)absorb_until(INT64_MAX);
}

// False: the time was over before the queue's end.
bool Pipeline::gather_until(int64_t until_ns) {
  const Moment now = durable_.clock.now();
  if (!cut_) {  // all slices are of one moment, as the tail has it
    taken_at_ = now;
    taken_from_ = next_seq_;
  }
  cut_ = !take_queue(taken_at_, until_ns);
  yields_ = cut_;
  if (cut_) return false;
  durable_.tail.took(taken_from_, next_seq_ - taken_from_, taken_at_);
  return true;
}

// False: as above; the rows to write are then incomplete.
bool Pipeline::absorb_until(int64_t until_ns, Tells tells) {
  if (!gather_until(until_ns)) return false;
  const Moment now = durable_.clock.now();
  look_at_outbox(now);
  if (is_due(durable_.engine.next_deadline_ns(), now.steady_ns)) durable_.engine.on_time(now);
  collect();
  plan(now);
  // A message is composed when the case it is about is written with it, or cannot be for now.
  untold_ = (busy() || tells == Tells::later) && !held_back();
  if (!untold_) tell(now);
  collect();
  return true;
}

bool Pipeline::take_queue(Moment now, int64_t until_ns) {
  size_t done = 0;
  for (; done < queue_.size(); ++done) {
    const bool whole = taken_of_first_ == 0;  // a started entry is completed
    if (whole && until_ns != INT64_MAX && is_whole_group(batch_.events.size()))
      break;  // a group of its own
    if (!take_events(queue_[done], now, until_ns)) break;
    Work work = std::move(queue_[done]);
    for (const InventoryUpdate& update : work.inventory) take_inventory(update, now);
    // A gap in the history, rather than sources that are not heard for as long as the disk is full.
    for (Reading& reading : work.readings)
      if (batch_.readings.size() < kMostReadings && reading_filter_.keep(reading))
        batch_.readings.push_back(std::move(reading));
    if (work.apply) work.apply(durable_, now);
    append(batch_.rows, std::move(work.rows));
    if (work.committed) next_.answers.push_back(std::move(work.committed));
  }
  queue_.erase(queue_.begin(), queue_.begin() + static_cast<ptrdiff_t>(done));
  return taken_of_first_ == 0;
}

// False: not all of them, the time is over.
bool Pipeline::take_events(Work& work, Moment now, int64_t until_ns) {
  if (is_much(work.events.size() + batch_.events.size())) batch_.events.reserve(kMostQueued);
  constexpr size_t kEach = 32;  // events between two looks at the clock
  while (taken_of_first_ < work.events.size()) {
    EventPtr next = work.events.take(taken_of_first_++);
    Event& event = *next;
    --queued_events_;
    event.seq = next_seq_++;
    event.received_ns = now.wall_ns;
    durable_.engine.on_event(event, now);
    event.payload.clear();  // the text is kept
    batch_.events.add(std::move(next));
    next_.changes.last_seq = next_seq_ - 1;
    if (until_ns != INT64_MAX && taken_of_first_ % kEach == 0 &&
        durable_.clock.steady_ns() >= until_ns)
      return false;
  }
  taken_of_first_ = 0;
  return true;
}

void Pipeline::take_inventory(const InventoryUpdate& update, Moment now) {
  std::vector<InventoryChange> changed = durable_.engine.on_inventory(update, now);
  append(next_.changes.resources, pick_measured(changed));
  durable_.bay_history.observe(durable_.engine.inventory(), update, changed, now.wall_ns);
  durable_.happenings.observe(durable_.sight(now), update, changed);
  for (const InventoryChange& change : changed) durable_.reconciler.resource_changed(change.fmri);
  append(next_.changes.resources, std::move(changed));
}

// A case for messages that could not be sent, and for channels that do not deliver.
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
  // A command whose intent cannot be written is not sent; it is planned again later. LEDs are an
  // exception: they do no harm, and people need them now.
  if (held_back()) {
    light(durable_.reconciler.step(now, handled, Reconciler::Scope::lights));
    collect();
  }
  // Records of the reconciler may advance the case, so look again.
  for (int round = 0; round < kMaxRounds && !held_back() && planning_due(now.steady_ns); ++round) {
    append(next_.commands, durable_.reconciler.step(now, handled));
    collect();
  }
  append(next_.orders, durable_.reconciler.take_order_results());
  for (std::string& line : durable_.reconciler.take_said())
    next_.log.push_back({LOG_NOTICE, std::move(line)});
  for (const std::string& part : durable_.reconciler.take_forgotten())
    submit_event(kActionForgotten, part, "fmd changed it for a case that is not in its database");
}

// Moves changed rows into the batch, but for those of cases (begin()), and tells the reconciler which to look at.
void Pipeline::collect() {
  append(batch_.rows, durable_.engine.take_beside_cases());
  for (const std::string& uuid : durable_.engine.take_cases_due()) {
    next_.changes.cases.emplace(uuid, durable_.engine.find_case(uuid) ? "changed" : "forgotten");
    durable_.reconciler.case_changed(uuid);
    changed_cases_.insert(uuid);
  }
  for (const Case* c : durable_.engine.take_going_on()) durable_.reconciler.case_goes_on(*c);
  append(batch_.rows, durable_.take_other_changes());
}

}  // namespace fmd
