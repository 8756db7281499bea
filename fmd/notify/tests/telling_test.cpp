#include "fmd/notify/telling.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "fmd/diagnosis/suspect_text.h"
#include "fmd/notify/tests/telling_rig.h"

namespace fmd {
namespace {

TEST(Telling, TheFirstMessageWaitsAMinuteForBayAndSerial) {
  TellingRig rig;
  rig.expected = true;
  Case c = solved_case();
  c.suspects[0].location = c.suspects[0].bay = "";
  rig.news("diagnosed", rig.add(c));
  EXPECT_TRUE(rig.pass(59).empty());
  const auto told = rig.pass(1);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].news.event, "diagnosed");
  EXPECT_EQ(told[0].news.time_ns, kWallAhead + kVerdict) << "of the verdict";
  EXPECT_EQ(told[0].not_done, Sentences{"No fault LED is lit for the disk with serial DISK06: its "
                                        "bay is not known."});
}

TEST(Telling, TheFirstMessageGoesOutOnceThePlaceIsKnown) {
  TellingRig rig;
  rig.expected = true;
  Case c = solved_case();
  c.suspects[0].serial = "";
  rig.news("diagnosed", rig.add(c));
  EXPECT_TRUE(rig.pass(2).empty());
  rig.at("u1").suspects[0].serial = "DISK06";
  rig.looked(rig.at("u1"));
  const auto told = rig.due();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_TRUE(told[0].whats_new.empty());
  EXPECT_TRUE(told[0].not_done.empty());
  EXPECT_TRUE(rig.pass(600).empty());
}

TEST(Telling, NobodyWaitsForWhatNoPluginWillTell) {
  TellingRig rig;
  Case c = solved_case();
  c.suspects[0].location = "";
  rig.news("diagnosed", rig.add(c));
  EXPECT_EQ(rig.due().size(), 1u);
  rig.expected = true;
  c.uuid = "u2";
  rig.news("diagnosed", rig.add(c));
  EXPECT_TRUE(rig.pass(3).empty());
  rig.expected = false;
  EXPECT_EQ(rig.due().size(), 1u) << "it has said all it knows";
}

// After a storm each case is reported once, the oldest first.
TEST(Telling, OnlySoManyGoOutAtOnce) {
  TellingRig rig;
  rig.expected = true;
  constexpr size_t kCases = 2 * Telling::kMostAtOnce + 1;
  for (size_t i = 0; i < kCases; ++i) {
    Case c = solved_case();
    c.uuid = "u" + std::to_string(i);
    c.suspects[0].serial = "";
    rig.news("diagnosed", rig.add(c));
  }
  EXPECT_TRUE(rig.due().empty());
  rig.expected = false;  // it has described all its parts: no deadline wakes fmd for the rest
  std::set<std::string> told;
  for (const size_t expected : {Telling::kMostAtOnce, Telling::kMostAtOnce, size_t{1}}) {
    if (!told.empty()) {
      ASSERT_TRUE(rig.next_deadline_ns());
      EXPECT_LE(*rig.next_deadline_ns(), rig.now().steady_ns) << "the rest is due now";
    }
    const auto out = rig.due();
    EXPECT_EQ(out.size(), expected);
    for (const Tidings& one : out) told.insert(one.news.uuid);
  }
  EXPECT_EQ(told.size(), kCases);
  EXPECT_TRUE(rig.due().empty());
}

TEST(Telling, AMinuteIsCountedFromTheVerdict) {
  TellingRig rig;
  rig.expected = true;
  Case c = solved_case();
  c.suspects[0].serial = "";
  rig.now_ns += 45 * kSecondNs;  // fmd was down
  rig.news("diagnosed", rig.add(c));
  EXPECT_TRUE(rig.pass(14).empty());
  EXPECT_EQ(rig.pass(1).size(), 1u);
}

TEST(Telling, ACaseThatEndsBeforeTheFirstMessageIsToldOnceAsItEnded) {
  TellingRig rig;
  rig.expected = true;
  Case c = solved_case();
  c.suspects[0].serial = "";
  rig.news("diagnosed", rig.add(c));
  EXPECT_TRUE(rig.pass(2).empty());
  rig.resolve(rig.at("u1"));
  const auto told = rig.pass(600);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].news.event, "resolved");
  EXPECT_EQ(told[0].whats_new,
            Sentences{"This is the only message about it: it was over before one was sent."});
  EXPECT_EQ(rig.rows(), 0u);
}

