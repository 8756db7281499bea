// Damaged files: moved aside unchanged; fmd continues with the readable data, and damaged data is
// never taken for valid.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "fixture.h"

namespace fmd::test {
namespace {

constexpr size_t kPage = 4096, kHeader = 100;

class DamageTest : public StoreTest {
 protected:
  static constexpr uint64_t kLast = 1200;

  // Events 1..kLast in blocks of 20, and 40 state rows.
  std::string fill() {
    {
      const auto store = open();
      for (uint64_t seq = 1; seq <= kLast; seq += 20) commit(*store, make_events(seq, 20));
      std::vector<StateRow> rows;
      for (int i = 0; i < 40; ++i) rows.push_back({"case", key(i), doc(i)});
      commit(*store, {}, rows);
    }
    return contents(file());
  }
  static std::string key(int i) { return "key-" + std::to_string(i); }
  static std::string doc(int i) {
    return "{\"n\":" + std::to_string(i) + "," + std::string(500, ' ') + "}";
  }

  void write_file(const std::string& bytes) const {
    std::ofstream(file(), std::ios::binary) << bytes;
  }

  static void overwrite(std::string& bytes, size_t page) {
    uint32_t x = static_cast<uint32_t>(page) + 1;
    for (size_t i = page * kPage; i < std::min(bytes.size(), (page + 1) * kPage); ++i) {
      x = x * 1664525 + 1013904223;
      bytes[i] = static_cast<char>(x >> 24);
    }
  }

