#include "fmd/daemon/durable.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace fmd {

Durable::Durable(std::shared_ptr<const RuleSet> rules, std::function<std::string()> new_uuid,
                 ActionConfig action, SteadyClock steady)
    : clock(std::move(steady)),
      engine(std::move(rules), new_uuid),
      reconciler(engine, std::move(action)),
      happenings(std::move(new_uuid)) {
  engine.set_bay_history(&bay_history);
  reconciler.set_bay_history(&bay_history);
}

std::string Durable::restore(const Store& store, const std::vector<StateRow>& later) {
  auto rows = store.load_state();
  if (!rows) return rows.error().text();
  rows->insert(rows->end(), later.begin(), later.end());
  // A damaged file may have lost any row. A file that cannot be opened yet is read at a later start.
  const bool is_new = std::all_of(rows->begin(), rows->end(),
                                  [](const StateRow& row) { return row.kind == "machine"; });
  const bool is_damaged = !store.moved_aside().empty();
  if ((is_new || is_damaged) && !store.unopened()) own.begins_ns = clock.wall_ns();
  if (is_damaged) own.evidence_from_ns = clock.wall_ns();
  Error unread;
  std::string damage = restore(*rows, Tail::read(store, *rows, unread));
  if (!later.empty()) mark_all_changed();  // or the store would not have them
  if (!unread.message.empty()) damage += (damage.empty() ? "" : "; ") + unread.text();
  return damage;
}

std::string Durable::restore(const std::vector<StateRow>& rows, const Engine::Journal& journal) {
  std::string damage;
  const auto note = [&damage](const Result<void>& outcome) {
    if (!outcome) damage += (damage.empty() ? "" : "; ") + outcome.error().text();
  };
  note(clock.restore(rows));
  note(clock_watch.restore(rows));
  const int64_t begins_ns = own.begins_ns, evidence_from_ns = own.evidence_from_ns;
  note(own.restore(rows));
  own.begins_ns = std::max(own.begins_ns, begins_ns);
  own.evidence_from_ns = std::max(own.evidence_from_ns, evidence_from_ns);
  engine.count_others_from(own.evidence_from_ns);
  for (const auto& [name, cursor] : own.cursors) engine.count_from(name, cursor.counts_from_ns);
  note(bay_history.restore(rows));
  note(engine.restore(rows, journal));
  tail.restore(rows);
  note(reconciler.restore(rows));
  note(telling.restore(rows));
  note(happenings.restore(rows, engine.inventory()));
  note(alerts.restore(rows));
  outbox.database_begins(own.begins_ns);
  note(outbox.restore(rows));
  for (const auto& [uuid, c] : engine.cases())
    if (c.open()) telling.looked(c, clock.now());
  return damage;
}

std::vector<StateRow> Durable::take_other_changes() {
  std::vector<StateRow> out;
  const auto take = [&out](std::vector<StateRow> rows) {
    out.insert(out.end(), std::make_move_iterator(rows.begin()),
               std::make_move_iterator(rows.end()));
  };
  take(reconciler.take_changes());
  take(telling.take_changes());
  take(happenings.take_changes());
  take(alerts.take_changes());
  take(outbox.take_changes());
  take(bay_history.take_changes());
  take(clock_watch.take_changes());
  if (!std::exchange(all_, false)) return out;
  // These have few rows and no marks of their own.
  take(outbox.all_rows());
  take(bay_history.all_rows());
  take(own.all_rows());
  return out;
}

void Durable::mark_all_changed() {
  engine.mark_all_changed();
  reconciler.mark_all_changed();
  telling.mark_all_changed();
  happenings.mark_all_changed();
  alerts.mark_all_changed();
  clock_watch.mark_all_changed();
  all_ = true;
}

Sight Durable::sight(Moment now) const {
  return {engine.inventory(), bay_history, clock.boot_id(), clock.kernel().boot_ns(), now};
}

std::vector<std::string> Durable::forget_case(std::string_view uuid) {
  telling.forget_case(uuid);
  alerts.forget_case(uuid);
  engine.forget_case(uuid);
  return outbox.forget_case(uuid);
}

}  // namespace fmd
