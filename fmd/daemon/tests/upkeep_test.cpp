// Retention: by a clock that is believed.
#include "fmd/daemon/upkeep.h"

#include "fmd/daemon/tests/pipeline_rig.h"

namespace fmd::test {
namespace {

class UpkeepTest : public PipelineRig {
 protected:
  void open() override {
    PipelineRig::open();
    upkeep_ = std::make_unique<Upkeep>(
        *pipeline_, durable_->engine, durable_->clock, durable_->clock_watch, *jobs_, retention_,
        [] {}, [this] { ++rests_; });
  }
  void close() override {
    upkeep_.reset();
    PipelineRig::close();
  }

  // As the daemon's loop does it, each minute.
  void live(int64_t ns) {
    for (int64_t gone = 0; gone < ns; gone += 60 * kSecond) {
      pass(60 * kSecond);
      upkeep_->run();
      ASSERT_TRUE(flush());
    }
  }

  // A case that is resolved and told, journal and readings, and a disk that sat in a bay.
  void remember() {
    pipeline_->submit(events("ereport.test.broken", 1));
    ASSERT_TRUE(flush());
    Work work = events("sysevent.test.fine", 1);
    work.readings.push_back({"dev://serial=A", "temperature", "celsius", 30, wall_});
    pipeline_->submit(std::move(work));
    ASSERT_TRUE(flush());
    ASSERT_FALSE(case_about("dev://serial=A")->open());
    for (bool there : {true, false}) put_bay(there);
    pipeline_->submit(events("ereport.test.error", 1, "dev://serial=B"));  // the newest block stays
    ASSERT_TRUE(flush());
  }
  void put_bay(bool with_disk) {
    Resource bay;
    bay.fmri = "hc://chassis=1/bay=1";
    bay.type = "bay";
    if (with_disk) bay.edges.push_back({Relation::contains, "dev://serial=A"});
    InventoryUpdate update;
    update.source = "test";
    update.resources.push_back(bay);
    Work work;
    work.inventory.push_back(update);
    pipeline_->submit(std::move(work));
    ASSERT_TRUE(flush());
  }
  bool all_is_there() {
    size_t stays = 0;
    for (const auto& [bay, tenancies] : durable_->bay_history.bays()) stays += tenancies.size();
    return case_about("dev://serial=A") && stays == 1 && store_->stats().readings == 1 &&
           store_->stats().events == 3;
  }
  bool nothing_is_there() {
    size_t stays = 0;
    for (const auto& [bay, tenancies] : durable_->bay_history.bays()) stays += tenancies.size();
    return !case_about("dev://serial=A") && stays == 0 && store_->stats().readings == 0 &&
           store_->stats().events == 1;
  }

  Retention retention_;
  std::unique_ptr<Upkeep> upkeep_;
  int rests_ = 0;  // times that room was given back
};

TEST_F(UpkeepTest, WhatIsTooOldGoes) {
  remember();
  live(2 * 3600 * kSecond);
  EXPECT_TRUE(all_is_there());
  synchronised_ = true;
  pass(6 * 365 * kDay);
  live(3700 * kSecond);
  EXPECT_TRUE(nothing_is_there());
}

TEST_F(UpkeepTest, WhereNothingWasWrittenNothingIsSealedAndNobodyWoken) {
  const auto look = [this] {
    pass(Upkeep::kSealEachNs);
    upkeep_->run();
    run();
  };
  pipeline_->submit(events("ereport.test.error", 1));
  ASSERT_TRUE(flush());
  for (int i = 0; i < 3; ++i) look();
  EXPECT_GT(upkeep_->next_wake_ns(), steady() + 2 * Upkeep::kSealEachNs);
  EXPECT_EQ(rests_, 1);  // the first look is a minute's, too
  pipeline_->submit(events("ereport.test.error", 1));
  ASSERT_TRUE(flush());
  EXPECT_LE(upkeep_->next_wake_ns(), steady() + Upkeep::kSealEachNs);
}

TEST_F(UpkeepTest, WhatAStormTookIsGivenBackOnceItIsOver) {
  const auto look = [this] {
    pass(Upkeep::kSealEachNs);
    upkeep_->run();
    run();
    return rests_;
  };
  while (upkeep_->next_wake_ns() <= steady() + Upkeep::kSealEachNs) look();
  const int before = rests_;
  for (int ticks = 0; ticks < 3; ++ticks) {
    pipeline_->submit(events("ereport.test.error", Pipeline::kFlushEvents));
    ASSERT_TRUE(flush());
    EXPECT_EQ(look(), before) << "as much may come yet";
  }
  EXPECT_LE(upkeep_->next_wake_ns(), steady() + Upkeep::kSealEachNs);
  EXPECT_EQ(look(), before + 1);
  EXPECT_GT(upkeep_->next_wake_ns(), steady() + Upkeep::kSealEachNs);

  jobs_->held = true;
  pipeline_->submit(events("ereport.test.error", 1));
  pass(kSecond);
  run();
  EXPECT_EQ(look(), before + 1) << "the store writes";
  jobs_->held = false;
  jobs_->let_go();
  ASSERT_TRUE(flush());
  EXPECT_EQ(look(), before + 2);
}

TEST_F(UpkeepTest, AClockFarAheadDropsNothingUntilItIsConfirmed) {
  remember();
  live(2 * 3600 * kSecond);
  wall_ += 10 * 365 * kDay;
  live(3540 * kSecond);
  EXPECT_TRUE(all_is_there());
  EXPECT_FALSE(durable_->clock_watch.believed());
  live(2 * 3600 * kSecond);  // an hour of agreement, and the next hourly look
  EXPECT_TRUE(durable_->clock_watch.believed());
  EXPECT_TRUE(nothing_is_there());
}

TEST_F(UpkeepTest, AClockFarAheadThatIsSetRightHasDroppedNothing) {
  remember();
  live(600 * kSecond);
  wall_ += 10 * 365 * kDay;
  live(1800 * kSecond);
  wall_ -= 10 * 365 * kDay;
  live(3 * 3600 * kSecond);
  EXPECT_TRUE(durable_->clock_watch.believed());
  EXPECT_TRUE(all_is_there());
}

TEST_F(UpkeepTest, ARestartWithAClockFarAheadDropsNothing) {
  remember();
  live(600 * kSecond);
  wall_ += 10 * 365 * kDay;
  boot_id_ = "boot-2";
  boot_ = kSecond;
  kill_and_restart();
  live(1800 * kSecond);
  EXPECT_TRUE(all_is_there());
  kill_and_restart();
  live(1800 * kSecond);
  EXPECT_TRUE(all_is_there());
  synchronised_ = true;
  live(3700 * kSecond);
  EXPECT_TRUE(nothing_is_there());
}

TEST_F(UpkeepTest, AClockThatWentBackDropsNothing) {
  remember();
  live(600 * kSecond);
  wall_ -= 365 * kDay;
  live(3 * 3600 * kSecond);
  EXPECT_TRUE(all_is_there());
  EXPECT_TRUE(durable_->clock_watch.believed()) << "after an hour";
}

TEST_F(UpkeepTest, TheLimitsOfSizeHoldWhateverTheTimeIs) {
  remember();
  live(600 * kSecond);
  retention_.journal_bytes = 1;
  wall_ += 10 * 365 * kDay;
  live(3600 * kSecond);
  EXPECT_FALSE(durable_->clock_watch.believed());
  EXPECT_EQ(store_->stats().events, 1u);
  EXPECT_EQ(store_->stats().readings, 1u);
}

}  // namespace
}  // namespace fmd::test
