// The parts of the store's readings: a block's row, and a merge in progress. Internal to the store.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/model/reading.h"
#include "fmd/store/block.h"
#include "fmd/store/database.h"
#include "fmd/store/series.h"

namespace fmd::store {

inline constexpr size_t kSealedReadings = 8192;     // per sealed block
inline constexpr size_t kCommitReadings = 50'000;   // maximum per unsealed block
inline constexpr size_t kAnswerReadings = 250'000;  // maximum of an answer with several series
inline constexpr size_t kMostReadings = 1'000'000;  // of one series

inline constexpr std::string_view kInsertReadings =
    "INSERT INTO readings (from_ns, to_ns, first_resource, last_resource, count, sealed, bytes, "
    "data) VALUES (?,?,?,?,?,?,?,?)";

// A block of readings and its row. count 0: empty.
struct ReadingBlock {
  int64_t from_ms = INT64_MAX, to_ms = INT64_MIN;
  std::string first_resource, last_resource;
  uint64_t count = 0;
  bool sealed = false;
  std::string data;  // compressed
};

struct SeriesKey {
  std::string resource, name;
  auto operator<=>(const SeriesKey&) const = default;
};
struct SeriesColumns {
  std::string unit;
  Points points;
};
using SeriesMap = std::map<SeriesKey, SeriesColumns>;

// Fills blocks series by series, in the order of SeriesKey.
class ReadingBlockWriter {
 public:
  // Points [first, first + count) of `from`, whose points must be in time order.
  void add(const SeriesKey& key, const SeriesColumns& from, size_t first, size_t count);
  uint64_t count() const { return block_.count; }
  ReadingBlock finish(BlockCodec& codec, PackLevel level, bool sealed);  // begins the next block

 private:
  SeriesWriter writer_;
  ReadingBlock block_;
};

Result<void> insert_readings(const Database& database, Statement& insert,
                             const ReadingBlock& block);

// A merge of small blocks, in steps. The database changes only in the last step: after a crash or
// failure the small blocks are still there.
struct ReadingsMerge {
  int64_t last_id = 0;  // of the gathered blocks
  bool gathered = false;
  SeriesMap series;  // gathered, not packed yet
  uint64_t count = 0;
  std::vector<int64_t> rotten;  // unreadable blocks: they stay unchanged
  ReadingBlockWriter writer;
  std::vector<ReadingBlock> packed;
};

}  // namespace fmd::store