  // Opens a damaged file, from which all rows are salvaged; returns the number of events.
  size_t salvaged_events() {
    size_t rows = 0, events = 0;
    const auto store = open();
    EXPECT_NE(store, nullptr);
    if (!store) return 0;
    EXPECT_NE(store->moved_aside(), "");
    expect_true_and_working(*store, rows, events);
    EXPECT_EQ(rows, 40u);
    return events;
  }
  static void expect_true_and_working(Store& store, size_t& rows_kept, size_t& events_kept) {
    const auto rows = store.load_state();
    if (rows) {
      std::map<std::string, std::string> truth;
      for (int i = 0; i < 40; ++i) truth[key(i)] = doc(i);
      for (const StateRow& one : *rows) EXPECT_EQ(one.doc, truth[one.key]) << one.key;
      rows_kept = rows->size();
    }
    uint64_t last = 0;
    events_kept = 0;
    (void)store.each_event({}, [&](const Event& event) {
      EXPECT_EQ(event_to_line(event), event_to_line(make_event(event.seq)));
      EXPECT_GT(event.seq, last);
      last = event.seq;
      ++events_kept;
      return true;
    });
    if (store.is_damaged()) {
      const auto replaced = store.replace_damaged(kNow);
      ASSERT_TRUE(replaced.has_value()) << replaced.error().text();
    }
    EXPECT_GE(store.last_seq(), kLast) << "event numbers would be given twice";
    const uint64_t next = store.last_seq() + 1;
    auto done = store.commit({make_events(next, 1), {{"k", "1", "x"}}});
    if (!done && store.is_damaged()) {
      ASSERT_TRUE(store.replace_damaged(kNow).has_value());
      done =
          store.commit({make_events(std::max(next, store.last_seq() + 1), 1), {{"k", "1", "x"}}});
    }
    ASSERT_TRUE(done.has_value()) << done.error().text();
  }
};

TEST_F(DamageTest, NoDatabaseAtAll) {
  const std::string text = "this is somebody's letter\n" + std::string(5000, 'x');
  write_file(text);
  const auto store = open();
  EXPECT_EQ(store->moved_aside(), file() + ".damaged-20261121T024841Z");
  EXPECT_EQ(contents(store->moved_aside()), text);
  EXPECT_FALSE(store->is_damaged());
  size_t rows = 0, events = 0;
  expect_true_and_working(*store, rows, events);
}

TEST_F(DamageTest, ASecondDamagedFileDoesNotReplaceTheFirst) {
  write_file("first");
  const std::string first = open()->moved_aside();
  write_file("second");
  const std::string second = open()->moved_aside();
  EXPECT_NE(first, second);
  EXPECT_EQ(contents(first), "first");
  EXPECT_EQ(contents(second), "second");
}

TEST_F(DamageTest, TheLogIsMovedAlong) {
  write_file("rubbish");
  std::ofstream(file() + "-wal") << "log";
  const auto store = open();
  EXPECT_EQ(contents(store->moved_aside() + "-wal"), "log");
}

TEST_F(DamageTest, AnEmptiedFileWithItsLogIsDamage) {
  write_file("");
  std::ofstream(file() + "-wal") << "log";
  const auto store = open();
  EXPECT_NE(store->moved_aside(), "");
  EXPECT_EQ(contents(store->moved_aside() + "-wal"), "log");
}

// As after a power cut: the log still contains the newest commits.
TEST_F(DamageTest, WithALogStillToBeReplayed) {
  std::string database, log;
  {
    const auto store = open();
    commit(*store, make_events(1, 1000), {{"case", key(1), doc(1)}});
    database = contents(file());
    log = contents(file() + "-wal");
  }
  ASSERT_GT(log.size(), kPage);
  for (size_t page = 0; page < database.size() / kPage; ++page) overwrite(database, page);
  write_file(database);
  std::ofstream(file() + "-wal", std::ios::binary) << log;
  const auto store = open();
  ASSERT_NE(store, nullptr);
  if (!store->moved_aside().empty()) {
    EXPECT_TRUE(contents(store->moved_aside()) == database);
    EXPECT_TRUE(contents(store->moved_aside() + "-wal") == log);
  }
  EXPECT_EQ(seqs(*store), range(1, 1000)) << "all of it is in the log";
  EXPECT_EQ(row(*store, "case", key(1)), doc(1));
}

TEST_F(DamageTest, AnyPageOverwritten) {
  const std::string good = fill();
  ASSERT_GT(good.size() / kPage, 15u);
  size_t noticed = 0;
  for (size_t page = 0; page < good.size() / kPage; ++page) {
    SCOPED_TRACE("page " + std::to_string(page + 1));
    std::string bad = good;
    overwrite(bad, page);
    write_file(bad);
    const auto store = open();
    ASSERT_NE(store, nullptr);
    if (!store->moved_aside().empty()) {
      EXPECT_TRUE(contents(store->moved_aside()) == bad) << "the damaged file must stay as it was";
      EXPECT_NE(store->salvage(), "");
    }
    size_t rows = 0, events = 0;
    expect_true_and_working(*store, rows, events);
    noticed += store->moved_aside().empty() ? 0 : 1;
    if (rows < 40) {
      EXPECT_FALSE(store->moved_aside().empty());
    }
    for (const auto& entry : std::filesystem::directory_iterator(dir_))
      std::filesystem::remove(entry);
  }
  EXPECT_GT(noticed, 5u);
}

TEST_F(DamageTest, ADamagedPageOfStateLosesThatPageOnly) {
  const std::string good = fill();
  std::string bad = good;
  size_t page = 0;
  while (good.substr(page * kPage, kPage).find(doc(20)) == std::string::npos)
    ASSERT_LT(++page * kPage, good.size());
  overwrite(bad, page);
  write_file(bad);
  const auto store = open();
  EXPECT_NE(store->moved_aside(), "");
  size_t rows = 0, events = 0;
  expect_true_and_working(*store, rows, events);
  EXPECT_GE(rows, 30u);
  EXPECT_LT(rows, 40u);
  EXPECT_EQ(events, kLast);
}

TEST_F(DamageTest, TruncatedAnywhere) {
  const std::string good = fill();
  for (size_t size = 1; size < good.size(); size += 10007) {
    SCOPED_TRACE("cut to " + std::to_string(size));
    write_file(good.substr(0, size));
    const auto store = open();
    ASSERT_NE(store, nullptr);
    EXPECT_NE(store->moved_aside(), "");
    size_t rows = 0, events = 0;
    expect_true_and_working(*store, rows, events);
    for (const auto& entry : std::filesystem::directory_iterator(dir_))
      std::filesystem::remove(entry);
  }
}

// Padding the file to its full length keeps everything before the cut.
TEST_F(DamageTest, OneThatLacksItsEndLosesThatEndOnly) {
  const std::string good = fill();
  size_t most = 0;
  for (const size_t pages : {1, 2, 10}) {
    SCOPED_TRACE(fmt::format("{} pages are cut off", pages));
    const std::string bad = good.substr(0, good.size() - pages * kPage);
    write_file(bad);
    const auto store = open();
    ASSERT_NE(store, nullptr);
    EXPECT_TRUE(contents(store->moved_aside()) == bad) << "the evidence is as it was";
    size_t rows = 0, events = 0;
    expect_true_and_working(*store, rows, events);
    most = std::max(most, rows + events);
    EXPECT_GT(rows + events, 0u) << store->salvage();
    for (const auto& entry : std::filesystem::directory_iterator(dir_))
      std::filesystem::remove(entry);
  }
  EXPECT_GT(most, 600u);
}

// Among them are the page size and the fields of a newer format (byte 60) and of another program's
// file (68). Some bits do not matter.
TEST_F(DamageTest, OneWrongBitOfTheHeaderLosesNothing) {
  const std::string good = fill();
  for (size_t at = 0; at < kHeader; ++at)
    for (const int bit : {0x02, 0x20}) {
      SCOPED_TRACE(fmt::format("byte {} ^ {:#x}", at, bit));
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ bit);
      write_file(bad);
      {
        const auto store = open();
        ASSERT_NE(store, nullptr);
        if (!store->moved_aside().empty()) {
          EXPECT_TRUE(contents(store->moved_aside()) == bad) << "the evidence is as it was";
        }
        size_t rows = 0, events = 0;
        expect_true_and_working(*store, rows, events);
        EXPECT_EQ(rows, 40u) << store->salvage();
        EXPECT_EQ(events, kLast) << store->salvage();
      }
      for (const auto& entry : std::filesystem::directory_iterator(dir_))
        std::filesystem::remove(entry);
    }
}

// Only the newest block's row is left, with impossible numbers: no other block has the last number.
TEST_F(DamageTest, NumbersGoOnBehindANewestBlockThatCannotBeRead) {
  (void)fill();
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(file().c_str(), &handle), SQLITE_OK);
  EXPECT_EQ(
      sqlite3_exec(
          handle,
          "UPDATE block SET last_seq = 1 WHERE first_seq = (SELECT max(first_seq) FROM block);"
          "PRAGMA wal_checkpoint(TRUNCATE)",
          nullptr, nullptr, nullptr),
      SQLITE_OK);
  sqlite3_close(handle);
  std::string bad = contents(file());
  bad[60] = static_cast<char>(bad[60] ^ 0x20);  // the format number: the file is salvaged
  write_file(bad);
  EXPECT_GT(salvaged_events(), 0u);
}