TEST(Telling, APlaceThatBecomesKnownOrChangesIsTold) {
  TellingRig rig;
  Case unknown = solved_case();
  unknown.led = false;
  unknown.suspects[0].location = unknown.suspects[0].bay = unknown.suspects[0].serial = "";
  Case& c = told_case(rig, unknown);
  c.suspects[0].location = "4";
  c.suspects[0].serial = "DISK06";
  rig.looked(c);
  EXPECT_TRUE(rig.pass(4).empty()) << "more may come";
  EXPECT_EQ(only_update(rig.pass(1)),
            Sentences{"The part to replace is the disk in bay 4 (serial DISK06)."});
  rig.pass(300);
  c.suspects[0].location = "7";
  rig.looked(c);
  EXPECT_EQ(only_update(rig.pass(5)),
            Sentences{"The disk with serial DISK06 is in bay 7 now; it was in bay 4."});
  rig.pass(300);
  c.suspects[0].serial = "OTHER";
  rig.looked(c);
  EXPECT_EQ(only_update(rig.pass(5)), Sentences{"The part to replace is the disk in bay 7 (serial "
                                                "OTHER) now, not the one with serial DISK06."});
}

TEST(Telling, OneOfBayAndSerialBecomesKnown) {
  TellingRig rig;
  Case half = solved_case();
  half.led = false;
  half.suspects[0].location = "";
  Case& c = told_case(rig, half);
  c.suspects[0].location = "SLOT 06";
  rig.looked(c);
  EXPECT_EQ(only_update(rig.pass(5)), Sentences{"The disk with serial DISK06 is in bay SLOT 06."});
  c.suspects[0].location = "";
  rig.looked(c);
  EXPECT_EQ(only_update(rig.pass(300)),
            Sentences{"The disk with serial DISK06 is in no bay that fmd "
                      "knows of now; it was in bay SLOT 06."});
  half.uuid = "u2";
  half.suspects[0].location = "7";
  half.suspects[0].serial = "";
  Case& second = told_case(rig, half);
  second.suspects[0].serial = "S";
  rig.looked(second);
  EXPECT_EQ(rig.pass(5).at(0).whats_new, Sentences{"The disk in bay 7 has serial S."});
}

TEST(Telling, UpdatesAreCoalescedAndAtMostOneInFiveMinutes) {
  TellingRig rig;
  Case& c = told_case(rig);
  c.suspects[0].location = "SLOT 09";
  rig.looked(c);
  rig.pass(2);
  rig.act(c, ActionKind::spare, ActionState::waiting, Obstacle::no_spare);
  EXPECT_EQ(only_update(rig.pass(3)).size(), 2u);
  c.suspects[0].location = "SLOT 10";
  rig.looked(c);
  EXPECT_TRUE(rig.pass(200).empty());
  c.suspects[0].location = "SLOT 11";
  rig.looked(c);
  EXPECT_TRUE(rig.pass(99).empty());
  EXPECT_EQ(only_update(rig.pass(1)),
            Sentences{"The disk with serial DISK06 is in bay SLOT 11 now; it was in bay SLOT 09."});
}

TEST(Telling, WhatIsBackAsToldIsNoNews) {
  TellingRig rig;
  Case& c = told_case(rig);
  for (int i = 0; i < 10; ++i) {
    c.suspects[0].location = i % 2 ? "SLOT 06" : "SLOT 09";
    rig.act(c, ActionKind::spare, i % 2 ? ActionState::running : ActionState::waiting,
            i % 2 ? Obstacle::none : Obstacle::no_spare);
    EXPECT_TRUE(rig.pass(4).empty());
  }
  EXPECT_TRUE(rig.pass(3600).empty());
}

