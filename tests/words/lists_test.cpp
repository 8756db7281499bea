// The lists in advice, and names in texts: nothing is repeated, parts have the names that people
// see, and a disk that was replaced from another bay is still mentioned.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>

#include "fmd/advice/old_disk.h"
#include "fmd/advice/root_commands.h"
#include "fmd/advice/say_names.h"
#include "fmd/advice/storage.h"
#include "tests/lib/made.h"
#include "tests/lib/shipped_rules.h"
#include "tests/words/told_world.h"

namespace fmd::test {
namespace {

Value value(const char* value) {
  return Value(std::string(value));
}

TEST(Lists, TheWaitForTheSpareIsSaidOnce) {
  ToldWorld world(checksum_fault());
  world.reach(SayState::spare_resilvering);
  Action later;
  later.kind = ActionKind::out_of_service;
  later.part = world.c.suspects[0].asru;
  later.state = ActionState::waiting;
  later.obstacle = Obstacle::busy;
  later.detail = "until the spare holds all its data";
  world.c.set_action(later);
  const Say say = world.say();
  const auto about = std::count_if(say.next.begin(), say.next.end(), [](const std::string& one) {
    return one.find("out of service") != one.npos;
  });
  EXPECT_EQ(about, 1);
  EXPECT_FALSE(any_says(say.next, "scrub")) << "none runs";
  // The spare holds all data, and the administrator gets time to object.
  world.reach(SayState::spare_holds_all);
  later.detail = "until it has been degraded for 2min, unless its errors continue";
  world.c.set_action(later);
  EXPECT_TRUE(any_says(world.say().next,
                       "SLOT 04 is not taken out of service until it has been degraded for 2min"));
}

TEST(Lists, ASpareThatIsKeptBackIsNotCalledAbsent) {
  ToldWorld world(checksum_fault());
  Action waits;
  waits.kind = ActionKind::spare;
  waits.part = world.c.suspects[0].asru;
  waits.state = ActionState::waiting;
  waits.obstacle = Obstacle::no_spare;
  waits.detail = "no spare available";
  world.c.set_action(waits);
  EXPECT_TRUE(any_says(world.say().next, "one that is added comes in"));
  waits.detail = "no spare: a disk of raidz2-0 of pool 'tank' gets a spare first";
  world.c.set_action(waits);
  EXPECT_FALSE(any_says(world.say().next, "available"));
  EXPECT_TRUE(any_says(
      world.say().next,
      "No hot spare comes in for SLOT 04: a disk of raidz2-0 of pool 'tank' gets a spare first"));
  world.rehearse();
  EXPECT_TRUE(any_says(world.say().next, "Dry run is on: no hot spare comes in for SLOT 04."));
  EXPECT_FALSE(any_says(world.say().next, "gets a spare first"));
  EXPECT_TRUE(any_says(world.say().next, "fmd only watches until dry run is ended."));
}

// A core or a page was retired, although its processor or module is to be replaced.
TEST(Lists, DoneNamesWhatWasRetired) {
  const auto done = [](const char* fault_class, const char* part, const char* type,
                       const char* property, const char* name) {
    ToldWorld world(*shipped_rules()->fault(fault_class));
    Inventory inventory;
    inventory.apply({"t", {made(part, type, {{property, value(name)}}, {})}, {}, false});
    Suspect& suspect = world.c.suspects[0];
    suspect.asru = suspect.resource = part;
    suspect.fru = "hc://replaced=1";
    suspect.location = "CPU1";
    Action retired;
    retired.kind = ActionKind::retire;
    retired.part = part;
    retired.state = ActionState::done;
    world.c.actions = {retired};
    const PartIndex index(inventory);
    return say_of(world.c, {inventory, index}).done;
  };
  using Sentences = std::vector<std::string>;
  EXPECT_EQ(done("fault.cpu.cache", "cpu://socket=0/core=5", "core", "label", "core 5 of CPU1"),
            Sentences{"Core 5 of CPU1 was taken offline."});
  EXPECT_EQ(done("fault.memory.page", "mem://page=1f0000000", "page", "name", "memory page 0x1f"),
            Sentences{"Memory page 0x1f was taken out of use."});
  EXPECT_EQ(done("fault.io.path.failed", "dev://path=4", "path", "name", "path 4"),
            Sentences{"Path 4 was taken out of service."});
}

// Most boxes have a "PS1"; a thread of a processor is called "cpu1".
TEST(Lists, SuppliesAreNamedWithTheirBoxAndProcessorsAreNot) {
  const auto headline = [](const char* fault_class, const char* type, const char* label) {
    ToldWorld world(*shipped_rules()->fault(fault_class));
    Inventory inventory;
    const Properties properties{{"label", value(label)}, {"enclosure", value("hc://chassis=1")}};
    inventory.apply(
        {"t",
         {made("hc://chassis=1", "enclosure", {{"label", value("Storage Head")}}, {}),
          made("hc://chassis=1/part=1", type, properties, {}),
          made("cpu://socket=0/core=0/thread=1", "thread", {{"name", value("cpu1")}}, {})},
         {},
         false});
    Suspect& suspect = world.c.suspects[0];
    suspect.asru.clear();
    suspect.resource = suspect.fru = "hc://chassis=1/part=1";
    const PartIndex index(inventory);
    const std::string text = say_of(world.c, {inventory, index}).headline;
    return text.substr(0, text.find(':'));
  };
  EXPECT_EQ(headline("fault.chassis.device.psu.fail", "psu", "PS1"), "PS1 of Storage Head");
  EXPECT_EQ(headline("fault.chassis.device.fan.fail", "fan", "FAN1"), "FAN1 of Storage Head");
  EXPECT_EQ(headline("fault.cpu.l3", "cpu", "CPU1"), "CPU1");
}

TEST(Lists, PartsHaveTheirNamesInTexts) {
  const ToldWorld world(checksum_fault());
  const Inventory& inventory = world.inventory();
  const PartIndex index(inventory);
  const std::string vdev = world.c.suspects[0].asru, disk = world.c.suspects[0].fru;
  const CaseNames names(world.c, {inventory, index});
  const auto named = [&](const std::string& text) { return names.in(text); };
  EXPECT_EQ(named("The disk " + disk + ". 'fmadm retire " + vdev + "' takes it out"),
            "The disk SLOT 04. 'fmadm retire \"SLOT 04\"' takes it out");
  EXPECT_EQ(named("'fmadm replace " + vdev + " " + disk + " --force' uses it."),
            "'fmadm replace \"SLOT 04\" \"SLOT 04\" --force' uses it.");
  EXPECT_EQ(named("see https://wiki.example.org/fmd or zfs://pool=99: it's gone"),
            "see https://wiki.example.org/fmd or zfs://pool=99: it's gone");
  EXPECT_EQ(named("zfs://pool=7"), "pool tank");
  EXPECT_EQ(named("://"), "://");
}

TEST(Lists, TheScrubIsThatOfTheDisksPool) {
  const auto orders = [](const char* fault_class, bool in_pool) {
    ToldWorld world(*shipped_rules()->fault(fault_class));
    if (!in_pool) world.leave_pool();
    const Say say = world.say();
    std::string all = say.do_now;
    for (const std::string& step : say.steps) all += "\n" + step;
    return all;
  };
  for (const char* fault_class :
       {"fault.io.disk.unreadable", "fault.io.disk.defects", "fault.io.disk.self-test-failure"}) {
    EXPECT_NE(orders(fault_class, true).find("'zpool scrub tank'"), std::string::npos)
        << orders(fault_class, true);
    EXPECT_NE(orders(fault_class, false).find("'zpool scrub POOL'"), std::string::npos);
  }
}

TEST(Lists, AReplacedDiskThatIsStillInItsBayIsToBeTakenOut) {
  ToldWorld world(checksum_fault());
  world.c.suspects[0].status = SuspectStatus::replaced;
  world.c.state = CaseState::resolved;
  EXPECT_EQ(old_disk_words(world.c, world.inventory()), "") << "its vdev still uses it";
  world.leave_pool();
  world.c.uuid = "9e858a21-5c8f";
  EXPECT_EQ(old_disk_words(world.c, world.inventory()),
            "The old disk is still in SLOT 04: take it out. If it is to stay there, run 'fmadm "
            "acquit 9e858a21'.");
  EXPECT_EQ(world.say().do_now, "Take the old disk out of SLOT 04: it is not used any more.");
  EXPECT_TRUE(any_says(world.say().steps, "'fmadm acquit 9e858a21'"));
  EXPECT_EQ(world.say().headline, "SLOT 04: repaired");
  world.c.suspects[0].status = SuspectStatus::acquitted;
  EXPECT_EQ(old_disk_words(world.c, world.inventory()), "") << "it stays on purpose";
  world.c.suspects[0].status = SuspectStatus::repaired;
  EXPECT_EQ(old_disk_words(world.c, world.inventory()), "");
  world.c.suspects[0].status = SuspectStatus::replaced;
  world.empty_bay();
  EXPECT_EQ(old_disk_words(world.c, world.inventory()), "");
}

// An administrator may detach the faulty disk, for example to keep its spare. That repairs nothing.
TEST(Lists, ADetachedDiskThatIsStillInItsBayIsToBeTakenOut) {
  ToldWorld world(checksum_fault());
  world.c.suspects[0].status = SuspectStatus::repaired;
  world.c.suspects[0].facts[kLeftPool] = "detached";
  world.c.state = CaseState::resolved;
  world.leave_pool();
  EXPECT_TRUE(old_disk_words(world.c, world.inventory())
                  .starts_with("The old disk is still in SLOT 04: take it out."));
  EXPECT_EQ(world.say().headline, "SLOT 04: no longer in use");
  world.c.replaces = false;
  EXPECT_EQ(old_disk_words(world.c, world.inventory()), "") << "nothing was to be replaced";
}

// A disk that no pool uses may contain the system, or a file system that fmd does not know.
TEST(Lists, WhatADiskOutsideOfPoolsHoldsIsCopiedFirst) {
  ToldWorld world(*shipped_rules()->fault("fault.io.disk.predictive-failure"));
  world.leave_pool();
  EXPECT_EQ(world.say().do_now,
            "Copy off what the disk in SLOT 04 (serial Z1Y0DD04) holds before you replace it.");
  EXPECT_EQ(world.say().safe_to_pull.why, "fmd cannot see what is on it");
}

TEST(Lists, CommandsOfRootAreNamedOnce) {
  Say say;
  say.do_now = "Run 'fmadm replace \"SLOT 04\" NEW-DISK'.";
  say.steps = {"'fmadm resilver' shows it.", "'fmadm replace \"SLOT 04\" X --force' uses it.",
               "'zpool status tank' shows how ZFS sees it; 'mdadm --manage /dev/md0 --add X'."};
  say.disagree = {"'zpool clear tank' undoes all of it."};
  EXPECT_EQ(root_words(say),
            "Run as root, for example with sudo: fmadm replace, mdadm, zpool clear.");
  say = {};
  say.steps = {"'fmtopo -V \"SLOT 04\"' shows it, and it's well.", "'fmadm smart show' lists all."};
  EXPECT_EQ(root_words(say), "");
  say.steps = {"Look at 'dmesg', 'journalctl -u fmd' and 'fmadm smart test long \"SLOT 04\"'."};
  EXPECT_EQ(root_words(say),
            "Run as root, for example with sudo: dmesg, journalctl, fmadm smart test.");
}

// Each program in a rule's text must be listed, or be one that needs no privileges.
TEST(Lists, EachProgramInARulesTextIsKnown) {
  const std::set<std::string> plain{"fmtopo", "fmdump", "fmstat",      "cat",
                                    "ps",     "iostat", "coredumpctl", "nvme"};
  const std::set<std::string> no_program{"options", "tank"};
  const std::regex quoted("(^|[ (])'([a-z][a-z_-]*)[ ']");
  const auto rules = shipped_rules();
  for (const auto& [name, fault] : rules->faults())
    for (const std::string& text : {fault.action, fault.description, fault.response})
      for (std::sregex_iterator at(text.begin(), text.end(), quoted), end; at != end; ++at) {
        const std::string program = (*at)[2];
        EXPECT_TRUE(may_need_root(program) || plain.contains(program) ||
                    no_program.contains(program))
            << name << ": " << program;
      }
}

TEST(Lists, FmdPutsBackOnlyWhatItTookOut) {
  ToldWorld world(checksum_fault());
  world.taken_out_by("fmd");
  world.call_repaired();
  EXPECT_TRUE(any_says(world.say().next, "fmd puts SLOT 04 back into service"));
  EXPECT_EQ(world.say().needs, Needs::fmd);

  world.taken_out_by("zfs");
  EXPECT_EQ(world.say().do_now, "Run 'zpool clear tank sd4'.");
  EXPECT_EQ(world.say().needs, Needs::you);
  EXPECT_TRUE(any_says(world.say().next, "ZFS has faulted it itself: 'zpool clear tank sd4'"));

  // Someone else, or nobody known: no command is right for all of these.
  for (const char* whom : {"administrator", "nobody", ""}) {
    ToldWorld other(checksum_fault());
    if (*whom != '\0') other.taken_out_by(whom);
    other.call_repaired();
    EXPECT_TRUE(any_says(other.say().next, "closes when SLOT 04 is in service again")) << whom;
    EXPECT_TRUE(any_says(other.say().next, "'fmadm actions' and 'zpool history'")) << whom;
  }
}

// md rebuilds and checks; ZFS resilvers and scrubs.
TEST(Lists, AnArrayRebuildsAndAPoolResilvers) {
  const auto scan = [](const char* fmri, const char* type, const char* work) {
    const Inventory inventory;
    return scan_words(inventory,
                      made(fmri, type, {{"scan", value(work)}, {"scan_percent", int64_t{33}}}, {}));
  };
  EXPECT_EQ(scan("zfs://pool=7", "zfs-pool", "resilver"), "resilver 33 %");
  EXPECT_EQ(scan("zfs://pool=7", "zfs-pool", "scrub"), "scrub 33 %");
  EXPECT_EQ(scan("zfs://pool=7", "zfs-pool", "expand"), "expansion 33 %");
  EXPECT_EQ(scan("md://uuid=1", "md-array", "resilver"), "rebuild 33 %");
  EXPECT_EQ(scan("md://uuid=1", "md-array", "scrub"), "check 33 %");
  EXPECT_EQ(scan("md://uuid=1", "md-array", "reshape"), "reshape 33 %");
}

}  // namespace
}  // namespace fmd::test
