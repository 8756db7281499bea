// What the disk says of itself and what ZFS says of it are one case, whichever comes first, and it
// ends when both have ended.
#include <gtest/gtest.h>

#include "fmd/diagnosis/tests/rig.h"
#include "fmd/model/diagcode.h"

namespace fmd {
namespace {

using test::kMinute;
using test::kSecond;
using test::kStart;
using test::Rig;
using Verdict = Engine::Verdict;

// The rules most tests use, and one about the disk itself.
std::string with_smart() {
  return std::string(test::kRules) + R"(
[[rule]]
name = "smart"
kind = "state"
type = "disk"
property = "smart.status"
values = ["failed"]
fault = "fault.t.smart"

[[rule]]
name = "gone"
kind = "state"
type = "zfs-vdev"
property = "state"
values = ["UNAVAIL"]
unless_open = true
fault = "fault.t.gone"

[[fault]]
class = "fault.t.smart"
dictionary = "T"
number = 21
severity = "Minor"
title = "{serial} says it fails"
description = "{value}: {name}, {pool}."
response = "r"
impact = "i"
action = "a"
led = true
[fault.repair]
when_clear = true

[[fault]]
class = "fault.t.gone"
dictionary = "T"
number = 22
severity = "Minor"
title = "Gone"
description = "d"
response = "r"
impact = "i"
action = "a"
[fault.fru]
follow = "redundancy"
scheme = "dev"
[fault.retire]
first = "out-of-service"
spare = true
)";
}

class DiskCase : public ::testing::Test {
 protected:
  void SetUp() override { rig.put_disk(1, kStart); }
  void smart(const std::string& status) {
    rig.put(Rig::disk(1), "disk", {{"smart.status", status}}, {}, now += kSecond, "smart");
  }
  void zfs() {
    rig.errors(3, Rig::vdev(1), now);
    now += 3 * kSecond;
  }
  // As both its sources see it.
  void pull() {
    rig.gone(Rig::disk(1), "removed", now += kSecond);
    InventoryUpdate update;
    update.source = "smart";
    update.gone.push_back({Rig::disk(1), "removed", ""});
    rig.engine->on_inventory(update, now);
  }
  void swap() {
    pull();
    rig.put(Rig::bay(1), "bay", {{"label", "SLOT 01"}}, {{Relation::contains, "dev://wwn=9"}},
            now += kSecond);
    rig.put("dev://wwn=9", "disk", {{"serial", "NEW"}}, {}, now += kSecond);
  }
  void no_pool() { rig.gone(Rig::vdev(1), "detached", now += kSecond); }
  const Case& c() { return rig.only_case(); }
  Rig rig{with_smart()};
  int64_t now = kStart + kMinute;
};

TEST_F(DiskCase, TheDiskSpeaksFirst) {
  smart("failed");
  EXPECT_EQ(c().retire.first, "");
  EXPECT_EQ(c().title, "SERIAL1 says it fails");
  zfs();
  EXPECT_EQ(rig.news(), "diagnosed:1 updated:1");
  ASSERT_EQ(c().suspects.size(), 2u);
  EXPECT_EQ(c().suspects[0].asru, Rig::disk(1));
  EXPECT_EQ(c().suspects[1].asru, Rig::vdev(1));
  EXPECT_EQ(c().suspects[1].fru, Rig::disk(1));
  // What is to be done is now the vdev's policy, what is said is the graver.
  EXPECT_EQ(c().retire.first, "degraded");
  EXPECT_EQ(c().retire.then, "out-of-service");
  EXPECT_TRUE(c().retire.spare);
  EXPECT_EQ(c().code, diagcode("T", 1));
  EXPECT_EQ(c().description,
            "3 errors within 1min on bay SLOT 01, serial SERIAL1, MODEL, pool tank. Also found: "
            "SERIAL1 says it fails (" +
                diagcode("T", 21) + ").");
}

TEST_F(DiskCase, ZfsSpeaksFirst) {
  zfs();
  smart("failed");
  EXPECT_EQ(rig.news(), "diagnosed:1 updated:1");
  ASSERT_EQ(c().suspects.size(), 2u);
  EXPECT_EQ(c().suspects[1].resource, Rig::disk(1));
  EXPECT_EQ(c().retire.first, "degraded");
  EXPECT_EQ(c().code, diagcode("T", 1));
  // The text of the first is what it was.
  EXPECT_TRUE(c().description.starts_with("3 errors within 1min on bay SLOT 01, serial SERIAL1"));
}

TEST_F(DiskCase, AHeldVerdictFoldsToo) {
  smart("failed");
  rig.send("ereport.t.dead", Rig::vdev(1), now, {{"why", std::string("smoke")}});
  EXPECT_EQ(rig.states(), "SOLVED UNSOLVED");
  rig.engine->on_time(now += kMinute);
  EXPECT_EQ(rig.states(), "SOLVED");
  EXPECT_EQ(rig.news(), "diagnosed:1 updated:1");
  EXPECT_EQ(c().description.substr(0, 21), "vdev1 is dead: smoke.");
}

TEST_F(DiskCase, EndsWhenBothHaveEnded) {
  smart("failed");
  zfs();
  rig.news();
  rig.send("sysevent.t.clear", Rig::vdev(1), now += kSecond);
  EXPECT_EQ(rig.states(), "SOLVED");
  EXPECT_EQ(c().code, diagcode("T", 21));
  EXPECT_EQ(c().description, "failed: SERIAL1, unknown.");  // its own name; it is in no pool
  EXPECT_EQ(rig.news(), "updated:1");
  smart("passed");
  EXPECT_EQ(rig.states(), "RESOLVED");
  EXPECT_EQ(rig.news(), "resolved:1");
}

TEST_F(DiskCase, ADiskReplacedInItsBayIsRepaired) {
  no_pool();
  smart("failed");
  rig.news();
  pull();
  EXPECT_EQ(rig.states(), "SOLVED");
  swap();
  EXPECT_EQ(rig.states(), "RESOLVED");
  EXPECT_EQ(rig.news(), "resolved:1");
  EXPECT_EQ(c().suspects[0].status, SuspectStatus::replaced);
  bool said = false;
  for (const TimelineEntry& t : c().timeline)
    said = said || t.text == "disk SERIAL1 was replaced by SLOT 01 (serial NEW)";
  EXPECT_TRUE(said);
}

// As fmd-smart speaks of a disk: it never says that it is there, and so need not say that it has
// gone. What follows a disk into and out of its bay is the word of those who see it.
TEST_F(DiskCase, ThePlainWordOfAnotherSourceKeepsNoDisk) {
  const auto plain_word = [&](const std::string& disk, const std::string& status) {
    InventoryUpdate update;
    update.source = "smart";
    Resource r;
    r.fmri = disk;
    r.type = "disk";
    r.properties["smart.status"] = status;
    r.present = false;
    update.resources.push_back(std::move(r));
    rig.engine->on_inventory(update, now += kSecond);
  };
  no_pool();
  plain_word(Rig::disk(1), "failed");
  EXPECT_EQ(rig.states(), "SOLVED");
  rig.gone(Rig::disk(1), "removed", now += kSecond);
  plain_word("dev://wwn=9", "passed");
  rig.put(Rig::bay(1), "bay", {{"label", "SLOT 01"}}, {{Relation::contains, "dev://wwn=9"}},
          now += kSecond);
  EXPECT_EQ(rig.states(), "SOLVED") << "nobody has seen the new one yet";
  rig.put("dev://wwn=9", "disk", {{"serial", "NEW"}}, {}, now += kSecond);
  EXPECT_EQ(rig.states(), "RESOLVED");
  EXPECT_EQ(c().suspects[0].status, SuspectStatus::replaced);
}

TEST_F(DiskCase, ItsVdevEndsInItsOwnWay) {
  smart("failed");
  zfs();
  rig.put_disk(1, now, "out-of-service");
  rig.news();
  swap();
  EXPECT_EQ(rig.states(), "SOLVED");
  EXPECT_EQ(rig.news(), "") << "nothing is repaired before another disk has the data";
  EXPECT_EQ(c().suspects[0].status, SuspectStatus::faulty);
  EXPECT_EQ(c().suspects[1].status, SuspectStatus::faulty);
  EXPECT_EQ(c().suspects[1].bay, Rig::bay(1));  // the LED stays until the new disk has resilvered
  rig.gone(Rig::vdev(1), "replaced", now += kMinute, "zfs://pool=1/vdev=9");
  EXPECT_EQ(rig.states(), "RESOLVED");
  EXPECT_EQ(rig.news(), "resolved:1");
}

TEST_F(DiskCase, AnEmptyBayOrAMoveIsNoReplacement) {
  smart("failed");
  pull();
  rig.put(Rig::bay(1), "bay", {{"label", "SLOT 01"}}, {}, now += kSecond);
  EXPECT_EQ(rig.states(), "SOLVED");
  // In another bay it is the same disk, whatever sits in the first one now.
  rig.put("dev://wwn=9", "disk", {{"serial", "NEW"}}, {}, now += kSecond);
  rig.put_disk(1, now += kSecond);
  rig.put(Rig::bay(7), "bay", {{"label", "SLOT 07"}}, {{Relation::contains, Rig::disk(1)}}, now);
  rig.put(Rig::bay(1), "bay", {{"label", "SLOT 01"}}, {{Relation::contains, "dev://wwn=9"}},
          now += kSecond);
  EXPECT_EQ(rig.states(), "SOLVED");
  EXPECT_EQ(c().suspects[0].location, "SLOT 07");
}

TEST_F(DiskCase, ADiskThatComesBackIsAsBadAsItWas) {
  no_pool();
  smart("failed");
  swap();
  EXPECT_EQ(rig.states(), "RESOLVED");
  rig.put_disk(1, now += kMinute);
  rig.put(Rig::bay(1), "bay", {{"label", "SLOT 01"}}, {{Relation::contains, "dev://wwn=9"}}, now);
  smart("failed");
  EXPECT_EQ(rig.states(), "RESOLVED SOLVED");
}

TEST_F(DiskCase, SmartAloneDoesNotKeepARetirementBack) {
  smart("failed");
  rig.put(Rig::vdev(1), "zfs-vdev", {{"state", "UNAVAIL"}, {"service", "in-service"}},
          {{Relation::redundancy, Rig::disk(1)}}, now += kSecond);
  EXPECT_EQ(rig.news(), "diagnosed:1 updated:1");
  EXPECT_EQ(c().retire.first, "out-of-service");
  EXPECT_TRUE(c().retire.spare);
  // A case that retires the vdev does.
  Rig other(with_smart());
  other.put_disk(1, kStart);
  other.errors(3, Rig::vdev(1), kStart);
  other.put(Rig::vdev(1), "zfs-vdev", {{"state", "UNAVAIL"}, {"service", "degraded"}},
            {{Relation::redundancy, Rig::disk(1)}}, kStart + kMinute);
  EXPECT_EQ(other.news(), "diagnosed:1");
}

TEST_F(DiskCase, IsolatedWhenTheSecondSuspectsPartIs) {
  smart("failed");
  zfs();
  const auto done = [&](ActionKind kind) {
    Action a{kind, Rig::vdev(1)};
    a.state = ActionState::done;
    rig.engine->record_action("1", a, "did", now += kSecond);
  };
  done(ActionKind::retire);
  EXPECT_EQ(c().state, CaseState::close_wait);
  done(ActionKind::spare);
  EXPECT_EQ(c().state, CaseState::close_wait);
  done(ActionKind::out_of_service);
  EXPECT_EQ(c().state, CaseState::closed);
}

}  // namespace
}  // namespace fmd
