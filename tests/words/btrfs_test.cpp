// The words about a disk of a btrfs file system: fmd changes nothing of it, and btrfs takes no device
// back while it is mounted.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fmd/advice/pools_now.h"
#include "fmd/advice/say.h"
#include "fmd/diagnosis/suspect_text.h"
#include "fmd/rules/rules.h"
#include "tests/lib/made.h"
#include "tests/lib/shipped_rules.h"
#include "tests/words/told_world.h"

namespace fmd::test {
namespace {

// SLOT 01 and SLOT 02 are a btrfs raid1, "data".
class BtrfsWorld : public ::testing::Test {
 protected:
  static constexpr const char* kWhole = "btrfs://fsid=7";
  static Value text(std::string value) { return Value(std::move(value)); }
  static std::string device(int n) { return fmt::format("btrfs://fsid=7/dev={}", n); }
  static std::string disk(int n) { return fmt::format("dev://wwn={}", n); }
  static std::string bay(int n) { return fmt::format("hc://chassis=1/bay={}", n); }

  void SetUp() override {
    std::vector<Resource> all;
    for (const int n : {1, 2}) {
      all.push_back(a_disk(n));
      all.push_back(a_bay(n, n));
      all.push_back(a_device(n, "ok", n));
    }
    all.push_back(whole(0));
    inventory.apply({"t", std::move(all), {}, true});
  }

  static Resource a_disk(int n) {
    return made(
        disk(n), "disk",
        {{"serial", text(fmt::format("S{}", n))}, {"path", text(fmt::format("/dev/sd{}", n))}}, {});
  }
  static Resource a_bay(int n, int holds) {
    std::vector<Edge> edges;
    if (holds > 0) edges.push_back({Relation::contains, disk(holds)});
    return made(bay(n), "bay", {{"label", text(fmt::format("SLOT 0{}", n))}}, edges);
  }
  static Resource a_device(int n, const char* state, int on) {
    return made(device(n), "btrfs-device",
                {{"name", text(fmt::format("sd{}", n))},
                 {"pool", text("data")},
                 {"devid", int64_t{n}},
                 {"role", text("data")},
                 {"state", text(state)}},
                {{Relation::redundancy, disk(on)}});
  }
  static Resource whole(int missing) {
    return made(kWhole, "btrfs",
                {{"name", text("data")},
                 {"devices", int64_t{2}},
                 {"missing", int64_t{missing}},
                 {"health", text(missing == 0   ? "optimal"
                                 : missing == 1 ? "degraded"
                                                : "failed")}},
                {{Relation::redundancy, device(1)}, {Relation::redundancy, device(2)}});
  }
  void put(std::vector<Resource> now) { inventory.apply({"t", std::move(now), {}, false}); }
  void pull(int n, int missing) {
    inventory.apply({"t",
                     {a_bay(n, 0), a_device(n, "missing", n), whole(missing)},
                     {{disk(n), "removed", ""}},
                     false});
  }

  // A case of this fault about the disk in SLOT 02.
  Case case_of(const char* name) const {
    const auto rules = shipped_rules();
    const FaultClass& fault = *rules->fault(name);
    Case c;
    c.uuid = "3f6d2c40-0000-4000-8000-000000000001";
    c.state = CaseState::solved;
    c.fault_class = fault.name;
    c.retire = fault.retire;
    c.led = fault.led;
    take_order(fault, c);
    Suspect s;
    s.fault_class = fault.name;
    const bool of_disk = fault.name.find(".btrfs.") == std::string::npos;
    s.resource = s.asru = of_disk ? disk(2) : device(2);
    s.fru = disk(2);
    s.bay = bay(2);
    s.location = "SLOT 02";
    s.serial = "S2";
    s.facts = {{"pool", "data"}, {"name", "sd2"}};
    c.title = fill_text(inventory, s, fault.title);
    c.action = fill_action(inventory, s, fault.action);
    c.suspects = {std::move(s)};
    return c;
  }
  // About the file system itself.
  Case of_whole(const char* name) const {
    Case c = case_of("fault.fs.btrfs.device.missing");
    const auto rules = shipped_rules();
    const FaultClass& fault = *rules->fault(name);
    c.fault_class = fault.name;
    take_order(fault, c);
    Suspect& s = c.suspects[0];
    s = {};
    s.fault_class = fault.name;
    s.resource = s.asru = kWhole;
    s.facts = {{"name", "data"}};
    c.title = fill_text(inventory, s, fault.title);
    c.action = fill_action(inventory, s, fault.action);
    return c;
  }
  Say say(const Case& c) const {
    const PartIndex index(inventory);
    return say_of(c, {inventory, index});
  }

