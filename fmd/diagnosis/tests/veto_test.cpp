// Disks that fail one after the other behind one controller, farther apart than the rules compare:
// fmd does nothing to them, and then accuses the controller.
#include <fmt/format.h>

#include <algorithm>

#include "fmd/diagnosis/tests/rig.h"

namespace fmd::test {
namespace {

constexpr const char* kVetoRules = R"(
[[rule]]
name = "io"
kind = "serd"
events = ["ereport.t.error"]
count = 3
within = "10min"
fault = "fault.fs.zfs.vdev.io"

[[rule]]
name = "media"
kind = "immediate"
events = ["ereport.t.medium"]
fault = "fault.t.media"

[[rule]]
name = "lost"
kind = "immediate"
events = ["ereport.t.dead"]
fault = "fault.t.lost"
)";

// Compare errors within 30 s, and losses within a minute.
constexpr const char* kSharedRules = R"(
[[rule]]
name = "shared"
kind = "cause"
faults = ["fault.fs.zfs.vdev.io"]
along = ["path"]
parts = "disk"
wait = "5s"
fault = "fault.t.shared"

[[rule]]
name = "shared-loss"
kind = "cause"
faults = ["fault.t.lost"]
along = ["path"]
parts = "disk"
wait = "5s"
fault = "fault.t.shared"
)";

std::string veto_rules(const char* shared = kSharedRules) {
  constexpr const char* kOnDisk = R"(led = true
[fault.fru]
follow = "redundancy"
scheme = "dev"
[fault.retire]
first = "out-of-service"
spare = true
[fault.repair]
on = ["sysevent.t.clear"]
)";
  return std::string(kVetoRules) + shared + a_fault("fault.t.lost", 4, "Major", kOnDisk) +
         a_fault("fault.t.shared", 3, "Major", "") +
         a_fault("fault.fs.zfs.vdev.io", 1, "Major", kOnDisk) +
         a_fault("fault.t.media", 2, "Major", std::string("order = \"replace\"\n") + kOnDisk);
}

// Twelve disks of one group behind the first controller, four of another one behind the second.
class VetoTest : public testing::Test {
 protected:
  VetoTest() : rig(veto_rules()) {
    for (int n = 1; n <= 16; ++n) {
      rig.put_disk(n, kStart);
      rig.put(Rig::disk(n), "disk", {{"serial", std::to_string(n)}}, {}, kStart);
    }
    behind(0, 1, 12);
    behind(1, 13, 16);
  }
  static std::string hba(int n) { return fmt::format("dev://pci={}", n); }
  void behind(int controller, int first, int last) {
    std::vector<Edge> paths, members;
    for (int n = first; n <= last; ++n) {
      paths.push_back({Relation::path, Rig::disk(n)});
      members.push_back({Relation::redundancy, Rig::vdev(n)});
    }
    rig.put(hba(controller), "hba", {}, paths, kStart);
    rig.put(fmt::format("zfs://pool=1/vdev={}", 100 + controller), "zfs-vdev",
            {{"vdev_type", "raidz2"}, {"parity", 2}}, members, kStart);
  }
  // Each deadline at its time, as the daemon has it.
  void until(int64_t to) {
    for (auto next = rig.engine->next_deadline_ns(); next && *next <= kStart + to;
         next = rig.engine->next_deadline_ns())
      rig.engine->on_time(*next);
    rig.engine->on_time(kStart + to);
  }
  void fails(int disk, int64_t at) {
    until(at);
    rig.errors(3, Rig::vdev(disk), kStart + at, kSecond / 10);
  }
  const Case* open_about(const std::string& part) const {
    for (const auto& [uuid, c] : rig.engine->cases())
      if (c.open() && c.state != CaseState::unsolved &&
          (c.suspects.front().fru == part || c.suspects.front().resource == part))
        return &c;
    return nullptr;
  }
  std::string doubt(int disk) const {
    const Case* c = open_about(Rig::disk(disk));
    return c ? c->suspects.front().undecided : "no case";
  }
  bool is_accused(int controller) const { return open_about(hba(controller)) != nullptr; }

  Rig rig;
};

TEST_F(VetoTest, ALoneDiskIsActedOnTwoMinutesAfterItsFirstSign) {
  fails(1, kMinute);
  until(kMinute + 6 * kSecond);
  EXPECT_EQ(doubt(1), "");
  EXPECT_EQ(open_about(Rig::disk(1))->acts_at_ns, kStart + 3 * kMinute + kSecond / 5);
  until(3 * kMinute + kSecond);
  EXPECT_EQ(open_about(Rig::disk(1))->acts_at_ns, 0);
  until(20 * kMinute);
  EXPECT_EQ(doubt(1), "");
}

