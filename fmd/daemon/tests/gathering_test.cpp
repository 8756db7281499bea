// What is applied and not written yet: it waits for no more than its pace, and nobody hears of it.
#include "fmd/daemon/tests/pipeline_rig.h"

namespace fmd::test {
namespace {

class GatheringTest : public PipelineRig {
 protected:
  void SetUp() override {
    PipelineRig::SetUp();
    spend_pace();
    changes_.clear();
  }
  // 250 events each 49 ms; applied when it is their turn. Nothing else is heard of the source.
  void trickle() {
    pipeline_->submit(events("ereport.test.error", Pipeline::kWarmEvents - 5));
    boot_ += 49 * kMs;
    wall_ += 49 * kMs;
    take_turn();
    pipeline_->submit(events("ereport.test.error", 5));
    take_turn();
  }
  void take_turn() {
    if (pipeline_->take_turn()) run();
  }
};

TEST_F(GatheringTest, BesidePeersThatAlwaysHaveSomethingToSayItIsWrittenAtItsPace) {
  pipeline_->submit(events("ereport.test.error", 300));
  take_turn();
  EXPECT_EQ(pipeline_->queued_events(), 0u);
  EXPECT_FALSE(pipeline_->urgent());
  boot_ += Pace::kEachNs;
  ASSERT_TRUE(pipeline_->take_turn());
  run();
  run();
  EXPECT_EQ(acked_, 1);
}

TEST_F(GatheringTest, WhatComesAllTheWhileDoesNotKeepItWaiting) {
  const int64_t begun = steady();
  while (acked_ == 0 && steady() < begun + 5 * kSecond) trickle();
  EXPECT_LE(steady() - begun, 3 * Pace::kEachNs);
}

TEST_F(GatheringTest, NothingOfItIsToldWhoeverWakesTheLoop) {
  const uint64_t before = store_->last_seq();
  Resource part;
  part.fmri = kVdev;
  part.type = "zfs-vdev";
  InventoryUpdate update;
  update.source = "test";
  update.resources.push_back(std::move(part));
  Work work = events("ereport.test.error", 300);
  work.inventory.push_back(std::move(update));
  pipeline_->submit(std::move(work));
  run();
  run();
  EXPECT_EQ(store_->last_seq(), before);
  for (const Changes& told : changes_) EXPECT_TRUE(told.resources.empty() && told.last_seq == 0);
  changes_.clear();
  pass(60 * kMs);
  EXPECT_EQ(store_->last_seq(), before + 300);
  ASSERT_FALSE(changes_.empty());
  EXPECT_EQ(changes_[0].last_seq, before + 300);
  EXPECT_EQ(changes_[0].resources.size(), 1u);
}

TEST_F(GatheringTest, WhenAGroupIsWrittenTheNextIsNotToldWithIt) {
  jobs_->held = true;
  pipeline_->submit(events("ereport.test.broken", 1, "dev://serial=first"));
  pass(100 * kMs);
  pipeline_->submit(events("ereport.test.error", 1200));
  run();
  changes_.clear();
  jobs_->let_one_go();
  run();
  ASSERT_FALSE(changes_.empty());
  EXPECT_EQ(changes_[0].last_seq, store_->last_seq());
}

// As a plugin does that has told of a new part whose readings follow.
TEST_F(GatheringTest, WhatIsTakenInForAQuestionIsMessageOfItsOwnGroup) {
  const size_t before = durable_->outbox.waiting();
  pipeline_->submit(events("ereport.test.broken", 1, "dev://serial=B"));
  pipeline_->take_in();
  ASSERT_NE(case_about("dev://serial=B"), nullptr);
  ASSERT_TRUE(pipeline_->may_deliver());
  EXPECT_EQ(durable_->outbox.waiting(), before) << "it is not on disk";
  pass(60 * kMs);
  EXPECT_EQ(durable_->outbox.waiting(), before + 1);
  EXPECT_FALSE(changes_.empty());
}

}  // namespace
}  // namespace fmd::test
