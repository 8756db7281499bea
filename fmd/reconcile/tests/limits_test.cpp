// Blast radius, and what persons order by hand.
#include "fmd/reconcile/blast_radius.h"

#include <random>

#include "fmd/reconcile/tests/reconciler_rig.h"

namespace fmd::test {
namespace {

TEST_F(ReconcilerTest, BlastRadiusCountsWhatIsUnderWay) {
  for (int i = 1; i <= 4; ++i) convict(i);
  int retired = 0;
  for (const Command& c : step())
    if (c.name == CommandName::retire) ++retired;
  EXPECT_EQ(retired, 2) << "of four in one step";
  EXPECT_EQ(action(ActionKind::retire, vdev(3), 3), "refused blast-radius");
}

TEST_F(ReconcilerTest, BlastRadiusCountsWhatFailedAndIsTriedAgain) {
  convict(1);
  convict(2);
  for (const Command& c : step()) finish(c, CommandStatus::failed, "zpool hangs");
  convict(3);
  for (const Command& c : step()) EXPECT_NE(c.resource, vdev(3));
}

TEST_F(ReconcilerTest, WhatBlastRadiusRefusedStaysRefused) {
  for (int i = 1; i <= 3; ++i) convict(i);
  act();
  ASSERT_EQ(action(ActionKind::retire, vdev(3), 3), "refused blast-radius");
  for (int hours = 0; hours < 60; ++hours) {
    wait(3600);
    if (hours == 30) restart();
    for (const std::string& sent : act())
      EXPECT_EQ(sent.find("retire zfs://pool=1/vdev=3"), std::string::npos) << hours << " h";
  }
}

// What a plugin did not answer for days is asked again: it takes its part out now, not days ago.
TEST_F(ReconcilerTest, BlastRadiusCountsWhatIsAskedAgainFromNowOn) {
  convict(1);
  convict(2);
  for (const Command& c : step()) finish(c, CommandStatus::failed, "the plugin went away", true);
  plugins = false;
  wait(50 * 3600);
  step();
  plugins = true;
  reconciler->handlers_changed();
  for (const Command& c : step()) EXPECT_NE(c.resource, vdev(3));
  convict(3);
  for (const Command& c : step()) EXPECT_NE(c.name, CommandName::retire) << c.resource;
}

TEST_F(ReconcilerTest, BlastRadiusIsOfAGroupAndATime) {
  convict(1);
  convict(2);
  act();
  wait(25 * 3600);
  convict(3);
  const Lines sent = act();
  EXPECT_TRUE(std::any_of(sent.begin(), sent.end(), [](const std::string& line) {
    return line.starts_with("retire zfs://pool=1/vdev=3");
  })) << "the others are of yesterday";
  put_vdev(4, {{"group", "zfs://pool=2"}});
  convict(4);
  const Lines other = act();
  EXPECT_TRUE(std::any_of(other.begin(), other.end(), [](const std::string& line) {
    return line.starts_with("retire zfs://pool=1/vdev=4");
  })) << "another pool";
}

TEST(BlastRadius, CountsEachOtherPartOfTheGroupOnce) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    Interventions table;
    std::map<int, std::pair<int, int64_t>> retired;  // part → group, since
    for (int i = 0; i < 40; ++i) {
      const int part = static_cast<int>(random() % 8), group = static_cast<int>(random() % 3);
      const auto kind = static_cast<InterventionKind>(random() % 2);
      Intervention one;
      one.kind = kind;
      one.part = std::to_string(part);
      one.group = group ? std::to_string(group) : "";
      one.state = static_cast<Intervention::State>(random() % 3);
      one.since = Moment(static_cast<int64_t>(random() % 100));
      if (random() % 3 == 0) {
        table.erase(one.id());
        if (kind == InterventionKind::retire) retired.erase(part);
      } else {
        if (kind == InterventionKind::retire) retired[part] = {group, one.since.steady_ns};
        table.put(one);
      }
      if (i % 10 == 9) {
        Interventions copy;
        ASSERT_TRUE(copy.restore([&] {
                          table.mark_all_changed();
                          return table.take_changes();
                        }())
                        .has_value());
        table = std::move(copy);
      }
      const int64_t since = static_cast<int64_t>(random() % 100);
      for (int asked = 0; asked < 8; ++asked)
        for (int g = 1; g < 3; ++g) {
          const auto expected = std::count_if(retired.begin(), retired.end(), [&](const auto& r) {
            return r.first != asked && r.second.first == g && r.second.second >= since;
          });
          ASSERT_EQ(others_retired(table, std::to_string(g), std::to_string(asked), since,
                                   [](const std::string& self) { return self; }),
                    static_cast<uint64_t>(expected));
        }
    }
  }
}