  Inventory inventory;
};

TEST_F(BtrfsWorld, AFailingDiskIsCopiedByBtrfsBeforeItIsPulled) {
  for (const char* fault : {"fault.io.disk.predictive-failure", "fault.fs.btrfs.device.failing"}) {
    const Say said = say(case_of(fault));
    EXPECT_EQ(
        said.do_now,
        "Have btrfs copy the disk in SLOT 02 (serial S2) to a blank disk before you pull it.");
    EXPECT_EQ(said.safe_to_pull,
              (PullSafety{PullSafety::Answer::no, "it is a device of btrfs data"}));
    EXPECT_TRUE(any_says(said.steps, "run 'btrfs replace start 2 NEW-DEVICE MOUNTPOINT'")) << fault;
    EXPECT_TRUE(any_says(said.steps, "NEW-DEVICE is the device of the new disk: 'fmtopo BAY'"));
    EXPECT_TRUE(any_says(said.steps, "pull SLOT 02 when it has ended")) << fault;
    EXPECT_FALSE(any_says(said.steps, "'fmadm replace ")) << fault;
    EXPECT_FALSE(any_says(said.next, "used automatically")) << fault;
  }
}

TEST_F(BtrfsWorld, APulledDiskIsReplacedByACommandOfBtrfs) {
  const Case c = case_of("fault.io.disk.predictive-failure");
  pull(2, 1);
  EXPECT_EQ(say(c).state, SayState::disk_pulled);
  EXPECT_EQ(say(c).do_now, "Put a blank disk at least as large into SLOT 02.");
  EXPECT_TRUE(any_says(say(c).steps, "Then run 'btrfs replace start 2 NEW-DEVICE MOUNTPOINT'."));
  EXPECT_EQ(say(c).redundancy, "btrfs data lacks 1 of its 2 devices");
  put({a_disk(3), a_bay(2, 3)});
  EXPECT_EQ(say(c).do_now,
            "Run 'btrfs replace start 2 /dev/sd3 MOUNTPOINT' for the new disk in SLOT 02.");
  EXPECT_EQ(say(c).needs, Needs::you);
  Resource used = a_disk(3);
  used.properties["content"] = std::string("used");
  put({used});
  EXPECT_EQ(say(c).do_now, "Put a blank disk into SLOT 02: the one there is not blank.");
  put({a_disk(3)});
  put({a_device(2, "ok", 3), whole(0)});
  EXPECT_EQ(say(c).do_now, "Run 'fmadm replaced \"SLOT 02\"': the disk has been replaced.");
}

TEST_F(BtrfsWorld, ADiskThatIsBackIsMountedAgain) {
  pull(2, 1);
  Case c = case_of("fault.fs.btrfs.device.missing");
  c.suspects[0].facts[kWasGone] = "true";
  EXPECT_TRUE(say(c).do_now.starts_with("Put the disk with serial S2 back")) << say(c).do_now;
  EXPECT_FALSE(say(c).safe_to_pull.yes());
  put({a_disk(2), a_bay(2, 2)});
  EXPECT_EQ(say(c).do_now,
            "Unmount btrfs data and mount it again: the disk in SLOT 02 (serial S2) is back.");
  EXPECT_FALSE(say(c).safe_to_pull.yes());
}

// More devices are away than it tolerates: no order may be to replace one.
TEST_F(BtrfsWorld, TheOnlyCopyIsBroughtBack) {
  const Case c = case_of("fault.io.disk.predictive-failure");
  pull(1, 1);
  EXPECT_FALSE(say(c).safe_to_pull.yes()) << "the only copy that is left";
  pull(2, 2);
  const Say said = say(c);
  EXPECT_EQ(said.do_now,
            "Bring the disk in SLOT 02 (serial S2) back: check its cable, its power and its "
            "enclosure.");
  EXPECT_TRUE(any_says(said.steps, "unmount btrfs data and mount it again"));
  EXPECT_FALSE(any_says(said.steps, "zpool"));
  EXPECT_EQ(said.redundancy, "btrfs data lacks 2 of its 2 devices");
}

// The first two lines in each state, which were read.
TEST_F(BtrfsWorld, FirstLines) {
  const auto lines = [&](const Case& c) {
    const Say said = say(c);
    return fmt::format("{}\n{}\nsafe to pull: {}{}\n", said.headline, said.do_now,
                       answer_name(said.safe_to_pull.answer),
                       said.safe_to_pull.why.empty() ? "" : " (" + said.safe_to_pull.why + ")");
  };
  Case missing = case_of("fault.fs.btrfs.device.missing");
  missing.suspects[0].facts[kWasGone] = "true";
  EXPECT_EQ(lines(case_of("fault.fs.btrfs.device.errors")),
            "SLOT 02: btrfs has counted errors on a disk\n"
            "Run 'btrfs scrub start' on its mount point: it reads everything and repairs what it "
            "can.\n"
            "safe to pull: no (it is a device of btrfs data)\n");
  EXPECT_EQ(lines(case_of("fault.fs.btrfs.device.failing")),
            "SLOT 02: a disk of a btrfs file system is failing\n"
            "Have btrfs copy the disk in SLOT 02 (serial S2) to a blank disk before you pull it.\n"
            "safe to pull: no (it is a device of btrfs data)\n");
  pull(2, 1);
  EXPECT_EQ(lines(missing),
            "SLOT 02: a btrfs file system runs without one of its devices\n"
            "Put the disk with serial S2 back and mount the file system again: btrfs takes no "
            "device back while it is mounted.\n"
            "safe to pull: no (it is a device of btrfs data)\n");
  put({a_disk(3), a_bay(2, 3)});
  EXPECT_EQ(lines(missing),
            "SLOT 02: disk replaced, the new one is not in use yet\n"
            "Run 'btrfs replace start 2 /dev/sd3 MOUNTPOINT' for the new disk in SLOT 02.\n"
            "safe to pull: no (the disk in SLOT 02 now is another one)\n");
  put({a_disk(2), a_bay(2, 2)});
  EXPECT_EQ(lines(missing),
            "SLOT 02: a btrfs file system runs without one of its devices\n"
            "Unmount btrfs data and mount it again: the disk in SLOT 02 (serial S2) is back.\n"
            "safe to pull: no (it is a device of btrfs data)\n");
  pull(1, 1), pull(2, 2);
  EXPECT_EQ(lines(of_whole("fault.fs.btrfs.failed")),
            "btrfs data: btrfs has lost more devices than it can tolerate\n"
            "Bring the missing devices of data back: look at the power of the enclosure, the "
            "cables and the controller ('btrfs filesystem show' names them).\n"
            "safe to pull: not_a_part\n");
  EXPECT_EQ(lines(of_whole("fault.fs.btrfs.gone")),
            "btrfs data: btrfs is not mounted, and disks are missing\n"
            "Bring the missing disks back: look at the power of the enclosure, the cables and the "
            "controller ('btrfs filesystem show' names the devices that are there).\n"
            "safe to pull: not_a_part\n");
}

TEST_F(BtrfsWorld, IsAmongThePoolsOfTheFirstScreen) {
  const LeafView view{[&](std::string_view fmri) { return std::string(fmri); },
                      [](const Resource&) { return std::optional<HeldVerdict>(); }};
  ASSERT_EQ(pools_now(inventory, view).size(), 1u);
  EXPECT_TRUE(pools_now(inventory, view)[0].well);
  pull(2, 1);
  const PoolNow pool = pools_now(inventory, view).at(0);
  EXPECT_FALSE(pool.well);
  EXPECT_EQ(pool.state, "degraded");
  EXPECT_EQ(pool.expected, std::vector<std::string>{device(2) + " cannot be opened."});
  Resource alone = whole(0);
  alone.properties["devices"] = Value(int64_t{1});
  put({std::move(alone)});
  EXPECT_TRUE(pools_now(inventory, view).empty()) << "one device has nothing to survive with";
}

}  // namespace
}  // namespace fmd::test
