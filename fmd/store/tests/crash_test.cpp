// The process ends at each file operation in turn, and by kill -9: acknowledged commits are there,
// each commit completely or not at all, and the file never counts as damaged.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fault_vfs.h"
#include "fixture.h"

namespace fmd::test {
namespace {

constexpr uint64_t kEvents = 3;  // per commit

Batch batch_number(uint64_t number) {
  Batch batch;
  batch.events = make_events((number - 1) * kEvents + 1, kEvents);
  batch.rows = {{"cursor", "zfs", std::to_string(number)},
                {"serd", std::to_string(number), std::string(3000, 's')},
                {"serd", std::to_string(number - 1), ""}};
  return batch;
}

// In the child: commits, and writes a byte for each acknowledged commit.
void commit_and_tell(const std::string& dir, uint64_t commits, int tell) {
  auto store = Store::open(dir, kNow);
  if (!store) _exit(1);
  for (uint64_t number = 1; number <= commits; ++number) {
    if (!(*store)->commit(batch_number(number))) _exit(2);
    if (write(tell, "a", 1) != 1) _exit(3);
    if (number % 3 == 0 && !(*store)->retain(make_event(number).time_ns, UINT64_MAX)) _exit(4);
  }
  store->reset();
  _exit(0);
}

struct Ended {
  uint64_t acknowledged = 0;
  int status = 0;
};

Ended run_child(const std::string& dir, uint64_t commits, int64_t die_at, uint64_t kill_after) {
  int pipes[2];
  EXPECT_EQ(pipe(pipes), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(pipes[0]);
    register_fault_vfs();
    arm(die_at > 0 ? Fault::die : Fault::none, die_at);
    commit_and_tell(dir, commits, pipes[1]);
  }
  close(pipes[1]);
  Ended ended;
  char byte = 0;
  while (read(pipes[0], &byte, 1) == 1) {
    if (++ended.acknowledged == kill_after) kill(child, SIGKILL);
  }
  close(pipes[0]);
  waitpid(child, &ended.status, 0);
  return ended;
}

class CrashTest : public StoreTest {
 protected:
  void expect_whole(const Ended& ended) {
    const auto store = open();
    ASSERT_NE(store, nullptr);
    EXPECT_EQ(store->moved_aside(), "");
    const uint64_t there = store->last_seq() / kEvents;
    EXPECT_EQ(store->last_seq() % kEvents, 0u);
    EXPECT_GE(there, ended.acknowledged);
    EXPECT_LE(there, ended.acknowledged + 1);
    const auto found = seqs(*store);
    if (there > 0) {
      EXPECT_EQ(found.back(), store->last_seq());
      EXPECT_EQ(found, range(found.front(), found.back()));
      EXPECT_EQ(row(*store, "cursor", "zfs"), std::to_string(there));
      EXPECT_EQ(store->load_state("serd")->size(), 1u);
      EXPECT_EQ(row(*store, "serd", std::to_string(there)), std::string(3000, 's'));
    } else {
      EXPECT_TRUE(found.empty());
      EXPECT_TRUE(store->load_state()->empty());
    }
    const auto more = store->commit(batch_number(there + 1));
    EXPECT_TRUE(more.has_value()) << more.error().text();
  }
};

TEST_F(CrashTest, AtEveryFileOperation) {
  const std::string base = dir_;
  bool finished = false;
  int64_t at = 1;
  for (; !finished && at < 2000; ++at) {
    SCOPED_TRACE("died at operation " + std::to_string(at));
    dir_ = base + "/" + std::to_string(at);
    const Ended ended = run_child(dir_, 4, at, 0);
    ASSERT_TRUE(WIFEXITED(ended.status));
    finished = WEXITSTATUS(ended.status) == 0;
    ASSERT_EQ(WEXITSTATUS(ended.status), finished ? 0 : kDied);
    EXPECT_TRUE(!finished || ended.acknowledged == 4);
    expect_whole(ended);
    if (HasFailure()) break;
    std::filesystem::remove_all(dir_);
  }
  dir_ = base;
  EXPECT_GT(at, 40) << "the crash points were not reached";
  EXPECT_TRUE(finished);
}

// In the child: writes small blocks, then dies while merging them into a sealed one.
void seal_and_die(const std::string& dir, int64_t die_at) {
  register_fault_vfs();
  auto store = Store::open(dir, kNow);
  if (!store) _exit(1);
  for (uint64_t first = 1; first <= 1000; first += 100)
    if (!(*store)->commit({make_events(first, 100), {}})) _exit(2);
  arm(Fault::die, die_at);
  for (Result<bool> more = true; *more;)
    if (more = (*store)->seal_some(); !more) _exit(3);
  store->reset();
  _exit(0);
}

TEST_F(CrashTest, WhileSealingAtEveryFileOperation) {
  const std::string base = dir_;
  bool finished = false;
  int64_t at = 1;
  for (; !finished && at < 2000 && !HasFailure(); ++at) {
    SCOPED_TRACE("died at operation " + std::to_string(at));
    dir_ = base + "/" + std::to_string(at);
    const pid_t child = fork();
    if (child == 0) seal_and_die(dir_, at);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    finished = WEXITSTATUS(status) == 0;
    ASSERT_EQ(WEXITSTATUS(status), finished ? 0 : kDied);
    const auto store = open();
    EXPECT_EQ(store->moved_aside(), "");
    for (int round = 0; round < 2; ++round) {
      EXPECT_EQ(seqs(*store), range(1, 1000));
      EXPECT_EQ(seqs(*store, {.class_glob = make_event(1).event_class}), range(1, 1000));
      while (*store->seal_some()) {
      }
      EXPECT_EQ(store->stats().blocks, 1u);
    }
    std::filesystem::remove_all(dir_);
  }
  dir_ = base;
  EXPECT_GT(at, 5) << "the crash points were not reached";
  EXPECT_TRUE(finished);
}

TEST_F(CrashTest, ByKill9) {
  const std::string base = dir_;
  for (const uint64_t after : {1, 2, 5, 50}) {
    SCOPED_TRACE("killed after " + std::to_string(after));
    dir_ = base + "/" + std::to_string(after);
    const Ended ended = run_child(dir_, 1'000'000, 0, after);
    EXPECT_TRUE(WIFSIGNALED(ended.status));
    expect_whole(ended);
  }
  dir_ = base;
}

TEST_F(CrashTest, WhatIsAcknowledgedHasBeenSynced) {
  const pid_t child = fork();  // a process of its own, since the VFS layer stays registered
  if (child == 0) {
    register_fault_vfs();
    auto store = Store::open(dir_, kNow);
    if (!store) _exit(1);
    arm(Fault::none, 0);
    for (uint64_t number = 1; number <= 50; ++number) {
      if (!(*store)->commit(batch_number(number))) _exit(2);
      if (fault_plan().unsynced_writes != 0) _exit(3);
    }
    _exit(fault_plan().operations >= 100 ? 0 : 4);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace fmd::test
