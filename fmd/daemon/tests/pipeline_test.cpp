// Commits: when, what is in them, and what happens when they cannot be written.
#include "fmd/daemon/tests/pipeline_rig.h"

namespace fmd::test {
namespace {

using PipelineTest = PipelineRig;

TEST_F(PipelineTest, ALoneBatchIsCommittedAtOnceWhenIdle) {
  pass(kSecond);
  pipeline_->submit(events("ereport.test.error", 1));
  EXPECT_EQ(acked_, 0);
  EXPECT_EQ(pipeline_->next_wake_ns(), steady());
  run();
  EXPECT_EQ(acked_, 1);
  EXPECT_EQ(store_->last_seq(), 1u);
}

TEST_F(PipelineTest, AFewCommitsAfterARestComeAtOnceThenSmallBatchesAreGrouped) {
  pass(kSecond);
  for (int i = 1; i <= Pace::kAtOnce; ++i) {
    pipeline_->submit(events("ereport.test.error", 1));
    run();
    EXPECT_EQ(acked_, i);
  }
  const uint64_t commits = pipeline_->commits();
  for (int i = 0; i < 5; ++i) {
    pipeline_->submit(events("ereport.test.error", 1));
    pass(9 * kMs);
  }
  EXPECT_EQ(pipeline_->commits(), commits);
  ASSERT_EQ(pipeline_->next_wake_ns(), steady() + 5 * kMs);
  pass(5 * kMs);
  EXPECT_EQ(pipeline_->commits(), commits + 1) << "one transaction for all five";
  EXPECT_EQ(acked_, Pace::kAtOnce + 5);
}

TEST_F(PipelineTest, WhatGoesOnIsCommittedOnceInFiftyMilliseconds) {
  pass(kSecond);
  const uint64_t commits = pipeline_->commits();
  for (int i = 0; i < 1000; ++i) {
    pipeline_->submit(events("ereport.test.error", 1));
    pass(kMs);
  }
  EXPECT_EQ(pipeline_->commits(), commits + Pace::kAtOnce + 1000 / 50 - 1);
}

TEST_F(PipelineTest, AThousandQueuedEventsAreCommittedWithoutWaiting) {
  spend_pace();
  pipeline_->submit(events("ereport.test.error", 999, "dev://serial=B"));
  run();
  EXPECT_EQ(acked_, 0);
  pipeline_->submit(events("ereport.test.error", 1));
  EXPECT_EQ(pipeline_->next_wake_ns(), steady());
  run();
  EXPECT_EQ(acked_, 2);
  EXPECT_EQ(store_->last_seq(), Pace::kAtOnce + 1000u);
}

TEST_F(PipelineTest, AfterAStormALoneBatchWaitsNoLonger) {
  for (int i = 0; i < 100; ++i) {
    pipeline_->submit(events("ereport.test.error", 1000));
    run();
  }
  EXPECT_EQ(acked_, 100);
  pipeline_->submit(events("ereport.test.error", 1));
  EXPECT_EQ(pipeline_->next_wake_ns(), steady() + Pace::kEachNs);
}

TEST_F(PipelineTest, ItIsUrgentWhenMuchIsQueuedOrSomethingWaitsLong) {
  pass(kSecond);
  EXPECT_FALSE(pipeline_->urgent());
  pipeline_->submit(events("ereport.test.error", 1));
  EXPECT_FALSE(pipeline_->urgent());
  boot_ += Pace::kEachNs;
  EXPECT_TRUE(pipeline_->urgent());
  run();
  EXPECT_FALSE(pipeline_->urgent());
  pipeline_->submit(events("ereport.test.error", Pipeline::kWarmEvents - 1));
  EXPECT_FALSE(pipeline_->urgent());
  pipeline_->submit(events("ereport.test.error", 1));
  EXPECT_TRUE(pipeline_->urgent());
}

// It is in the cache yet. But sources that have more to say make the group that is written a larger one.
TEST_F(PipelineTest, WhatWasReadIsAppliedFirstAndWrittenWhenSourcesAreSilent) {
  pass(kSecond);
  const uint64_t commits = pipeline_->commits();
  pipeline_->submit(events("ereport.test.broken", 1, "dev://serial=B"));
  for (size_t taken = 1; taken + Pipeline::kWarmEvents < Pipeline::kGroupEvents;
       taken += Pipeline::kWarmEvents) {
    pipeline_->submit(events("ereport.test.error", Pipeline::kWarmEvents));
    ASSERT_TRUE(pipeline_->take_turn());
    run();
    ASSERT_FALSE(pipeline_->urgent()) << "sources are heard";
    EXPECT_EQ(pipeline_->queued_events(), 0u);
    EXPECT_NE(case_about("dev://serial=B"), nullptr);
  }
  EXPECT_EQ(pipeline_->commits(), commits);
  EXPECT_TRUE(changes_.empty()) << "what is not written is not told";
  EXPECT_EQ(durable_->outbox.waiting(), 0u) << "a message comes with the group";
  EXPECT_LE(*pipeline_->next_wake_ns(), steady());
  run();
  run();
  EXPECT_EQ(pipeline_->commits(), commits + 1);
  EXPECT_FALSE(changes_.empty());
  EXPECT_EQ(durable_->outbox.waiting(), 2u) << "with that of the errors";
}

TEST_F(PipelineTest, ALongQueueIsAppliedInSlicesAndWrittenWhole) {
  pass(kSecond);
  pipeline_->submit(events("ereport.test.broken", 1, "dev://serial=B"));
  pipeline_->submit(events("ereport.test.error", 1000));
  const uint64_t commits = pipeline_->commits();
  const size_t told = changes_.size();
  tick_ = kMs;  // with each look at the clock
  int slices = 0;
  for (; pipeline_->commits() == commits && slices < 100; ++slices) {
    EXPECT_EQ(acked_, 0);
    EXPECT_EQ(changes_.size(), told) << "what is not written is not told";
    run();
    if (pipeline_->commits() != commits) break;
    const int64_t now = steady();
    EXPECT_LE(pipeline_->next_wake_ns(), now + tick_) << "it goes on at once";
    EXPECT_FALSE(pipeline_->take_turn()) << "somebody else is heard first";
  }
  EXPECT_GT(slices, 5);
  EXPECT_LT(slices, 100);
  EXPECT_EQ(store_->last_seq(), 1001u);
  run();
  EXPECT_EQ(acked_, 2);
  EXPECT_NE(case_about("dev://serial=B"), nullptr);
}

TEST_F(PipelineTest, ASliceThatEndsBeyondWhatAGroupHoldsGoesOn) {
  pass(kSecond);
  for (int i = 0; i < 9; ++i) pipeline_->submit(events("ereport.test.error", 900));
  pipeline_->submit(events("ereport.test.broken", 1, "dev://serial=B"));
  tick_ = kMs;
  const uint64_t commits = pipeline_->commits();
  for (int i = 0; i < 1000 && acked_ < 10; ++i) run();
  EXPECT_EQ(acked_, 10);
  EXPECT_EQ(pipeline_->commits(), commits + 2) << "of which the first is full";
  EXPECT_EQ(store_->last_seq(), 8101u);
}

TEST_F(PipelineTest, AnOrderInTheMidstOfASliceFindsAllOfItApplied) {
  pass(kSecond);
  pipeline_->submit(events("ereport.test.error", 999));
  pipeline_->submit(events("ereport.test.broken", 1, "dev://serial=B"));
  tick_ = kMs;
  run();
  EXPECT_EQ(case_about("dev://serial=B"), nullptr);
  ASSERT_TRUE(flush());
  EXPECT_NE(case_about("dev://serial=B"), nullptr);
  EXPECT_EQ(acked_, 2);
  EXPECT_EQ(store_->last_seq(), 1000u);
}

TEST_F(PipelineTest, OneTransactionHoldsEventCaseCursorAndMessage) {
  Work work = events("ereport.test.broken", 1);
  work.rows.push_back({"cursor", "test", R"({"cursor":"7","boot_id":"boot-1"})"});
  pipeline_->submit(std::move(work));
  ASSERT_TRUE(flush());
  EXPECT_EQ(acked_, 1);
  close();
  open();
  EXPECT_EQ(store_->last_seq(), 1u);
  ASSERT_EQ(engine().cases().size(), 1u);
  EXPECT_EQ(durable_->outbox.waiting(), 1u);
  EXPECT_EQ(store_->load_state("cursor")->size(), 1u);
}

TEST_F(PipelineTest, ChangesAreToldAfterTheCommit) {
  pipeline_->submit(events("ereport.test.broken", 1));
  EXPECT_TRUE(changes_.empty());
  ASSERT_TRUE(flush());
  ASSERT_EQ(changes_.size(), 1u);
  EXPECT_EQ(changes_[0].last_seq, 1u);
  ASSERT_EQ(changes_[0].cases.size(), 1u);
  EXPECT_EQ(changes_[0].cases.begin()->second, "diagnosed");
  ASSERT_EQ(changes_[0].news.size(), 1u);
  EXPECT_EQ(changes_[0].news[0].event, "diagnosed");
}

TEST_F(PipelineTest, SerdEngineGoesOnAfterARestart) {
  pipeline_->submit(events("ereport.test.error", 2));
  ASSERT_TRUE(flush());
  close();
  open();
  EXPECT_TRUE(engine().cases().empty());
  wall_ += kSecond;
  pipeline_->submit(events("ereport.test.error", 1));
  ASSERT_TRUE(flush());
  EXPECT_EQ(engine().cases().size(), 1u);
  EXPECT_EQ(store_->last_seq(), 3u);
}

TEST_F(PipelineTest, FullDiskAcksNothingSaysSoAndLosesNothing) {
  pipeline_->submit(events("ereport.test.broken", 1, "dev://serial=before"));
  ASSERT_TRUE(flush());
  acked_ = 0;
  limit(4096);
  pipeline_->submit(events("ereport.test.broken", 1, "dev://serial=while"));
  const auto outcome = flush();
  ASSERT_FALSE(outcome);
  EXPECT_TRUE(store_->is_full()) << outcome.error().text();
  EXPECT_EQ(acked_, 0);
  EXPECT_EQ(flow_, Flow::ahead) << "as long as there is room in memory";
  EXPECT_TRUE(pipeline_->may_deliver()) << "nobody would hear of it";
  EXPECT_EQ(durable_->outbox.waiting(), 3u) << "two parts, and the store";
  EXPECT_TRUE(pipeline_->failing());
  const Case* full = case_about(kStoreResource);
  ASSERT_NE(full, nullptr) << "the case is visible although it cannot be written";
  EXPECT_EQ(full->state, CaseState::solved);

  int64_t waited = 0;
  for (int64_t wait : {1, 2, 4, 8, 8}) {
    ASSERT_EQ(pipeline_->next_wake_ns(), steady() + wait * kSecond);
    pass(wait * kSecond);
    waited += wait;
    EXPECT_EQ(acked_, 0);
  }
  limit(RLIM_INFINITY);
  pass(8 * kSecond);
  EXPECT_FALSE(pipeline_->failing());
  EXPECT_EQ(acked_, 1);
  EXPECT_EQ(flow_, Flow::acked);
  pass(Pace::kEachNs);
  full = case_about(kStoreResource);
  ASSERT_NE(full, nullptr);
  EXPECT_EQ(full->state, CaseState::resolved);
  close();
  open();
  EXPECT_NE(case_about("dev://serial=before"), nullptr);
  EXPECT_NE(case_about("dev://serial=while"), nullptr);
  EXPECT_EQ(store_->last_seq(), 4u) << "two, the store being full, and the store being well";
}

TEST_F(PipelineTest, AnAdministratorIsToldThatTheChangeIsNotOnDisk) {
  pipeline_->submit(events("ereport.test.broken", 1));
  ASSERT_TRUE(flush());
  limit(4096);
  const auto judged =
      engine().judge(Engine::Verdict::repaired, "uuid-1", "", "root", durable_->clock.now());
  ASSERT_TRUE(judged) << judged.error().text();
  const auto written = flush();
  limit(RLIM_INFINITY);
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().message.find("not on disk"), std::string::npos);
}

}  // namespace
}  // namespace fmd::test
