#include "fmd/store/store.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>

#include "fmd/store/impl.h"

namespace fmd {

namespace {

Error not_continuing(uint64_t seq, uint64_t last) {
  return Error{
      fmt::format("event number {} does not follow {}: the batch was not stored", seq, last), "",
      0};
}

}  // namespace

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Store::~Store() = default;

bool Store::is_full() const {
  return impl_->full;
}
bool Store::lives_on_reserve() const {
  return impl_->reserve.given();
}
bool Store::is_damaged() const {
  return !impl_->unopened && (!impl_->database || impl_->database->is_damaged());
}
const std::optional<Error>& Store::unopened() const {
  return impl_->unopened;
}
bool Store::is_unread() const {
  return impl_->unread;
}
void Store::set_compression(const Compression& compression) {
  impl_->options.compression = compression;
}
const std::string& Store::moved_aside() const {
  return impl_->moved_aside;
}
const std::string& Store::salvage() const {
  return impl_->salvaged;
}
uint64_t Store::last_seq() const {
  return impl_->last_seq;
}

Result<void> Store::Impl::transact(const std::function<Result<void>()>& work) {
  if (unopened) return tl::unexpected(*unopened);
  if (!database)
    return fail("the database could not be replaced after damage; see the earlier error", path);
  auto done = database->run("BEGIN IMMEDIATE");
  if (done) done = work();
  if (done) done = database->run("COMMIT");
  if (!done) database->roll_back();
  return done;
}

Result<void> Store::name_machine(const std::string& name) {
  impl_->wanted_name = name;
  if (impl_->unopened) return {};
  return impl_->transact([&] { return impl_->machine.name(*impl_->database, name); });
}

Result<void> Store::commit(const Batch& batch) {
  if (batch.empty()) return {};
  if (impl_->unopened)
    if (auto opened = impl_->open_late(); !opened) return opened;
  uint64_t last = impl_->last_seq;
  for (const Event& event : batch.events) {
    if (event.seq <= last || event.seq > INT64_MAX)
      return tl::unexpected(not_continuing(event.seq, last));
    last = event.seq;
  }
  auto done = impl_->write(batch);
  // A full disk: the message about it is what the reserve is for.
  if (!done && impl_->full && impl_->reserve.give_up()) done = impl_->write(batch);
  if (!done) return done;
  impl_->last_seq = last;
  (void)impl_->reserve.keep();
  return {};
}

Result<void> Store::Impl::write(const Batch& batch) {
  auto done = transact([&]() -> Result<void> {
    auto written = write_events(batch.events);
    if (written) written = write_readings(batch.readings);
    return written ? write_rows(batch.rows) : written;
  });
  full = !done && database && database->is_full();
  return done;
}

// Cut into blocks of kBlockEvents. Compressed fast, since a source waits; well when sealed.
Result<void> Store::Impl::write_events(const EventList& events) {
  size_t next = 0;
  while (next < events.size()) {
    store::BlockRow row{events[next].seq, 0, INT64_MAX, INT64_MIN, 0, false};
    lines.clear();
    while (next < events.size() && row.count < store::kBlockEvents &&
           lines.size() < store::kBlockBytes) {
      const Event& event = events[next++];
      store::append_line(event, lines);
      row.last_seq = event.seq;
      row.from_ns = std::min(row.from_ns, event.time_ns);
      row.to_ns = std::max(row.to_ns, event.time_ns);
      ++row.count;
    }
    const auto written = store::insert_block(*database, statements.insert_block, row,
                                             codec.pack(lines, options.compression.fresh));
    if (!written) return written;
  }
  return {};
}

void Store::Impl::give_room_back() {
  codec.give_room_back();
  std::string().swap(lines);
  if (database) sqlite3_db_release_memory(database->handle());
}

Result<void> Store::Impl::write_rows(const std::vector<StateRow>& rows) {
  for (const StateRow& row : rows) {
    store::Statement& statement = row.doc.empty() ? statements.delete_row : statements.put_row;
    statement.bind(1, row.kind).bind(2, row.key);
    if (!row.doc.empty()) statement.bind(3, row.doc);
    const auto written = database->finish(statement, "write");
    if (!written) return written;
  }
  return {};
}

store::BlockRow store::row_of(const Statement& statement) {
  return {static_cast<uint64_t>(statement.integer(0)),
          static_cast<uint64_t>(statement.integer(1)),
          statement.integer(2),
          statement.integer(3),
          static_cast<uint64_t>(statement.integer(4)),
          statement.integer(5) != 0};
}

Result<void> store::insert_block(const Database& database, Statement& insert, const BlockRow& row,
                                 std::string_view data) {
  insert.bind(1, static_cast<int64_t>(row.first_seq)).bind(2, static_cast<int64_t>(row.last_seq));
  insert.bind(3, row.from_ns).bind(4, row.to_ns).bind(5, static_cast<int64_t>(row.count));
  insert.bind(6, row.sealed ? 1 : 0).bind(7, static_cast<int64_t>(data.size())).bind_data(8, data);
  return database.finish(insert, "write");
}

Result<std::vector<StateRow>> Store::load_state(std::string_view kind) const {
  auto statement = impl_->database->prepare(
      kind.empty() ? "SELECT kind, key, doc FROM state ORDER BY kind, key"
                   : "SELECT kind, key, doc FROM state WHERE kind = ? ORDER BY key");
  if (!statement) return tl::unexpected(statement.error());
  if (!kind.empty()) statement->bind(1, kind);
  std::vector<StateRow> rows;
  int code = SQLITE_ROW;
  while ((code = statement->step()) == SQLITE_ROW)
    rows.push_back({std::string(statement->data(0)), std::string(statement->data(1)),
                    std::string(statement->data(2))});
  if (code != SQLITE_DONE) return tl::unexpected(impl_->database->failure(code, "read"));
  return rows;
}

}  // namespace fmd
