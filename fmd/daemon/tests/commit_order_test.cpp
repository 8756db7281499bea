// What goes out, and when: nothing before it is on disk, in order, nothing twice, nothing that
// nobody wishes any more; and what a crash at each point leaves.
#include <algorithm>

#include "fmd/daemon/tests/pipeline_rig.h"

namespace fmd::test {
namespace {

class CommitOrderTest : public PipelineRig {
 protected:
  void SetUp() override {
    PipelineRig::SetUp();
    put_vdev("in-service");
    ASSERT_TRUE(flush());
    changes_.clear();
  }
  std::vector<StateRow> intents() { return *store_->load_state("intervention"); }
};

TEST_F(CommitOrderTest, ACommandGoesOutAfterItsIntentIsOnDisk) {
  pipeline_->submit(events("ereport.test.vdev", 1, kVdev));
  const Committed committed = pipeline_->flush();
  ASSERT_TRUE(committed.outcome);
  ASSERT_EQ(committed.commands.size(), 1u);
  EXPECT_EQ(committed.commands[0].name, CommandName::retire);
  EXPECT_EQ(committed.commands[0].resource, kVdev);
  EXPECT_EQ(intents().size(), 1u) << "on disk while the command is still in our hand";
  EXPECT_EQ(committed.answers.size(), 1u);
  EXPECT_EQ(acked_, 0) << "the caller carries it out";
}

TEST_F(CommitOrderTest, AfterACrashBetweenIntentAndCommandTheSameCommandIsSent) {
  pipeline_->submit(events("ereport.test.vdev", 1, kVdev));
  const Committed never_sent = pipeline_->flush();
  ASSERT_EQ(never_sent.commands.size(), 1u);
  kill_and_restart();
  ASSERT_EQ(commands_.size(), 1u);
  EXPECT_EQ(commands_[0].key, never_sent.commands[0].key) << "the plugin knows a repeat by it";
}

TEST_F(CommitOrderTest, ACommitThatFailsSendsNothingAndACrashThenLeavesNothing) {
  limit(4096);
  pipeline_->submit(events("ereport.test.vdev", 1, kVdev));
  EXPECT_FALSE(flush());
  EXPECT_TRUE(commands_.empty());
  EXPECT_EQ(acked_, 0);
  limit(RLIM_INFINITY);
  kill_and_restart();
  EXPECT_EQ(case_about(kVdev), nullptr);
  EXPECT_TRUE(intents().empty());
  EXPECT_TRUE(commands_.empty());
}

TEST_F(CommitOrderTest, WhatCouldNotBeWrittenIsPlannedAnewOnceItCan) {
  limit(4096);
  pipeline_->submit(events("ereport.test.vdev", 1, kVdev));
  EXPECT_FALSE(flush());
  pass(kSecond);
  EXPECT_TRUE(commands_.empty());
  limit(RLIM_INFINITY);
  for (int i = 0; i < 40; ++i) pass(100 * kMs);
  EXPECT_FALSE(pipeline_->failing());
  ASSERT_EQ(commands_.size(), 1u);
  EXPECT_EQ(commands_[0].name, CommandName::retire);
}

TEST_F(CommitOrderTest, WhatNobodyWishesAnyMoreWhenItCanBeWrittenIsNotSent) {
  limit(4096);
  pipeline_->submit(events("ereport.test.vdev", 1, kVdev));
  EXPECT_FALSE(flush());
  pipeline_->submit(events("sysevent.test.fine", 1, kVdev));
  limit(RLIM_INFINITY);
  for (int i = 0; i < 40; ++i) pass(100 * kMs);
  EXPECT_FALSE(pipeline_->failing());
  EXPECT_TRUE(commands_.empty());
  ASSERT_NE(case_about(kVdev), nullptr);
  EXPECT_EQ(case_about(kVdev)->state, CaseState::resolved);
  EXPECT_TRUE(intents().empty());
}

TEST_F(CommitOrderTest, NothingIsPlannedWhileNothingCanBeWritten) {
  limit(4096);
  pipeline_->submit(events("ereport.test.broken", 1));
  EXPECT_FALSE(flush());
  pipeline_->submit(events("ereport.test.vdev", 1, kVdev));
  EXPECT_FALSE(flush());
  EXPECT_TRUE(durable_->reconciler.interventions().all().empty());
  limit(RLIM_INFINITY);
}

TEST_F(CommitOrderTest, AnAnswerThatCommitsInItsTurnIsDurableAndTheRestComesInOrder) {
  std::vector<std::string> heard;
  Work first = events("ereport.test.vdev", 1, kVdev);
  first.committed = [&] {
    heard.push_back("first");
    Work second = events("ereport.test.broken", 1);
    second.committed = [&] { heard.push_back("second"); };
    pipeline_->submit(std::move(second));
    EXPECT_TRUE(flush());
    EXPECT_EQ(store_->last_seq(), 2u) << "on disk when flush() returns";
    EXPECT_EQ(heard.size(), 1u) << "but the first commit's commands and news go before its answer";
    EXPECT_TRUE(commands_.empty());
  };
  pipeline_->submit(std::move(first));
  ASSERT_TRUE(flush());
  EXPECT_EQ(heard, (std::vector<std::string>{"first", "second"}));
  ASSERT_EQ(commands_.size(), 1u);
  ASSERT_EQ(changes_.size(), 2u);
  EXPECT_EQ(changes_[0].last_seq, 1u);
  EXPECT_EQ(changes_[1].last_seq, 2u);
}

TEST_F(CommitOrderTest, WhatAPluginAnswersAndTellsIsSeenWithTheSameCommit) {
  pipeline_->submit(events("ereport.test.vdev", 1, kVdev));
  ASSERT_TRUE(flush());
  ASSERT_EQ(commands_.size(), 1u);
  answer(commands_[0], CommandResult{CommandStatus::done, false, false, ""});
  put_vdev("out-of-service", commands_[0].key);
  ASSERT_TRUE(flush());
  const auto& all = durable_->reconciler.interventions().all();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all.begin()->second.state, Intervention::State::in_force);
  EXPECT_EQ(commands_.size(), 1u);
}

TEST_F(CommitOrderTest, WhatAPersonOrderedIsAnsweredAfterTheCommit) {
  const auto order = durable_->reconciler.order_retire(kVdev, Service::out_of_service, "root",
                                                       durable_->clock.now());
  ASSERT_TRUE(order) << order.error().text();
  ASSERT_TRUE(flush());
  ASSERT_EQ(commands_.size(), 1u);
  answer(commands_[0], CommandResult{CommandStatus::refused, false, false, "last copy"});
  EXPECT_TRUE(orders_.empty());
  ASSERT_TRUE(flush());
  ASSERT_EQ(orders_.size(), 1u);
  EXPECT_EQ(orders_[0].order, *order);
  EXPECT_EQ(orders_[0].status, CommandStatus::refused);
}

TEST_F(CommitOrderTest, WhoOrderedSomethingIsAnsweredThoughNothingCanBeWritten) {
  ASSERT_TRUE(durable_->reconciler.order_retire(kVdev, Service::out_of_service, "root",
                                                durable_->clock.now()));
  ASSERT_TRUE(flush());
  ASSERT_EQ(commands_.size(), 1u);
  limit(4096);
  answer(commands_[0], CommandResult{CommandStatus::done, false, false, ""});
  EXPECT_FALSE(flush());
  limit(RLIM_INFINITY);
  ASSERT_EQ(orders_.size(), 1u);
  EXPECT_EQ(orders_[0].status, CommandStatus::done);
}

// --- time ---

TEST_F(CommitOrderTest, AStepOfTheWallClockNeitherEndsNorStretchesAWait) {
  pipeline_->submit(events("ereport.test.vdev", 1, kVdev));
  ASSERT_TRUE(flush());
  ASSERT_EQ(commands_.size(), 1u);
  answer(commands_[0], CommandResult{CommandStatus::failed, false, false, "no"});
  ASSERT_TRUE(flush());
  wall_ -= 365 * kDay;
  run();
  EXPECT_EQ(commands_.size(), 1u);
  for (int i = 0; i < 15; ++i) pass(100 * kMs);
  EXPECT_EQ(commands_.size(), 2u) << "tried again a second later";
  answer(commands_[1], CommandResult{CommandStatus::failed, false, false, "no"});
  ASSERT_TRUE(flush());
  wall_ += 730 * kDay;
  run();
  EXPECT_EQ(commands_.size(), 2u);
}

TEST_F(CommitOrderTest, NoStoredTimeIsLaterThanTheClockAfterAReboot) {
  pass(kDay);
  pipeline_->submit(events("ereport.test.broken", 1));
  ASSERT_TRUE(flush());
  const int64_t solved = case_about("dev://serial=A")->solved_steady_ns;
  EXPECT_EQ(solved, steady());
  pass(3600 * kSecond);  // nothing is written in it
  boot_id_ = "boot-2";
  boot_ = kSecond;
  wall_ -= 365 * kDay;
  kill_and_restart();
  EXPECT_GT(steady(), solved);
  EXPECT_LE(steady(), solved + 3600 * kSecond);
}

// --- telling ---

TEST_F(CommitOrderTest, AMessageWaitsForPluginsThatAreStillExpected) {
  arrivals_.started(engine().inventory(), steady());
  pipeline_->submit(events("ereport.test.broken", 1));
  ASSERT_TRUE(flush());
  EXPECT_EQ(durable_->outbox.waiting(), 0u);
  pass(4 * kSecond);
  EXPECT_EQ(durable_->outbox.waiting(), 0u);
  ASSERT_TRUE(pipeline_->next_wake_ns());
  EXPECT_LE(*pipeline_->next_wake_ns(), steady() + kSecond);
  pass(kSecond);
  EXPECT_EQ(durable_->outbox.waiting(), 1u);
}

TEST(Arrivals, EachIsWaitedForAsLongAsItMayHaveSomethingToSay) {
  Inventory inventory;
  Resource disk;
  disk.fmri = "dev://serial=A";
  disk.type = "disk";
  inventory.apply({"disk", {disk}, {}, true});
  Arrivals arrivals;
  EXPECT_FALSE(arrivals.expected(0)) << "not started";
  arrivals.started(inventory, 0);
  EXPECT_TRUE(arrivals.expected(6 * kSecond)) << "it told of disks before the restart";
  arrivals.told("disk");
  EXPECT_TRUE(arrivals.expected(4 * kSecond)) << "one may come that nobody has heard of";
  EXPECT_FALSE(arrivals.expected(5 * kSecond));
  arrivals.connected("enclosure", 5 * kSecond);
  EXPECT_EQ(arrivals.next_deadline_ns(5 * kSecond), 15 * kSecond);
  EXPECT_TRUE(arrivals.expected(14 * kSecond));
  EXPECT_FALSE(arrivals.expected(15 * kSecond));
  Suspect own;
  own.resource = kStoreResource;
  EXPECT_FALSE(arrivals.expected_for(own, 14 * kSecond));
}

}  // namespace
}  // namespace fmd::test
