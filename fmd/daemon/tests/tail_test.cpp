// The journal's tail: what a start counts again, when a checkpoint comes, and that a crash at any commit
// leaves what there would have been without.
#include <random>

#include "fmd/daemon/tests/pipeline_rig.h"

namespace fmd::test {
namespace {

class TailTest : public PipelineRig {
 protected:
  void SetUp() override {
    PipelineRig::SetUp();
    seldom();
  }
  void open() override {
    PipelineRig::open();
    seldom();
  }
  // A storm in small: no commit is so small that a checkpoint goes along.
  void seldom() { durable_->tail.set_limits({0, 1000, 5 * kSecond}); }

  void commit(const std::string& event_class, int count, const std::string& resource) {
    wall_ += kSecond / 10;
    boot_ += kSecond / 10;
    pipeline_->submit(events(event_class, count, resource));
    ASSERT_TRUE(flush());
  }
  size_t rows(const std::string& kind) { return store_->load_state(kind)->size(); }
  std::string counted() {
    std::string out;
    for (const SerdView& serd : engine().serd_engines())
      out += serd.rule + " " + serd.resource + " " + std::to_string(serd.count) + " " +
             std::to_string(serd.newest_ns) + (serd.fired ? " fired\n" : "\n");
    for (const auto& [uuid, c] : engine().cases()) {
      out += c.suspects.at(0).resource + " " + std::to_string(c.evidence_count) + " " +
             std::to_string(c.last_evidence_ns);
      for (const Evidence& e : c.evidence) out += " " + std::to_string(e.seq);
      out += "\n";
    }
    return out;
  }
};

// The journal's tail is counted again before a source that has no cursor says hello.
TEST_F(TailTest, WhatIsOlderThanTheLossOfTheDatabaseIsNotCountedAfterARestartEither) {
  Work work;
  work.rows.push_back(begins_row(wall_, wall_));
  pipeline_->submit(std::move(work));
  ASSERT_TRUE(flush());
  kill_and_restart();
  Work old = events("ereport.test.error", 2, "dev://serial=A");
  for (Event& event : old.events) event.time_ns -= kSecond;
  pipeline_->submit(std::move(old));
  ASSERT_TRUE(flush());
  EXPECT_EQ(counted(), "");
  kill_and_restart();
  EXPECT_EQ(counted(), "");
  commit("ereport.test.error", 1, "dev://serial=A");
  EXPECT_NE(counted(), "");
}

TEST_F(TailTest, AStormWritesNoRowForWhatMerelyCountsOn) {
  commit("ereport.test.error", 3, "dev://serial=A");
  commit("ereport.test.error", 1, "dev://serial=B");
  const auto evidence = store_->load_state("evidence");
  commit("ereport.test.error", 20, "dev://serial=A");
  commit("ereport.test.error", 1, "dev://serial=B");
  ASSERT_EQ(evidence->size(), 1u);
  EXPECT_EQ(store_->load_state("evidence")->at(0).doc, evidence->at(0).doc);
  EXPECT_EQ(rows("moment"), 2u) << "what is new has a row at once";
  const std::string before = counted();
  kill_and_restart();
  EXPECT_EQ(counted(), before);
  EXPECT_EQ(rows("moment"), 0u) << "the start is a checkpoint itself";
  EXPECT_TRUE(changes_.empty());
  EXPECT_EQ(durable_->outbox.waiting(), 1u) << "told once";
}

TEST_F(TailTest, ACheckpointComesAfterFiveSecondsAndThenPeace) {
  commit("ereport.test.error", 2, "dev://serial=A");
  commit("ereport.test.error", 1, "dev://serial=A");
  ASSERT_GT(rows("moment"), 0u);
  const auto next = pipeline_->next_wake_ns();
  ASSERT_TRUE(next);
  EXPECT_LE(*next, steady() + 5 * kSecond);
  pass(5 * kSecond);
  EXPECT_EQ(rows("moment"), 0u);
  EXPECT_EQ(pipeline_->counted_to(), 3u);
  const uint64_t commits = pipeline_->commits();
  pass(60 * kSecond);
  EXPECT_EQ(pipeline_->commits(), commits) << "nothing has come since";
}

TEST_F(TailTest, AndAfterSoManyEvents) {
  commit("ereport.test.error", 3, "dev://serial=A");
  commit("ereport.test.error", 999, "dev://serial=A");
  EXPECT_EQ(rows("moment"), 1u);
  commit("ereport.test.error", 1, "dev://serial=A");
  EXPECT_EQ(rows("moment"), 0u);
}

// 200 disks in a storm of 10,000 events a second, with the daemon's own limits: what is written for
// 1,000 events. It was 654 rows and 1.08 MB when all that had changed was in each commit.
TEST_F(TailTest, AStormWritesSoManyRowsForAThousandEvents) {
  constexpr int kDisks = 200, kEach = 1000, kCommits = 60;
  const auto storm = [&] {
    for (int i = 0; i < kCommits; ++i) {
      Work work;
      for (int e = 0; e < kEach; ++e)
        work.events.push_back(self_event(
            "ereport.test.error", "dev://serial=" + std::to_string(e % kDisks), {}, wall_ + e));
      for (Event& event : work.events) event.source = "test";
      wall_ += kSecond / 10;
      boot_ += kSecond / 10;
      pipeline_->submit(std::move(work));
      ASSERT_TRUE(flush());
    }
  };
  const auto for_a_thousand = [&](const Tail::Limits& limits) {
    durable_->tail.set_limits(limits);
    const auto before = pipeline_->written();
    storm();
    const auto& after = pipeline_->written();
    return std::pair((after.rows - before.rows) / kCommits,
                     (after.bytes - before.bytes) / kCommits);
  };
  durable_->tail.set_limits({});
  storm();  // the cases are made, once
  ASSERT_EQ(engine().cases().size(), static_cast<size_t>(kDisks));
  const auto [rows, bytes] = for_a_thousand({});
  EXPECT_LE(rows, 20u);
  EXPECT_LE(bytes, 20'000u);
  // What there is to save.
  const auto [all_rows, all_bytes] = for_a_thousand({SIZE_MAX, 1, 0});
  EXPECT_GE(all_rows, 200u);
  EXPECT_GE(all_bytes, 200'000u);
}

TEST_F(TailTest, AFewRowsGoAlongAtOnce) {
  durable_->tail.set_limits({});
  commit("ereport.test.error", 2, "dev://serial=A");
  EXPECT_EQ(rows("moment"), 0u);
  EXPECT_EQ(pipeline_->counted_to(), 2u);
}

// While the disk is full nothing can be written, not even a checkpoint: that it is due is no work.
TEST_F(TailTest, AFullDiskIsNotAskedForItAllTheTime) {
  commit("ereport.test.error", 1, "dev://serial=A");
  commit("ereport.test.error", 1, "dev://serial=A");
  limit(4096);
  pipeline_->submit(events("ereport.test.error", 1, "dev://serial=B"));
  ASSERT_FALSE(flush());
  pass(6 * kSecond);
  ASSERT_TRUE(pipeline_->failing());
  const auto next = pipeline_->next_wake_ns();
  EXPECT_TRUE(!next || *next >= steady() + kSecond) << *next - steady();
  const std::string before = counted();
  limit(RLIM_INFINITY);
  pass(10 * kSecond);
  ASSERT_FALSE(pipeline_->failing());
  kill_and_restart();
  EXPECT_EQ(counted().substr(0, before.size()).size(), before.size());
  EXPECT_EQ(engine().serd_engines().size(), 2u);
}

// Retention leaves what a start needs, however old the source says that its events are.
TEST_F(TailTest, WhatIsToBeCountedAgainIsKept) {
  commit("ereport.test.error", 1, "dev://serial=A");
  commit("ereport.test.error", 1, "dev://serial=A");
  commit("ereport.test.broken", 1, "dev://serial=B");
  ASSERT_TRUE(store_->retain(wall_ + kDay, UINT64_MAX, pipeline_->counted_to()));
  const std::string before = counted();
  kill_and_restart();
  EXPECT_EQ(counted(), before);
  ASSERT_TRUE(store_->retain(wall_ + kDay, UINT64_MAX, pipeline_->counted_to()));
  EXPECT_EQ(store_->stats().blocks, 1u) << "and no longer than that";
}

// Random histories, a crash after each commit: what comes out is what an undisturbed run has.
TEST_F(TailTest, ACrashAtAnyCommitChangesNothing) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    std::string undisturbed;
    for (int crash = -1; crash < 14; ++crash) {
      close();
      std::filesystem::remove_all(dir_);
      std::filesystem::create_directory(dir_);
      wall_ = 1790000000 * kSecond;
      boot_ = 1000 * kSecond;
      uuids_ = 0;
      open();
      std::mt19937 random(seed);
      for (int step = 0; step < 14; ++step) {
        const char* const kClasses[] = {"ereport.test.error", "ereport.test.error",
                                        "ereport.test.error", "ereport.test.broken",
                                        "sysevent.test.fine"};
        const char* const event_class = kClasses[random() % 5];
        const auto count = static_cast<int>(random() % 3) + 1;
        commit(event_class, count, "dev://serial=" + std::to_string(random() % 3));
        if (random() % 4 == 0) durable_->tail.settle();
        if (step == crash) kill_and_restart();
      }
      if (crash < 0)
        undisturbed = counted();
      else
        ASSERT_EQ(counted(), undisturbed) << "seed " << seed << ", crash after commit " << crash;
    }
    EXPECT_NE(undisturbed, "");
  }
}

}  // namespace
}  // namespace fmd::test