// Parts 0 and 1 go together, as cores do that share a cache.
TEST(BlastRadius, WhatGoesTogetherIsOne) {
  Interventions table;
  const UnitOf unit = [](const std::string& part) { return part <= "1" ? "both" : part; };
  for (const char* part : {"0", "1", "2"}) {
    Intervention one;
    one.part = part;
    one.group = "cpu";
    table.put(one);
  }
  EXPECT_EQ(others_retired(table, "cpu", "3", 0, unit), 2u);
  EXPECT_EQ(others_retired(table, "cpu", "1", 0, unit), 1u);
  EXPECT_EQ(others_retired(table, "cpu", "2", 0, unit), 1u);

  Inventory inventory;
  Resource core;
  core.fmri = "cpu://socket=0/core=5";
  core.type = "core";
  core.properties["unit"] = std::string("cpu://socket=0/core=4");
  InventoryUpdate update;
  update.source = "cpu";
  update.resources = {core};
  inventory.apply(update);
  EXPECT_EQ(unit_of(inventory, core.fmri), "cpu://socket=0/core=4");
  EXPECT_EQ(unit_of(inventory, "cpu://socket=0/core=6"), "cpu://socket=0/core=6");
}

TEST_F(ReconcilerTest, APersonMayRetireWhatTheLimitRefused) {
  for (int i = 1; i <= 3; ++i) convict(i);
  act();
  const auto order = reconciler->order_retire(vdev(3), Service::out_of_service, "root", now);
  ASSERT_TRUE(order) << order.error().message;
  EXPECT_FALSE(reconciler->order_retire(vdev(3), Service::out_of_service, "root", now))
      << "one at a time";
  EXPECT_EQ(act().size(), 3u) << "and the spares of the others go on";
  step();
  const auto results = reconciler->take_order_results();
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].order, *order);
  EXPECT_EQ(results[0].status, CommandStatus::done);
  EXPECT_NE(table().find("retire 3 root in-force"), std::string::npos) << table();
  step();
  judge(Engine::Verdict::acquitted, "case-3");
  for (int i = 0; i < 5; ++i) {
    wait(10);
    for (const std::string& sent : act())
      EXPECT_EQ(sent.find("restore zfs://pool=1/vdev=3"), std::string::npos)
          << "it is the person's";
  }
}

TEST_F(ReconcilerTest, APersonsRestoreHolds) {
  retire_fully(1);
  ASSERT_TRUE(reconciler->order_restore(vdev(1), "root", now));
  EXPECT_EQ(act(), (Lines{R"(restore zfs://pool=1/vdev=1 {"by":"person"})"}));
  const auto results = reconciler->take_order_results();
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].text, "vdev1 is in service again");
  for (int i = 0; i < 10; ++i) {
    wait(60);
    if (i == 5) restart();
    for (const std::string& sent : act()) EXPECT_FALSE(sent.starts_with("retire")) << sent;
  }
  EXPECT_EQ(action(ActionKind::retire, vdev(1)), "refused person");
  EXPECT_EQ(reconciler->kept_in_service().at(vdev(1)), "root");
  ASSERT_TRUE(reconciler->order_retire(vdev(1), Service::out_of_service, "root", now));
  EXPECT_EQ(act().size(), 1u);
  EXPECT_TRUE(reconciler->kept_in_service().empty());
}

TEST_F(ReconcilerTest, OrdersThatCannotBeCarriedOutSayWhy) {
  EXPECT_EQ(reconciler->order_retire("hc://chassis=c", Service::out_of_service, "root", now)
                .error()
                .message,
            "hc://chassis=c is nothing that can be taken out of service");
  ASSERT_TRUE(reconciler->order_restore(vdev(1), "root", now));
  EXPECT_TRUE(step().empty());
  ASSERT_TRUE(reconciler->order_retire(vdev(2), Service::out_of_service, "root", now));
  const auto sent = step();
  ASSERT_EQ(sent.size(), 1u);
  finish(sent[0], CommandStatus::refused, "last copy: mirror-0 has no other");
  plugins = false;
  ASSERT_TRUE(reconciler->order_retire(vdev(3), Service::out_of_service, "root", now));
  step();
  std::vector<std::string> texts;
  for (const OrderResult& r : reconciler->take_order_results()) texts.push_back(r.text);
  EXPECT_EQ(texts,
            (std::vector<std::string>{"vdev1 is ONLINE already", "last copy: mirror-0 has no other",
                                      "no plugin that takes commands for vdev3 is connected"}));
  EXPECT_EQ(table(), "");
  plugins = true;
  wait(600);
  EXPECT_TRUE(step().empty()) << "an order is carried out once";
}

