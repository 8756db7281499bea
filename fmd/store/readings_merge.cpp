// Merging: small blocks of single commits become sealed ones, sorted by part, so that the long
// history of one part compresses well and is in few blocks.
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>

#include "fmd/store/impl.h"

namespace fmd {

using store::ReadingsMerge;

namespace {

// Size of a step: milliseconds of work.
constexpr uint64_t kBiteReadings = 20'000;
constexpr int kBiteBlocks = 500;
constexpr size_t kBitePacked = 4;

Result<bool> is_due(const store::Database& database, const StoreOptions& options) {
  auto waiting = database.prepare(
      "SELECT count(*), coalesce(sum(count), 0) FROM readings INDEXED BY readings_unsealed WHERE "
      "sealed = 0");
  if (!waiting) return tl::unexpected(waiting.error());
  if (const int code = waiting->step(); code != SQLITE_ROW)
    return tl::unexpected(database.failure(code, "read"));
  return static_cast<uint64_t>(waiting->integer(0)) >= options.merge_blocks ||
         static_cast<uint64_t>(waiting->integer(1)) >= options.merge_readings;
}

Result<uint64_t> gather_block(std::string_view bytes, store::SeriesMap& into) {
  // Two passes, so that a block is gathered completely or not at all.
  uint64_t count = 0;
  for (const bool look : {true, false}) {
    store::SeriesReader reader(bytes);
    for (;;) {
      const auto more = reader.next();
      if (!more) return tl::unexpected(more.error());
      if (!*more) break;
      store::Points points;
      if (auto read = reader.append_points(points); !read) return tl::unexpected(read.error());
      if (look) continue;
      store::SeriesColumns& columns =
          into[{std::string(reader.resource()), std::string(reader.name())}];
      if (!reader.unit().empty()) columns.unit = reader.unit();
      for (size_t i = 0; i < points.size(); ++i)
        columns.points.add(points.times_ms[i], points.values[i]);
      count += points.size();
    }
  }
  return count;
}

Result<void> gather(const store::Database& database, store::BlockCodec& codec,
                    const StoreOptions& options, std::string& bytes, ReadingsMerge& merge) {
  auto next = database.prepare(
      "SELECT id, data FROM readings WHERE sealed = 0 AND id > ? ORDER BY id LIMIT ?");
  if (!next) return tl::unexpected(next.error());
  next->bind(1, merge.last_id).bind(2, int64_t{kBiteBlocks});
  int blocks = 0;
  const uint64_t before = merge.count;
  while (merge.count - before < kBiteReadings) {
    const int code = next->step();
    if (code == SQLITE_DONE) {
      merge.gathered = blocks < kBiteBlocks;
      return {};
    }
    if (code != SQLITE_ROW) return tl::unexpected(database.failure(code, "read"));
    ++blocks;
    merge.last_id = next->integer(0);
    bytes.clear();
    const auto unpacked = codec.unpack(next->data(1), bytes);
    const auto taken =
        unpacked ? gather_block(bytes, merge.series) : tl::unexpected(unpacked.error());
    if (taken)
      merge.count += *taken;
    else
      merge.rotten.push_back(merge.last_id);
  }
  merge.gathered = merge.count >= 2 * options.merge_readings;
  return {};
}

void pack(store::BlockCodec& codec, PackLevel level, ReadingsMerge& merge) {
  const size_t enough = merge.packed.size() + kBitePacked;
  while (!merge.series.empty() && merge.packed.size() < enough) {
    auto& [key, columns] = *merge.series.begin();
    columns.points.sort();
    for (size_t at = 0; at < columns.points.size();) {
      const size_t room = store::kSealedReadings - merge.writer.count();
      const size_t count = std::min(room, columns.points.size() - at);
      merge.writer.add(key, columns, at, count);
      at += count;
      if (merge.writer.count() >= store::kSealedReadings)
        merge.packed.push_back(merge.writer.finish(codec, level, true));
    }
    merge.series.erase(merge.series.begin());
  }
  if (merge.series.empty() && merge.writer.count() > 0)
    merge.packed.push_back(merge.writer.finish(codec, level, true));
}

Result<void> exchange(const store::Database& database, store::Statement& insert,
                      const ReadingsMerge& merge) {
  for (const int64_t id : merge.rotten)
    if (auto left = database.run(fmt::format("UPDATE readings SET sealed = 1 WHERE id = {}", id));
        !left)
      return left;
  const auto gone = database.run(
      fmt::format("DELETE FROM readings WHERE sealed = 0 AND id <= {}", merge.last_id));
  if (!gone) return gone;
  for (const store::ReadingBlock& block : merge.packed)
    if (auto written = store::insert_readings(database, insert, block); !written) return written;
  return {};
}

}  // namespace

// One step; false if no work is left.
Result<bool> Store::Impl::merge_readings() {
  if (!merge) {
    const auto due = is_due(*database, options);
    if (!due || !*due) return due;
    merge.emplace();
  }
  Result<void> done;
  if (!merge->gathered) {
    done = gather(*database, codec, options, lines, *merge);
  } else if (!merge->series.empty()) {
    pack(codec, options.compression.readings, *merge);
  } else {
    done = transact([&] { return exchange(*database, statements.insert_readings, *merge); });
    merge.reset();
  }
  if (done) return true;
  merge.reset();
  return tl::unexpected(done.error());
}

}  // namespace fmd
