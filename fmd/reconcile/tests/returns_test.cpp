// A disk that was gone and is there again comes back by itself, unless it was taken out of service.
#include "fmd/reconcile/tests/reconciler_rig.h"

namespace fmd::test {
namespace {

const std::string kBack = R"(restore zfs://pool=1/vdev=1 {"by":"return"})";

class ReturnsTest : public ReconcilerTest {
 protected:
  void pull(const Lines& wished = {}) {
    gone(disk(1), "removed");
    put_bay(1, {});
    put_vdev(1, {{"service", "removed"}, {"state", "REMOVED"}});
    EXPECT_EQ(act(), wished);
    wait(60);
  }
  void put_back(int in = 1) {
    put_bay(in, {disk(1)});
    put_disk(disk(1), "S1", "used");
  }
  // What is sent in that time, each command done.
  Lines in(int seconds) {
    Lines all;
    for (int i = 0; i < seconds; ++i) {
      for (std::string& line : act()) all.push_back(std::move(line));
      wait(1);
    }
    return all;
  }
  Lines said() { return reconciler->take_said(); }
};

TEST_F(ReturnsTest, AHealthyOneComesBackWithoutACase) {
  pull();
  put_back();
  EXPECT_EQ(in(4), Lines{}) << "not all of its names may be there yet";
  EXPECT_EQ(in(10), Lines{kBack});
  EXPECT_EQ(said(),
            Lines{"the disk with serial S1, vdev1 of pool tank, is back in SLOT 01: it is put "
                  "back into service"});
  put_vdev(1, {{"busy", "resilver"}});
  EXPECT_EQ(in(100), Lines{});
  EXPECT_EQ(said(), Lines{});
  put_vdev(1, {{"busy", ""}});
  EXPECT_EQ(in(5), Lines{});
  EXPECT_EQ(said(), Lines{"vdev1 of pool tank is back in service and holds all its data"});
  EXPECT_TRUE(engine->cases().empty());
  EXPECT_EQ(table(), "") << "nothing of it is to be undone";
}

TEST_F(ReturnsTest, OneOfWhichIsNotCertainWhichItIsWaits) {
  pull();
  put_bay(1, {disk(1)});
  put(disk(1), "disk", {{"serial", "S1"}, {"disputed", "according to fmd-redfish its serial is X"}},
      {});
  EXPECT_EQ(in(60), Lines{});
  EXPECT_EQ(said(),
            Lines{"vdev1 of pool tank is not put back into service: its disk cannot be identified "
                  "for certain: according to fmd-redfish its serial is X. 'fmadm restore "
                  "zfs://pool=1/vdev=1' does it"});
  put_disk(disk(1), "S1", "used");
  EXPECT_EQ(in(10), Lines{kBack});
}

// UNAVAIL: a disk that was not there when its pool was imported.
TEST_F(ReturnsTest, OneThatCameTooLate) {
  put_vdev(1, {{"service", "out-of-service"}, {"state", "UNAVAIL"}, {"lost", "true"}});
  gone(disk(1), "removed");
  put_bay(1, {});
  act();
  wait(60);
  put_back();
  EXPECT_EQ(in(10), Lines{kBack});
}

TEST_F(ReturnsTest, InAnyBay) {
  pull();
  put_bay(4, {disk(1)});
  put_disk(disk(1), "S1", "used");
  EXPECT_EQ(in(10), Lines{kBack});
}

// ZFS tells of it before the kernel has taken the device away.
TEST_F(ReturnsTest, OneThatIsJustGoingIsNotCalledBack) {
  put_vdev(1, {{"service", "removed"}, {"state", "REMOVED"}});
  EXPECT_EQ(in(3), Lines{});
  gone(disk(1), "removed");
  EXPECT_EQ(in(60), Lines{});
}

TEST_F(ReturnsTest, AfterARestartOfFmdToo) {
  pull();
  restart();
  put_back();
  EXPECT_EQ(in(10), Lines{kBack});
}

TEST_F(ReturnsTest, WhatWasRetiredStaysOut) {
  retire_fully(1);
  pull({"set_led hc://chassis=c/bay=1 " + kLedOn});
  put_back();
  const Lines sent = in(600);
  EXPECT_EQ(std::count(sent.begin(), sent.end(), kBack), 0);
}

TEST_F(ReturnsTest, WhatAPersonHasTakenOutStaysOut) {
  ASSERT_TRUE(reconciler->order_retire(vdev(1), Service::out_of_service, "root", now).has_value());
  act();
  pull();
  put_back();
  const Lines sent = in(600);
  EXPECT_EQ(std::count(sent.begin(), sent.end(), kBack), 0);
  put_vdev(1, {{"service", "out-of-service"}, {"state", "OFFLINE"}, {"retired_by", ""}});
  EXPECT_EQ(in(600), Lines{});
}

TEST_F(ReturnsTest, ItsAbsenceWasACase) {
  pull();
  convict(1, "ereport.t.away");
  EXPECT_EQ(act(), Lines{"spare_in zfs://pool=1/vdev=1 {}"});
  resilvered(1);
  wait(10);
  put_back();
  EXPECT_EQ(in(10), (Lines{kBack, "spare_out zfs://pool=1/vdev=1 KEY"}));
  EXPECT_EQ(state(), "RESOLVED");
}

TEST_F(ReturnsTest, OfTwoFindingsTheGraverHasTheSay) {
  pull();
  convict(1, "ereport.t.away");
  convict(1);
  EXPECT_FALSE(the_case().retire.returns);
  act();
  put_back();
  const Lines sent = in(60);
  EXPECT_EQ(std::count(sent.begin(), sent.end(), kBack), 0);
}

TEST_F(ReturnsTest, ADiskThatForetellsItsEndIsStillWanted) {
  put(disk(1), "disk", {{"serial", "S1"}, {"smart.status", "failed"}}, {});
  act();
  pull();
  convict(1, "ereport.t.pulled");
  put_bay(1, {disk(1)});
  put(disk(1), "disk", {{"serial", "S1"}, {"smart.status", "failed"}}, {});
  const Lines sent = in(10);
  EXPECT_EQ(std::count(sent.begin(), sent.end(), kBack), 1);
}

// The case asked for another disk; its vdev wishes no more than that.
TEST_F(ReturnsTest, ABlankDiskInItsBayIsTakenWithoutARetirement) {
  convict(1, "ereport.t.pulled");
  pull();
  EXPECT_EQ(in(30), Lines{}) << "no spare either";
  put_disk("dev://wwn=9", "NEW", "blank");
  put_bay(1, {"dev://wwn=9"});
  EXPECT_EQ(
      in(1),
      Lines{
          R"(replace zfs://pool=1/vdev=1 {"blank":true,"device":"dev://wwn=9","path":"/dev/sdNEW","serial":"NEW"})"});
}

TEST_F(ReturnsTest, WhyItCouldNotIsSaidOnce) {
  pull();
  put_back();
  wait(1);
  step();
  wait(5);
  for (int i = 0; i < 600; ++i) {
    for (const Command& c : step()) finish(c, CommandStatus::failed, "no such device");
    wait(1);
  }
  const Lines lines = said();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[1], "vdev1 could not be put back into service: no such device");
}

// Before the case or after it.
TEST_F(ReturnsTest, WhyItCouldNotStandsOnItsCase) {
  pull();
  put_back();
  const auto refuse = [&](int seconds) {
    for (int i = 0; i < seconds; ++i) {
      for (const Command& c : step())
        finish(c, CommandStatus::refused, c.name == CommandName::restore ? "no name" : "no spare");
      wait(1);
    }
  };
  const auto notes = [&] {
    const auto& timeline = the_case().timeline;
    return std::count_if(timeline.begin(), timeline.end(), [](const auto& entry) {
      return entry.text == "vdev1 could not be put back into service: no name";
    });
  };
  refuse(60);
  convict(1, "ereport.t.away");
  refuse(60);
  EXPECT_EQ(notes(), 1);
  refuse(4000);
  EXPECT_EQ(notes(), 1);
}

// Another source takes a pulled disk for present for hours; where it is tells that it has come.
TEST_F(ReturnsTest, ItIsTriedAtOnceWhereItShowsUp) {
  put_bay(1, {});
  put_vdev(1, {{"service", "removed"}, {"state", "REMOVED"}});
  for (int i = 0; i < 5000; ++i) {
    for (const Command& c : step()) finish(c, CommandStatus::refused, "its disk is not there");
    wait(1);
  }
  put_bay(2, {disk(1)});
  EXPECT_EQ(in(3), Lines{kBack});
}

TEST_F(ReturnsTest, ADryRunSendsNothing) {
  ActionConfig config;
  config.dry_run = true;
  reconciler->set_config(config);
  pull();
  put_back();
  EXPECT_EQ(in(20), Lines{});
  EXPECT_EQ(said(), Lines{});
}

}  // namespace
}  // namespace fmd::test
