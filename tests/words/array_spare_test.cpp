// Advice about an md array whose hot spare replaces a failed disk.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fmd/advice/pull_safety.h"
#include "fmd/advice/say.h"
#include "fmd/advice/storage.h"
#include "tests/lib/made.h"
#include "tests/words/told_world.h"

namespace fmd::test {
namespace {

constexpr const char *kOld = "md://uuid=1/disk=4", *kSpare = "md://uuid=1/disk=7";

Value word(const char* value) {
  return Value(std::string(value));
}

enum class Spare { none, filling, filled };

Say say_with(Spare spare) {
  const bool was_spare = spare == Spare::filling, filled_up = spare == Spare::filled;

  Inventory inventory;
  Properties filled{{"name", word("sdh")}, {"role", word("data")}, {"service", word("in-service")}};
  if (was_spare) filled["was_spare"] = Value(true);
  if (filled_up) filled["losses_left"] = Value(int64_t{0});
  inventory.apply(
      {"t",
       {made("dev://wwn=4", "disk", {{"serial", word("S4")}}, {}),
        made("dev://wwn=7", "disk", {{"serial", word("S7")}}, {}),
        made("hc://bay=4", "bay", {{"label", word("SLOT 04")}},
             {{Relation::contains, "dev://wwn=4"}}),
        made("hc://bay=7", "bay", {{"label", word("SLOT 07")}},
             {{Relation::contains, "dev://wwn=7"}}),
        made(kOld, "md-member",
             {{"name", word("sde")},
              {"role", word("data")},
              {"service", word("out-of-service")},
              {"losses_left", int64_t{0}},
              {"group", word("md://uuid=1")},
              {"replacing", word(filled_up ? "" : kSpare)}},
             {{Relation::redundancy, "dev://wwn=4"}}),
        made(kSpare, "md-member", std::move(filled), {{Relation::redundancy, "dev://wwn=7"}}),
        made("md://uuid=1", "md-array",
             {{"name", word("md0")}, {"health", word(filled_up ? "optimal" : "degraded")}},
             {{Relation::redundancy, kOld}, {Relation::redundancy, kSpare}})},
       {},
       true});
  Case c;
  c.uuid = "3f6d2c40-0000-4000-8000-000000000001";
  c.state = CaseState::solved;
  c.title = "Disk of an md array has failed";
  c.action = "Replace the disk in SLOT 04, serial S4, with a blank one at least as large.";
  c.replaces = true;
  c.retire.replace_same_bay = true;
  Suspect s;
  s.resource = s.asru = kOld;
  s.fru = "dev://wwn=4";
  s.bay = "hc://bay=4";
  s.location = "SLOT 04";
  s.serial = "S4";
  c.suspects = {std::move(s)};
  const PartIndex index(inventory);
  return say_of(c, {inventory, index});
}

std::string joined(const std::vector<std::string>& sentences) {
  std::string out;
  for (const std::string& one : sentences) out += one + "\n";
  return out;
}

// The spare keeps the failed disk's place; a new disk becomes the next spare.
TEST(ArraySpare, IsToldAsTheSpare) {
  const Say say = say_with(Spare::filling);
  EXPECT_EQ(say.state, SayState::spare_resilvering);
  EXPECT_EQ(say.headline, "SLOT 04: disk of an md array has failed");
  EXPECT_EQ(say.do_now,
            "Replace the disk in SLOT 04 (serial S4) with a blank one at least as large.");
  EXPECT_TRUE(say.safe_to_pull.yes()) << say.safe_to_pull.why;
  EXPECT_NE(joined(say.steps).find("'mdadm --manage /dev/md0 --add NEW-DEVICE'"),
            std::string::npos);
  EXPECT_EQ(joined(say.steps).find("fmadm replace"), std::string::npos) << joined(say.steps);
  EXPECT_EQ(joined(say.next),
            "The spare SLOT 07 is being filled.\nThe case closes when it holds all data.\n");
}

// The array is complete: a new disk is not filled, and the old one only has to be removed.
TEST(ArraySpare, ThatHasTakenOverLeavesTheOldDiskBehind) {
  const Say say = say_with(Spare::filled);
  EXPECT_EQ(
      say.do_now,
      "Take the old disk out of SLOT 04 (serial S4): a hot spare has its place and all data.");
  EXPECT_TRUE(say.safe_to_pull.yes()) << say.safe_to_pull.why;
  EXPECT_NE(joined(say.steps).find("it is the next hot spare"), std::string::npos);
  EXPECT_EQ(joined(say.next).find("used automatically"), std::string::npos) << joined(say.next);
  EXPECT_EQ(say.redundancy, "array md0 survives 1 more disk") << "the failed one counts no more";
}

TEST(ArraySpare, ANewDiskIsNone) {
  const Say say = say_with(Spare::none);
  EXPECT_NE(joined(say.steps).find(
                "The old disk is still in SLOT 04: take it out when the new one holds all data."),
            std::string::npos)
      << joined(say.steps);
  EXPECT_EQ(say.state, SayState::resilvering);
  EXPECT_EQ(say.do_now, "Wait until the new disk holds all data.");
}

// md and ZFS notice a pulled disk at their next write; until then the other half of the mirror must
// stay.
TEST(Pulled, TheOtherHalfOfAMirrorStaysThoughNothingIsNoticedYet) {
  for (const bool md : {true, false}) {
    const std::string root = md ? "md://uuid=1" : "zfs://pool=1";
    const auto half = [&](int n) {
      return made(root + (md ? "/disk=" : "/vdev=") + std::to_string(n),
                  md ? "md-member" : "zfs-vdev",
                  {{"name", word("sdx")},
                   {"role", word("data")},
                   {"service", word("in-service")},
                   {"losses_left", int64_t{0}},
                   {"losses_group", word("mirror-0")},
                   {"group", Value(root)}},
                  {{Relation::redundancy, "dev://wwn=" + std::to_string(n)}});
    };
    const Resource one = half(1), two = half(2);
    Inventory inventory;
    inventory.apply(
        {"t",
         {made("dev://wwn=1", "disk", {}, {}), made("dev://wwn=2", "disk", {}, {}), one, two,
          made(root, md ? "md-array" : "zfs-pool",
               {{"name", word("m")}, {"health", word(md ? "optimal" : "ONLINE")}},
               {{Relation::redundancy, one.fmri}, {Relation::redundancy, two.fmri}})},
         {},
         true});
    const auto safe = [&] { return pull_safety(inventory, "dev://wwn=2"); };
    EXPECT_TRUE(safe().yes()) << safe().why;
    EXPECT_EQ(survives(inventory, *inventory.find(root)), 1);
    inventory.apply({"t", {}, {{"dev://wwn=1", "removed", ""}}, false});
    EXPECT_FALSE(safe().yes()) << "its other half is out";
    EXPECT_NE(safe().why.find("is gone, and it would lose data"), std::string::npos) << safe().why;
    EXPECT_EQ(survives(inventory, *inventory.find(root)), 0);
  }
}

// An array answers for the file system on it; a file system on the disk's own partition does not.
TEST(Pulled, AFileSystemOnTheArrayDoesNotHoldItsDisks) {
  const std::string root = "md://uuid=1";
  const auto half = [&](int n) {
    return made(fmt::format("{}/disk={}", root, n), "md-member",
                {{"name", word("sdx")},
                 {"role", word("data")},
                 {"service", word("in-service")},
                 {"losses_left", int64_t{0}},
                 {"group", word(root.c_str())}},
                {{Relation::redundancy, fmt::format("dev://wwn={}", n)}});
  };
  const Resource one = half(1), two = half(2);
  Inventory inventory;
  inventory.apply(
      {"t",
       {made("dev://wwn=1", "disk", {{"serial", word("S1")}}, {}),
        made("dev://wwn=2", "disk", {{"serial", word("S2")}}, {}), one, two,
        made(root, "md-array", {{"name", word("md0")}, {"health", word("optimal")}},
             {{Relation::redundancy, one.fmri}, {Relation::redundancy, two.fmri}}),
        made("fs://uuid=a", "filesystem", {{"name", word("/srv")}, {"disks", word("S1,S2")}}, {})},
       {},
       true});
  EXPECT_TRUE(pull_safety(inventory, "dev://wwn=2").yes());
  inventory.apply({"d",
                   {made("fs://uuid=b", "filesystem",
                         {{"name", word("/boot/efi")},
                          {"disks", word("S2")},
                          {"directly_on", word("dev://wwn=2")}},
                         {})},
                   {},
                   true});
  EXPECT_TRUE(pull_safety(inventory, "dev://wwn=1").yes());
  const PullSafety safe = pull_safety(inventory, "dev://wwn=2");
  EXPECT_FALSE(safe.yes());
  EXPECT_EQ(safe.why, "the file system /boot/efi is on it");
}

}  // namespace
}  // namespace fmd::test
