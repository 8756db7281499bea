// Readings: stored completely, found by part and time, merged without loss, dropped by age and
// size, despite crashes, damage and a full disk. Also their size.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>

#include "fault_vfs.h"
#include "fixture.h"
#include "fmd/store/series.h"

namespace fmd::test {
namespace {

constexpr int64_t kSecond = 1'000'000'000, kHour = 3600 * kSecond, kDay = 24 * kHour;

std::string disk(uint64_t number) {
  return "dev://wwn=5000c500a" + std::to_string(1'000'000 + number);
}

// One poll of a disk: 40 readings named as by plugins/smart: a temperature, counters that change
// and many that hardly do.
std::vector<Reading> sweep_of(uint64_t number, uint64_t sweep) {
  const auto at = kNow + static_cast<int64_t>(sweep) * kHour / 2 +
                  static_cast<int64_t>(number) * 1'717'000'000 % (20 * 60 * kSecond) +
                  static_cast<int64_t>(number * 7919 + sweep * 104729) % 900'000'000;
  std::vector<Reading> out;
  const auto add = [&](std::string name, std::string unit, double value) {
    out.push_back({disk(number), std::move(name), std::move(unit), value, at});
  };
  const uint64_t noise = (number * 2654435761u + sweep * 40503u) >> 7;
  add("temperature_celsius", "celsius", 31 + static_cast<double>((noise + sweep / 4) % 7));
  add("power_on_hours", "hours", static_cast<double>(20'000 + number * 13 + sweep / 2));
  add("wear_percent", "percent", 12.5 + static_cast<double>(sweep / 400));
  for (const char* name : {"smart.reallocated", "smart.pending", "smart.uncorrectable", "smart.crc",
                           "smart.error_log_count", "smart.grown_defects"})
    add(name, "", static_cast<double>(number % 5));
  for (int id = 1; out.size() < 38; ++id)
    add("smart.attr." + std::to_string(id), "",
        static_cast<double>(number * 31 + 100u * static_cast<uint64_t>(id)));
  add("smart.attr.241", "", static_cast<double>(1'000'000'000 + sweep * 91'237 + noise % 50'000));
  add("smart.attr.242", "", static_cast<double>(7'000'000'000 + sweep * 191'237 + noise % 90'000));
  return out;
}

class ReadingsTest : public StoreTest {
 protected:
  static void put(Store& store, std::vector<Reading> readings) {
    Batch batch;
    batch.readings = std::move(readings);
    const auto done = store.commit(batch);
    ASSERT_TRUE(done.has_value()) << done.error().text();
  }
  static ReadingHistory ask(const Store& store, const ReadingQuery& query) {
    auto found = store.readings(query);
    EXPECT_TRUE(found.has_value()) << (found ? "" : found.error().text());
    return found ? std::move(*found) : ReadingHistory();
  }
  // "name=1@0 2@60 …", seconds after kNow.
  static std::string show(const ReadingHistory& history) {
    std::string out;
    for (const ReadingSeries& series : history.series) {
      out += (out.empty() ? "" : "; ") + series.name + "=";
      for (const ReadingPoint& p : series.points)
        out += std::to_string(std::llround(p.value)) + "@" +
               std::to_string((p.time_ns - kNow) / kSecond) + " ";
      out.pop_back();
    }
    return out + (history.damage.empty() ? "" : " DAMAGE");
  }
  static Reading reading(const std::string& resource, const std::string& name, double value,
                         int64_t after_s) {
    return {resource, name, "", value, kNow + after_s * kSecond};
  }
  // Merges all waiting blocks.
  static void merge_all(Store& store) {
    for (int i = 0; i < 10'000; ++i) {
      const auto more = store.seal_some();
      ASSERT_TRUE(more.has_value()) << more.error().text();
      if (!*more) return;
    }
    FAIL() << "merging does not end";
  }
};

TEST(Series, ComeBackAsTheyWere) {
  const std::vector<double> odd = {0,      -1,   35.5,    0.001,  9.007199254740993e15,
                                   -1e300, 1e-9, 1.0 / 3, -40.25, 281474976710655.0};
  for (const size_t count : {size_t{1}, size_t{5}, odd.size()}) {
    store::Points points;
    for (size_t i = 0; i < count; ++i) points.add(static_cast<int64_t>(i * i * 1000) - 500, odd[i]);
    store::SeriesWriter writer;
    writer.add("dev://a", "x", "celsius", points, 0, count);
    writer.add("dev://a", "y", "", points, count - 1, 1);
    store::SeriesReader reader(writer.bytes());
    ASSERT_TRUE(*reader.next());
    EXPECT_EQ(reader.resource(), "dev://a");
    EXPECT_EQ(reader.unit(), "celsius");
    store::Points back;
    ASSERT_TRUE(reader.append_points(back));
    EXPECT_EQ(back.times_ms, points.times_ms);
    EXPECT_EQ(back.values, points.values);
    ASSERT_TRUE(*reader.next());
    EXPECT_EQ(reader.resource(), "dev://a");
    EXPECT_EQ(reader.name(), "y");
    EXPECT_FALSE(*reader.next());
  }
}

TEST(Series, BytesThatAreNoneAreRefused) {
  store::Points points;
  for (int i = 0; i < 50; ++i) points.add(i * 1000, i % 3 == 0 ? 1.0 / 3 : i);
  store::SeriesWriter writer;
  writer.add("dev://a", "x", "celsius", points, 0, points.size());
  const std::string good = writer.bytes();
  uint32_t x = 1;
  for (size_t i = 0; i < 20'000; ++i) {
    std::string bad = good;
    x = x * 1664525 + 1013904223;
    if (i < good.size()) bad.resize(i);
    if (i >= good.size()) bad[(x >> 8) % bad.size()] = static_cast<char>(x >> 24);
    store::SeriesReader reader(bad);
    store::Points back;
    for (;;) {
      const auto more = reader.next();
      if (!more || !*more) break;
      (void)reader.append_points(back);
      ASSERT_EQ(back.times_ms.size(), back.values.size());
    }
    if (i < good.size() && i > 0) {
      EXPECT_TRUE(back.times_ms.empty()) << "cut to " << i;
    }
  }
}

TEST_F(ReadingsTest, FoundByPartNameAndTime) {
  const auto store = open();
  put(*store, {reading("dev://b", "t", 1, 0), reading("dev://b", "hours", 7, 0),
               reading("dev://a", "t", 5, 0), reading("dev://c", "t", 6, 0)});
  put(*store, {reading("dev://b", "t", 2, 60)});
  put(*store, {reading("dev://b", "t", 4, 180), reading("dev://b", "t", 3, 120)});
  EXPECT_EQ(show(ask(*store, {"dev://b"})), "hours=7@0; t=1@0 2@60 3@120 4@180");
  EXPECT_EQ(show(ask(*store, {"dev://b", {"t"}, kNow + 60 * kSecond, kNow + 120 * kSecond})),
            "t=2@60 3@120");
  EXPECT_EQ(show(ask(*store, {"dev://b", {"h*", "nothing"}})), "hours=7@0");
  EXPECT_EQ(show(ask(*store, {"dev://"})), "");
  EXPECT_EQ(show(ask(*store, {"dev://bb"})), "");
  EXPECT_EQ(ask(*store, {"dev://a"}).series.front().points.front().time_ns, kNow);
  EXPECT_EQ(store->stats().readings, 7u);
}

TEST_F(ReadingsTest, MoreThanOneAnswerHoldsIsGivenNameByName) {
  const auto store = open();
  const int64_t points = 100'000;
  for (const char* name : {"c", "a", "b", "d"}) {
    std::vector<Reading> readings;
    for (int64_t i = 0; i < points; ++i) readings.push_back(reading("dev://b", name, 1.0, i));
    put(*store, readings);
  }
  std::string found;
  ReadingQuery query{"dev://b"};
  for (int pages = 1; pages <= 4; ++pages) {
    const ReadingHistory page = ask(*store, query);
    size_t size = 0;
    for (const ReadingSeries& series : page.series) {
      found += series.name;
      size += series.points.size();
      EXPECT_EQ(series.points.size(), static_cast<size_t>(points)) << series.name;
    }
    EXPECT_LE(size, 250'000u);
    if (page.next_name.empty()) break;
    query.first_name = page.next_name;
  }
  EXPECT_EQ(found, "abcd");
}

TEST_F(ReadingsTest, WrittenWithEventsAndStateOrNotAtAll) {
  {
    const auto store = open();
    Batch batch;
    batch.events = make_events(1, 2);
    batch.rows = {{"k", "1", "a"}};
    batch.readings = {reading("dev://a", "t", 1, 0)};
    ASSERT_TRUE(store->commit(batch));
    batch.readings = {reading("dev://a", "t", 2, 1)};
    EXPECT_FALSE(store->commit(batch)) << "its events were there already";
  }
  const auto store = open();
  EXPECT_EQ(show(ask(*store, {"dev://a"})), "t=1@0");
  EXPECT_EQ(row(*store, "k", "1"), "a");
}

TEST_F(ReadingsTest, MergingLosesNothing) {
  const StoreOptions often{.merge_readings = 1'000'000, .merge_blocks = 300};
  std::string before_merge, before_other;
  {
    const auto store = open(often);
    for (uint64_t sweep = 0; sweep < 30; ++sweep)
      for (uint64_t number = 0; number < 12; ++number) {
        put(*store, sweep_of(number, sweep));
        // Merge steps between the commits, as in the daemon.
        if (number % 5 == 0) (void)store->seal_some();
      }
    before_merge = show(ask(*store, {disk(7)}));
    before_other = show(ask(*store, {disk(11), {"smart.*"}, kNow + 3 * kHour, kNow + 9 * kHour}));
    merge_all(*store);
    const StoreStats stats = store->stats();
    EXPECT_EQ(stats.readings, 30u * 12 * 40);
    EXPECT_LT(stats.reading_blocks, 100u);
    EXPECT_EQ(show(ask(*store, {disk(7)})), before_merge);
  }
  const auto store = open(often);
  EXPECT_EQ(show(ask(*store, {disk(7)})), before_merge);
  EXPECT_EQ(show(ask(*store, {disk(11), {"smart.*"}, kNow + 3 * kHour, kNow + 9 * kHour})),
            before_other);
  EXPECT_GT(before_other.size(), 1000u);
}

TEST_F(ReadingsTest, DroppedByAgeAndBySize) {
  const auto store = open();
  for (uint64_t sweep = 0; sweep < 100; ++sweep) put(*store, sweep_of(1, sweep));
  ASSERT_TRUE(store->retain_readings(kNow + 10 * kHour, UINT64_MAX));
  EXPECT_EQ(ask(*store, {disk(1), {"power_on_hours"}}).series.front().points.size(), 80u);
  const uint64_t half = store->stats().readings_bytes / 2;
  ASSERT_TRUE(store->retain_readings(0, half));
  EXPECT_LE(store->stats().readings_bytes, half);
  const auto left = ask(*store, {disk(1), {"power_on_hours"}}).series.front().points;
  EXPECT_NEAR(static_cast<double>(left.size()), 40, 3);
  EXPECT_GT(left.back().time_ns, kNow + 49 * kHour) << "the newest stay";
  ASSERT_TRUE(store->retain_readings(kNow + 1000 * kHour, UINT64_MAX));
  EXPECT_EQ(store->stats().readings, 0u);
}

TEST_F(ReadingsTest, ARottenBlockIsToldAndTheOthersAreGiven) {
  const StoreOptions often{.merge_readings = 1'000'000, .merge_blocks = 10};
  {
    const auto store = open();
    for (uint64_t sweep = 0; sweep < 20; ++sweep) put(*store, sweep_of(1, sweep));
  }
  std::string bad = contents(file());
  size_t at = 0;
  for (int i = 0; i < 8; ++i) at = bad.find("\x28\xb5\x2f\xfd", at + 1);  // a zstd frame
  ASSERT_NE(at, std::string::npos);
  bad[at + 60] = static_cast<char>(bad[at + 60] ^ 0x55);
  std::ofstream(file(), std::ios::binary) << bad;
  const auto store = open(often);
  EXPECT_EQ(store->moved_aside(), "");
  for (const bool merged : {false, true}) {
    if (merged) merge_all(*store);
    const auto found = ask(*store, {disk(1), {"power_on_hours"}});
    EXPECT_NE(found.damage.find("cannot be read"), std::string::npos) << merged;
    ASSERT_EQ(found.series.size(), 1u);
    EXPECT_EQ(found.series.front().points.size(), 19u) << merged;
  }
  EXPECT_EQ(store->stats().reading_blocks, 2u) << "the merged one and the rotten one";
}

TEST_F(ReadingsTest, ADamagedFileGivesUpWhatCanBeRead) {
  {
    const auto store = open();
    for (uint64_t sweep = 0; sweep < 20; ++sweep) put(*store, sweep_of(1, sweep));
    commit(*store, {}, {{"case", "a", std::string(800, 'a')}});
  }
  std::string bad = contents(file());
  const size_t state = bad.find(std::string(800, 'a')) / 4096;
  for (size_t i = state * 4096; i < (state + 1) * 4096; ++i) bad[i] = static_cast<char>(i * 7 + 1);
  std::ofstream(file(), std::ios::binary) << bad;
  const auto store = open();
  EXPECT_NE(store->moved_aside(), "");
  EXPECT_NE(store->salvage().find("800 readings"), std::string::npos) << store->salvage();
  EXPECT_EQ(ask(*store, {disk(1), {"power_on_hours"}}).series.front().points.size(), 20u);
}

// The disk is full at the Nth operation of a merge, or the process dies there: every reading exists
// exactly once, before and after.
void merge_with(const std::string& dir, Fault fault, int64_t at) {
  auto store = Store::open(dir, kNow, {.merge_readings = 1'000'000, .merge_blocks = 8});
  if (!store) _exit(1);
  arm(fault, at);
  for (int i = 0; i < 100; ++i) {
    const auto more = (*store)->seal_some();
    if (fault == Fault::full && !more) break;
    if (!more) _exit(2);
    if (!*more) break;
  }
  const bool reached = fault_plan().operations >= at;
  arm(Fault::none, 0);
  store->reset();
  _exit(reached ? 3 : 0);
}

TEST_F(ReadingsTest, ACrashOrAFullDiskInAMergeLosesNothing) {
  const std::string base = dir_;
  for (const Fault fault : {Fault::die, Fault::full}) {
    bool finished = false;
    int64_t at = 1;
    for (; !finished && at < 500; ++at) {
      SCOPED_TRACE("operation " + std::to_string(at));
      dir_ = base + "/" + std::to_string(static_cast<int>(fault)) + "-" + std::to_string(at);
      {
        const auto store = open();
        for (uint64_t sweep = 0; sweep < 10; ++sweep) put(*store, sweep_of(3, sweep));
      }
      const pid_t child = fork();
      if (child == 0) {
        register_fault_vfs();
        merge_with(dir_, fault, at);
      }
      int status = 0;
      waitpid(child, &status, 0);
      ASSERT_TRUE(WIFEXITED(status));
      finished = WEXITSTATUS(status) == 0;
      ASSERT_TRUE(finished || WEXITSTATUS(status) == (fault == Fault::die ? kDied : 3));
      const auto store = open();
      EXPECT_EQ(store->moved_aside(), "");
      EXPECT_EQ(store->stats().readings, 400u);
      for (const auto& series : ask(*store, {disk(3)}).series)
        ASSERT_EQ(series.points.size(), 10u) << series.name;
      if (HasFailure()) break;
      std::filesystem::remove_all(dir_);
    }
    EXPECT_TRUE(finished);
    EXPECT_GT(at, 4) << "the merge was not reached";
  }
  dir_ = base;
}

TEST_F(ReadingsTest, AFullDiskRefusesThemWholeAndTakesThemLater) {
  const auto store = open({.max_pages = 64});
  uint64_t sweep = 0;
  Batch batch;
  for (Result<void> done; done && sweep < 10'000; ++sweep) {
    batch.readings.clear();
    for (uint64_t number = 0; number < 20; ++number) {
      const auto said = sweep_of(number, sweep);
      batch.readings.insert(batch.readings.end(), said.begin(), said.end());
    }
    done = store->commit(batch);
  }
  ASSERT_TRUE(store->is_full());
  EXPECT_EQ(store->stats().readings, (sweep - 1) * 800);
  ASSERT_TRUE(store->retain_readings(kNow + static_cast<int64_t>(sweep) * kHour / 4, UINT64_MAX));
  EXPECT_TRUE(store->commit(batch));
  EXPECT_FALSE(store->is_full());
}

// Checks the size that schemas/sql states, with a wide margin. For speed: ./dev bench store.
TEST_F(ReadingsTest, Small) {
  constexpr uint64_t kDisks = 50, kSweeps = 48;
  const auto store = open({.merge_readings = kDisks * kSweeps * 40});
  for (uint64_t sweep = 0; sweep < kSweeps; ++sweep)
    for (uint64_t number = 0; number < kDisks; ++number) put(*store, sweep_of(number, sweep));
  merge_all(*store);
  const auto stats = store->stats();
  ASSERT_EQ(stats.readings, kDisks * kSweeps * 40);
  EXPECT_EQ(ask(*store, {disk(17), {"temperature_celsius"}}).series.front().points.size(), kSweeps);
  const double packed =
      static_cast<double>(stats.readings_bytes) / static_cast<double>(stats.readings);
  RecordProperty("bytes_per_reading", std::to_string(packed));
  EXPECT_LT(packed, 4);
}

}  // namespace
}  // namespace fmd::test