TEST_F(DamageTest, FoundWhileInUse) {
  std::string bad = fill();
  size_t page = 0;  // the page that holds the newest block's row
  const size_t last = bad.rfind("\x28\xb5\x2f\xfd");
  ASSERT_NE(last, std::string::npos);
  page = last / kPage;
  overwrite(bad, page);
  write_file(bad);
  const auto store = open({.check_bytes = 0});
  ASSERT_NE(store, nullptr);
  size_t rows = 0, events = 0;
  expect_true_and_working(*store, rows, events);
  EXPECT_EQ(rows, 40u);
  EXPECT_NE(store->moved_aside(), "");
}

TEST_F(DamageTest, ARottenBlockIsNamedAndTheOthersAreGiven) {
  std::string bad = fill();
  size_t at = 0;
  for (int i = 0; i < 10; ++i) at = bad.find("\x28\xb5\x2f\xfd", at + 1);  // the tenth zstd frame
  ASSERT_NE(at, std::string::npos);
  bad[at + 100] = static_cast<char>(bad[at + 100] ^ 0x55);
  write_file(bad);
  const auto store = open();
  EXPECT_EQ(store->moved_aside(), "");
  std::vector<uint64_t> got;
  const auto done = store->each_event({}, [&](const Event& event) {
    got.push_back(event.seq);
    return true;
  });
  ASSERT_FALSE(done.has_value());
  EXPECT_NE(done.error().text().find("cannot be read"), std::string::npos) << done.error().text();
  EXPECT_EQ(got.size(), kLast - 20);
  while (*store->seal_some()) {
  }
  size_t after = 0;
  (void)store->each_event({}, [&](const Event&) { return ++after > 0; });
  EXPECT_EQ(after, kLast - 20) << "sealing must lose nothing";
}

}  // namespace
}  // namespace fmd::test
