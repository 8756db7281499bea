#include "fmd/store/store.h"

#include <gtest/gtest.h>

#include <numeric>

#include "fixture.h"

namespace fmd::test {
namespace {

TEST_F(StoreTest, BeginsEmpty) {
  const auto store = open();
  EXPECT_EQ(store->last_seq(), 0u);
  EXPECT_EQ(seqs(*store), range(1, 0));
  EXPECT_TRUE(store->load_state()->empty());
  EXPECT_EQ(store->moved_aside(), "");
  EXPECT_FALSE(store->is_damaged());
}

TEST_F(StoreTest, KeepsEventsAndStateOverAReopening) {
  {
    const auto store = open();
    commit(*store, make_events(1, 3), {{"case", "a", "{\"x\":1}"}, {"serd", "b", "{}"}});
    commit(*store, make_events(4, 2), {{"case", "a", "{\"x\":2}"}});
    commit(*store, {}, {{"serd", "b", ""}, {"outbox", "c", "[1]"}});
  }
  const auto store = open();
  EXPECT_EQ(store->last_seq(), 5u);
  EXPECT_EQ(seqs(*store), range(1, 5));
  const auto rows = store->load_state();
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_EQ(row(*store, "case", "a"), "{\"x\":2}");
  EXPECT_EQ(row(*store, "outbox", "c"), "[1]");
}

TEST_F(StoreTest, EventsComeBackWhole) {
  const auto store = open();
  commit(*store, make_events(1, 1));
  const Event wanted = make_event(1);
  int calls = 0;
  ASSERT_TRUE(store->each_event({}, [&](const Event& event) {
    ++calls;
    EXPECT_EQ(event_to_line(event), event_to_line(wanted));
    EXPECT_TRUE(event.payload.members().empty());
    return true;
  }));
  EXPECT_EQ(calls, 1);
}

TEST_F(StoreTest, ALookEndsAtItsBudgetAndGoesOnFromThere) {
  const auto store = open();
  commit(*store, make_events(1, 1500));
  commit(*store, make_events(1501, 1500));
  EventQuery query;
  query.class_glob = "no.such.class";
  query.look_at = 1000;
  int calls = 0;
  for (EventReach reach{0, true}; reach.more; query.after_seq = reach.seq) {
    EXPECT_TRUE(store->each_event(
        query, [](const Event&) { return true; }, &reach));
    EXPECT_EQ(reach.seq, std::min<uint64_t>(++calls * 1000, 3000));
    ASSERT_LE(calls, 4);
  }
  EXPECT_EQ(calls, 3);
}

TEST_F(StoreTest, LaterRowsOfABatchWin) {
  const auto store = open();
  commit(*store, {}, {{"k", "1", "old"}, {"k", "1", "new"}, {"k", "2", "x"}, {"k", "2", ""}});
  EXPECT_EQ(row(*store, "k", "1"), "new");
  EXPECT_EQ(row(*store, "k", "2"), "");
}

TEST_F(StoreTest, HostileKeysAndDocumentsAreData) {
  const std::string key =
      std::string("'; DROP TABLE state; --\0\x01\xff \u202e", 31) + std::string(3000, 'k');
  const std::string doc = std::string("{\"s\":\"\0\n\x7f\"}", 12) + std::string(2 << 20, 'd');
  {
    const auto store = open();
    commit(*store, {}, {{"kind'\"", key, doc}});
  }
  EXPECT_EQ(row(*open(), "kind'\"", key), doc);
}

TEST_F(StoreTest, EventNumbersMustGoOn) {
  const auto store = open();
  commit(*store, make_events(1, 3));
  for (const auto& seqs_given : {std::vector<uint64_t>{3}, {4, 4}, {5, 4}, {0}, {UINT64_MAX}}) {
    Batch batch;
    for (const uint64_t seq : seqs_given) batch.events.push_back(make_event(seq));
    batch.rows.push_back({"k", "must not be there", "1"});
    EXPECT_FALSE(store->commit(batch).has_value());
  }
  EXPECT_EQ(seqs(*store), range(1, 3));
  EXPECT_TRUE(store->load_state()->empty());
  EXPECT_FALSE(store->is_full());
}

TEST_F(StoreTest, LargeBatchesAreCutIntoBlocksOfFullSize) {
  const auto store = open();
  commit(*store, make_events(1, 2500));
  EXPECT_EQ(store->stats().blocks, 3u);
  while (*store->seal_some()) {
  }
  EXPECT_EQ(store->stats().blocks, 3u);
  EXPECT_EQ(store->stats().unsealed_blocks, 1u);
  EXPECT_EQ(store->stats().events, 2500u);
  EXPECT_EQ(seqs(*store), range(1, 2500));
}

TEST_F(StoreTest, BatchesOfHugePayloadsAreCutBySizeToo) {
  const auto store = open();
  std::vector<Event> events = make_events(1, 10);
  for (Event& event : events) {
    std::string noise;
    for (uint32_t i = 0, x = 1; i < (600 << 10); ++i, x = x * 1664525 + 1013904223)
      noise += "abcdefgh"[x >> 29];
    event.payload_json = "{\"text\":\"" + noise + "\"}";
  }
  commit(*store, events);
  EXPECT_GE(store->stats().blocks, 2u);
  EXPECT_EQ(seqs(*store), range(1, 10));
}

TEST_F(StoreTest, QueriesFilter) {
  const auto store = open();
  std::vector<Event> events;
  for (uint64_t seq = 1; seq <= 3000; ++seq)
    events.push_back(
        make_event(seq, seq % 10 == 0 ? "ereport.io.disk" : "ereport.fs.zfs.checksum"));
  for (size_t at = 0; at < events.size(); at += 150)
    commit(*store,
           {events.begin() + static_cast<long>(at), events.begin() + static_cast<long>(at) + 150});

  EXPECT_EQ(seqs(*store, {.after_seq = 2000}), range(2001, 3000));
  EXPECT_EQ(seqs(*store, {.after_seq = 3000}), range(1, 0));
  EXPECT_EQ(seqs(*store, {.after_seq = UINT64_MAX}), range(1, 0));
  EXPECT_EQ(seqs(*store, {.limit = 7}), range(1, 7));
  EXPECT_EQ(seqs(*store, {.limit = 0}), range(1, 0));
  EXPECT_EQ(seqs(*store, {.from_ns = make_event(151).time_ns, .to_ns = make_event(320).time_ns}),
            range(151, 320));
  EXPECT_EQ(seqs(*store, {.after_seq = 300,
                          .from_ns = make_event(151).time_ns,
                          .to_ns = make_event(320).time_ns}),
            range(301, 320));
  EXPECT_EQ(seqs(*store, {.to_ns = make_event(1).time_ns - 1}), range(1, 0));
  EXPECT_EQ(seqs(*store, {.class_glob = "ereport.io.*"}).size(), 300u);
  EXPECT_EQ(seqs(*store, {.class_glob = "ereport.*"}).size(), 3000u);
  EXPECT_EQ(seqs(*store, {.class_glob = "no.such"}), range(1, 0));
  EXPECT_EQ(seqs(*store, {.seqs = {2999, 1, 1, 150, 151, 777, 90000}}),
            (std::vector<uint64_t>{1, 150, 151, 777, 2999}));
  EXPECT_EQ(
      seqs(*store, {.after_seq = 151, .class_glob = "ereport.io.disk", .seqs = {150, 160, 161}}),
      (std::vector<uint64_t>{160}));
}

TEST_F(StoreTest, LateEventsAreFoundByTheirOwnTime) {
  const auto store = open();
  std::vector<Event> events = make_events(1, 3);
  events[1].time_ns = kNow - 3600'000'000'000;
  commit(*store, events);
  commit(*store, make_events(4, 3));
  EXPECT_EQ(seqs(*store, {.to_ns = kNow}), (std::vector<uint64_t>{2}));
}

TEST_F(StoreTest, AQueryCanBeStoppedAndMayCommit) {
  const auto store = open();
  commit(*store, make_events(1, 10));
  commit(*store, make_events(11, 10));
  std::vector<uint64_t> got;
  ASSERT_TRUE(store->each_event({}, [&](const Event& event) {
    got.push_back(event.seq);
    if (event.seq == 2) commit(*store, make_events(21, 1), {{"k", "1", "x"}});
    return event.seq < 12;
  }));
  EXPECT_EQ(got, range(1, 12));
  EXPECT_EQ(store->last_seq(), 21u);
}

TEST_F(StoreTest, SealingKeepsEveryEvent) {
  std::vector<std::string> before;
  const auto all_lines = [](const Store& store) {
    std::vector<std::string> lines;
    EXPECT_TRUE(store.each_event({}, [&](const Event& event) {
      lines.push_back(event_to_line(event));
      return true;
    }));
    return lines;
  };
  auto store = open();
  uint64_t next = 1;
  for (int i = 0; next < 3500; ++i) {  // small commits, and some large ones
    const uint64_t count = i % 50 == 49 ? 1300 : static_cast<uint64_t>(1 + i % 17);
    commit(*store, make_events(next, count));
    next += count;
  }
  before = all_lines(*store);
  const StoreStats loose = store->stats();
  int rounds = 0;
  for (bool more = true; more; ++rounds) more = *store->seal_some();
  EXPECT_GE(rounds, 3);
  const StoreStats tight = store->stats();
  EXPECT_EQ(tight.events, loose.events);
  EXPECT_LT(tight.blocks, loose.blocks / 3);
  EXPECT_LT(tight.journal_bytes, loose.journal_bytes);
  EXPECT_EQ(all_lines(*store), before);
  store.reset();
  store = open();
  EXPECT_EQ(all_lines(*store), before);
  EXPECT_EQ(store->last_seq(), next - 1);
  EXPECT_FALSE(*store->seal_some()) << "what is left waits for more events";
  EXPECT_EQ(seqs(*store, {.after_seq = 700, .limit = 5}), range(701, 705));
}

TEST_F(StoreTest, SealedBlocksHoldAboutAThousandEvents) {
  const auto store = open();
  for (uint64_t seq = 1; seq <= 2100; ++seq) commit(*store, make_events(seq, 1));
  while (*store->seal_some()) {
  }
  EXPECT_EQ(store->stats().blocks, 2u + 100u);
  EXPECT_EQ(store->stats().unsealed_blocks, 100u);
  EXPECT_EQ(seqs(*store), range(1, 2100));
}

TEST_F(StoreTest, WhatWasDroppedWhileItWasPackedDoesNotComeBack) {
  const auto store = open();
  commit(*store, make_events(1, 500));
  commit(*store, make_events(501, 500));
  commit(*store, make_events(1001, 10));
  auto step = store->begin_sealing();
  ASSERT_TRUE(step && step->work);
  step->work->pack();
  ASSERT_TRUE(store->retain(make_event(501).time_ns, UINT64_MAX));
  ASSERT_EQ(seqs(*store), range(501, 1010));
  ASSERT_TRUE(store->end_sealing(*step->work));
  EXPECT_EQ(seqs(*store), range(501, 1010));
  EXPECT_EQ(store->stats().sealed.bytes_out, step->work->cost.bytes_out);
}

TEST_F(StoreTest, WhatIsCommittedWhileItIsPackedStays) {
  const auto store = open();
  commit(*store, make_events(1, 1000));
  auto step = store->begin_sealing();
  ASSERT_TRUE(step && step->work);
  commit(*store, make_events(1001, 10));
  step->work->pack();
  ASSERT_TRUE(store->end_sealing(*step->work));
  ASSERT_TRUE(store->end_sealing(*step->work)) << "a second time nothing is to be done";
  EXPECT_EQ(seqs(*store), range(1, 1010));
  EXPECT_EQ(store->stats().unsealed_blocks, 1u);
}

TEST_F(StoreTest, RetentionByAgeDropsWhollyOlderBlocks) {
  const auto store = open();
  for (uint64_t seq = 1; seq <= 40; seq += 10)
    commit(*store, make_events(seq, 10), {{"k", "1", "kept"}});
  ASSERT_TRUE(store->retain(make_event(15).time_ns, UINT64_MAX));
  EXPECT_EQ(seqs(*store), range(11, 40));
  ASSERT_TRUE(store->retain(INT64_MAX, UINT64_MAX));
  EXPECT_EQ(seqs(*store), range(31, 40)) << "the newest block stays";
  EXPECT_EQ(store->last_seq(), 40u);
  EXPECT_EQ(row(*store, "k", "1"), "kept");
}

TEST_F(StoreTest, RetentionBySizeDropsTheOldestAndShrinksTheFile) {
  auto store = open();
  for (uint64_t seq = 1; seq <= 60'000; seq += 1000) commit(*store, make_events(seq, 1000));
  const StoreStats before = store->stats();
  ASSERT_TRUE(store->retain(0, before.journal_bytes / 10));
  const StoreStats after = store->stats();
  EXPECT_LE(after.journal_bytes, before.journal_bytes / 10);
  EXPECT_GT(after.events, 4'000u);
  EXPECT_EQ(seqs(*store, {.limit = 1}).front(), 60'001 - after.events);
  EXPECT_EQ(store->last_seq(), 60'000u);
  store.reset();
  EXPECT_LT(open()->stats().file_bytes, before.file_bytes / 3);
}

TEST_F(StoreTest, RetentionToNothingKeepsTheNumbering) {
  auto store = open();
  for (uint64_t seq = 1; seq <= 5; ++seq) commit(*store, make_events(seq, 1));
  ASSERT_TRUE(store->retain(INT64_MAX, 0));
  store.reset();
  EXPECT_EQ(open()->last_seq(), 5u);
}

TEST_F(StoreTest, ASecondDaemonIsKeptOut) {
  const auto store = open();
  const auto second = Store::open(dir_, kNow);
  ASSERT_FALSE(second.has_value());
  EXPECT_NE(second.error().text().find("another fmd"), std::string::npos) << second.error().text();
  commit(*store, make_events(1, 1));
}

TEST_F(StoreTest, AFolderThatCannotBeMadeIsNamed) {
  const auto store = Store::open(dir_ + "/a/b", kNow);
  ASSERT_TRUE(store && (*store)->unopened());
  const std::string text = (*store)->unopened()->text();
  EXPECT_NE(text.find(dir_ + "/a/b"), std::string::npos) << text;
}

TEST_F(StoreTest, AFileInTheFoldersPlaceIsNamed) {
  std::ofstream(dir_ + "/file") << "x";
  const auto store = Store::open(dir_ + "/file", kNow);
  ASSERT_TRUE(store && (*store)->unopened());
  const std::string text = (*store)->unopened()->text();
  EXPECT_NE(text.find(dir_ + "/file"), std::string::npos) << text;
}

}  // namespace
}  // namespace fmd::test
