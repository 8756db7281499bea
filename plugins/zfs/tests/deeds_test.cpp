#include "plugins/zfs/deeds.h"

#include "fmd/base/duration.h"
#include "plugins/zfs/pool_history.h"
#include "plugins/zfs/tests/fixture.h"

namespace fmd::zfs {
namespace {

using End = Intent::End;
using test::Names;
using test::status_text;

class DeedsTest : public ::testing::Test {
 protected:
  std::vector<LateEffect> see(const std::string& state, bool zed = false) {
    return look("  mirror-0 ONLINE\n    /dev/sda " + state +
                    "\n    /dev/sdb ONLINE\nspares\n  /dev/sds AVAIL\n",
                zed);
  }
  std::vector<LateEffect> see_spare(bool zed = false) {
    return look(
        "  mirror-0 DEGRADED\n    spare-0 DEGRADED\n      /dev/sda DEGRADED\n      /dev/sds "
        "ONLINE\n"
        "    /dev/sdb ONLINE\nspares\n  /dev/sds INUSE\n",
        zed);
  }
  std::vector<LateEffect> look(const std::string& rows, bool zed) {
    const std::vector<Pool> pools{names.pool(status_text(rows))};
    note_changes(pools, memory, {});
    return note_deeds(pools, memory, now_ns += kSecondNs, zed);
  }
  void retire(const char* key, const char* to, const char* before, End end = End::succeeded) {
    memory.retired.intents[sda] = {key, to, before, now_ns, end};
  }
  std::string retired_by() { return key_of(memory.retired, sda); }
  ZpoolEvent event(const char* name, const char* state, int64_t time_ns) {
    ZpoolEvent event;
    event.event_class = name;
    event.time_ns = time_ns;
    event.members = {{"vdev_guid", sda}, {"vdev_state", std::string(state)}};
    return event;
  }
  static constexpr const char* kForced = "FAULTED external device fault";
  static constexpr const char* kTooMany = "FAULTED too many errors";
  Names names;
  Memory memory;
  const uint64_t sda = names.guid("/dev/sda");
  int64_t now_ns = 1000 * kSecondNs;
};

TEST_F(DeedsTest, ARetirementIsOursOnceSeen) {
  retire("k1", "DEGRADED", "ONLINE", End::running);
  see("DEGRADED");
  EXPECT_EQ(retired_by(), "") << "its command has not ended: it may yet fail";
  memory.retired.intents[sda].end = End::succeeded;
  EXPECT_TRUE(see("DEGRADED").empty());
  EXPECT_EQ(retired_by(), "k1");
  EXPECT_TRUE(memory.retired.intents.empty());
  see("DEGRADED");
  EXPECT_EQ(retired_by(), "k1");
}

TEST_F(DeedsTest, WhateverChangesItEndsItForGood) {
  for (const char* then : {"ONLINE", "FAULTED", "REMOVED", "OFFLINE"}) {
    retire("k1", "DEGRADED", "ONLINE");
    see("DEGRADED");
    ASSERT_EQ(retired_by(), "k1");
    see(then);
    EXPECT_EQ(retired_by(), "") << then;
    see("DEGRADED");
    EXPECT_EQ(retired_by(), "") << "also when it is so again, after " << then;
  }
}

TEST_F(DeedsTest, AFurtherCommandTakesOver) {
  retire("k1", "DEGRADED", "ONLINE");
  see("DEGRADED");
  retire("k2", "FAULTED", "DEGRADED", End::running);
  see("DEGRADED");
  EXPECT_EQ(retired_by(), "k1") << "until it has taken effect";
  memory.retired.intents[sda].end = End::succeeded;
  see(kForced);
  EXPECT_EQ(retired_by(), "k2");
}

// vdev_fault() drops the mark of vdev_degrade(), so clearing it does not bring that back.
TEST_F(DeedsTest, WhatIsClearedOfTwoLevelsIsOver) {
  retire("k1", "DEGRADED", "ONLINE");
  see("DEGRADED");
  retire("k2", "FAULTED", "DEGRADED");
  see(kForced);
  ASSERT_EQ(retired_by(), "k2");
  see("ONLINE");
  see("DEGRADED");
  EXPECT_EQ(retired_by(), "");
}

TEST_F(DeedsTest, OfTheLastCopyTheKernelMakesDegraded) {
  retire("k1", "FAULTED", "ONLINE");
  see("DEGRADED");
  EXPECT_EQ(retired_by(), "k1");
  retire("k2", "FAULTED", "DEGRADED");
  see("DEGRADED");
  EXPECT_EQ(retired_by(), "k1") << "as it was";
}

TEST_F(DeedsTest, ThePoolTellsWhoseFaultItIs) {
  const auto by = [&](const std::string& state) {
    see(state);
    return std::string(
        state_by(memory.retired, names.pool(status_text("  /dev/sda " + state + "\n")).vdevs[1]));
  };
  EXPECT_EQ(by(kForced), "administrator") << "or fmd, whose memory is lost";
  EXPECT_EQ(by(kTooMany), "zfs");
  EXPECT_EQ(by("DEGRADED"), "zfs");
  EXPECT_EQ(by("OFFLINE"), "administrator");
  EXPECT_EQ(by("ONLINE"), "");
  EXPECT_EQ(by("REMOVED"), "");
  see("ONLINE");
  retire("k1", "FAULTED", "ONLINE", End::running);
  EXPECT_EQ(by(kForced), "fmd") << "its command is under way";
  memory.retired.intents[sda].end = End::succeeded;
  EXPECT_EQ(by(kForced), "fmd");
  EXPECT_EQ(by(kTooMany), "zfs") << "the kernel has given it up meanwhile";
  EXPECT_EQ(by(kForced), "administrator");
}

TEST_F(DeedsTest, OnlyWhatNobodyHasTakenOutLeavesWithItsDevice) {
  const auto leaves = [&](const std::string& state) {
    see(state);
    return leaves_with_device(memory.retired,
                              names.pool(status_text("  /dev/sda " + state + "\n")).vdevs[1]);
  };
  EXPECT_TRUE(leaves("ONLINE"));
  EXPECT_TRUE(leaves("DEGRADED"));
  EXPECT_TRUE(leaves(kTooMany)) << "OpenZFS 2.3, of one that is pulled while it is written";
  EXPECT_TRUE(leaves("UNAVAIL")) << "OpenZFS 2.1";
  EXPECT_FALSE(leaves(kForced));
  EXPECT_FALSE(leaves("OFFLINE"));
  EXPECT_FALSE(leaves("REMOVED")) << "ZFS knows";
  see("ONLINE");
  retire("k1", "FAULTED", "ONLINE");
  EXPECT_FALSE(leaves(kForced)) << "fmd's own";
}

TEST_F(DeedsTest, SomethingElseThanWhatWasWantedIsSomebodyElses) {
  retire("k1", "FAULTED", "ONLINE");
  see(kTooMany);
  EXPECT_EQ(retired_by(), "");
  see(kForced);
  EXPECT_EQ(retired_by(), "");
}

TEST_F(DeedsTest, ALateEffectIsAskedAbout) {
  retire("k1", "FAULTED", "ONLINE", End::unknown);
  EXPECT_TRUE(see("ONLINE").empty());
  const auto late = see(kForced);
  ASSERT_EQ(late.size(), 1U);
  EXPECT_EQ(late[0].vdev, sda);
  EXPECT_FALSE(late[0].spare);
  EXPECT_EQ(retired_by(), "") << "not before it is known";
  EXPECT_EQ(see(kForced).size(), 1U) << "asked again when there was no answer";
  memory.retired.intents[sda].end = End::alone;
  see(kForced);
  EXPECT_EQ(retired_by(), "k1");
}

TEST_F(DeedsTest, AnEffectThatDoesNotComeIsNotWaitedForForever) {
  retire("k1", "FAULTED", "ONLINE", End::unknown);
  now_ns += 2 * 3600 * kSecondNs;
  see("ONLINE");
  EXPECT_TRUE(memory.retired.intents.empty());
}

TEST_F(DeedsTest, ZedLeavesNoTrace) {
  retire("k1", "DEGRADED", "ONLINE", End::unknown);
  EXPECT_TRUE(see("DEGRADED", true).empty());
  EXPECT_TRUE(memory.retired.intents.empty()) << "it may have been zed";
  retire("k2", "FAULTED", "DEGRADED", End::unknown);
  EXPECT_EQ(see(kForced, true).size(), 1U) << "what zed faults looks otherwise";
}

TEST_F(DeedsTest, Spares) {
  memory.spared.intents[sda] = {"s1", "", "", now_ns, End::succeeded};
  see("DEGRADED");
  EXPECT_EQ(key_of(memory.spared, sda), "");
  see_spare();
  EXPECT_EQ(key_of(memory.spared, sda), "s1");
  see("DEGRADED");
  EXPECT_EQ(key_of(memory.spared, sda), "");
  see_spare();
  EXPECT_EQ(key_of(memory.spared, sda), "") << "somebody else brought it in again";
  see("DEGRADED");
  memory.spared.intents[sda] = {"s2", "", "", now_ns, End::unknown};
  EXPECT_TRUE(see_spare(true).empty()) << "zed uses spares";
  see("DEGRADED");
  memory.spared.intents[sda] = {"s3", "", "", now_ns, End::unknown};
  const auto late = see_spare();
  ASSERT_EQ(late.size(), 1U);
  EXPECT_TRUE(late[0].spare);
}

TEST_F(DeedsTest, AnExportedPoolKeepsThemAndAVdevThatLeavesDoesNot) {
  retire("k1", "FAULTED", "ONLINE");
  see(kForced);
  note_changes({}, memory, {});
  note_deeds({}, memory, now_ns, false);
  EXPECT_EQ(retired_by(), "k1");
  see(kForced);
  EXPECT_EQ(retired_by(), "k1");
  look("  mirror-0 ONLINE\n    /dev/sdn ONLINE\n    /dev/sdb ONLINE\n", false);
  EXPECT_TRUE(memory.retired.effects.empty());
}

TEST_F(DeedsTest, AStateBetweenTwoLooks) {
  const char* change = "resource.fs.zfs.statechange";
  retire("k1", "FAULTED", "ONLINE");
  see(kForced);
  note_state_event(memory, event(change, "ONLINE", now_ns - kSecondNs));
  note_state_event(memory, event(change, "FAULTED", now_ns + kSecondNs));
  EXPECT_EQ(retired_by(), "k1") << "an older one, and its own";
  note_state_event(memory, event(change, "ONLINE", now_ns + kSecondNs));
  EXPECT_EQ(retired_by(), "");
  retire("k2", "FAULTED", "ONLINE");
  see("ONLINE");
  see(kForced);
  ASSERT_EQ(retired_by(), "k2");
  note_state_event(memory, event("sysevent.fs.zfs.vdev_online", "ONLINE", now_ns + kSecondNs));
  EXPECT_EQ(retired_by(), "");
}

TEST_F(DeedsTest, SomebodyElseWasAMomentFaster) {
  const char* change = "resource.fs.zfs.statechange";
  for (const bool seen : {false, true}) {
    memory = {};
    see("ONLINE");
    retire("k1", "DEGRADED", "ONLINE");
    const int64_t begun_ns = now_ns;
    if (seen) see("DEGRADED");
    note_state_event(memory, event(change, "DEGRADED", begun_ns - 60 * kSecondNs));
    note_state_event(memory, event(change, "DEGRADED", begun_ns - 5 * kMsNs));
    note_state_event(memory, event(change, "DEGRADED", begun_ns + 5 * kMsNs));
    EXPECT_EQ(seen ? retired_by() : memory.retired.intents[sda].key, "k1")
        << "long ago, or its own";
    note_state_event(memory, event(change, "DEGRADED", begun_ns - 300 * kMsNs));
    see("DEGRADED");
    EXPECT_EQ(retired_by(), "") << seen;
  }
}

TEST_F(DeedsTest, OverARestart) {
  retire("k1", "FAULTED", "ONLINE", End::running);
  memory.spared.effects[sda] = {"s1", "7", 5, 6};
  memory.own_commands = {{"zpool offline -f tank 5", 1, 2}};
  memory.answers = {{"k0", "done", "it is so", "{\"already\":true}"}, {"k1", "", "", "{}"}};
  auto again = Memory::from_json(memory.to_json());
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(*again, memory);
  forget_ends(*again);
  EXPECT_EQ(again->retired.intents[sda].end, End::unknown);
}

}  // namespace
}  // namespace fmd::zfs