TEST_F(ReconcilerTest, DryRunTakesNoOrders) {
  ActionConfig config;
  config.dry_run = true;
  reconciler->set_config(config);
  EXPECT_FALSE(reconciler->order_retire(vdev(1), Service::out_of_service, "root", now));
}

// A mirror with one half FAULTED and the other DEGRADED.
class LastCopyTest : public ReconcilerTest {
 protected:
  const std::string last_ = "last copy: mirror-0 of pool 'tank' already has 1 disk out of service";
  const std::string lit_ = "set_led hc://chassis=c/bay=2 " + kLedOn;
  const std::string dark_ = "set_led hc://chassis=c/bay=2 " + kLedOff;
  void mirror(const std::vector<int>& halves) {
    std::vector<Edge> edges;
    edges.reserve(halves.size());
    for (const int i : halves) edges.push_back({Relation::redundancy, vdev(i)});
    put("zfs://pool=1/vdev=10", "zfs-vdev", {{"name", "mirror-0"}, {"vdev_type", "mirror"}}, edges);
  }
  const std::string kNoRedundancy = "last copy: pool 'tank' has no redundancy";
  const std::string kOnlyCopy = "some data on the disk has no other copy now";
  std::string why_dark() const {
    const Action* a = the_case().find_action(ActionKind::fault_led, bay(2));
    return a ? a->detail : "";
  }
  // The disk itself is suspected, whatever uses it.
  void predict(int i, const std::string& content = "unknown") {
    put(disk(i), "disk",
        {{"serial", fmt::format("S{}", i)}, {"content", content}, {"smart.status", "failed"}}, {});
  }
  void expect_dark(const std::string& why) {
    step();
    EXPECT_EQ(action(ActionKind::fault_led, bay(2)), "refused last-copy");
    EXPECT_EQ(why_dark(), why);
  }
  // Of bay 2.
  Lines lights() {
    Lines out;
    for (const std::string& line : act())
      if (line == lit_ || line == dark_) out.push_back(line);
    return out;
  }
  void fault_the_other() {
    put_vdev(1, {{"service", "out-of-service"}, {"state", "FAULTED"}});
    put_vdev(2, {{"retire_refusal", last_}});
  }
  void mend_the_other() {
    put_vdev(1, {{"service", "in-service"}, {"state", "ONLINE"}});
    put_vdev(2, {{"retire_refusal", ""}});
  }
  void must_stay() {
    mirror({1, 2});
    put_vdev(2, {{"service", "degraded"}, {"state", "DEGRADED"}});
    convict(2);
    ASSERT_EQ(lights(), Lines{lit_});
    fault_the_other();
    ASSERT_EQ(lights(), Lines{dark_});
    step();
    ASSERT_EQ(action(ActionKind::fault_led, bay(2)), "refused last-copy");
  }
};

TEST_F(LastCopyTest, OnlyTheDiskToBeReplacedNowIsLit) {
  must_stay();
  convict(1);
  const Lines sent = act();
  EXPECT_TRUE(std::find(sent.begin(), sent.end(), "set_led hc://chassis=c/bay=1 " + kLedOn) !=
              sent.end());
}

// The light follows the other half, whatever of it changes.
TEST_F(LastCopyTest, TheLightFollowsTheOtherHalf) {
  must_stay();
  mend_the_other();
  EXPECT_EQ(lights(), Lines{lit_}) << "the other one is back";
  step();
  EXPECT_EQ(action(ActionKind::fault_led, bay(2)), "done");
  fault_the_other();
  EXPECT_EQ(lights(), Lines{dark_});
  put_vdev(2, {{"retire_refusal", kNoRedundancy}});
  mirror({2});
  EXPECT_EQ(lights(), Lines{}) << "the other one was detached, so this is still the only copy";
  step();
  EXPECT_EQ(why_dark(), kOnlyCopy);
  put_vdev(2, {{"retire_refusal", ""}});
  EXPECT_EQ(lights(), Lines{lit_}) << "a new half has been attached and filled";
}