TEST(Telling, AnEndingGoesAtOnceWithoutTheUpdateThatWaited) {
  TellingRig rig;
  Case& c = told_case(rig);
  c.suspects[0].location = "SLOT 09";
  rig.looked(c);
  rig.pass(5);
  rig.act(c, ActionKind::spare, ActionState::waiting, Obstacle::no_spare);
  EXPECT_TRUE(rig.pass(100).empty());
  rig.resolve(c, "repaired");
  auto told = rig.due();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].news.event, "repaired");
  EXPECT_TRUE(told[0].whats_new.empty()) << "it is about a state that is over";
  EXPECT_TRUE(told[0].not_done.empty());
  EXPECT_TRUE(rig.pass(3600).empty());
  rig.resolve(c);
  told = rig.due();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].news.event, "resolved");
  EXPECT_TRUE(told[0].whats_new.empty());
}

TEST(Telling, RepairedAndResolvedInOneStepAreOneMessage) {
  TellingRig rig;
  Case& c = told_case(rig);
  rig.resolve(c, "repaired");
  rig.resolve(c);
  const auto told = rig.pass(600);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].news.event, "resolved");
}

TEST(Telling, NothingIsToldAfterResolved) {
  TellingRig rig;
  Case& c = told_case(rig);
  rig.resolve(c);
  EXPECT_EQ(rig.due().size(), 1u);
  c.suspects[0].location = "SLOT 11";
  rig.act(c, ActionKind::retire, ActionState::failed, Obstacle::error, "", 9);
  rig.news("updated", c);
  rig.news("repaired", c);
  EXPECT_TRUE(rig.pass(3600).empty());
  EXPECT_EQ(rig.rows(), 0u);
}

TEST(Telling, TheDiagnosisHasNews) {
  TellingRig rig;
  Case& c = told_case(rig);
  Suspect more = vdev_suspect();
  more.resource = more.asru = "zfs://pool=11/vdev=23";
  more.location = "SLOT 07";
  more.serial = "DISK07";
  c.suspects.push_back(more);
  c.observations.push_back({5, 5, "smart-pending", "", "smart.pending", "20", "", "10"});
  c.severity = "Critical";
  rig.news("updated", c);
  EXPECT_EQ(only_update(rig.pass(5)),
            (Sentences{"The disk in bay SLOT 07 (serial DISK07) is suspected too.",
                       "The severity is Critical now; it was Major.",
                       "Smart.pending is 20, grown from 10 (rule smart-pending)."}));
  c.suspects[1].status = SuspectStatus::replaced;
  rig.news("updated", c);
  EXPECT_EQ(only_update(rig.pass(300)),
            Sentences{"The disk in bay SLOT 07 (serial DISK07) was replaced."});
  Suspect other = vdev_suspect();
  other.fault_class = "fault.example.io";
  c.suspects.push_back(other);
  c.fault_class = other.fault_class;
  c.title = "Disk fails reads or writes";
  rig.news("updated", c);
  EXPECT_EQ(only_update(rig.pass(300)), Sentences{"Also found on the " + std::string(kDisk) +
                                                  ": Disk fails reads or writes (ZFS-8000-GH)."});
}

// More disks join a case about what they share: why the next message has another number.
TEST(Telling, SaysHowManyFailTogetherNow) {
  TellingRig rig;
  Case shared = solved_case();
  shared.suspects[0].facts["failing"] = "2 of 7";
  Case& c = told_case(rig, shared);
  c.suspects[0].facts["failing"] = "6 of 7";
  c.observations.push_back(
      {5, 5, "zfs-degraded", "zfs://pool=11/vdev=23", "state", "DEGRADED", "", ""});
  rig.news("updated", c);
  const Sentences told = only_update(rig.pass(5));
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0], "6 of 7 fail together now; the last message said 2 of 7.");
  EXPECT_TRUE(told[1].starts_with("Found at zfs://pool=11/vdev=23: state is DEGRADED")) << told[1];
}

