// The advice for every shipped fault in every state: properties that always hold, and a golden file
// of the first lines (said.txt), to be reviewed whenever it changes. FMD_GOLDEN=write regenerates
// it.
#include "fmd/advice/say.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>

#include "fmd/advice/rule_text.h"
#include "fmd/diagnosis/suspect_text.h"
#include "tests/lib/shipped_rules.h"
#include "tests/words/told_world.h"

namespace fmd::test {
namespace {

using Look = std::function<void(const FaultClass&, SayState, const Say&)>;

void of_all(const Look& look) {
  each_world([&](const FaultClass& fault, SayState state, const ToldWorld& world) {
    look(fault, state, world.say());
  });
}

bool asks_to_exchange(const std::string& text) {
  return text.starts_with("Replace the disk") || text.starts_with("Pull");
}

TEST(Say, IsInTheStateOfTheWorld) {
  of_all([](const FaultClass&, SayState state, const Say& say) { EXPECT_EQ(say.state, state); });
}

TEST(Say, TheHeadlineNamesNoPartThatIsNoSuspect) {
  of_all([](const FaultClass& fault, SayState, const Say& say) {
    for (const char* other : {"SLOT 00", "SLOT 01", "SLOT 02", "SLOT 03", "SLOT 05", "SLOT 07"})
      EXPECT_EQ(say.headline.find(other), std::string::npos) << say.headline;
    if (fault.name.find("fs.zfs.data") != std::string::npos ||
        fault.name.find("fs.zfs.pool") != std::string::npos) {
      EXPECT_TRUE(say.headline.starts_with("pool tank")) << say.headline;
    }
    EXPECT_LE(say.headline.size(), 75u) << say.headline;
  });
}

TEST(Say, DoNowIsOneImperativeSentence) {
  of_all([](const FaultClass&, SayState, const Say& say) {
    ASSERT_FALSE(say.do_now.empty());
    EXPECT_TRUE(std::isupper(static_cast<unsigned char>(say.do_now[0]))) << say.do_now;
    EXPECT_EQ(sentences_of(say.do_now).size(), 1u) << say.do_now;
    EXPECT_NE(say.do_now, "Look at " + say.headline.substr(0, say.headline.find(':')) + ".")
        << "the rule's text begins with no order";
    for (const char* start : {"Nothing", "The ", "If ", "None"})
      EXPECT_FALSE(say.do_now.starts_with(start)) << say.do_now;
    for (const std::string* text : {&say.headline, &say.do_now})
      EXPECT_EQ(text->find('{'), std::string::npos) << *text;
  });
}

TEST(Say, DoNowAsksForNothingThatWasDoneOrCannotBe) {
  of_all([](const FaultClass&, SayState state, const Say& say) {
    const bool exchanged = state == SayState::disk_pulled || state == SayState::unfit_disk ||
                           state == SayState::resilvering || state == SayState::repaired ||
                           state == SayState::informed;
    if (exchanged) {
      EXPECT_FALSE(asks_to_exchange(say.do_now)) << say.do_now;
      EXPECT_FALSE(say.safe_to_pull.yes()) << say.safe_to_pull.why;
    }
    if (say.safe_to_pull.answer == PullSafety::Answer::no) {
      EXPECT_FALSE(say.do_now.starts_with("Replace the disk in SLOT 04 (serial Z1Y0DD04) now"))
          << say.do_now;
    }
    if (state == SayState::repaired) {
      EXPECT_EQ(say.needs, Needs::nobody);
    }
    if (state == SayState::resilvering) {
      EXPECT_EQ(say.needs, Needs::fmd);
    }
  });
}

// Both are shown beside each other.
TEST(Say, TheReasonNotToPullIsSaidOnce) {
  int refused = 0;
  const auto look = [&](const ToldWorld& world) {
    const Say say = world.say();
    if (say.safe_to_pull.answer != PullSafety::Answer::no) return;
    ++refused;
    EXPECT_EQ(say.do_now.find(say.safe_to_pull.why), std::string::npos) << say.do_now;
  };
  each_world([&](const FaultClass&, SayState, const ToldWorld& world) {
    look(world);
    ToldWorld last = world, stopped = world;
    last.refuse_last_copy();
    look(last);
    stopped.suspend_pool();
    look(stopped);
  });
  EXPECT_GT(refused, 100);
  ToldWorld last(checksum_fault());
  last.refuse_last_copy();
  EXPECT_EQ(last.say().do_now, "Do not pull the disk in SLOT 04 (serial Z1Y0DD04) yet.");
  EXPECT_EQ(last.say().safe_to_pull.why,
            "pool tank would lose data: raidz2-0 already has 2 disks out of service");
}

TEST(Say, DryRunPromisesNothing) {
  of_all([](const FaultClass&, SayState state, const Say& say) {
    if (state != SayState::dry_run) return;
    bool said = false;
    for (const std::string& sentence : say.next) {
      said = said || sentence.starts_with("Dry run is on: fmd would ");
      EXPECT_EQ(sentence.find("by itself, and a message"), std::string::npos) << sentence;
    }
    EXPECT_TRUE(said);
    EXPECT_TRUE(say.done.empty());
  });
}

// In a dry run, whatever the state, fmd fills no disk, lights no LED and refuses such commands.
TEST(Say, DryRunPromisesNothingInAnyState) {
  each_world([](const FaultClass& fault, SayState state, const ToldWorld& world) {
    if (state == SayState::repaired || state == SayState::informed) return;
    ToldWorld rehearsed = world;
    rehearsed.rehearse();
    const Say say = rehearsed.say();
    std::string all = say.do_now;
    for (const auto* list : {&say.steps, &say.next})
      for (const std::string& sentence : *list) all += "\n" + sentence;
    for (const char* promise : {"automatic", "'fmadm locate on", "by itself, and a message",
                                "when the scrub has ended, SLOT", "is brought in for"}) {
      EXPECT_EQ(all.find(promise), std::string::npos) << fault.name << "\n" << all;
    }
    const auto otherwise = std::find_if(
        say.steps.begin(), say.steps.end(),
        [](const std::string& step) { return step.starts_with("Otherwise run 'fmadm replaced "); });
    EXPECT_TRUE(otherwise == say.steps.end()) << "than what? " << all;
    EXPECT_EQ(all.find("'fmadm dry-run off'"), std::string::npos) << fault.name << "\n" << all;
    if (all.find("'fmadm replace ") != all.npos) {
      EXPECT_NE(all.find("fmd only watches, and refuses"), std::string::npos) << all;
    }
  });
}

// Without auto_replace, or if no enclosure reports the bay, the administrator must run the command.
TEST(Say, NoNewDiskIsPromisedThatFmdDoesNotTake) {
  each_world([](const FaultClass& fault, SayState state, const ToldWorld& world) {
    if (state == SayState::repaired || state == SayState::informed) return;
    ToldWorld by_hand = world, nowhere = world;
    by_hand.replace_by_hand();
    nowhere.forget_bay();
    for (const ToldWorld* one : {&by_hand, &nowhere}) {
      if (!one->of_disk()) continue;
      const Say say = one->say();
      std::string all = say.do_now;
      for (const auto* list : {&say.steps, &say.next})
        for (const std::string& sentence : *list) all += "\n" + sentence;
      for (const char* promise : {"is used automatically", "the rest is automatic",
                                  "by itself, and a message", "Wait until fmd has taken in"}) {
        EXPECT_EQ(all.find(promise), std::string::npos) << fault.name << "\n" << all;
      }
      if (any_says(world.say().next, "is used automatically")) {
        EXPECT_NE(all.find("'fmadm replace "), std::string::npos) << fault.name << "\n" << all;
      }
    }
  });
  ToldWorld world(checksum_fault());
  world.bring_blank_disk();
  EXPECT_TRUE(world.say().do_now.starts_with("Wait until fmd has taken in the new disk"));
  world.replace_by_hand();
  EXPECT_TRUE(world.say().do_now.starts_with("Run 'fmadm replace ")) << world.say().do_now;
  world.leave_to_zed();
  EXPECT_TRUE(world.say().do_now.starts_with("Run 'zpool replace -f tank sd4 "))
      << world.say().do_now;
}

// The rule's keys decide what is asked for, not the wording of its text.
TEST(Say, TheOrderIsOfTheRulesKeysAndNotOfItsWords) {
  ToldWorld world(checksum_fault());
  const Say said = world.say();
  world.c.action = "Tauschen Sie die Platte.";
  EXPECT_EQ(world.say().do_now, said.do_now);
  EXPECT_EQ(world.say().next, said.next);
  world.c.urgency = "within days";
  EXPECT_EQ(world.say().do_now,
            "Replace the disk in SLOT 04 (serial Z1Y0DD04) within days, with a blank one at least "
            "as large.");
  world.c.replaces = false;
  EXPECT_EQ(world.say().do_now, "Tauschen Sie die Platte.");
}

// A rule's text, which docs/msg prints, agrees with its keys.
TEST(Say, TheOrderInARulesTextIsThatOfItsKeys) {
  const auto rules = shipped_rules();
  int orders = 0;
  for (const auto& [name, fault] : rules->faults()) {
    const std::string first = read_rule_text(fault.action).do_now;
    const bool asks = first.starts_with("Replace the disk in") ||
                      first.starts_with("Replace the drive in") || first.starts_with("Copy off");
    EXPECT_EQ(fault.replaces, asks) << name << ": " << first;
    for (const char* urgency : {"now", "soon", "within days", "within weeks"})
      if (asks) {
        EXPECT_EQ(fault.urgency == urgency, first.find(fmt::format(", {}", urgency)) != first.npos)
            << name << ": " << first;
      }
    orders += fault.replaces;
  }
  EXPECT_GT(orders, 10);
}

// Its own policy takes no disk in, but that of the pulled disk, which joins its case, does.
TEST(Say, NoCommandIsNeededForADiskThatSmartAccuses) {
  const auto rules = shipped_rules();
  ToldWorld world(*rules->fault("fault.io.disk.predictive-failure"));
  EXPECT_FALSE(world.c.retire.replace_same_bay);
  EXPECT_TRUE(any_says(world.say().next, "a blank disk put into SLOT 04 is used automatically") ||
              any_says(world.say().next, "A blank disk put into SLOT 04 is used automatically"));
  EXPECT_FALSE(any_says(world.say().steps, "Then run 'fmadm replace"));
  world.of_role("cache");
  EXPECT_FALSE(any_says(world.say().next, "is used automatically"))
      << "rule zfs-pulled omits these";
  EXPECT_TRUE(any_says(world.say().steps,
                       "Then run 'zpool remove tank sd4' and 'zpool add tank cache NEW-DEVICE'."));
}

TEST(Say, ANewDiskThatLeavesBeforeItIsFullIsNotWaitedFor) {
  ToldWorld world(checksum_fault());
  world.reach(SayState::resilvering);
  EXPECT_EQ(world.say().needs, Needs::fmd);
  world.lose_new_disk();
  const Say say = world.say();
  EXPECT_EQ(say.do_now, "Put the new disk back into SLOT 04, or a blank one at least as large.");
  EXPECT_EQ(say.needs, Needs::you);
  EXPECT_FALSE(any_says(say.next, "when the new disk holds all data"));
}

TEST(Say, ADiskWithoutABayIsNamedByItsSerialNumber) {
  ToldWorld world(checksum_fault()), pulled = world;
  world.forget_bay();
  EXPECT_EQ(world.say().do_now, "Replace disk Z1Y0DD04 with a blank one at least as large.");
  pulled.reach(SayState::disk_pulled);
  pulled.forget_bay();
  EXPECT_TRUE(any_says(pulled.say().steps, "'fmadm replace \"Z1Y0DD04\" NEW-DISK'"));
}

// Most shelves number their bays from the same start.
TEST(Say, ABayIsToldApartFromThatOfAnotherShelf) {
  ToldWorld world(checksum_fault());
  EXPECT_TRUE(world.say().headline.starts_with("SLOT 04: "));
  ToldWorld twins = world;
  world.add_shelf("Shelf B");
  EXPECT_TRUE(world.say().headline.starts_with("SLOT 04 of Shelf A: ")) << world.say().headline;
  EXPECT_NE(world.say().do_now.find("SLOT 04 of Shelf A (serial Z1Y0DD04)"), std::string::npos)
      << world.say().do_now;
  twins.add_shelf("Shelf A");
  EXPECT_TRUE(twins.say().headline.starts_with("SLOT 04 of 5000c5001: ")) << twins.say().headline;
}

TEST(Say, AWindowSaysHowToEndIt) {
  of_all([](const FaultClass&, SayState state, const Say& say) {
    if (state != SayState::maintenance) return;
    ASSERT_FALSE(say.next.empty());
    EXPECT_NE(say.next[0].find("'fmadm maintenance end 3'"), std::string::npos) << say.next[0];
  });
}

TEST(Say, NoCommandIsAskedForBesideWhatIsAutomatic) {
  of_all([](const FaultClass& fault, SayState state, const Say& say) {
    if (!any_says(say.next, "is used automatically")) return;
    EXPECT_FALSE(any_says(say.steps, "Then run 'fmadm replace "))
        << fault.name << ", " << say_state_name(state);
  });
}

TEST(Say, AnUnfitDiskInAnotherBayIsAStepAndNotTheOrder) {
  for (const SayState state : {SayState::spare_resilvering, SayState::spare_holds_all,
                               SayState::out_of_service, SayState::disk_pulled}) {
    ToldWorld world(checksum_fault());
    world.reach(state);
    const Say before = world.say();
    world.refuse_disk_elsewhere();
    const Say say = world.say();
    EXPECT_EQ(say.do_now, before.do_now);
    EXPECT_EQ(say.headline, before.headline);
    EXPECT_EQ(say.safe_to_pull, before.safe_to_pull);
    EXPECT_TRUE(any_says(say.steps, "The new disk in SLOT 08")) << say_state_name(state);
  }
}

TEST(Say, TheNewDiskIsNamedByTheBayWhereItIs) {
  ToldWorld world(checksum_fault());
  world.reach(SayState::unfit_disk);
  world.move_old_disk();
  EXPECT_EQ(world.say().do_now,
            "Put a blank disk into SLOT 04, or allow the new one: it is not blank.");
}

TEST(Say, ACaseThatAnotherExplainsWasNotAcquittedByAPerson) {
  ToldWorld world(checksum_fault());
  world.acquit();
  world.c.superseded_by = "0123456789abcdef";
  EXPECT_EQ(world.say().do_now, "Look at case 01234567: it explains this one.");
  EXPECT_EQ(world.say().headline, "SLOT 04: explained by case 01234567");
}

// When the scrub ends the spare is filled, and the disk must not be pulled for that time.
TEST(Say, AfterTheScrubTheSpareIsWaitedFor) {
  ToldWorld world(checksum_fault());
  world.reach(SayState::waiting_scrub);
  EXPECT_TRUE(world.say().do_now.ends_with("replace it when the scrub ends."));
  world.offer_spare();
  EXPECT_TRUE(
      world.say().do_now.ends_with("replace it when fmd reports that a spare holds its data."));
  EXPECT_EQ(world.say().safe_to_pull,
            (PullSafety{PullSafety::Answer::no, "fmd fills a spare first, after the scrub"}));
  world.rehearse();
  EXPECT_TRUE(world.say().do_now.ends_with("replace it when the scrub ends.")) << "none comes";
}

TEST(Say, ThreeSickDisksOfOnePoolMayShareACause) {
  ToldWorld world(checksum_fault());
  world.reach(SayState::out_of_service);
  EXPECT_TRUE(world.say().do_now.starts_with("Replace the disk in SLOT 04"));
  world.degrade_others();
  EXPECT_EQ(world.say().do_now,
            "Check the cables, the controller and the power of the disks of pool tank before you "
            "replace one.");
  // fmd fills the spare meanwhile, but the administrator has something to do.
  world.reach(SayState::spare_resilvering);
  EXPECT_TRUE(world.say().do_now.starts_with("Check the cables")) << world.say().do_now;
  EXPECT_EQ(world.say().needs, Needs::you);
  EXPECT_FALSE(world.say().safe_to_pull.yes());
}

TEST(Say, ABayKnownFromADrawingIsToBeCheckedBeforeTheDiskIsPulled) {
  size_t cautioned = 0;
  each_world([&](const FaultClass&, SayState, const ToldWorld& told) {
    ToldWorld world = told;
    const PullSafety before = world.say().safe_to_pull;
    world.know_bay_from_drawing();
    const PullSafety after = world.say().safe_to_pull;
    EXPECT_EQ(after.answer, before.answer);
    if (before.yes() && after.why == before.why + "; check with a blink before you pull")
      ++cautioned;
    else
      EXPECT_EQ(after, before);
  });
  EXPECT_GT(cautioned, 0u);
}

TEST(Say, AnEmptyBayHasNothingToPull) {
  const auto rules = shipped_rules();
  ToldWorld world(*rules->fault("fault.fs.zfs.device"));
  world.empty_bay();
  EXPECT_EQ(world.say().safe_to_pull, PullSafety{});
}

TEST(Say, AnAcquittedPartIsNotRepaired) {
  ToldWorld world(checksum_fault());
  world.acquit();
  const Say say = world.say();
  EXPECT_EQ(say.headline, "SLOT 04: acquitted");
  EXPECT_EQ(say.do_now, "Do nothing: an administrator has said that it is not at fault.");
}

// A part with two cases has a command for each of them.
TEST(Say, AcquittingEndsThisCaseOnly) {
  of_all([](const FaultClass&, SayState, const Say& say) {
    for (const std::string& sentence : say.disagree)
      if (sentence.find("fmadm acquit") != sentence.npos) {
        EXPECT_TRUE(sentence.find("'fmadm acquit 3f6d2c40'") != sentence.npos ||
                    sentence.find("fmadm acquit' with the number") != sentence.npos)
            << sentence;
      }
  });
}

TEST(Say, NoCommandOfZfsUndoesWhatADiskThatHasLeftWentThrough) {
  for (const SayState state : {SayState::out_of_service, SayState::disk_pulled,
                               SayState::unfit_disk, SayState::resilvering}) {
    ToldWorld world(checksum_fault());
    world.reach(state);
    const Say say = world.say();
    EXPECT_EQ(any_says(say.disagree, "'zpool clear "), state == SayState::out_of_service)
        << say_state_name(state);
    EXPECT_TRUE(any_says(say.disagree, "fmadm acquit")) << say_state_name(state);
  }
}

TEST(Say, NoNameOfADeviceBeginsAStep) {
  const FaultClass& fault = checksum_fault();
  Suspect s;
  s.fault_class = fault.name;
  s.location = "SLOT 04";
  s.serial = "A'; rm -rf /; SLOT 05. Pull it! \"Now\"";
  s.facts = {{"pool", "tank"}, {"name", "sd4; Wipe it"}};
  const RuleText hostile = read_rule_text(fill_action(Inventory(), s, fault.action));
  s.serial = "A1";
  s.facts["name"] = "sd4";
  const RuleText plain = read_rule_text(fill_action(Inventory(), s, fault.action));
  EXPECT_EQ(hostile.steps.size(), plain.steps.size());
  EXPECT_EQ(hostile.disagree.size(), plain.disagree.size());
  EXPECT_TRUE(any_says({hostile.do_now}, "A\\x27\\x3b rm")) << hostile.do_now;
}

TEST(Say, InDryRunFmdTakesNoNewDisk) {
  ToldWorld world(checksum_fault());
  world.reach(SayState::disk_pulled);
  world.bring_blank_disk();
  EXPECT_EQ(world.say().needs, Needs::fmd);
  EXPECT_TRUE(world.say().do_now.starts_with("Wait until fmd has taken in"));
  EXPECT_EQ(world.say().headline, "SLOT 04: disk replaced, the new one is not in use yet");
  world.rehearse();
  EXPECT_EQ(world.say().needs, Needs::you);
  EXPECT_EQ(world.say().do_now,
            "Run 'zpool replace -f tank sd4 /dev/sdk' for the new disk in SLOT 04.");
  EXPECT_TRUE(any_says(world.say().steps, "fmd has found the disk (serial NEW00008) blank"));
}

TEST(Say, TheLightIsAsTheEnclosureReportsIt) {
  ToldWorld world(checksum_fault());
  world.reach(SayState::spare_holds_all);
  EXPECT_EQ(world.say().light, "") << "the bay does not say so";
  world.light(true);
  EXPECT_EQ(world.say().light, "Its fault LED is on.");
  world.light(false);
  EXPECT_EQ(world.say().light, "");
}

TEST(Say, WhoElseTookItOutIsNamed) {
  ToldWorld world(checksum_fault());
  world.taken_out_by("administrator");
  EXPECT_TRUE(any_says(world.say().done, "by an administrator"));
  world.taken_out_by("zfs");
  EXPECT_TRUE(any_says(world.say().done, "by ZFS"));
  world.taken_out_by("nobody");
  EXPECT_TRUE(any_says(world.say().done, ", but not by fmd"));
}

// Texts contain no number of a rule: an override would make it wrong.
TEST(Say, TextsHaveTheConfiguredTimes) {
  const auto rules = shipped_rules();
  for (const Rule& rule : rules->rules()) {
    if (rule.hold_ns < 60'000'000'000) continue;
    const int64_t minutes = rule.hold_ns / 60'000'000'000;
    for (const std::string unit : {" minutes", " hours"}) {
      const int64_t n = unit == " hours" ? minutes / 60 : minutes;
      if (n < 2) continue;
      const std::string literal = fmt::format("for more than {}{}", n, unit);
      EXPECT_EQ(rule.fault->description.find(literal), std::string::npos) << rule.name;
    }
  }
}

std::string golden_text() {
  std::string out;
  of_all([&](const FaultClass& fault, SayState state, const Say& say) {
    // These texts are the same for every fault.
    const bool same = state == SayState::maintenance || state == SayState::repaired;
    if (same && !fault.name.ends_with(".vdev.checksum")) return;
    out +=
        fmt::format("{}, {}\n  {}\n  {}\n  safe to pull: {}{}\n", fault.name, say_state_name(state),
                    say.headline, say.do_now, answer_name(say.safe_to_pull.answer),
                    say.safe_to_pull.why.empty() ? "" : " (" + say.safe_to_pull.why + ")");
  });
  return out;
}

TEST(Say, FirstLinesAreAsTheyWereRead) {
  const std::string path = FMD_TREE "/tests/words/said.txt";
  const std::string now = golden_text();
  if (const char* wish = std::getenv("FMD_GOLDEN"); wish && std::string(wish) == "write")
    std::ofstream(path) << now;
  std::ostringstream read;
  read << std::ifstream(path).rdbuf();
  std::istringstream is_lines(now), was_lines(read.str());
  for (std::string is, was; std::getline(is_lines, is);) {
    std::getline(was_lines, was);
    ASSERT_EQ(is, was) << "read it, then write it anew with FMD_GOLDEN=write";
  }
  EXPECT_EQ(now.size(), read.str().size());
}

}  // namespace
}  // namespace fmd::test
