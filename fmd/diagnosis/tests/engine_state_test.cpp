// Rules about what is so: states and thresholds.
#include <gtest/gtest.h>

#include "fmd/diagnosis/engine.h"
#include "fmd/diagnosis/tests/rig.h"

namespace fmd {
namespace {

using test::kMinute;
using test::kSecond;
using test::kStart;
using test::Rig;

TEST(EngineState, HoldsConvictsAndClears) {
  Rig rig;
  rig.put_disk(1, kStart);
  const auto state = [&](const std::string& word, int64_t now) {
    rig.put(Rig::vdev(1), "zfs-vdev",
            {{"state", word}, {"service", word == "ONLINE" ? "in-service" : "removed"}}, {}, now);
  };
  state("REMOVED", kStart + kMinute);
  EXPECT_EQ(rig.states(), "UNSOLVED");
  state("ONLINE", kStart + 2 * kMinute);
  EXPECT_EQ(rig.states(), "");
  state("GONE", kStart + 3 * kMinute);
  rig.put(Rig::vdev(1), "zfs-vdev", {{"state", "REMOVED"}}, {},
          kStart + 4 * kMinute);  // another bad value: it goes on
  EXPECT_EQ(rig.engine->next_deadline_ns(), kStart + 13 * kMinute);
  rig.engine->on_time(kStart + 13 * kMinute);
  EXPECT_EQ(rig.states(), "SOLVED");
  rig.put(Rig::vdev(1), "zfs-vdev", {{"state", "REMOVED"}, {"x", int64_t{1}}}, {},
          kStart + 14 * kMinute);
  rig.engine->on_time(kStart + 60 * kMinute);
  EXPECT_EQ(rig.states(), "SOLVED");  // once
  state("ONLINE", kStart + 61 * kMinute);
  EXPECT_EQ(rig.states(), "RESOLVED");
  EXPECT_EQ(rig.news(), "diagnosed:2 resolved:2");
}

TEST(EngineState, KeepsSilentWhileAnotherCaseIsOpen) {
  Rig rig;
  rig.put_disk(1, kStart);
  rig.errors(3, Rig::vdev(1), kStart);
  rig.put(Rig::vdev(1), "zfs-vdev", {{"state", "REMOVED"}, {"service", "removed"}}, {},
          kStart + kMinute);
  EXPECT_EQ(rig.states(), "SOLVED");
  rig.engine->on_time(kStart + 60 * kMinute);
  EXPECT_EQ(rig.states(), "SOLVED");
  // That case is closed, the part is missing still: now it counts.
  ASSERT_TRUE(rig.engine->judge(Engine::Verdict::repaired, "1", "", "root", kStart + 61 * kMinute));
  EXPECT_EQ(rig.states(), "RESOLVED UNSOLVED");
  EXPECT_EQ(rig.engine->next_deadline_ns(), kStart + 71 * kMinute);
}

TEST(EngineState, ACaseThatOpensDuringTheHoldSilencesIt) {
  Rig rig;
  rig.put_disk(1, kStart);
  rig.put(Rig::vdev(1), "zfs-vdev", {{"state", "REMOVED"}}, {}, kStart);
  rig.errors(3, Rig::vdev(1), kStart + kSecond);
  EXPECT_EQ(rig.states(), "SOLVED");
  rig.engine->on_time(kStart + 60 * kMinute);
  EXPECT_EQ(rig.states(), "SOLVED");
  EXPECT_EQ(rig.news(), "diagnosed:2");
}

TEST(EngineState, AnAbsentResourceIsUnknown) {
  Rig rig;
  rig.put_disk(1, kStart);
  rig.put(Rig::vdev(1), "zfs-vdev", {{"state", "REMOVED"}}, {}, kStart);
  rig.gone(Rig::vdev(1), "removed", kStart + kMinute);  // its pool is exported
  EXPECT_EQ(rig.states(), "");
  rig.put(Rig::vdev(1), "zfs-vdev", {{"state", "REMOVED"}}, {}, kStart + 30 * kMinute);
  EXPECT_EQ(rig.engine->next_deadline_ns(), kStart + 40 * kMinute);
}

TEST(EngineThreshold, HasHysteresisAndHold) {
  Rig rig;
  const auto temperature = [&](Value v, int64_t now) {
    rig.put(Rig::disk(1), "disk", {{"temperature", std::move(v)}}, {}, now);
  };
  temperature(int64_t{60}, kStart);
  EXPECT_EQ(rig.states(), "");  // above means above
  temperature(int64_t{61}, kStart + kSecond);
  EXPECT_EQ(rig.states(), "UNSOLVED");
  temperature(57.0, kStart + 2 * kSecond);  // between the marks: goes on
  EXPECT_EQ(rig.states(), "UNSOLVED");
  temperature(54.9, kStart + 3 * kSecond);
  EXPECT_EQ(rig.states(), "");
  temperature(uint64_t{70}, kStart + 4 * kSecond);
  temperature(std::string("broken"), kStart + 5 * kSecond);  // unknown is neither
  EXPECT_EQ(rig.states(), "UNSOLVED");
  rig.engine->on_time(kStart + kMinute);
  EXPECT_EQ(rig.states(), "SOLVED");
  temperature(int64_t{56}, kStart + 2 * kMinute);
  EXPECT_EQ(rig.states(), "SOLVED");
  temperature(int64_t{50}, kStart + 3 * kMinute);
  EXPECT_EQ(rig.states(), "RESOLVED");
}

TEST(EngineThreshold, BelowWithoutRepairStaysUntilJudged) {
  Rig rig;
  const auto rpm = [&](int64_t v, int64_t now) {
    rig.put("hc://fan=1", "fan", {{"rpm", v}}, {}, now);
  };
  rpm(1500, kStart);
  rpm(900, kStart + kSecond);
  EXPECT_EQ(rig.states(), "SOLVED");
  rpm(1100, kStart + 2 * kSecond);
  rpm(2000, kStart + 3 * kSecond);
  EXPECT_EQ(rig.states(), "SOLVED");
  rpm(900, kStart + 4 * kSecond);  // folds
  EXPECT_EQ(rig.states(), "SOLVED");
  EXPECT_EQ(rig.news(), "diagnosed:1");
}

// A source that the database does not know tells its history from the beginning.
TEST(EngineState, WhatHappenedBeforeTheDatabaseBeginsAccusesNothing) {
  for (const bool restarts : {false, true}) {
    Rig rig;
    rig.put_disk(1, kStart);
    rig.engine->count_from("t", kStart);
    test::Rows rows;
    const auto past = [&] {
      for (int i = 1; i <= 3; ++i)
        rig.take(rig.event("ereport.t.error", Rig::vdev(1), kStart - i * kSecond), kStart);
    };
    past();
    if (restarts) {  // the journal's tail is counted again
      test::keep(*rig.engine, rows, false);
      rig.engine = std::make_unique<Engine>(rig.rules, [&] { return std::to_string(++rig.cases); });
      rig.engine->count_from("t", kStart);
      std::vector<StateRow> list;
      for (const auto& [key, doc] : rows) list.push_back({key.first, key.second, doc});
      list.push_back({"checkpoint", "events", R"({"seq":0})"});
      const Engine::Journal journal{rig.seq, [&rig](uint64_t, const Engine::Journal::Each& each) {
                                      for (const auto& [event, when] : rig.journal)
                                        each(event, when);
                                    }};
      ASSERT_TRUE(rig.engine->restore(list, journal));
    }
    EXPECT_TRUE(rig.engine->serd_engines().empty());
    rig.errors(2, Rig::vdev(1), kStart + kSecond);
    EXPECT_EQ(rig.states(), "") << "two of three";
    rig.errors(1, Rig::vdev(1), kStart + 3 * kSecond);
    EXPECT_EQ(rig.states(), "SOLVED");
  }
}

TEST(EngineState, HistoryIsOnlyThatSourcesAndOnlyByAClockThatIsRight) {
  Rig rig;
  rig.put_disk(1, kStart);
  rig.engine->count_from("other", kStart);
  rig.errors(3, Rig::vdev(1), kStart - kMinute);
  EXPECT_EQ(rig.states(), "SOLVED");
  Rig early;  // its clock stands at 1970 until it is set
  early.put_disk(1, kSecond);
  early.engine->count_from("t", kStart);
  early.errors(3, Rig::vdev(1), 2 * kSecond);
  EXPECT_EQ(early.states(), "SOLVED");
}

}  // namespace
}  // namespace fmd