// A stripe has no other member that could be replaced first.
TEST_F(LastCopyTest, ADiskOfAStripeIsDark) {
  put_vdev(2, {{"service", "degraded"}, {"state", "DEGRADED"}, {"retire_refusal", kNoRedundancy}});
  convict(2);
  EXPECT_EQ(lights(), Lines{});
  step();
  EXPECT_EQ(action(ActionKind::fault_led, bay(2)), "refused last-copy");
  EXPECT_EQ(why_dark(), kOnlyCopy);
  put_vdev(2, {{"retire_refusal", ""}});
  EXPECT_EQ(lights(), Lines{lit_}) << "it is a mirror now";
  put_vdev(2, {{"retire_refusal", kNoRedundancy}});
  EXPECT_EQ(lights(), Lines{dark_});
}

// An array without redundancy, and one that is being filled.
TEST_F(LastCopyTest, AMemberOfAnArrayIsDark) {
  const std::string member = "md://uuid=1/disk=2";
  const auto put_member = [&](const std::string& refusal) {
    Properties p{{"name", "sda"}, {"pool", "md0"}, {"service", "in-service"}};
    if (!refusal.empty()) p["retire_refusal"] = refusal;
    put(member, "md-member", p, {{Relation::redundancy, disk(2)}});
  };
  gone(vdev(2), "detached");
  put("md://uuid=1", "md-array", {{"name", "md0"}}, {{Relation::redundancy, member}});
  for (const char* refusal : {"last copy: the array (raid0) has no redundancy",
                              "last copy: a recover of the array is running"}) {
    put_member(refusal);
    predict(2);
    EXPECT_EQ(lights(), Lines{}) << refusal;
    put_member("");
    EXPECT_EQ(lights(), Lines{lit_}) << refusal;
    put_member(refusal);
    EXPECT_EQ(lights(), Lines{dark_}) << refusal;
  }
}

TEST_F(LastCopyTest, ADiskOfAVolumeWithoutAnotherCopyIsDark) {
  gone(vdev(2), "detached");
  predict(2);
  EXPECT_EQ(lights(), Lines{lit_});
  for (const std::string& other : {std::string("none"), disk(1), disk(1) + "," + disk(3)}) {
    const auto hold = [&](const std::string& disks) {
      put("dm://uuid=LVM-1", "lvm-volume", {{"name", "vg0-data"}, {"last_copy_on", disks}},
          {{Relation::redundancy, disk(1)},
           {Relation::redundancy, disk(2)},
           {Relation::redundancy, disk(3)}});
    };
    hold(disk(2));
    EXPECT_EQ(lights(), Lines{dark_});
    expect_dark(kOnlyCopy);
    hold(other);
    EXPECT_EQ(lights(), Lines{lit_}) << other;
    hold("");
    EXPECT_EQ(lights(), Lines{dark_}) << "without dmsetup";
    expect_dark("fmd cannot see whether vg0-data survives without it");
    hold(other);
    EXPECT_EQ(lights(), Lines{lit_}) << other;
    gone(disk(1), "removed");
    EXPECT_EQ(lights(), Lines{dark_}) << "device-mapper has not noticed it";
    expect_dark("another disk of vg0-data is gone");
    put(disk(1), "disk", {{"serial", "S1"}}, {});
    EXPECT_EQ(lights(), Lines{lit_}) << "it is back";
    hold(disk(1) + "," + disk(2));
    EXPECT_EQ(lights(), Lines{dark_});
    gone("dm://uuid=LVM-1", "destroyed");
    EXPECT_EQ(lights(), Lines{lit_}) << "nothing uses the disk now";
  }
}

// btrfs must copy the disk before it is pulled, whatever its profile.
TEST_F(LastCopyTest, ADeviceOfBtrfsIsDark) {
  gone(vdev(2), "detached");
  predict(2);
  EXPECT_EQ(lights(), Lines{lit_});
  const std::string device = "btrfs://fsid=1/dev=2";
  for (const std::string& last : {std::string("none"), disk(2)}) {
    put(device, "btrfs-device", {{"name", "sdb"}, {"pool", "srv"}, {"last_copy_on", last}},
        {{Relation::redundancy, disk(2)}});
    EXPECT_EQ(lights(), Lines{dark_}) << last;
    expect_dark(last == "none" ? "btrfs srv has to copy it to another disk first" : kOnlyCopy);
    gone(device, "detached");
    EXPECT_EQ(lights(), Lines{lit_}) << "its replacement holds all data";
  }
}

