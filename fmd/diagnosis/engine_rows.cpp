// Stores the engine as rows, and restores it.
#include <algorithm>
#include <iterator>
#include <utility>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/diagnosis/engine_impl.h"

namespace fmd {
namespace {

constexpr const char* kCheckpoint = "checkpoint";
constexpr const char* kEvents = "events";

}  // namespace

std::vector<StateRow> Engine::take_decided() {
  std::vector<StateRow> rows = take_case_rows();
  std::ranges::move(take_beside_cases(), std::back_inserter(rows));
  return rows;
}

std::vector<StateRow> Engine::take_beside_cases() {
  return impl_->take_beside_cases(impl_->upto());
}

std::vector<StateRow> Engine::take_case_rows() {
  std::vector<StateRow> rows;
  impl_->book.take_changes(rows, impl_->upto());
  return rows;
}

bool Engine::has_case_rows() const {
  return impl_->book.has_rows();
}

std::set<std::string> Engine::take_cases_due() {
  impl_->cases_due.merge(impl_->book.take_due());
  return std::exchange(impl_->cases_due, {});
}

// The last event in the rows written now: 0 if a checkpoint goes with them.
uint64_t Engine::Impl::upto() const {
  return last_seq > counted_to.value_or(0) ? last_seq : 0;
}

std::vector<StateRow> Engine::Impl::take_beside_cases(uint64_t upto) {
  std::vector<StateRow> rows;
  write_out_decided();
  serds.take_changes(rows, upto);
  holds.take_changes(rows);
  conditions.take_changes(rows);
  context.paths.take_changes(rows);
  inference.take_changes(rows);
  for (Inventory::Row& row : context.inventory.take_changes())
    rows.push_back({"resource", std::move(row.key), std::move(row.doc)});
  return rows;
}

// By the present values: a start must come to the same results, and be silent for the same reasons.
void Engine::Impl::write_out_decided() {
  Inventory& inventory = context.inventory;
  const std::set<std::string> due = book.take_due();
  cases_due.insert(due.begin(), due.end());
  if (!inventory.has_measured()) return;
  for (const std::set<RuleKey>* decided :
       {&holds.changed(), &conditions.changed(), &conditions.changed_counters()})
    for (const RuleKey& key : *decided) inventory.write_out(key.resource);
  for (const std::string& uuid : due)
    if (const Case* c = book.find(uuid))
      for (const Suspect& s : c->suspects)
        for (const std::string& fmri : context.around(s)) inventory.write_out(fmri);
}

std::vector<StateRow> Engine::take_measured(size_t most) {
  std::vector<StateRow> rows;
  for (Inventory::Row& row : impl_->context.inventory.take_measured(most))
    rows.push_back({"resource", std::move(row.key), std::move(row.doc)});
  return rows;
}

void Engine::write_out() {
  impl_->context.inventory.write_out();
}

std::vector<StateRow> Engine::rows_of(const std::string& resource) const {
  std::vector<StateRow> rows;
  for (Inventory::Row& row : impl_->context.inventory.rows_of(resource))
    rows.push_back({"resource", std::move(row.key), std::move(row.doc)});
  return rows;
}

std::vector<StateRow> Engine::take_changes() {
  std::vector<StateRow> rows;
  impl_->book.take_changes(rows);
  std::ranges::move(impl_->take_beside_cases(0), std::back_inserter(rows));
  impl_->book.take_uncounted(rows);
  impl_->serds.take_uncounted(rows);
  impl_->recounts = true;
  if (std::exchange(impl_->counted_to, impl_->last_seq) != impl_->last_seq)
    rows.push_back({kCheckpoint, kEvents, dump_json({{"seq", impl_->last_seq}})});
  return rows;
}

size_t Engine::uncounted() const {
  return impl_->book.uncounted() + impl_->serds.uncounted();
}

bool Engine::must_checkpoint() const {
  return !impl_->counted_to || !impl_->recounts;
}

std::vector<const Case*> Engine::take_going_on() {
  return impl_->book.take_going_on();
}

void Engine::mark_all_changed() {
  impl_->book.mark_all_changed();
  impl_->serds.mark_all_changed();
  impl_->holds.mark_all_changed();
  impl_->conditions.mark_all_changed();
  impl_->context.paths.mark_all_changed();
  impl_->inference.mark_all_changed();
  impl_->context.inventory.mark_all_changed();
  impl_->counted_to.reset();
}

Result<void> Engine::Impl::restore_row(const StateRow& row) {
  if (row.kind == kCheckpoint && row.key == kEvents) return restore_checkpoint(row);
  if (row.kind == "case") return book.restore(row);
  if (row.kind == "serd") return serds.restore(row);
  if (row.kind == "hold") return holds.restore(row);
  if (row.kind == "condition" || row.kind == "growth") return conditions.restore(row);
  if (row.kind == "path") return context.paths.restore(row);
  if (row.kind == "item" || row.kind == "silence") return inference.restore(row);
  if (row.kind == "resource") return context.inventory.restore_row(row.key, row.doc);
  return {};
}

Result<void> Engine::Impl::restore_checkpoint(const StateRow& row) {
  const auto doc = object_of(row);
  if (!doc) return tl::unexpected(doc.error());
  last_seq = json_uint(*doc, "seq");
  counted_to = last_seq;
  return {};
}

// Ties the rows together again; what does not fit (rows lost, rules changed) is cleaned up.
void Engine::Impl::connect_restored() {
  const std::map<RuleKey, Hold> waiting = holds.all();
  for (const auto& [key, hold] : waiting) {
    Case* c = book.find(hold.uuid);
    if (!c || c->state != CaseState::unsolved || !context.rules->find(key.rule))
      verdicts.cancel_hold(key);
    else
      book.file_waiting(*c, key.resource);
  }
  for (const std::string& uuid : book.take_without_order())
    if (const FaultClass* fault = context.rules->fault(book.find(uuid)->fault_class))
      take_order(*fault, *book.find(uuid));
  book.file_restored();
  for (Case* c : book.open_cases()) {
    if (c->state == CaseState::unsolved && !holds.of_case(c->uuid)) book.discard(*c);
  }
  // Without this, a fired engine whose case is lost would stay silent forever.
  serds.drop_silent(
      [this](const std::string& resource) { return !book.by(By::resource, resource).empty(); });
  conditions.drop_lost([this](const std::string& uuid) { return book.find(uuid) != nullptr; });
}

// Without a checkpoint the rows are what they were when fmd wrote all of them with each commit.
Result<void> Engine::restore(const std::vector<StateRow>& rows, const Journal& journal) {
  std::optional<Error> first_error;
  const auto take = [&](const Result<void>& taken) {
    if (!taken && !first_error) first_error = taken.error();
  };
  for (const StateRow& row : rows)
    if (!row.doc.empty()) take(impl_->restore_row(row));
  const std::optional<uint64_t> counted_to = impl_->counted_to;
  for (const StateRow& row : rows)
    if (row.kind == "evidence" && !row.doc.empty())
      take(impl_->book.restore_evidence(row, counted_to.value_or(UINT64_MAX)));
  impl_->connect_restored();
  if (journal.each_after && counted_to)
    journal.each_after(*counted_to,
                       [this](const Event& event, Moment when) { impl_->recount(event, when); });
  impl_->last_seq = std::max(impl_->last_seq, journal.last_seq);
  impl_->book.recounted();
  impl_->look_at_all = true;
  if (first_error) return tl::unexpected(*first_error);
  return {};
}

Result<void> Engine::restore(const std::vector<StateRow>& rows) {
  return restore(rows, Journal{});
}

}  // namespace fmd
