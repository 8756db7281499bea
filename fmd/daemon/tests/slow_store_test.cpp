// A disk that takes its time: nobody waits for it, what comes meanwhile is seen, nothing is lost and
// nothing happens twice.
#include "fmd/daemon/tests/pipeline_rig.h"

namespace fmd::test {
namespace {

class SlowStoreTest : public PipelineRig {
 protected:
  void SetUp() override {
    PipelineRig::SetUp();
    put_vdev("in-service");
    ASSERT_TRUE(flush());
    changes_.clear();
    pass(kSecond);
  }
  // The disk hangs with these on their way to it.
  void hang(Work work) {
    jobs_->held = true;
    pipeline_->submit(std::move(work));
    run();
  }
  void recover() {
    jobs_->held = false;
    jobs_->let_go();
  }
  void wait(int64_t ns) {
    for (int64_t gone = 0; gone < ns; gone += 100 * kMs) pass(100 * kMs);
  }
};

TEST_F(SlowStoreTest, NothingIsAnsweredCommandedOrToldBeforeItIsOnDisk) {
  hang(events("ereport.test.vdev", 1, kVdev));
  EXPECT_EQ(acked_, 0);
  EXPECT_TRUE(commands_.empty());
  EXPECT_TRUE(changes_.empty());
  EXPECT_FALSE(pipeline_->may_deliver());
  ASSERT_TRUE(pipeline_->next_wake_ns());
  EXPECT_GT(*pipeline_->next_wake_ns(), steady()) << "it does not spin";
  recover();
  run();
  EXPECT_EQ(acked_, 1);
  ASSERT_EQ(commands_.size(), 1u);
  EXPECT_EQ(changes_.size(), 1u);
  EXPECT_TRUE(pipeline_->may_deliver());
}

TEST_F(SlowStoreTest, WhatComesMeanwhileIsSeenAtOnceAndWrittenInOrder) {
  hang(events("ereport.test.broken", 1, "dev://serial=first"));
  pipeline_->submit(events("ereport.test.broken", 1, "dev://serial=second"));
  wait(300 * kMs);
  ASSERT_NE(case_about("dev://serial=second"), nullptr);
  EXPECT_EQ(acked_, 0);
  EXPECT_EQ(durable_->outbox.waiting(), 1u) << "a message comes with the case's own group";
  recover();
  run();
  EXPECT_EQ(acked_, 1);
  pass(100 * kMs);
  EXPECT_EQ(acked_, 2);
  EXPECT_EQ(durable_->outbox.waiting(), 2u);
  EXPECT_EQ(store_->last_seq(), 2u);
  kill_and_restart();
  EXPECT_NE(case_about("dev://serial=first"), nullptr);
  EXPECT_NE(case_about("dev://serial=second"), nullptr);
}

// What a storm brings is applied while what came before is written, and is the next group as it stands.
TEST_F(SlowStoreTest, MuchThatComesMeanwhileIsAppliedMeanwhile) {
  hang(events("ereport.test.broken", 1, "dev://serial=first"));
  pipeline_->submit(events("ereport.test.error", Pipeline::kWarmEvents - 2));
  pipeline_->submit(events("ereport.test.broken", 1, "dev://serial=second"));
  run();
  EXPECT_EQ(case_about("dev://serial=second"), nullptr) << "not for so few";
  EXPECT_GT(*pipeline_->next_wake_ns(), steady());
  pipeline_->submit(events("ereport.test.error", 1));
  EXPECT_LE(*pipeline_->next_wake_ns(), steady());
  run();
  EXPECT_NE(case_about("dev://serial=second"), nullptr);
  EXPECT_EQ(acked_, 0);
  EXPECT_EQ(durable_->outbox.waiting(), 1u) << "a message comes with the case's own group";
  EXPECT_GT(*pipeline_->next_wake_ns(), steady()) << "it does not spin";
  recover();
  run();
  EXPECT_EQ(acked_, 1);
  EXPECT_LE(*pipeline_->next_wake_ns(), steady()) << "the next group waits for nothing";
  run();
  run();
  EXPECT_EQ(store_->last_seq(), Pipeline::kWarmEvents + 1);
  EXPECT_EQ(acked_, 4);
  EXPECT_EQ(durable_->outbox.waiting(), 3u) << "with that of the errors";
}

TEST_F(SlowStoreTest, MuchIsUrgentOnlyOnceTheStoreCanTakeIt) {
  hang(events("ereport.test.broken", 1));
  pipeline_->submit(events("ereport.test.error", Pipeline::kGroupEvents));
  EXPECT_TRUE(pipeline_->urgent()) << "it is in the cache yet";
  run();
  EXPECT_FALSE(pipeline_->urgent()) << "what sources say comes first";
  recover();
  run();
  EXPECT_TRUE(pipeline_->urgent());
  run();
  EXPECT_FALSE(pipeline_->urgent());
  EXPECT_EQ(store_->last_seq(), Pipeline::kGroupEvents + 1);
}

TEST_F(SlowStoreTest, ASourceThatFloodsIsHeldWhenMemoryHasTheNextGroup) {
  hang(events("ereport.test.broken", 1));
  for (int i = 0; i < 9; ++i) pipeline_->submit(events("ereport.test.error", 900));
  tick_ = kMs;
  for (int i = 0; i < 1000 && *pipeline_->next_wake_ns() <= steady(); ++i) run();
  tick_ = 0;
  EXPECT_GT(*pipeline_->next_wake_ns(), steady()) << "it does not spin";
  EXPECT_EQ(flow_, Flow::held);
  EXPECT_EQ(pipeline_->queued_events(), 0u);
  recover();
  run();
  EXPECT_EQ(flow_, Flow::acked);
  for (int i = 0; i < 10; ++i) pass(100 * kMs);
  EXPECT_EQ(acked_, 10);
  EXPECT_EQ(store_->last_seq(), 8101u);
}

TEST_F(SlowStoreTest, LongerThanFiveSecondsIsACaseThatEndsByItself) {
  hang(events("ereport.test.broken", 1));
  wait(4900 * kMs);
  EXPECT_EQ(case_about(kStoreResource), nullptr);
  wait(200 * kMs);
  const Case* slow = case_about(kStoreResource);
  ASSERT_NE(slow, nullptr);
  EXPECT_EQ(slow->state, CaseState::solved);
  EXPECT_TRUE(pipeline_->stalled());
  EXPECT_TRUE(pipeline_->may_deliver());
  EXPECT_GE(durable_->outbox.waiting(), 2u) << "told at once";
  wait(35 * kSecond);
  EXPECT_EQ(flow_, Flow::ahead);
  recover();
  run();
  EXPECT_FALSE(pipeline_->stalled());
  EXPECT_EQ(acked_, 1);
  pass(100 * kMs);
  EXPECT_EQ(case_about(kStoreResource)->state, CaseState::solved) << "it may come again";
  for (int i = 0; i < 11; ++i) pass(60 * kSecond);
  pass(100 * kMs);
  EXPECT_EQ(case_about(kStoreResource)->state, CaseState::resolved);
}

TEST_F(SlowStoreTest, AQuestionThatKeepsTheStoreIsNoSlowWrite) {
  jobs_->held = true;
  jobs_->ask([](Store&) { return StoreJobs::Done(); });
  hang(events("ereport.test.broken", 1));
  wait(4900 * kMs);
  jobs_->let_one_go();
  wait(4900 * kMs);
  EXPECT_EQ(case_about(kStoreResource), nullptr) << "the write itself has had less than 5 s";
  wait(200 * kMs);
  EXPECT_NE(case_about(kStoreResource), nullptr);
}

TEST_F(SlowStoreTest, WhileItHangsNothingIsRetiredAndItIsPlannedAnewAfterwards) {
  hang(events("ereport.test.broken", 1));
  wait(6 * kSecond);
  pipeline_->submit(events("ereport.test.vdev", 1, kVdev));
  wait(kSecond);
  ASSERT_NE(case_about(kVdev), nullptr);
  EXPECT_TRUE(durable_->reconciler.interventions().all().empty());
  recover();
  wait(kSecond);
  ASSERT_EQ(commands_.size(), 1u);
  EXPECT_EQ(commands_[0].name, CommandName::retire);
}

TEST_F(SlowStoreTest, WhatNobodyWishesAnyMoreWhenItIsWrittenIsNotSent) {
  hang(events("ereport.test.broken", 1));
  wait(6 * kSecond);
  pipeline_->submit(events("ereport.test.vdev", 1, kVdev));
  wait(kSecond);
  pipeline_->submit(events("sysevent.test.fine", 1, kVdev));
  recover();
  wait(kSecond);
  EXPECT_TRUE(commands_.empty());
}

TEST_F(SlowStoreTest, AWriteThatHangsAndThenFailsIsWrittenWithWhatCameMeanwhile) {
  hang(events("ereport.test.broken", 2, "dev://serial=first"));
  pipeline_->submit(events("ereport.test.broken", 3, "dev://serial=second"));
  wait(kSecond);
  limit(4096);
  recover();
  run();
  EXPECT_TRUE(pipeline_->failing());
  EXPECT_EQ(acked_, 0);
  limit(RLIM_INFINITY);
  wait(3 * kSecond);
  EXPECT_FALSE(pipeline_->failing());
  EXPECT_EQ(acked_, 2);
  uint64_t next = 1;
  ASSERT_TRUE(store_->each_event({}, [&](const Event& event) { return event.seq == next++; }));
  EXPECT_EQ(next, 8u) << "five, the store failing, and the store being well";
}

TEST_F(SlowStoreTest, MemoryHasAnEndSourcesWaitThen) {
  hang(events("ereport.test.error", 1));
  for (int i = 0; i < 9; ++i) {
    pipeline_->submit(events("ereport.test.error", 1000, "dev://serial=" + std::to_string(i)));
    wait(300 * kMs);
  }
  EXPECT_EQ(flow_, Flow::held);
  recover();
  wait(kSecond);
  EXPECT_EQ(flow_, Flow::acked);
  EXPECT_EQ(acked_, 10);
  EXPECT_EQ(store_->last_seq(), 9001u);
}

TEST_F(SlowStoreTest, WhatIsWrittenOverAllTheWhileDoesNotFillTheMemory) {
  hang(events("ereport.test.error", 1));
  for (int i = 0; i < 40; ++i) {
    Work work;
    for (int n = 0; n < 1000; ++n)
      work.rows.push_back({"cursor", std::to_string(n), std::to_string(i * 1000 + n)});
    pipeline_->submit(std::move(work));
    wait(300 * kMs);
    ASSERT_LT(pipeline_->waiting_rows(), 10'000u);
  }
  recover();
  wait(kSecond);
  const auto stored = store_->load_state("cursor");
  ASSERT_EQ(stored->size(), 1000u);
  for (const StateRow& row : *stored)
    EXPECT_EQ(row.doc, std::to_string(39000 + std::stoi(row.key)));
}

TEST_F(SlowStoreTest, WhoChangesSomethingIsToldThatItIsNotOnDisk) {
  hang(events("ereport.test.broken", 1));
  const auto written = flush();
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().message.find("not on disk"), std::string::npos);
  recover();
  EXPECT_TRUE(flush());
}

TEST_F(SlowStoreTest, AGroupUnderWayAtTheEndIsWritten) {
  hang(events("ereport.test.broken", 1));
  pipeline_->submit(events("ereport.test.broken", 1, "dev://serial=B"));
  recover();
  ASSERT_TRUE(flush());
  EXPECT_EQ(store_->last_seq(), 2u);
}

// Its two rows wait while a fresh file takes the damaged one's place: the later one counts.
TEST_F(SlowStoreTest, WhatLeftAndCameBackIsInTheFreshFile) {
  jobs_->says_damaged = true;
  hang(events("ereport.test.broken", 1));
  jobs_->says_damaged = false;
  InventoryUpdate update;
  update.source = "test";
  update.gone = {{kVdev, "destroyed", ""}};
  Work gone;
  gone.inventory.push_back(std::move(update));
  pipeline_->submit(std::move(gone));
  wait(300 * kMs);
  put_vdev("in-service");
  wait(300 * kMs);
  EXPECT_GE(pipeline_->waiting_rows(), 2u);
  recover();
  run();
  const Result<void> written = flush();
  ASSERT_TRUE(written) << written.error().text();
  EXPECT_EQ(store_->load_state("resource")->size(), 1u);
}

// Setting a damaged file aside and saving what is in it takes long on a disk that dies.
TEST_F(SlowStoreTest, AReplacementThatHangsIsTold) {
  jobs_->held = true;
  jobs_->says_damaged = true;
  pipeline_->submit(events("ereport.test.broken", 1, "dev://serial=first"));
  wait(kSecond);
  pipeline_->submit(events("ereport.test.broken", 1, "dev://serial=second"));
  wait(120 * kSecond);
  EXPECT_NE(case_about("dev://serial=second"), nullptr);
  EXPECT_NE(case_about(kStoreResource), nullptr) << "no case";
  EXPECT_TRUE(pipeline_->stalled());
  EXPECT_TRUE(pipeline_->may_deliver()) << "no message";
  EXPECT_GE(durable_->outbox.waiting(), 1u) << "nothing composed";
  EXPECT_EQ(flow_, Flow::ahead);
}

}  // namespace
}  // namespace fmd::test
