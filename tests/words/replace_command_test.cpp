// The commands that put a new disk into a pool: accepted as printed, and forced only if that is safe.
#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "tests/lib/shipped_rules.h"
#include "tests/words/told_world.h"

namespace fmd::test {
namespace {

// zpool(8) refuses a disk without a label; -f overrides more than that.
TEST(ReplaceCommand, ZpoolIsForcedOnlyForADiskKnownToBeBlank) {
  int named = 0;
  for (const char* content : {"blank", "used", "unknown", ""})
    each_world([&](const FaultClass& fault, SayState, const ToldWorld& before) {
      for (const char* role : {"", "cache"}) {
        ToldWorld world = before;
        if (!world.of_disk()) return;
        if (*role != '\0') world.of_role(role);
        world.rehearse();
        world.bring_disk(content);
        const Say say = world.say();
        std::string all = say.do_now;
        for (const std::string& step : say.steps) all += "\n" + step;
        const bool forces = all.find("replace -f ") != all.npos || all.find("add -f ") != all.npos;
        if (forces) {
          EXPECT_STREQ(content, "blank") << fault.name << "\n" << all;
        }
        static const std::regex gives(
            "'zpool (replace|add|attach) (?!-f )[^']* (?!NEW-PARTITION)[^' ]*'");
        const bool explained = all.find("'does not contain an EFI label'") != all.npos &&
                               all.find("'wipefs ") != all.npos;
        if (std::regex_search(all, gives)) {
          ++named;
          EXPECT_TRUE(explained) << fault.name << ", " << content << "\n" << all;
        } else {
          EXPECT_FALSE(explained) << fault.name << ", " << content << "\n" << all;
        }
      }
    });
  EXPECT_GT(named, 100);
  ToldWorld world(checksum_fault());
  world.rehearse();
  world.bring_disk("used");
  EXPECT_EQ(world.say().do_now, "Put a blank disk into SLOT 04: the one there is not blank.");
  world.bring_disk("unknown");
  EXPECT_EQ(world.say().do_now,
            "Run 'zpool replace tank sd4 /dev/sdk' for the new disk in SLOT 04.");
  EXPECT_TRUE(any_says(world.say().steps, "see that 'wipefs /dev/sdk' prints nothing"));
}

// ZED has faulted it: the same case as for a disk that came late at boot, until another disk is there.
TEST(ReplaceCommand, AnotherDiskInTheBayEndsTheWaitForOneThatMayReturn) {
  const auto rules = shipped_rules();
  ToldWorld world(*rules->fault("fault.fs.zfs.device"));
  world.rehearse();
  EXPECT_TRUE(world.say().do_now.starts_with("Look whether the disk")) << world.say().do_now;
  EXPECT_TRUE(any_says(world.say().steps, "Then run 'zpool replace tank sd4 NEW-DEVICE'."));
  world.bring_blank_disk();
  EXPECT_EQ(world.say().headline, "SLOT 04: disk replaced, the new one is not in use yet");
  EXPECT_EQ(world.say().do_now,
            "Run 'zpool replace -f tank sd4 /dev/sdk' for the new disk in SLOT 04.");
}

}  // namespace
}  // namespace fmd::test
