#include "plugins/ipmi/sel.h"

#include <gtest/gtest.h>

namespace fmd::ipmi {
namespace {

constexpr uint32_t kTime = 0x69000000;

// A simulated BMC's log.
struct Log {
  std::vector<Bytes> records;
  uint16_t next_id = 1;
  uint32_t clock = kTime, added = 0, erased = 0;
  size_t asked = 0;

  Bytes& add(int offset = 1, int sensor = 0x61) {
    Bytes record{static_cast<uint8_t>(next_id & 0xFF), static_cast<uint8_t>(next_id >> 8), 0x02};
    for (int i = 0; i < 4; ++i) record.push_back(static_cast<uint8_t>(clock >> (8 * i)));
    for (const int byte : {0x20, 0, 4, 8, sensor, 0x6F, offset, 0xFF, 0xFF})
      record.push_back(static_cast<uint8_t>(byte));
    ++next_id;
    added = clock++;
    return records.emplace_back(record);
  }
  void clear() {
    records.clear();
    next_id = 1;
    erased = clock++;
  }
  SelInfo info() const {
    return {static_cast<int>(records.size()), 16 * (100 - static_cast<int>(records.size())), added,
            erased, false};
  }
  Answer answer(const Request& request) {
    ++asked;
    const int id = request.data[2] | request.data[3] << 8;
    for (size_t i = 0; i < records.size(); ++i) {
      const int own = records[i][0] | records[i][1] << 8;
      const bool meant =
          id == own || (id == 0 && i == 0) || (id == 0xFFFF && i + 1 == records.size());
      if (!meant) continue;
      Bytes data =
          i + 1 < records.size() ? Bytes{records[i + 1][0], records[i + 1][1]} : Bytes{0xFF, 0xFF};
      data.insert(data.end(), records[i].begin(), records[i].end());
      return {data, 0};
    }
    return {std::nullopt, 0xCB};
  }
  std::vector<int> news(Sel& sel, std::optional<uint32_t> before = {}) {  // ids
    std::vector<int> ids;
    sel.begin(info(), before);
    for (auto requests = sel.ask(); !requests.empty(); requests = sel.ask()) {
      std::vector<Answer> answers;
      for (const Request& one : requests) answers.push_back(answer(one));
      for (const SelEntry& entry : sel.take(answers)) ids.push_back(entry.id);
    }
    return ids;
  }
};

using Ids = std::vector<int>;

TEST(Sel, WhatStoodThereBeforeIsNoNews) {
  Log log;
  for (int i = 0; i < 40; ++i) log.add();
  Sel sel;
  EXPECT_TRUE(sel.first_look());
  EXPECT_EQ(log.news(sel), Ids{});
  EXPECT_EQ(log.asked, 1U) << "the last one only";
  EXPECT_FALSE(sel.first_look());
  log.add();
  log.add();
  EXPECT_EQ(log.news(sel), (Ids{41, 42}));
  const size_t asked = log.asked;
  EXPECT_EQ(log.news(sel), Ids{});
  EXPECT_EQ(log.asked, asked) << "nothing was added: nothing is asked";
}

TEST(Sel, AnEmptyLogThatFillsUp) {
  Log log;
  Sel sel;
  EXPECT_EQ(log.news(sel), Ids{});
  EXPECT_FALSE(sel.first_look());
  for (int i = 0; i < 40; ++i) log.add();
  EXPECT_EQ(log.news(sel).size(), 40U);
}

TEST(Sel, GoesOnFromItsCursorAfterARestart) {
  Log log;
  log.add();
  Sel sel;
  log.news(sel);
  const std::string cursor = sel.cursor();
  log.add();
  Sel later;
  later.restore(cursor);
  EXPECT_FALSE(later.first_look());
  EXPECT_EQ(log.news(later), Ids{2});
  Sel damaged;
  damaged.restore("{\"record\":[1,2]}");
  EXPECT_TRUE(damaged.first_look());
  damaged.restore("nonsense");
  EXPECT_TRUE(damaged.first_look());
}

TEST(Sel, AClearedLogRaisesNothingAndItsNewEntriesAreNews) {
  Log log;
  for (int i = 0; i < 5; ++i) log.add();
  Sel sel;
  log.news(sel);
  log.clear();
  EXPECT_EQ(log.news(sel), Ids{});
  log.add();
  EXPECT_EQ(log.news(sel), Ids{1});
  // Between two reads the log was cleared, and filled beyond the last record read.
  log.clear();
  for (int i = 0; i < 3; ++i) log.add();
  EXPECT_EQ(log.news(sel), (Ids{1, 2, 3})) << "the same id is another record";
  log.clear();
  log.add();
  log.clear();
  EXPECT_EQ(log.news(sel), Ids{});
}

TEST(Sel, ALogThatComesRound) {
  Log log;
  for (int i = 0; i < 4; ++i) log.add();
  Sel sel;
  log.news(sel);
  for (int i = 0; i < 4; ++i) {  // the oldest are dropped
    log.add();
    log.records.erase(log.records.begin());
  }
  EXPECT_EQ(log.news(sel), (Ids{5, 6, 7, 8}));
  log.records.erase(log.records.begin());
  log.add();
  log.records[0][0] = 9;  // ids also wrap around
  log.records[0][1] = 0;
  EXPECT_FALSE(log.news(sel).empty());
}

// Times are in whole seconds (section 31.2): another entry in the same second changes nothing in a
// full log's SEL info.
TEST(Sel, AFullLogThatComesRoundTwiceInASecond) {
  Log log;
  for (int i = 0; i < 4; ++i) log.add();
  Sel sel;
  log.news(sel, log.clock);
  const auto round = [&](uint32_t second) {
    log.clock = second;
    log.add();
    log.records.erase(log.records.begin());
  };
  const uint32_t second = log.clock + 10;
  round(second);
  EXPECT_EQ(log.news(sel, second - 1), Ids{5});
  round(second);
  EXPECT_EQ(log.news(sel, second), Ids{6});
  round(second);
  EXPECT_EQ(log.news(sel, second + 1), Ids{7}) << "the last that can come";
  const size_t asked = log.asked;
  EXPECT_EQ(log.news(sel, second + 2), Ids{});
  EXPECT_EQ(log.asked, asked) << "nothing is asked for any more";
  round(second + 20);
  EXPECT_EQ(log.news(sel, second - 100'000), Ids{8});
  const size_t after = log.asked;
  EXPECT_EQ(log.news(sel, second - 99'970), Ids{}) << "the clock was set: it is not asked for ever";
  EXPECT_EQ(log.asked, after);
}

TEST(Sel, WhatWasReadIsNotReadAgainWhenItsLastEntryWasDeleted) {
  Log log;
  for (int i = 0; i < 4; ++i) log.add();
  Sel sel;
  log.news(sel);
  log.records.pop_back();
  EXPECT_EQ(log.news(sel), Ids{});
  log.clock += 10;
  log.add();
  EXPECT_EQ(log.news(sel), Ids{5});
  // A BMC reports the time of the last deletion, and not how many entries were deleted (section
  // 33.9).
  log.records.pop_back();
  log.erased = log.clock++;
  EXPECT_EQ(log.news(sel), Ids{}) << "it was not cleared";
  log.clear();
  log.clock = kTime - 1'000'000;
  log.add();
  EXPECT_EQ(log.news(sel), Ids{1}) << "cleared, and its clock set back: all is new";
}

// A poll that ends within the log neither repeats old entries nor loses its place.
TEST(Sel, ALongLogIsReadOverSeveralPolls) {
  Log log;
  for (int i = 0; i < 40; ++i) log.add();
  Sel sel;
  log.news(sel);
  log.records.pop_back();
  log.clock += 10;
  for (int i = 0; i < 60; ++i) log.add();
  Ids ids;
  for (int poll = 0; poll < 9; ++poll) {
    sel.begin(log.info());
    for (int steps = 0; steps < 3 && !sel.ask().empty(); ++steps) {
      std::vector<Answer> answers;
      for (const Request& one : sel.ask()) answers.push_back(log.answer(one));
      for (const SelEntry& entry : sel.take(answers)) ids.push_back(entry.id);
    }
    EXPECT_EQ(sel.complete(), poll > 1) << poll;
  }
  Ids expected;
  for (int id = 41; id <= 100; ++id) expected.push_back(id);
  EXPECT_EQ(ids, expected);
}

// Entries from before the BMC's clock was set have no date, so nothing shows whether they were read
// before.
TEST(Sel, EntriesWithoutADateThatAreReadAgainMayBeOld) {
  Log log;
  for (uint32_t boot = 0; boot < 3; ++boot) {
    log.clock = 40;
    log.add();
    log.clock = kTime + boot * 100'000;
    log.add();
  }
  Sel sel;
  log.news(sel);
  log.records.pop_back();  // the cursor's record was deleted
  const auto doubtful = [&] {
    std::map<int, bool> out;
    sel.begin(log.info());
    for (auto requests = sel.ask(); !requests.empty(); requests = sel.ask()) {
      std::vector<Answer> answers;
      for (const Request& one : requests) answers.push_back(log.answer(one));
      for (const SelEntry& entry : sel.take(answers)) out[entry.id] = entry.may_be_old;
    }
    return out;
  };
  log.clock = kTime + 300'000;
  log.add();
  log.clock = 60;
  log.add();
  EXPECT_EQ(doubtful(),
            (std::map<int, bool>{{1, true}, {3, true}, {5, true}, {7, false}, {8, false}}));
  log.add();
  EXPECT_EQ(doubtful(), (std::map<int, bool>{{9, false}})) << "read on from the last one";
}

TEST(Sel, ABmcsClockThatJumps) {
  Log log;
  log.add();
  Sel sel;
  log.news(sel);
  log.clock = 100;  // the clock is no longer set
  log.add();
  EXPECT_EQ(log.news(sel), Ids{2});
  log.clock = kTime + 1'000'000;
  log.add();
  log.clock = kTime - 1'000'000;
  log.add();
  EXPECT_EQ(log.news(sel), (Ids{3, 4}));
}

// "Busy" (C0h) in answer to a request for the cursor's record does not mean "cleared".
TEST(Sel, ABusyBmcHasClearedNothing) {
  Log log;
  Sel sel;
  for (int i = 0; i < 5; ++i) log.add();
  log.news(sel);
  log.add();
  for (const int completion : {0xC0, 0xC3, 0xCE, 0xD1}) {
    sel.begin(log.info());
    ASSERT_FALSE(sel.ask().empty());
    EXPECT_TRUE(
        sel.take(std::vector<Answer>(sel.ask().size(), {std::nullopt, completion})).empty());
    EXPECT_TRUE(sel.ask().empty()) << completion << ": until the next look";
  }
  EXPECT_EQ(log.news(sel), std::vector<int>{6});
}

TEST(Sel, GapsBetweenIdsAndACircle) {
  Log log;
  log.add();
  Sel sel;
  log.news(sel);
  for (int i = 0; i < 3; ++i) {
    log.next_id = static_cast<uint16_t>(log.next_id + 100);
    log.add();
  }
  EXPECT_EQ(log.news(sel), (Ids{102, 203, 304}));
  sel.begin(log.info());
  EXPECT_TRUE(sel.ask().empty());
  log.add();
  sel.begin(log.info());
  for (int round = 0; round < 5000; ++round) {  // a record that points to itself
    const auto requests = sel.ask();
    if (requests.empty()) break;
    std::vector<Answer> answers;
    for (const Request& one : requests) {
      answers.push_back(log.answer(one));
      if (answers.back().data && (*answers.back().data)[2] == 0x31) {
        (*answers.back().data)[0] = 0x31;
        (*answers.back().data)[1] = 0x01;
      }
    }
    sel.take(answers);
  }
  EXPECT_TRUE(sel.ask().empty()) << "it ends";
}

TEST(Sel, ABmcThatFallsSilentInTheMiddleIsReadOnLater) {
  Log log;
  log.add();
  Sel sel;
  log.news(sel);
  log.add();
  sel.begin(log.info());
  EXPECT_TRUE(sel.take(std::vector<Answer>(sel.ask().size())).empty());
  EXPECT_TRUE(sel.ask().empty());
  EXPECT_EQ(log.news(sel), Ids{2});
}

TEST(Sel, TimesAreOurs) {
  SelEntry entry;
  entry.time = kTime;
  constexpr int64_t now = 1'000'000'000'000'000'000;
  EXPECT_EQ(time_of(entry, kTime + 60, now), now - 60'000'000'000)
      << "however the BMC's clock is set";
  EXPECT_EQ(time_of(entry, kTime - 1, now), now) << "set back meanwhile";
  EXPECT_EQ(time_of(entry, std::nullopt, now), now);
  entry.time = 20;
  EXPECT_EQ(time_of(entry, kTime, now), now) << "before its clock was set";
  EXPECT_EQ(time_of(entry, 30, now), now - 10'000'000'000);
}

TEST(Sel, ARecordAndTheLogsState) {
  Log log;
  const SelEntry entry = SelEntry::parse(log.add(2, 0x62));
  EXPECT_TRUE(entry.is_event());
  EXPECT_EQ(entry.sensor, 0x62);
  EXPECT_EQ(entry.owner, 0x20);
  EXPECT_EQ(entry.offset, 2);
  EXPECT_FALSE(entry.deasserted);
  EXPECT_EQ(entry.reading_type, 0x6F);
  EXPECT_TRUE(SelEntry::parse({}).id == 0);
  EXPECT_FALSE(SelInfo::parse({1, 2, 3}));
  const auto info = SelInfo::parse({0x51, 5, 0, 0x30, 0x0c, 1, 0, 0, 0, 2, 0, 0, 0, 0x8a});
  ASSERT_TRUE(info);
  EXPECT_EQ(info->entries, 5);
  EXPECT_EQ(info->free_bytes, 3120);
  EXPECT_TRUE(info->overflow);
  EXPECT_NEAR(info->used_percent(), 2.5, 0.01);
  EXPECT_EQ(SelInfo{}.used_percent(), 0);
}

}  // namespace
}  // namespace fmd::ipmi