TEST_F(VetoTest, WhatOnlyTheDiskCanCauseIsActedOnAtOnce) {
  rig.send("ereport.t.medium", Rig::vdev(1), kStart + kMinute);
  until(kMinute + kSecond);
  EXPECT_EQ(open_about(Rig::disk(1))->acts_at_ns, 0);
}

TEST_F(VetoTest, TheTimeToActSurvivesARestart) {
  fails(1, kMinute);
  until(kMinute + 6 * kSecond);
  Rows rows;
  keep(*rig.engine, rows);
  restart(rig, rows);
  until(2 * kMinute);
  EXPECT_EQ(open_about(Rig::disk(1))->acts_at_ns, kStart + 3 * kMinute + kSecond / 5);
  until(3 * kMinute + kSecond);
  EXPECT_EQ(open_about(Rig::disk(1))->acts_at_ns, 0);
}

TEST_F(VetoTest, TheSecondBehindOneControllerWaits) {
  fails(1, kMinute);
  fails(2, 2 * kMinute);
  until(2 * kMinute + 10 * kSecond);
  EXPECT_EQ(
      doubt(1),
      "2 of 12 disks behind dev://pci=0 failed within 1min of each other, so it may be a cable "
      "or dev://pci=0 itself and not the disk");
  EXPECT_EQ(doubt(2), "no case") << "the finding still waits";
  until(4 * kMinute + 10 * kSecond);
  EXPECT_EQ(doubt(2), "") << "no other one has followed for twice as long";
  EXPECT_FALSE(is_accused(0));
}

TEST_F(VetoTest, DisksBehindTwoControllersDoNotWait) {
  fails(1, kMinute);
  fails(13, 2 * kMinute);
  until(2 * kMinute + 10 * kSecond);
  EXPECT_EQ(doubt(1) + doubt(13), "");
}

TEST_F(VetoTest, OneAfterTheOtherAccusesTheController) {
  for (int n = 1; n <= 8; ++n) fails(n, n * kMinute);
  until(9 * kMinute);
  ASSERT_TRUE(is_accused(0));
  EXPECT_EQ(open_about(hba(0))->suspects.front().facts.at("failing"), "4 of 12");
  for (int n = 1; n <= 8; ++n) EXPECT_EQ(open_about(Rig::disk(n)), nullptr) << n;
  EXPECT_EQ(open_about(hba(0))->suspects.front().facts.at("found"), "T (4)")
      << "all of them, although minutes apart";
  const size_t cases = rig.engine->cases().size();
  fails(9, 10 * kMinute);
  until(11 * kMinute);
  EXPECT_EQ(open_about(Rig::disk(9)), nullptr) << "explained";
  EXPECT_EQ(rig.engine->cases().size(), cases + 1) << "by the same case";
}

// Superseded cases end as acquitted, not as repaired.
TEST_F(VetoTest, TheDisksCasesNameTheOneThatTookThemOver) {
  for (int n = 1; n <= 8; ++n) fails(n, n * kMinute);
  until(9 * kMinute);
  ASSERT_TRUE(is_accused(0));
  size_t superseded = 0;
  for (const auto& [uuid, c] : rig.engine->cases()) {
    if (c.open() || c.suspects.empty()) continue;
    ++superseded;
    EXPECT_EQ(c.suspects.front().status, SuspectStatus::acquitted);
    EXPECT_EQ(c.superseded_by, open_about(hba(0))->uuid);
  }
  EXPECT_GE(superseded, 2u);
  EXPECT_EQ(open_about(hba(0))->supersedes.size(), superseded);
}

TEST_F(VetoTest, WhatOnlyTheDiskCanCauseDecidesIt) {
  fails(1, kMinute);
  fails(2, 2 * kMinute);
  rig.send("ereport.t.medium", Rig::vdev(2), kStart + 2 * kMinute + 5 * kSecond);
  until(2 * kMinute + 10 * kSecond);
  EXPECT_EQ(doubt(2), "");
  EXPECT_EQ(doubt(1), "") << "nothing fails with it any more";
}

TEST_F(VetoTest, APersonsWordOnTheControllerDecidesIt) {
  for (int n = 1; n <= 8; ++n) fails(n, n * kMinute);
  until(9 * kMinute);
  ASSERT_TRUE(is_accused(0));
  ASSERT_TRUE(rig.engine->judge(Engine::Verdict::acquitted, open_about(hba(0))->uuid, "", "admin",
                                kStart + 9 * kMinute));
  until(30 * kMinute);
  EXPECT_FALSE(is_accused(0));
  for (int n = 1; n <= 8; ++n) EXPECT_EQ(doubt(n), "") << n;
}