TEST_F(LastCopyTest, ADiskWithAMountedFileSystemIsDark) {
  gone(vdev(2), "detached");
  predict(2);
  EXPECT_EQ(lights(), Lines{lit_});
  const auto mount = [&](const std::string& disks) {
    put("fs://uuid=1b2c-3d", "filesystem",
        {{"name", "/srv"}, {"fs_type", "xfs"}, {"disks", "S1,S2"}, {"directly_on", disks}}, {});
  };
  mount(disk(1) + "," + disk(2));
  EXPECT_EQ(lights(), Lines{dark_});
  expect_dark("the file system /srv is on it");
  gone("fs://uuid=1b2c-3d", "destroyed");
  EXPECT_EQ(lights(), Lines{lit_}) << "it is unmounted";
  for (const std::string& other : {std::string(), disk(1), disk(2) + "2"}) {
    mount(other);
    EXPECT_EQ(lights(), Lines{}) << "it is on an array, or on another disk: " << other;
  }
}

// Such as a file system that is not mounted, or the disk of a virtual machine.
TEST_F(LastCopyTest, ADiskWithDataOfUnknownUseIsDark) {
  gone(vdev(2), "detached");
  predict(2, "used");
  EXPECT_EQ(lights(), Lines{});
  expect_dark("fmd cannot see whether the data on it has another copy");
  predict(2, "blank");
  EXPECT_EQ(lights(), Lines{lit_});
}

// The pool has copied its data to the new disk, so the old one may be pulled.
TEST_F(LastCopyTest, ADiskThatItsPoolHasLetGoOfIsLit) {
  predict(2, "used");
  EXPECT_EQ(lights(), Lines{lit_});
  gone(vdev(2), "replaced");
  EXPECT_EQ(lights(), Lines{});
  EXPECT_NE(action(ActionKind::fault_led, bay(2)), "refused last-copy");
  const auto holds = [&](const std::string& what) {
    put(disk(2), "disk",
        {{"serial", "S2"},
         {"content", "used"},
         {"content_reason", what},
         {"smart.status", "failed"}},
        {});
  };
  holds("it holds zfs_member, label tank");
  EXPECT_EQ(lights(), Lines{});
  holds("it holds ext4, label PAYROLL");
  EXPECT_EQ(lights(), Lines{dark_});
  expect_dark("fmd cannot see whether the data on it has another copy");
}

// A failed member is not needed by a degraded array, but may be by one that is being reshaped.
TEST_F(LastCopyTest, AMemberOfAnArrayThatIsReshapedIsDark) {
  const std::string array = "md://uuid=1", member = array + "/disk=2";
  gone(vdev(2), "detached");
  put(member, "md-member",
      {{"name", "sda"}, {"pool", "md0"}, {"service", "out-of-service"}, {"role", "data"}},
      {{Relation::redundancy, disk(2)}});
  predict(2);
  const auto scan = [&](const char* what) {
    put(array, "md-array", {{"name", "md0"}, {"health", "degraded"}, {"scan", what}},
        {{Relation::redundancy, member}});
  };
  scan("none");
  EXPECT_EQ(lights(), Lines{lit_});
  scan("reshape");
  EXPECT_EQ(lights(), Lines{dark_});
  expect_dark("its array is being reshaped");
  scan("none");
  EXPECT_EQ(lights(), Lines{lit_});
}

TEST_F(LastCopyTest, TheLightComesBackWhenTheWholePoolIsGone) {
  mirror({1, 2});
  fault_the_other();
  predict(2);
  EXPECT_EQ(lights(), Lines{});
  gone("zfs://pool=1/vdev=10", "destroyed");
  EXPECT_EQ(lights(), Lines{});
  gone(vdev(2), "destroyed");
  EXPECT_EQ(lights(), Lines{lit_});
}

// Only the inventory and the rows are kept.
TEST_F(LastCopyTest, AfterARestart) {
  must_stay();
  restart();
  EXPECT_EQ(lights(), Lines());
  mend_the_other();
  EXPECT_EQ(lights(), Lines{lit_});
}

}  // namespace
}  // namespace fmd::test
