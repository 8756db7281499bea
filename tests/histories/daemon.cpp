#include "daemon.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "fmd/base/json.h"
#include "fmd/model/self_events.h"

namespace fmd::histories {
namespace {

constexpr int kMaxRounds = 4;  // as in the pipeline
constexpr Ns kMaxWait = 50 * kMs;
constexpr unsigned kCheckpointEach = 7;  // groups

// A UUID that contains the number.
std::string case_id(unsigned number) {
  return fmt::format("{:08x}-0000-4000-8000-000000000000", number);
}

}  // namespace

Daemon::Daemon(std::shared_ptr<const RuleSet> rules, ActionConfig config, Outside outside,
               BayHistory* bays)
    : rules_(std::move(rules)), config_(config), outside_(std::move(outside)), bays_(bays) {}

void Daemon::start(Moment now) {
  engine_ = std::make_unique<Engine>(rules_, [this] { return case_id(++cases_); });
  reconciler_ = std::make_unique<Reconciler>(*engine_, config_);
  telling_ = std::make_unique<Telling>();
  engine_->set_bay_history(bays_);
  reconciler_->set_bay_history(bays_);
  if (is_lost_) begin_new_database(now);
  std::vector<StateRow> rows;
  for (const auto& [key, doc] : store_) rows.push_back({key.first, key.second, doc});
  own_ = {};
  if (const Result<void> read = own_.restore(rows); !read) outside_.broken(read.error().text());
  engine_->count_others_from(own_.evidence_from_ns);
  const Engine::Journal journal{seq_, [this](uint64_t after, const Engine::Journal::Each& each) {
                                  for (const auto& [event, when] : journal_)
                                    if (event.seq > after) each(event, when);
                                }};
  for (const Result<void>& result :
       {engine_->restore(rows, journal), reconciler_->restore(rows), telling_->restore(rows)})
    if (!result) outside_.broken(result.error().text());
  for (const auto& [uuid, c] : engine_->cases())
    if (c.open()) telling_->looked(c, now);
  last_group_ = -kHour;
}

// As Durable::restore does after losing a damaged database, but salvages nothing.
void Daemon::begin_new_database(Moment now) {
  is_lost_ = false;
  lost_cases_ = cases_;
  store_.clear();
  journal_.clear();
  put({begins_row(now.wall_ns, now.wall_ns)});
}

bool Daemon::is_of_lost_database(std::string_view uuid) const {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(uuid.data(), uuid.data() + uuid.size(), number, 16);
  return error == std::errc() && number > 0 && number <= lost_cases_ && uuid == case_id(number);
}

void Daemon::kill() {
  telling_.reset();
  reconciler_.reset();
  engine_.reset();
  connected_.clear();
  complete_.clear();
  queue_.clear();
  to_ack_.clear();
  rows_.clear();
  events_.clear();
  commands_.clear();
  tidings_.clear();
  crash_ = Crash::none;
}

void Daemon::connected(Source source, bool on) {
  if (on)
    connected_.insert(source);
  else
    connected_.erase(source);
  if (up()) reconciler_->handlers_changed();
}

void Daemon::take_events(Source source, std::vector<Event> events) {
  const size_t count = events.size();
  queue_.push_back([this, source, count, events = std::move(events)](Moment now) mutable {
    for (Event& event : events) take(std::move(event), now);
    to_ack_[source] += count;
  });
}

void Daemon::take(Event event, Moment now) {
  event.seq = ++seq_;
  event.received_ns = now.wall_ns;
  engine_->on_event(event, now);
  events_.emplace_back(std::move(event), now);
}

void Daemon::report_forgotten() {
  for (const std::string& part : reconciler_->take_forgotten())
    queue_.push_back([this, part](Moment now) {
      take(self_event(kActionForgotten, part, {{"reason", "its case is lost"}}, now.wall_ns), now);
    });
}

void Daemon::take_inventory(Source source, InventoryUpdate update) {
  const bool complete = update.complete;
  hear(std::move(update));
  if (complete) queue_.push_back([this, source](Moment) { complete_.insert(source); });
}

void Daemon::hear(InventoryUpdate update) {
  queue_.push_back([this, update = std::move(update)](Moment now) {
    std::vector<InventoryChange> changes = engine_->on_inventory(update, now);
    (void)pick_measured(changes);
    if (bays_) bays_->observe(engine_->inventory(), update, changes, now.wall_ns);
    for (const InventoryChange& change : changes) reconciler_->resource_changed(change.fmri);
  });
}

void Daemon::take_answer(Command command, CommandResult result) {
  queue_.push_back([this, command = std::move(command), result = std::move(result)](Moment now) {
    reconciler_->done(command, result, now);
  });
}

void Daemon::person(Work work) {
  queue_.push_back(std::move(work));
}

void Daemon::retention() {
  queue_.push_back([this](Moment) {
    std::vector<std::string> old;
    for (const auto& [uuid, c] : engine_->cases())
      if (!c.open()) old.push_back(uuid);
    for (const std::string& uuid : old) {
      engine_->forget_case(uuid);
      telling_->forget_case(uuid);
    }
  });
}

bool Daemon::handled(std::string_view fmri) const {
  if (fmri.starts_with("zfs://")) return connected_.contains(Source::zfs);
  if (fmri.starts_with("hc://")) return connected_.contains(Source::enclosure);
  return outside_.handled && outside_.handled(fmri);
}

bool Daemon::expected(const Suspect&) const {
  return !complete_.contains(Source::disk) || !complete_.contains(Source::enclosure);
}

std::optional<Ns> Daemon::next_wake(Ns now) const {
  if (!up()) return {};
  if (!queue_.empty() || reconciler_->has_work()) return std::max(now, last_group_ + kMaxWait);
  std::optional<Ns> next;
  for (const auto& at :
       {engine_->next_deadline_ns(), reconciler_->next_deadline_ns(), telling_->next_deadline_ns()})
    if (at && (!next || *at < *next)) next = at;
  if (next) next = std::max({*next, now, last_group_ + kMaxWait});
  return next;
}

void Daemon::run(Moment now) {
  last_group_ = now.steady_ns;
  absorb(now);
  if (crash_ == Crash::before_commit) return kill();
  commit();
  for (const auto& [source, count] : to_ack_) outside_.acked(source, count);
  to_ack_.clear();
  // Messages in the outbox are delivered now or after a restart.
  for (const auto& [tidings, c] : tidings_) outside_.told(tidings, c);
  tidings_.clear();
  outside_.grouped();
  if (crash_ == Crash::after_commit) {
    for (const Command& command : commands_) outside_.unsent(command);
    return kill();
  }
  for (const Command& command : std::exchange(commands_, {})) outside_.send(command);
  for (const OrderResult& result : reconciler_->take_order_results()) outside_.ordered(result);
}

void Daemon::commit() {
  const bool checkpoint = engine_->must_checkpoint() || ++groups_ % kCheckpointEach == 0;
  journal_.insert(journal_.end(), events_.begin(), events_.end());
  events_.clear();
  for (StateRow& row : engine_->take_case_rows()) rows_.push_back(std::move(row));
  if (checkpoint) {
    for (StateRow& row : engine_->take_changes()) rows_.push_back(std::move(row));
    journal_.clear();
  }
  put(rows_);
  rows_.clear();
}

void Daemon::absorb(Moment now) {
  for (Work& work : std::exchange(queue_, {})) work(now);
  if (const auto at = engine_->next_deadline_ns(); at && *at <= now.steady_ns)
    engine_->on_time(now);
  collect();
  const auto due = [&] {
    const auto at = reconciler_->next_deadline_ns();
    return reconciler_->has_work() || (at && *at <= now.steady_ns);
  };
  for (int round = 0; round < kMaxRounds && due(); ++round) {
    std::vector<Command> sent =
        reconciler_->step(now, [this](std::string_view fmri) { return handled(fmri); });
    commands_.insert(commands_.end(), sent.begin(), sent.end());
    collect();
  }
  report_forgotten();
  for (const CaseNews& news : engine_->take_news())
    if (const Case* c = engine_->find_case(news.uuid)) telling_->take(news, *c, now);
  for (const std::string& uuid : std::exchange(cases_changed_, {}))
    if (const Case* c = engine_->find_case(uuid)) telling_->looked(*c, now);
  const auto find = [this](std::string_view uuid) { return engine_->find_case(uuid); };
  const auto expect = [this](const Suspect& s) { return expected(s); };
  for (Tidings& tidings : telling_->due(find, expect, now))
    if (const Case* c = engine_->find_case(tidings.news.uuid))
      tidings_.emplace_back(std::move(tidings), *c);
  collect();
}

void Daemon::collect() {
  for (StateRow& row : engine_->take_beside_cases()) rows_.push_back(std::move(row));
  for (const std::string& uuid : engine_->take_cases_due()) {
    reconciler_->case_changed(uuid);
    cases_changed_.insert(uuid);
  }
  for (const Case* c : engine_->take_going_on()) reconciler_->case_goes_on(*c);
  for (std::vector<StateRow> rows : {reconciler_->take_changes(), telling_->take_changes()})
    rows_.insert(rows_.end(), std::make_move_iterator(rows.begin()),
                 std::make_move_iterator(rows.end()));
}

void Daemon::put(const std::vector<StateRow>& rows) {
  for (const StateRow& row : rows) {
    if (row.doc.empty())
      store_.erase({row.kind, row.key});
    else
      store_[{row.kind, row.key}] = row.doc;
  }
}

Daemon::Rows Daemon::rows_in_memory() {
  Rows memory;
  engine_->mark_all_changed();
  reconciler_->mark_all_changed();
  telling_->mark_all_changed();
  for (std::vector<StateRow> rows :
       {engine_->take_changes(), reconciler_->take_changes(), telling_->take_changes()})
    for (StateRow& row : rows)
      if (!row.doc.empty()) memory[{row.kind, row.key}] = std::move(row.doc);
  return memory;
}

std::string Daemon::restart_difference(Moment now) {
  if (!queue_.empty()) return "";
  // A message due at this instant may be sent before or after the restart.
  const auto due = telling_->next_deadline_ns();
  if (due && *due <= now.steady_ns) return "";
  const Rows before = rows_in_memory();
  kill();
  start(now);
  const Rows after = rows_in_memory();
  for (const auto& [key, doc] : after) store_[key] = doc;  // fmd takes them for stored
  journal_.clear();
  for (const auto& [key, doc] : before) {
    const auto again = after.find(key);
    if (again == after.end()) return fmt::format("{} '{}' is forgotten", key.first, key.second);
    if (again->second == doc) continue;
    const auto difference =
        nlohmann::json::diff(nlohmann::json::parse(doc), nlohmann::json::parse(again->second));
    return fmt::format("{} '{}' comes back otherwise: {}", key.first, key.second,
                       difference.dump());
  }
  for (const auto& [key, doc] : after)
    if (!before.contains(key))
      return fmt::format("{} '{}' comes from nowhere", key.first, key.second);
  return "";
}

}  // namespace fmd::histories
