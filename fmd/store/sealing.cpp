// Sealing: the small blocks of single commits become blocks of full size, better packed.
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>

#include "fmd/store/impl.h"

namespace fmd {

using store::BlockRow;

namespace {

// The oldest unsealed blocks that lie next to each other, up to the size of a sealed one.
struct Run {
  BlockRow merged{0, 0, INT64_MAX, INT64_MIN, 0, true};
  size_t blocks = 0;
  bool complete = false;  // of full size, or nothing can be added to it: to be sealed
  bool rotten = false;    // one block whose data cannot be read: sealed as it is

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

}  // namespace

Result<bool> Store::seal_some() {
  if (impl_->unopened) return false;
  const auto& database = impl_->database;
  if (!database) return fail("no database is open after damage", impl_->path);
  auto run = next_run(*database, impl_->codec, impl_->lines);
  if (!run) return tl::unexpected(run.error());
  if (!run->complete) return impl_->merge_readings();
  const BlockRow& merged = run->merged;
  const std::string range =
      fmt::format("first_seq BETWEEN {} AND {}", merged.first_seq, merged.last_seq);
  const auto done = impl_->transact([&]() -> Result<void> {
    if (run->rotten || merged.count == 0)
      return database->run("UPDATE block SET sealed = 1 WHERE " + range);
    if (auto deleted = database->run("DELETE FROM block WHERE " + range); !deleted) return deleted;
    return store::insert_block(*database, impl_->statements.insert_block, merged,
                               impl_->sealer.pack(impl_->lines, impl_->options.compression.sealed));
  });
  if (!done) return tl::unexpected(done.error());
  return true;
}

}  // namespace fmd
