// A full disk: acknowledged commits stay; the current one is refused completely, and succeeds once
// there is space.
#include <gtest/gtest.h>

#include "fault_vfs.h"
#include "fixture.h"

namespace fmd::test {
namespace {

std::vector<Event> bulky_events(uint64_t first) {
  std::vector<Event> events = make_events(first, 100);
  uint32_t x = static_cast<uint32_t>(first);
  for (Event& event : events) {
    std::string noise;
    for (int i = 0; i < 200; ++i, x = x * 1664525 + 1013904223)
      noise += static_cast<char>('!' + (x >> 26));
    for (char& c : noise)
      if (c == '"' || c == '\\') c = '.';
    event.payload_json = "{\"noise\":\"" + noise + "\"}";
  }
  return events;
}

TEST_F(StoreTest, FullAtItsPageLimit) {
  uint64_t acknowledged = 0;
  {
    const auto store = open({.max_pages = 64});
    Result<void> done;
    while (done) {
      done = store->commit({bulky_events(acknowledged + 1),
                            {{"cursor", "zfs", std::to_string(acknowledged + 100)}}});
      if (done) acknowledged += 100;
      ASSERT_LT(acknowledged, 100'000u) << "the limit has no effect";
    }
    EXPECT_TRUE(store->is_full());
    EXPECT_FALSE(store->is_damaged());
    EXPECT_NE(done.error().text().find("free space"), std::string::npos) << done.error().text();
    EXPECT_GT(acknowledged, 0u);
    EXPECT_EQ(seqs(*store), range(1, acknowledged));
    EXPECT_EQ(row(*store, "cursor", "zfs"), std::to_string(acknowledged));
    EXPECT_EQ(store->last_seq(), acknowledged);
  }
  const auto store = open();  // without the limit
  EXPECT_EQ(seqs(*store), range(1, acknowledged));
  commit(*store, bulky_events(acknowledged + 1));
  EXPECT_FALSE(store->is_full());
  EXPECT_EQ(seqs(*store), range(1, acknowledged + 100));
}

TEST_F(StoreTest, RetentionFreesAFullStore) {
  const auto store = open({.max_pages = 128});
  uint64_t next = 1;
  while (store->commit({bulky_events(next), {}})) next += 100;
  ASSERT_TRUE(store->is_full());
  // The newest half stays.
  const auto retained = store->retain(make_event(next / 2).time_ns, UINT64_MAX);
  ASSERT_TRUE(retained.has_value()) << retained.error().text();
  commit(*store, bulky_events(next));
  EXPECT_FALSE(store->is_full());
  EXPECT_EQ(seqs(*store).back(), next + 99);
}

// Writes one batch, makes the next one fail at its Nth file operation for every N, and repeats it.
void fail_everywhere(const std::string& base, Fault fault, int& failures) {
  for (int64_t at = 1;; ++at) {
    SCOPED_TRACE("operation " + std::to_string(at));
    const std::string dir = base + "/" + std::to_string(at);
    auto store = Store::open(dir, kNow);
    ASSERT_TRUE(store.has_value()) << store.error().text();
    ASSERT_TRUE((*store)->commit({bulky_events(1), {{"k", "1", "a"}}}));
    arm(fault, at);
    const Batch second{bulky_events(101), {{"k", "1", "b"}}};
    const auto refused = (*store)->commit(second);
    const bool reached = fault_plan().operations >= at;
    arm(Fault::none, 0);
    if (!refused) {
      ++failures;
      EXPECT_TRUE((*store)->is_full()) << refused.error().text();
      EXPECT_FALSE((*store)->is_damaged());
      EXPECT_EQ((*store)->last_seq(), 100u);
      const auto again = (*store)->commit(second);
      ASSERT_TRUE(again.has_value()) << again.error().text();
    }
    EXPECT_FALSE((*store)->is_full());
    store->reset();
    store = Store::open(dir, kNow);
    ASSERT_TRUE(store.has_value()) << store.error().text();
    uint64_t expected = 1;
    ASSERT_TRUE(
        (*store)->each_event({}, [&](const Event& event) { return event.seq == expected++; }));
    EXPECT_EQ(expected, 201u);
    EXPECT_EQ((*store)->load_state("k")->front().doc, "b");
    store->reset();
    std::filesystem::remove_all(dir);
    if (!reached) return;
  }
}

TEST_F(StoreTest, NoSpaceAtAnyWrite) {
  register_fault_vfs();
  int failures = 0;
  fail_everywhere(dir_, Fault::full, failures);
  EXPECT_GT(failures, 3);
}

// If sealing fails for lack of space, nothing changes, and it succeeds once space is free.
TEST_F(StoreTest, NoSpaceAtAnyWriteOfSealing) {
  register_fault_vfs();
  int failures = 0;
  bool reached = true;
  for (int64_t at = 1; reached && !HasFailure(); ++at) {
    SCOPED_TRACE("operation " + std::to_string(at));
    const std::string dir = dir_ + "/" + std::to_string(at);
    auto store = Store::open(dir, kNow);
    ASSERT_TRUE(store.has_value()) << store.error().text();
    for (uint64_t first = 1; first <= 1000; first += 100)
      ASSERT_TRUE((*store)->commit({bulky_events(first), {}}));
    arm(Fault::full, at);
    Result<bool> more = true;
    while (more && *more) more = (*store)->seal_some();
    reached = fault_plan().operations >= at;
    arm(Fault::none, 0);
    failures += more.has_value() ? 0 : 1;
    EXPECT_FALSE((*store)->is_damaged());
    EXPECT_EQ(seqs(**store), range(1, 1000));
    commit(**store, bulky_events(1001));
    EXPECT_FALSE((*store)->is_full());
    while (*(*store)->seal_some()) {
    }
    EXPECT_EQ(seqs(**store), range(1, 1100));
    EXPECT_EQ((*store)->stats().blocks, 2u);
    store->reset();
    std::filesystem::remove_all(dir);
  }
  EXPECT_GT(failures, 0);
}

TEST_F(StoreTest, NoSpaceAtTheSync) {
  register_fault_vfs();
  int failures = 0;
  fail_everywhere(dir_, Fault::sync_no_space, failures);
  EXPECT_GE(failures, 1);
}

TEST_F(StoreTest, AFullDiskDoesNotKeepTheStoreFromOpening) {
  register_fault_vfs();
  { commit(*open(), make_events(1, 10), {{"k", "1", "a"}}); }
  arm(Fault::full, 1, false);
  const auto store = open();
  ASSERT_NE(store, nullptr);
  EXPECT_EQ(seqs(*store), range(1, 10));
  EXPECT_FALSE(store->commit({make_events(11, 1), {}}).has_value());
  EXPECT_TRUE(store->is_full());
  arm(Fault::none, 0);
  commit(*store, make_events(11, 1));
  EXPECT_FALSE(store->is_full());
}

}  // namespace
}  // namespace fmd::test
