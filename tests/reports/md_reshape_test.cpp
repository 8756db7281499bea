// Disks that are lost while an md array is being reshaped.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/reports/md_losses.h"

namespace fmd::reports {
namespace {

using Told = std::vector<std::string>;

constexpr const char* kStopped = "Major defect.md.array.reshape-stopped md0";

void reshape(ArrayPlay& play, const std::string& disks, const std::string& action) {
  play.line("set sys/block/md0/md/raid_disks " + disks);
  play.line("set sys/block/md0/md/sync_action " + action);
  play.line("set sys/block/md0/md/reshape_position 81920");
  play.line("set sys/block/md0/md/sync_completed " +
            std::string(action == "reshape" ? "81920 / 8388608" : "none"));
  play.line("set sys/block/md0/md/sync_speed " +
            std::string(action == "reshape" ? "65536" : "none"));
}

void end_reshape(ArrayPlay& play, const std::string& disks) {
  reshape(play, disks, "idle");
  play.line("set sys/block/md0/md/reshape_position none");
}

// The kernel fills no new member until the reshape ends, and a failed one may be needed to recover
// the array. While the kernel starts the reshape again, or if it cannot, the action is "idle".
TEST(MdReshape, ADiskLostDuringAReshapeStaysUntilItEnds) {
  struct Play {
    std::string array, during, after;
    Loss loss;
    std::string action;
  };
  for (const Play& p :
       std::vector<Play>{{"raid5:1,2,3,4", "4 (3)", "4", Loss::faulty, "reshape"},
                         {"raid5:1,2,3,4", "4 (3)", "4", Loss::faulty, "idle"},
                         {"raid5:1,2,3,4", "4 (3)", "4", Loss::faulty, "frozen"},
                         {"raid5:1,2,3,4", "4", "4", Loss::removed, "reshape"},
                         {"raid6:1,2,3,4,5", "5 (4)", "5", Loss::removed, "idle"},
                         {"raid6:1,2,3,4,5", "4 (5)", "4", Loss::faulty, "reshape"},
                         {"raid10:1,2,3,4", "4 (2)", "4", Loss::faulty, "reshape"}}) {
    SCOPED_TRACE(fmt::format("{} {} {}", p.array, p.during, p.action));
    ArrayPlay play(8);
    play.line("array md0=" + p.array);
    play.line("set sys/block/md0/md/layout " +
              std::string(p.array.starts_with("raid10") ? "258" : "2"));
    play.settle();
    reshape(play, p.during, "reshape");
    play.settle();
    EXPECT_EQ(play.machine.told(), Told{});
    lose(play, 2, p.loss);
    reshape(play, p.during, p.action);
    play.settle();
    const std::string fault =
        p.loss == Loss::faulty ? "fault.md.member.faulty" : "fault.md.member.missing";
    Told told{"Major " + fault + " SLOT 02"};
    if (p.action != "reshape") told.insert(told.begin(), kStopped);
    EXPECT_EQ(play.machine.told(), told);
    EXPECT_TRUE(play.machine.lit.empty());
    EXPECT_TRUE(play.machine.asked.empty());
    const Say say = play.machine.say(fault);
    EXPECT_FALSE(say.safe_to_pull.yes()) << say.safe_to_pull.why;
    EXPECT_TRUE(say.do_now.starts_with("Wait until the reshape of array md0 has ended"))
        << say.do_now;
    EXPECT_EQ(say.needs, p.action == "reshape" ? Needs::fmd : Needs::you) << "nobody resumes it";
    const std::string words = play.machine.words(fault);
    EXPECT_FALSE(mentions(words, "fmadm replace")) << words;
    EXPECT_FALSE(mentions(words, "--add")) << words;
    end_reshape(play, p.after);
    play.settle();
    EXPECT_EQ(play.machine.told(), Told{"Major " + fault + " SLOT 02"});
    if (p.loss == Loss::removed) continue;
    EXPECT_EQ(play.machine.lit.size(), 1u);
    EXPECT_TRUE(play.machine.say(fault).safe_to_pull.yes()) << play.machine.words(fault);
    EXPECT_TRUE(mentions(play.machine.words(fault), "Replace the disk in SLOT 02"));
  }
}

// A person must resume it: the kernel does not, and fills no new member meanwhile.
TEST(MdReshape, OneThatHasStoppedIsReported) {
  struct Play {
    std::string array, disks, action, position, direction, text;
  };
  // Each member has 4,194,304 sectors. With the action "reshape", mdadm has died, and the kernel
  // waits for its backup of the next part.
  for (const Play& p : std::vector<Play>{
           {"raid5:1,2,3,4", "4 (3)", "idle", "3145728", "forwards", "at 25 %, from 3 to 4 disks"},
           {"raid5:1,2,3,4", "4 (3)", "frozen", "81920", "forwards", "at 0.7 %, from 3 to 4"},
           {"raid5:1,2,3,4", "3 (4)", "reshape", "2097152", "backwards", "at 75 %, from 4 to 3"},
           {"raid6:1,2,3,4,5", "5", "reshape", "12582912", "forwards", "at 100 %"},
           {"raid10:1,2,3,4", "4 (2)", "idle", "81920", "forwards", "half-way, from 2 to 4"}}) {
    SCOPED_TRACE(fmt::format("{} {} {}", p.array, p.disks, p.action));
    ArrayPlay play(8);
    play.line("array md0=" + p.array);
    play.line("set sys/block/md0/md/layout " +
              std::string(p.array.starts_with("raid10") ? "258" : "2"));
    play.line("set sys/block/md0/md/component_size 2097152");
    play.settle();
    reshape(play, p.disks, "reshape");
    play.line("set sys/block/md0/md/reshape_position " + p.position);
    play.line("set sys/block/md0/md/reshape_direction " + p.direction);
    play.settle();
    EXPECT_EQ(play.machine.told(), Told{}) << "it has a speed";
    if (p.action == "reshape") {
      play.line("set sys/block/md0/md/sync_speed 0");
    } else {
      play.line("set sys/block/md0/md/sync_action " + p.action);
      play.line("set sys/block/md0/md/sync_completed none");
      play.line("set sys/block/md0/md/sync_speed none");
    }
    play.look();
    play.settle();
    ASSERT_EQ(play.machine.told(), Told{kStopped});
    const Case& one = play.machine.of("defect.md.array.reshape-stopped");
    EXPECT_TRUE(mentions(one.description, "md0 has stopped " + p.text)) << one.description;
    const Say say = play.machine.say("defect.md.array.reshape-stopped");
    EXPECT_EQ(say.needs, Needs::you);
    EXPECT_TRUE(say.do_now.starts_with("Run 'mdadm --grow --continue /dev/md0'")) << say.do_now;
    const std::string disks = p.disks.substr(0, p.disks.find(' '));
    reshape(play, p.disks, "reshape");
    play.settle();
    EXPECT_EQ(play.machine.told(), Told{}) << "it goes on";
    end_reshape(play, disks);
    play.settle();
  }
}

// The kernel shows a position only every ten seconds.
TEST(MdReshape, OneThatIsSlowHasNotStopped) {
  ArrayPlay play(6);
  play.line("array md0=raid5:1,2,3,4");
  play.settle();
  reshape(play, "4 (3)", "reshape");
  play.line("set sys/block/md0/md/sync_speed 0");
  for (int n = 1; n < 60; ++n) {
    if (n % 3 == 0)
      play.line(fmt::format("set sys/block/md0/md/reshape_position {}", 81920 + n * 8));
    play.look();
    play.machine.pass(30);
  }
  EXPECT_EQ(play.machine.told(), Told{});
}

// A frozen array does not fill the disk that is to replace a lost one, and neither says that it is
// whole.
TEST(MdReshape, ARebuildThatHasStoppedIsReported) {
  for (const std::string action : {"frozen", "idle", "recover", "check"}) {
    for (const std::string state : {"clean", "active", "read-auto"}) {
      SCOPED_TRACE(action + " " + state);
      ArrayPlay play(6);
      play.line("array md0=raid5:1,2,3,4");
      play.settle();
      play.line("set sys/block/md0/md/array_state " + state);
      play.line("set sys/block/md0/md/dev-@DEV3@/state spare");
      play.line("set sys/block/md0/md/degraded 1");
      play.line("set sys/block/md0/md/sync_action " + action);
      play.settle();
      const bool stopped = state != "read-auto" && (action == "frozen" || action == "idle");
      EXPECT_EQ(play.machine.told(),
                stopped ? Told{"Major defect.md.array.rebuild-stopped md0"} : Told{});
      play.line("set sys/block/md0/md/dev-@DEV3@/state in_sync");
      play.line("set sys/block/md0/md/degraded 0");
      play.line("set sys/block/md0/md/sync_action idle");
      play.settle();
      EXPECT_EQ(play.machine.told(), Told{});
    }
  }
}

// A smaller array needs its last slots until the reshape ends.
TEST(MdReshape, AnArrayThatShrinksAndLosesTooManyHasFailed) {
  ArrayPlay play(6);
  play.line("array md0=raid5:1,2,3,4,5");
  play.settle();
  reshape(play, "4 (5)", "reshape");
  make_faulty(play, "md0", {1, 3});
  play.settle();
  EXPECT_EQ(play.machine.told(), Told{"Critical fault.md.array.failed md0"});
  EXPECT_TRUE(play.machine.lit.empty());
}

}  // namespace
}  // namespace fmd::reports
