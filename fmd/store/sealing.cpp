// Sealing: merges the small blocks of single commits into full-size blocks, compressed for good.
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <utility>

#include "fmd/store/impl.h"

namespace fmd {

using store::BlockRow;

namespace {

// The oldest adjacent unsealed blocks, up to the size of a sealed one.
struct Run {
  BlockRow merged{0, 0, INT64_MAX, INT64_MIN, 0, true};
  size_t blocks = 0;
  bool complete = false;  // full-sized, or nothing can be added
  bool rotten = false;    // a single block with unreadable data: sealed unchanged

  void add(const BlockRow& row) {
    if (blocks++ == 0) merged.first_seq = row.first_seq;
    merged.last_seq = row.last_seq;
    merged.from_ns = std::min(merged.from_ns, row.from_ns);
    merged.to_ns = std::max(merged.to_ns, row.to_ns);
    merged.count += row.count;
  }
};

Result<Run> next_run(const store::Database& database, store::BlockCodec& codec,
                     std::string& lines) {
  auto statement = database.prepare(fmt::format(
      "SELECT {}, data FROM block WHERE first_seq >= (SELECT min(first_seq) FROM block INDEXED BY "
      "block_unsealed WHERE sealed = 0) ORDER BY first_seq",
      store::kBlockColumns));
  if (!statement) return tl::unexpected(statement.error());
  Run run;
  lines.clear();
  while (!run.complete) {
    const int code = statement->step();
    if (code == SQLITE_DONE) break;
    if (code != SQLITE_ROW) return tl::unexpected(database.failure(code, "read"));
    const BlockRow row = store::row_of(*statement);
    const bool readable =
        row.sealed || row.count == 0 || codec.unpack(statement->data(6), lines).has_value();
    if (row.sealed || !readable) {
      run.complete = true;
      run.rotten = !readable && run.blocks == 0;
      if (!run.rotten) break;
    }
    run.add(row);
    if (run.merged.count >= store::kBlockEvents || lines.size() >= store::kBlockBytes)
      run.complete = true;
  }
  return run;
}

std::string range_of(const BlockRow& row) {
  return fmt::format("first_seq BETWEEN {} AND {}", row.first_seq, row.last_seq);
}

// Whether the work's blocks are unchanged: some may have been dropped meanwhile.
Result<bool> is_current(const store::Database& database, const SealWork& work) {
  const auto blocks =
      database.number("SELECT count(*) FROM block WHERE sealed = 0 AND " + range_of(work.row));
  if (!blocks) return tl::unexpected(blocks.error());
  const auto events =
      database.number("SELECT coalesce(sum(count), 0) FROM block WHERE " + range_of(work.row));
  if (!events) return tl::unexpected(events.error());
  return static_cast<size_t>(*blocks) == work.blocks &&
         static_cast<uint64_t>(*events) == work.row.count;
}

Result<void> insert_names(const store::Database& database, uint64_t first_seq,
                          const store::BlockNames& names) {
  auto insert = database.prepare("INSERT INTO block_names VALUES (?,?,?)");
  if (!insert) return tl::unexpected(insert.error());
  const std::string resources = store::kept_resources(names);
  insert->bind(1, static_cast<int64_t>(first_seq)).bind(2, std::string_view(names.classes));
  insert->bind_data(3, resources);
  return database.finish(*insert, "write");
}

}  // namespace

void SealWork::pack() {
  store::BlockCodec codec;
  data = codec.pack_lines(lines, level);
  names = store::names_of(lines);
  cost = codec.cost();
}

Result<SealStep> Store::begin_sealing() {
  if (impl_->unopened) return SealStep();
  const auto& database = impl_->database;
  if (!database) return fail("no database is open after damage", impl_->path);
  auto run = next_run(*database, impl_->codec, impl_->lines);
  if (!run) return tl::unexpected(run.error());
  if (!run->complete) {
    const auto more = impl_->merge_readings();
    if (!more) return tl::unexpected(more.error());
    if (!*more) impl_->give_room_back();
    return SealStep{*more, nullptr};
  }
  if (!run->rotten && run->merged.count > 0) {
    auto work = std::make_unique<SealWork>();
    work->row = run->merged;
    work->blocks = run->blocks;
    work->lines = std::exchange(impl_->lines, {});
    work->level = impl_->options.compression.sealed;
    return SealStep{true, std::move(work)};
  }
  const auto marked = impl_->transact(
      [&] { return database->run("UPDATE block SET sealed = 1 WHERE " + range_of(run->merged)); });
  if (!marked) return tl::unexpected(marked.error());
  return SealStep{true, nullptr};
}

Result<void> Store::end_sealing(const SealWork& work) {
  const auto& database = impl_->database;
  auto done = impl_->transact([&]() -> Result<void> {
    const auto current = is_current(*database, work);
    if (!current) return tl::unexpected(current.error());
    if (!*current) return {};
    if (auto gone = database->run("DELETE FROM block WHERE " + range_of(work.row)); !gone)
      return gone;
    auto written =
        store::insert_block(*database, impl_->statements.insert_block, work.row, work.data);
    return written && work.names ? insert_names(*database, work.row.first_seq, *work.names)
                                 : written;
  });
  if (done) impl_->sealed += work.cost;
  return done;
}

Result<bool> Store::seal_some() {
  auto step = begin_sealing();
  if (!step) return tl::unexpected(step.error());
  if (!step->work) return step->more;
  step->work->pack();
  if (auto done = end_sealing(*step->work); !done) return tl::unexpected(done.error());
  return true;
}

}  // namespace fmd
