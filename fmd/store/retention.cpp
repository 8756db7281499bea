// Retention by age and size, and the figures of the store.
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include "fmd/store/impl.h"

namespace fmd {

namespace {

constexpr int kBlocksAtOnce = 256;  // per transaction, so that the write-ahead log stays small

uint64_t size_of(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? static_cast<uint64_t>(status.st_size) : 0;
}

// Drops the oldest blocks until the rest is at most max_bytes; returns their number.
Result<int> drop_oldest(const store::Database& database, uint64_t max_bytes, uint64_t up_to) {
  const auto total =
      database.number("SELECT coalesce(sum(bytes), 0) FROM block INDEXED BY block_catalog");
  if (!total) return tl::unexpected(total.error());
  if (static_cast<uint64_t>(*total) <= max_bytes) return 0;
  uint64_t excess = static_cast<uint64_t>(*total) - max_bytes;
  auto oldest = database.prepare("SELECT first_seq, bytes FROM block ORDER BY first_seq LIMIT ?");
  if (!oldest) return tl::unexpected(oldest.error());
  oldest->bind(1, int64_t{kBlocksAtOnce});
  int64_t until = 0;
  int code = SQLITE_ROW;
  while (excess > 0 && (code = oldest->step()) == SQLITE_ROW) {
    until = oldest->integer(0);
    const auto bytes = static_cast<uint64_t>(oldest->integer(1));
    excess -= std::min(excess, bytes);
  }
  if (code != SQLITE_ROW && code != SQLITE_DONE)
    return tl::unexpected(database.failure(code, "read"));
  oldest->reset();
  const auto dropped = database.run(fmt::format(
      "DELETE FROM block WHERE first_seq <= {} AND last_seq <= {} AND first_seq < (SELECT "
      "max(first_seq) FROM block)",
      until, up_to));
  if (!dropped) return tl::unexpected(dropped.error());
  return sqlite3_changes(database.handle());
}

Result<int> drop_older(const store::Database& database, int64_t keep_from_ns, uint64_t up_to) {
  const auto dropped = database.run(fmt::format(
      "DELETE FROM block WHERE first_seq IN (SELECT first_seq FROM block INDEXED BY block_catalog "
      "WHERE to_ns < {} LIMIT {}) AND last_seq <= {} AND first_seq < (SELECT max(first_seq) FROM "
      "block)",
      keep_from_ns, kBlocksAtOnce, up_to));
  if (!dropped) return tl::unexpected(dropped.error());
  return sqlite3_changes(database.handle());
}

}  // namespace

Result<void> Store::retain(int64_t keep_from_ns, uint64_t max_journal_bytes, uint64_t up_to_seq) {
  up_to_seq = std::min<uint64_t>(up_to_seq, INT64_MAX);
  if (impl_->unopened) return {};
  const auto& database = impl_->database;
  for (bool more = true; more;) {
    const auto done = impl_->transact([&]() -> Result<void> {
      const auto older = drop_older(*database, keep_from_ns, up_to_seq);
      if (!older) return tl::unexpected(older.error());
      const auto oldest = drop_oldest(*database, max_journal_bytes, up_to_seq);
      if (!oldest) return tl::unexpected(oldest.error());
      more = *older + *oldest > 0;
      return {};
    });
    if (!done) return done;
  }
  // Shrinks the file only when much of it is free: some free pages are soon used again.
  const auto pages = database->number("PRAGMA page_count");
  const auto free_pages = database->number("PRAGMA freelist_count");
  if (!pages || !free_pages) return tl::unexpected((pages ? free_pages : pages).error());
  if (*free_pages <= *pages / 4) return {};
  return database->run(fmt::format("PRAGMA incremental_vacuum({})", *free_pages - *pages / 8));
}

StoreStats Store::stats() const {
  StoreStats stats;
  stats.last_seq = impl_->last_seq;
  stats.file_bytes = size_of(impl_->path) + size_of(impl_->path + "-wal");
  stats.packed = impl_->codec.cost();
  stats.sealed = impl_->sealed;
  if (!impl_->database) return stats;
  auto statement = impl_->database->prepare(
      "SELECT count(*), coalesce(sum(count), 0), coalesce(sum(bytes), 0), coalesce(sum(sealed = "
      "0), 0) "
      "FROM block INDEXED BY block_catalog");
  if (!statement || statement->step() != SQLITE_ROW) return stats;
  stats.blocks = static_cast<uint64_t>(statement->integer(0));
  stats.events = static_cast<uint64_t>(statement->integer(1));
  stats.journal_bytes = static_cast<uint64_t>(statement->integer(2));
  stats.unsealed_blocks = static_cast<uint64_t>(statement->integer(3));
  statement = impl_->database->prepare(
      "SELECT count(*), coalesce(sum(count), 0), coalesce(sum(bytes), 0) FROM readings INDEXED BY "
      "readings_catalog");
  if (!statement || statement->step() != SQLITE_ROW) return stats;
  stats.reading_blocks = static_cast<uint64_t>(statement->integer(0));
  stats.readings = static_cast<uint64_t>(statement->integer(1));
  stats.readings_bytes = static_cast<uint64_t>(statement->integer(2));
  return stats;
}

}  // namespace fmd