// A disk that a person removed from its pool, as the case asks (rule zfs-pulled).
// Within seconds: the last message about that disk ordered its replacement.
TEST(Telling, ACaseThatIsSupersededLaterIsToldWithoutTheUsualPause) {
  TellingRig rig;
  Case& cause = rig.add(solved_case("cause"));
  rig.news("diagnosed", cause);
  ASSERT_EQ(rig.due().size(), 1u);
  for (const std::string uuid : {"12345678-1", "23456789-2"}) {
    cause.supersedes.push_back({uuid, "SLOT 04"});
    rig.looked(cause);
    rig.now_ns += 6 * kSecondNs;
    const std::vector<Tidings> due = rig.due();
    ASSERT_EQ(due.size(), 1u);
    EXPECT_EQ(due[0].whats_new,
              std::vector<std::string>{fmt::format("Do not replace SLOT 04 (case {}) for earlier "
                                                   "messages: this case explains their errors.",
                                                   uuid.substr(0, 8))});
  }
}

TEST(Telling, WhatPeopleWereAskedToDoIsNoNews) {
  TellingRig rig;
  Case& c = told_case(rig);
  Suspect pulled = vdev_suspect();
  pulled.fault_class = "upset.example.pulled";
  pulled.facts[kAsAsked] = "true";
  c.suspects.push_back(pulled);
  c.observations.push_back({5, 5, "zfs-pulled", "", "state", "REMOVED", "", ""});
  rig.looked(c);
  EXPECT_TRUE(rig.pass(3600).empty());
  c.severity = "Critical";
  rig.news("updated", c);
  EXPECT_EQ(only_update(rig.pass(300)).front(), "The severity is Critical now; it was Major.");
}

TEST(Telling, AMergedCaseIsToldOnlyWhenPeopleKnowIt) {
  TellingRig rig;
  rig.expected = true;
  Case& known = told_case(rig);
  Case waiting = solved_case("u2");
  waiting.suspects[0].location = "";
  Case& unheard = rig.add(waiting);
  rig.news("diagnosed", unheard);
  known.merged_into = unheard.merged_into = "u3";
  rig.resolve(known);
  rig.resolve(unheard);
  const auto told = rig.pass(600);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].news.uuid, "u1");
  EXPECT_EQ(rig.rows(), 0u);
}

TEST(Telling, AYearBackOnTheWallClockPutsNothingToSleep) {
  TellingRig rig;
  rig.expected = true;
  Case c = solved_case();
  c.suspects[0].serial = "";
  rig.news("diagnosed", rig.add(c));
  rig.wall_jump_ns = -365LL * 86400 * kSecondNs;
  EXPECT_EQ(rig.pass(60).size(), 1u);
  rig.at("u1").suspects[0].serial = "X";
  rig.looked(rig.at("u1"));
  EXPECT_EQ(rig.pass(5).size(), 1u);
}

TEST(Telling, AnUnreadableRowSilencesNoOtherCase) {
  TellingRig rig;
  Case& c = rig.add(solved_case());
  rig.telling().take({"diagnosed", "u1", 1}, c, rig.now());
  auto rows = rig.telling().take_changes();
  ASSERT_EQ(rows.size(), 1u);
  rows.insert(rows.begin(), {"telling", "u0", "{"});
  rows.push_back({"case", "u1", "{}"});
  Telling after;
  const auto outcome = after.restore(rows);
  ASSERT_FALSE(outcome);
  EXPECT_NE(outcome.error().message.find("u0"), std::string::npos);
  EXPECT_EQ(after.next_deadline_ns(), kVerdict + 2 * kSecondNs);
  EXPECT_TRUE(after.take_changes().empty());
  after.mark_all_changed();
  EXPECT_EQ(after.take_changes().size(), 1u);
  after.forget_case("u1");
  EXPECT_FALSE(after.next_deadline_ns());
}

TEST(Telling, HostileNamesAreShownHarmless) {
  TellingRig rig;
  Case evil = solved_case();
  evil.suspects[0].serial = "A\r\nBcc: x@y\x1b[2J";
  Case& c = told_case(rig, evil);
  c.suspects[0].location = "4\n\xff";
  rig.act(c, ActionKind::retire, ActionState::refused, Obstacle::error, "no\nway\x1b");
  for (const std::string& sentence : only_update(rig.pass(5)))
    for (const char byte : {'\r', '\n', '\x1b', '\xff'})
      EXPECT_EQ(sentence.find(byte), std::string::npos) << sentence;
}

}  // namespace
}  // namespace fmd
