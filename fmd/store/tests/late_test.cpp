// A file that cannot be opened: readable data is available, and it is opened when possible.
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fault_vfs.h"
#include "fixture.h"

namespace fmd::test {
namespace {

namespace fs = std::filesystem;

const Batch kNext{{make_event(2)}, {{"case", "b", "{}"}}};

class LateTest : public StoreTest {
 protected:
  // Also for root, who ignores file modes: the test then runs as another user.
  struct ReadOnly {
    explicit ReadOnly(std::string folder) : dir(std::move(folder)), was(geteuid()) {
      modes(0444, 0555);
      if (was == 0 && seteuid(65534) != 0) throw std::runtime_error("no other user");
    }
    ~ReadOnly() {
      if (geteuid() != was && seteuid(was) != 0) std::abort();
      modes(0644, 0755);
    }
    void modes(mode_t file, mode_t folder) const {
      for (const auto& entry : fs::directory_iterator(dir)) chmod(entry.path().c_str(), file);
      chmod(dir.c_str(), folder);
    }
    std::string dir;
    uid_t was;
  };

  // As after kill -9: the last writes are only in the log.
  void leave_with_log() {
    {
      const auto store = open();
      commit(*store, make_events(1, 1), {{"case", "a", "{}"}});
      fs::copy(dir_, dir_ + "-copy", fs::copy_options::recursive);
    }
    fs::remove_all(dir_);
    fs::rename(dir_ + "-copy", dir_);
    ASSERT_GT(fs::file_size(file() + "-wal"), 0u);
  }
  std::unique_ptr<Store> open_read_only(const StoreOptions& options = {}) {
    const ReadOnly now(dir_);
    auto store = open(options);
    EXPECT_TRUE(store->unopened());
    return store;
  }
  int64_t number(const char* sql) const {
    sqlite3* database = nullptr;
    sqlite3_stmt* statement = nullptr;
    sqlite3_open(file().c_str(), &database);
    sqlite3_exec(database, "PRAGMA locking_mode = EXCLUSIVE", nullptr, nullptr, nullptr);
    sqlite3_prepare_v2(database, sql, -1, &statement, nullptr);
    const int64_t found =
        sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    sqlite3_close(database);
    EXPECT_GT(found, 0);
    return found;
  }
};

TEST_F(LateTest, ReadOnlyIsReadWithItsLogAndWrittenOnceItCanBe) {
  leave_with_log();
  std::unique_ptr<Store> store;
  {
    const ReadOnly now(dir_);
    store = open();
    ASSERT_TRUE(store->unopened());
    EXPECT_FALSE(store->is_damaged());
    EXPECT_EQ(seqs(*store), range(1, 1));
    EXPECT_EQ(row(*store, "case", "a"), "{}");
    EXPECT_EQ(store->last_seq(), 1u);
    for (int attempt = 0; attempt < 2; ++attempt) {
      EXPECT_FALSE(store->commit(kNext));
      EXPECT_FALSE(store->is_full() || store->is_damaged() || store->is_unread());
      EXPECT_EQ(row(*store, "case", "a"), "{}");
      EXPECT_EQ(store->last_seq(), 1u);
    }
    // Maintenance has nothing to do.
    EXPECT_TRUE(store->retain(INT64_MAX, 0));
    EXPECT_TRUE(store->retain_readings(INT64_MAX, 0));
    const auto sealed = store->seal_some();
    EXPECT_TRUE(sealed && !*sealed);
  }
  const auto done = store->commit(kNext);
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_FALSE(store->unopened());
  EXPECT_EQ(seqs(*store), range(1, 2));
  store.reset();
  EXPECT_EQ(seqs(*open()), range(1, 2));
}

TEST_F(LateTest, OneThatWasClosedWellHasNoLogAndIsReadAllTheSame) {
  chmod(dir_.c_str(), 0755);
  dir_ += "/%a?b#c";
  { commit(*open(), make_events(1, 5), {{"case", "a", "{}"}}); }
  ASSERT_FALSE(fs::exists(file() + "-wal"));
  std::unique_ptr<Store> store;
  {
    const ReadOnly now(dir_);
    store = open();
    ASSERT_TRUE(store->unopened());
    EXPECT_EQ(seqs(*store), range(1, 5));
  }
  commit(*store, make_events(6, 1));
  EXPECT_EQ(seqs(*store), range(1, 6));
}

TEST_F(LateTest, WhatWasReadAndIsGoneIsNotBegunAnew) {
  leave_with_log();
  const auto store = open_read_only();
  const std::string away = dir_ + "-away";
  fs::rename(dir_, away);
  EXPECT_FALSE(store->commit(kNext));
  EXPECT_FALSE(fs::exists(dir_));
  fs::create_directory(dir_);  // like the bare folder under a mount point
  EXPECT_FALSE(store->commit(kNext));
  EXPECT_TRUE(fs::is_empty(dir_));
  EXPECT_FALSE(store->is_unread());
  fs::remove(dir_);
  fs::rename(away, dir_);
  const auto done = store->commit(kNext);
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(seqs(*store), range(1, 2));
}

// A damaged journal page: readable data is used until space is free, then the file is replaced.
TEST_F(LateTest, DamageOfTheJournalAndAFullDisk) {
  register_fault_vfs();
  { commit(*open(), make_events(1, 5), {{"case", "a", "{}"}}); }
  const int64_t root = number("SELECT rootpage FROM sqlite_schema WHERE name = 'block_catalog'");
  {
    std::fstream out(file(), std::ios::in | std::ios::out | std::ios::binary);
    out.seekp((root - 1) * 4096);
    out.write("\xff\xff\xff\xff", 4);
  }
  arm(Fault::full, 1, false);
  auto store = open();
  ASSERT_TRUE(store->unopened());
  EXPECT_EQ(row(*store, "case", "a"), "{}");
  const Batch next{make_events(6, 1), {}};
  EXPECT_FALSE(store->commit(next));
  EXPECT_FALSE(store->is_damaged()) << "it cannot be replaced now";
  EXPECT_EQ(row(*store, "case", "a"), "{}");
  arm(Fault::none, 0);
  EXPECT_FALSE(store->commit(next));
  EXPECT_TRUE(store->is_damaged());
  ASSERT_TRUE(store->replace_damaged(kNow));
  const auto done = store->commit(next);
  ASSERT_TRUE(done) << done.error().text();
}

// Damage that is found only on reading, as in a large file.
TEST_F(LateTest, DamageThatIsMetWhenItIsOpenAtLast) {
  { commit(*open(), make_events(1, 5), {{"case", "a", "{}"}}); }
  const int64_t root = number("SELECT rootpage FROM sqlite_schema WHERE name = 'block'");
  {
    std::fstream out(file(), std::ios::in | std::ios::out | std::ios::binary);
    out.seekp((root - 1) * 4096);
    out.write("\xff\xff\xff\xff", 4);
  }
  const auto store = open_read_only({.check_bytes = 0});
  EXPECT_FALSE(store->commit(kNext));
  EXPECT_TRUE(store->is_unread()) << "what can be salvaged is read by the next start";
}

TEST_F(LateTest, AFolderThatIsNotThereIsMadeWhenItCanBe) {
  const std::string parent = dir_ + "/mount";
  std::ofstream(parent) << "no folder";
  auto store = Store::open(parent + "/fmd", kNow);
  ASSERT_TRUE(store) << store.error().text();
  ASSERT_TRUE((*store)->unopened());
  EXPECT_TRUE((*store)->name_machine("m1"));
  EXPECT_EQ((*store)->last_seq(), 0u);
  const Batch first{make_events(1, 1), {{"case", "a", "{}"}}};
  EXPECT_FALSE((*store)->commit(first));
  fs::remove(parent);
  fs::create_directory(parent);
  const auto done = (*store)->commit(first);
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(seqs(**store), range(1, 1));
  EXPECT_NE(row(**store, "machine", "name"), "") << "the name that it was given meanwhile";
}

TEST_F(LateTest, AFullDiskAtTheFirstStartIsWaitedFor) {
  register_fault_vfs();
  arm(Fault::full, 1, false);
  auto store = Store::open(dir_, kNow);
  ASSERT_TRUE(store) << store.error().text();
  ASSERT_TRUE((*store)->unopened());
  EXPECT_TRUE((*store)->is_full());
  EXPECT_FALSE((*store)->commit({make_events(1, 1), {}}));
  EXPECT_TRUE((*store)->is_full());
  EXPECT_FALSE((*store)->is_damaged());
  arm(Fault::none, 0);
  const auto done = (*store)->commit({make_events(1, 1), {}});
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_FALSE((*store)->is_full());
}

TEST_F(LateTest, WhatWasNotReadIsNotWrittenOver) {
  const std::string away = dir_ + "/away", here = dir_ + "/here";
  ASSERT_TRUE((*Store::open(away, kNow))->commit({make_events(1, 5), {{"case", "a", "{}"}}}));
  std::ofstream(here) << "its file system is not mounted yet";
  auto store = Store::open(here, kNow);
  ASSERT_TRUE(store && (*store)->unopened());
  fs::remove(here);
  fs::rename(away, here);
  for (int attempt = 0; attempt < 2; ++attempt) {
    EXPECT_FALSE((*store)->commit({make_events(1, 1), {{"case", "b", "{}"}}}));
    EXPECT_TRUE((*store)->is_unread());
  }
  store->reset();
  const auto again = Store::open(here, kNow);
  EXPECT_EQ(seqs(**again), range(1, 5));
  EXPECT_EQ(row(**again, "case", "b"), "");
}

TEST_F(LateTest, DamageThatCannotBeMovedAsideWaits) {
  { commit(*open(), make_events(1, 5), {{"case", "a", "{}"}}); }
  {
    std::fstream out(file(), std::ios::in | std::ios::out | std::ios::binary);
    out.write("not a database, not any more", 28);
  }
  std::unique_ptr<Store> store;
  {
    const ReadOnly now(dir_);
    store = open();
    ASSERT_TRUE(store->unopened());
    EXPECT_FALSE(store->commit(kNext));
    EXPECT_FALSE(store->is_unread()) << "another start would come no further";
  }
  EXPECT_FALSE(store->commit(kNext));
  EXPECT_TRUE(store->is_unread()) << "what can be salvaged is read by the next start";
  store.reset();
  store = open();
  EXPECT_NE(store->moved_aside(), "");
  EXPECT_FALSE(store->unopened());
}

TEST_F(LateTest, DamageThatCameMeanwhileIsReplacedByWhatIsInMemory) {
  leave_with_log();
  const auto store = open_read_only();
  ASSERT_EQ(store->last_seq(), 1u);
  fs::remove(file() + "-wal");
  std::ofstream(file()) << std::string(8192, 'x');
  EXPECT_FALSE(store->commit(kNext));
  EXPECT_TRUE(store->is_damaged());
  EXPECT_FALSE(store->is_unread());
  ASSERT_TRUE(store->replace_damaged(kNow));
  const auto done = store->commit(kNext);
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(store->last_seq(), 2u);
}

TEST_F(LateTest, AnotherProcessThatHasItIsAnError) {
  const auto first = open();
  const auto second = Store::open(dir_, kNow);
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().text().find("another fmd"), std::string::npos) << second.error().text();
}

TEST_F(LateTest, AFreshFileThatCannotBeMadeLeavesTheDamagedOneInItsPlace) {
  register_fault_vfs();
  { commit(*open(), make_events(1, 5), {{"case", "a", "{}"}}); }
  std::fstream(file(), std::ios::in | std::ios::out | std::ios::binary).write("not a database", 14);
  const std::string damaged = contents(file());
  arm(Fault::full, 1, false);
  {
    const auto store = open();
    EXPECT_TRUE(store->unopened());
  }
  arm(Fault::none, 0);
  EXPECT_EQ(contents(file()), damaged);
  EXPECT_NE(open()->moved_aside(), "");
}

}  // namespace
}  // namespace fmd::test