// Another rule accused the controller before that.
TEST_F(VetoTest, APersonsWordHoldsForAllRules) {
  until(kMinute);
  for (int n = 1; n <= 7; ++n)
    rig.send("ereport.t.dead", Rig::vdev(n), kStart + kMinute + n * kSecond);
  until(3 * kMinute);
  ASSERT_TRUE(is_accused(0));
  ASSERT_EQ(open_about(hba(0))->rules.front(), "shared-loss");
  ASSERT_TRUE(rig.engine->judge(Engine::Verdict::acquitted, open_about(hba(0))->uuid, "", "admin",
                                kStart + 3 * kMinute));
  for (int n = 8; n <= 12; ++n) fails(n, n * kMinute);
  until(20 * kMinute);
  EXPECT_FALSE(is_accused(0));
  for (int n = 8; n <= 12; ++n) EXPECT_EQ(doubt(n), "") << n;
}

// Without rules that compare disks, a case is no evidence for a shared cause any more.
TEST_F(VetoTest, NoCaseStaysVetoedWithoutEvidence) {
  fails(1, kMinute);
  fails(2, 2 * kMinute);
  until(2 * kMinute + 10 * kSecond);
  ASSERT_NE(doubt(1), "");
  rig.rules = rules_of(veto_rules(""), rig.schema);
  rig.engine->set_rules(rig.rules);
  rig.engine->acknowledge(open_about(Rig::disk(1))->uuid, "admin", "",
                          kStart + 2 * kMinute + 11 * kSecond);
  EXPECT_EQ(doubt(1), "");
}

TEST_F(VetoTest, TheTimelineSaysWhyItIsDecided) {
  fails(1, kMinute);
  fails(2, 2 * kMinute);
  fails(13, 10 * kMinute);
  fails(14, 10 * kMinute + 45 * kSecond);
  until(20 * kMinute);
  const auto notes = [&](int disk) {
    std::vector<std::string> out;
    const Case* c = open_about(Rig::disk(disk));
    if (!c) return std::vector<std::string>{"no case"};
    for (const TimelineEntry& entry : c->timeline)
      if (entry.kind == "note") out.push_back(entry.text.substr(0, entry.text.find(" behind")));
    return out;
  };
  using Notes = std::vector<std::string>;
  EXPECT_EQ(notes(1), (Notes{"not decided: 2 of 12 disks",
                             "decided: the disk itself is the most likely cause now"}));
  EXPECT_EQ(notes(13),
            (Notes{"not decided: 2 of 4 disks", "decided: no other disk has failed since"}));
}

TEST_F(VetoTest, ARestartChangesNothing) {
  fails(1, kMinute);
  fails(2, 2 * kMinute);
  until(2 * kMinute + 10 * kSecond);
  const std::string before = doubt(2);
  Rows rows;
  keep(*rig.engine, rows);
  restart(rig, rows);
  until(2 * kMinute + 20 * kSecond);
  EXPECT_EQ(doubt(2), before);
  until(5 * kMinute);
  EXPECT_EQ(doubt(2), "");
}

// The odds of two disks change within a millisecond. No look is due before the pause after the one for
// the first disk has ended.
TEST_F(VetoTest, TheDaemonIsNotWokenInThePause) {
  rig.errors(3, Rig::vdev(1), kStart + kMinute, 0);
  rig.errors(3, Rig::vdev(2), kStart + kMinute + 1'000'000, 0);
  until(kMinute + 40 * kSecond);
  ASSERT_NE(doubt(1), "");
  int looks = 0;
  for (auto next = rig.engine->next_deadline_ns(); next && *next <= kStart + 2 * kMinute;
       next = rig.engine->next_deadline_ns()) {
    rig.engine->on_time(*next);
    ASSERT_LT(++looks, 100);
  }
}

// After a computation of the odds follows a pause, in which new cases are vetoed. That is no news for
// people.
TEST_F(VetoTest, InThePauseNewCasesAreVetoed) {
  rig.errors(3, Rig::vdev(1), kStart + kMinute, 0);
  rig.errors(3, Rig::vdev(13), kStart + kMinute + 1'000'000, 0);
  until(kMinute + 20 * kSecond);
  for (const int n : {1, 13}) {
    EXPECT_EQ(doubt(n), "") << n;
    for (const TimelineEntry& entry : open_about(Rig::disk(n))->timeline)
      EXPECT_NE(entry.kind, "note") << entry.text;
  }
}

}  // namespace
}  // namespace fmd::test
