#include "plugins/zfs/command_plan.h"

#include <fmt/format.h>

#include "fmd/base/json.h"
#include "plugins/sdk/messages.h"
#include "plugins/zfs/event_convert.h"
#include "plugins/zfs/inventory.h"
#include "plugins/zfs/tests/fixture.h"

namespace fmd::zfs {
namespace {

using test::kPool;
using test::Names;
using test::status_text;
using Steps = std::vector<std::vector<std::string>>;

class CommandPlan : public ::testing::Test {
 protected:
  Plan plan(const std::string& rows, const char* leaf, const char* name,
            nlohmann::json args = nlohmann::json::object()) {
    pool = names.pool(status_text(rows));
    request = {};
    request.name = name;
    request.args = std::move(args);
    guid = names.guid(leaf);
    return plan_command(request, pool, guid, facts());
  }
  PlanFacts facts() {
    return {.device = [](const Vdev&) { return DeviceFacts(); },
            .disk = [](const Vdev& vdev) { return "dev://wwn=" + vdev.name; },
            .present = [this](const Vdev&) { return !pulled; },
            .path_in_place = [this](const Vdev&, std::string_view) { return in_place; },
            .bears_label = [this](const Vdev&) { return labelled; },
            .at_path =
                [this](const Vdev& vdev) {
                  return "dev://wwn=" + (stranger.empty() ? vdev.name : stranger);
                },
            .labelled_path = [this](const Vdev&, std::string_view) { return elsewhere; },
            .takes_names = takes_names,
            .is_mapped = [this](const Vdev&) { return mapped; },
            .stable_path = [this](std::string_view, std::string_view) -> Result<std::string> {
              if (missing) return fail("it is not there");
              return std::string("/dev/disk/by-id/wwn-0xNEW");
            },
            .has_partitions = [this](const std::string&) { return partitions; },
            .retired_by = [this](uint64_t) { return retired_by; },
            .spare_key = [this](uint64_t) { return spare_key; },
            .no_spare = no_spare,
            .retire_only_with_spare = only_with_spare};
  }
  std::string guid_of(const char* leaf) { return std::to_string(names.guid(leaf)); }
  // "<sda> is ONLINE" with the FMRI of /dev/sda.
  std::string with_fmri(std::string text) {
    for (size_t at = 0; (at = text.find('<', at)) != text.npos;) {
      const size_t end = text.find('>', at);
      text.replace(at, end + 1 - at,
                   vdev_fmri(kPool, names.guid("/dev/" + text.substr(at + 1, end - at - 1))));
    }
    return text;
  }
  Names names;
  Pool pool;
  sdk::CommandRequest request;
  uint64_t guid = 0;
  bool missing = false, partitions = false, mapped = false, pulled = false;
  bool labelled = false;
  std::string retired_by, spare_key, stranger, in_place, elsewhere;
  bool takes_names = false;
  std::set<std::string> no_spare;
  bool only_with_spare = false;
};

const std::string kMirror =
    "  mirror-0 ONLINE\n    /dev/sda ONLINE\n    /dev/sdb ONLINE\nspares\n  "
    "/dev/disk/by-id/wwn-0xS-part1 AVAIL\n";
const std::string kInUse =
    "  mirror-0 DEGRADED\n    /dev/sda ONLINE\n    spare-1 DEGRADED\n      /dev/sdb DEGRADED\n     "
    " /dev/sdh ONLINE\nspares\n  /dev/sdh INUSE\n";

TEST_F(CommandPlan, WhatAnAdministratorHasSet) {
  const std::string none = kMirror.substr(0, kMirror.find("spares"));
  const nlohmann::json degraded = {{"to", "degraded"}};
  only_with_spare = true;
  EXPECT_FALSE(plan(kMirror, "/dev/sda", "retire", degraded).answer);
  EXPECT_FALSE(
      plan(kInUse, "/dev/sdb", "retire", {{"to", "out-of-service"}}).answer);  // it has a spare
  EXPECT_EQ(plan(none, "/dev/sda", "retire", degraded).answer->reason, kOnlyWithSpare);
  no_spare = {"dozer"};
  EXPECT_FALSE(plan(kMirror, "/dev/sda", "spare_in").answer);
  no_spare = {"tank"};
  EXPECT_EQ(plan(kMirror, "/dev/sda", "spare_in").answer->reason, kNoSpare);
  EXPECT_EQ(plan(kMirror, "/dev/sda", "retire", degraded).answer->reason, kOnlyWithSpare);
  only_with_spare = false;
  EXPECT_FALSE(plan(kMirror, "/dev/sda", "retire", degraded).answer);
}

TEST_F(CommandPlan, Retire) {
  EXPECT_EQ(plan(kMirror, "/dev/sda", "retire", {{"to", "degraded"}}).steps,
            (Steps{{"fmd-zfs-vdev", "degrade", "tank", guid_of("/dev/sda")}}));
  EXPECT_EQ(plan(kMirror, "/dev/sda", "retire", {{"to", "out-of-service"}}).steps,
            (Steps{{"fmd-zfs-vdev", "fault", "tank", guid_of("/dev/sda")},
                   {"zpool", "offline", "-f", "tank", guid_of("/dev/sda")}}));
  EXPECT_TRUE(plan(kMirror, "/dev/sda", "retire", {{"to", "out-of-service"}}).alternatives);
  const std::string stripe = "  /dev/sda ONLINE\n";
  const Plan alone = plan(stripe, "/dev/sda", "retire", {{"to", "out-of-service"}});
  ASSERT_TRUE(alone.answer);
  EXPECT_EQ(alone.answer->status, "refused");
  EXPECT_EQ(alone.answer->reason, "last copy: pool 'tank' has no redundancy");
  EXPECT_TRUE(alone.steps.empty());
  EXPECT_EQ(plan(stripe, "/dev/sda", "retire", {{"to", "degraded"}}).steps.size(), 1u)
      << "that takes no copy away";
  EXPECT_EQ(plan(kMirror, "/dev/sda", "retire").answer->status, "failed");
}

TEST_F(CommandPlan, WhatIsSoAlreadyIsNotDone) {
  struct Case {
    const char* rows;
    const char* name;
    nlohmann::json args;
    bool so;
  };
  for (const Case& c :
       {Case{"  mirror-0 ONLINE\n    /dev/sda ONLINE\n", "retire", {{"to", "degraded"}}, false},
        Case{"  mirror-0 ONLINE\n    /dev/sda DEGRADED\n", "retire", {{"to", "degraded"}}, true},
        Case{"  mirror-0 ONLINE\n    /dev/sda FAULTED\n", "retire", {{"to", "degraded"}}, true},
        Case{"  mirror-0 ONLINE\n    /dev/sda DEGRADED\n",
             "retire",
             {{"to", "out-of-service"}},
             false},
        Case{"  mirror-0 ONLINE\n    /dev/sda REMOVED\n",
             "retire",
             {{"to", "out-of-service"}},
             true},
        Case{"  mirror-0 ONLINE\n    /dev/sda ONLINE\n", "restore", {}, true},
        Case{"  mirror-0 ONLINE\n    /dev/sda OFFLINE\n", "restore", {}, false},
        Case{"  mirror-0 ONLINE\n    /dev/sda ONLINE\n", "spare_in", {}, false},
        Case{"  mirror-0 ONLINE\n    /dev/sda ONLINE\n", "spare_out", {}, true}}) {
    plan(c.rows, "/dev/sda", c.name, c.args);
    EXPECT_EQ(unmet(request, pool, guid, facts()).empty(), c.so) << c.rows << c.name;
  }
  plan(kInUse, "/dev/sdb", "spare_in");
  EXPECT_EQ(unmet(request, pool, guid, facts()), "") << "never a second spare";
  const auto reply = success(request, pool, guid, false);
  EXPECT_EQ(reply.status, "done");
  EXPECT_EQ(reply.detail["spare"], vdev_fmri(kPool, names.guid("/dev/sdh")));
  EXPECT_NE(reply.reason.find("done by zed or an administrator"), std::string::npos);
  EXPECT_EQ(reply.detail["already"], true);
  EXPECT_FALSE(success(request, pool, guid, true).detail.contains("already"));
}

std::string mirror_with(const std::string& state) {
  return "  mirror-0 DEGRADED\n    /dev/sda " + state + "\n    /dev/sdb ONLINE\n";
}

TEST_F(CommandPlan, Restore) {
  const std::string sda = guid_of("/dev/sda");
  const Steps clear{{"zpool", "clear", "tank", sda}};
  const Steps both{{"zpool", "online", "tank", sda}, {"zpool", "clear", "tank", sda}};
  const nlohmann::json person{{"by", "person"}};
  for (const auto& [state, steps] :
       {std::pair{"DEGRADED", clear}, {"FAULTED", Steps{clear[0], both[0]}}, {"OFFLINE", both}})
    EXPECT_EQ(plan(mirror_with(state), "/dev/sda", "restore", person).steps, steps) << state;
  retired_by = "k1";
  EXPECT_EQ(plan(mirror_with("DEGRADED"), "/dev/sda", "restore", {{"key", "k1"}}).steps, clear);
  EXPECT_EQ(
      plan(mirror_with("FAULTED external device fault"), "/dev/sda", "restore", {{"key", "k1"}})
          .steps,
      clear);
}

TEST_F(CommandPlan, RestoreUndoesOnlyWhatFmdDid) {
  const auto refusal = [&](const char* state, nlohmann::json args) {
    const Plan refused = plan(mirror_with(state), "/dev/sda", "restore", std::move(args));
    return refused.answer ? refused.answer->status + ": " + refused.answer->reason : "";
  };
  EXPECT_EQ(
      refusal("OFFLINE", nlohmann::json::object()),
      "failed: restore wants \"key\", that of the command to be undone, or \"by\": \"person\"");
  EXPECT_EQ(refusal("OFFLINE", {{"key", "k1"}}),
            with_fmri("refused: <sda> of pool 'tank' is OFFLINE, and that is not fmd's doing"));
  retired_by = "k2";
  EXPECT_EQ(refusal("OFFLINE", {{"key", "k1"}}),
            with_fmri("refused: <sda> of pool 'tank' is OFFLINE: changed by somebody else since"));
  retired_by = "k1";
  EXPECT_EQ(
      refusal("FAULTED", {{"key", "k1"}}),
      with_fmri(
          "refused: ZFS itself has faulted <sda> of pool 'tank': only a person may clear that"));
  EXPECT_EQ(refusal("FAULTED external device fault", {{"key", "k2"}}),
            with_fmri("refused: <sda> of pool 'tank' is FAULTED: changed by somebody else since"));
  plan(mirror_with("FAULTED"), "/dev/sda", "restore", {{"key", "k1"}});
  EXPECT_EQ(restore_stop(request, pool, guid).substr(0, 10), "ZFS itself");
  request.args = {{"by", "person"}};
  EXPECT_EQ(restore_stop(request, pool, guid), "");
}

// A disk that was gone and is back is only onlined, and only the very same disk.
TEST_F(CommandPlan, WhatWasRemovedReturns) {
  const nlohmann::json back{{"by", "return"}};
  EXPECT_EQ(plan(mirror_with("REMOVED"), "/dev/sda", "restore", back).steps,
            (Steps{{"zpool", "online", "tank", guid_of("/dev/sda")}}));
  for (const char* state : {"OFFLINE", "FAULTED", "DEGRADED"})
    EXPECT_EQ(plan(mirror_with(state), "/dev/sda", "restore", back).answer->status, "refused");
  // The disk appeared after its pool was imported.
  EXPECT_EQ(plan(mirror_with("UNAVAIL"), "/dev/sda", "restore", back).answer->reason,
            with_fmri("what is at /dev/sda does not have the label of <sda> of pool 'tank'"));
  labelled = true;
  EXPECT_EQ(plan(mirror_with("UNAVAIL"), "/dev/sda", "restore", back).steps,
            (Steps{{"zpool", "online", "tank", guid_of("/dev/sda")}}));
  stranger = "/dev/sdz";
  EXPECT_EQ(plan(mirror_with("REMOVED"), "/dev/sda", "restore", back).answer->reason,
            with_fmri("ZFS knows the disk of <sda> of pool 'tank' as /dev/sda, which is another "
                      "one's name now: 'zpool export tank' and 'zpool import -d /dev/disk/by-id "
                      "tank' find it again"));
  pulled = true;
  EXPECT_EQ(plan(mirror_with("REMOVED"), "/dev/sda", "restore", back).answer->reason,
            with_fmri("the disk of <sda> of pool 'tank' is not there"));
}

// A pool on /dev/sda, whose disk comes back as sdq.
TEST_F(CommandPlan, WhatReturnsByAnotherName) {
  const nlohmann::json back{{"by", "return"}};
  elsewhere = "/dev/disk/by-id/wwn-0x5-part1";
  pulled = true;
  EXPECT_EQ(
      plan(mirror_with("REMOVED"), "/dev/sda", "restore", back).answer->reason,
      with_fmri(
          "ZFS knows the disk of <sda> of pool 'tank' as /dev/sda, which is nobody's name now, it "
          "is there as /dev/disk/by-id/wwn-0x5-part1, and ZFS before 2.2 cannot be told so: "
          "'zpool export tank' and 'zpool import -d /dev/disk/by-id tank' find it again"));
  takes_names = true;
  const Steps renamed{{"zpool", "set", "path=" + elsewhere, "tank", guid_of("/dev/sda")},
                      {"zpool", "online", "tank", guid_of("/dev/sda")}};
  for (const char* state : {"REMOVED", "UNAVAIL"})
    EXPECT_EQ(plan(mirror_with(state), "/dev/sda", "restore", back).steps, renamed);
  pulled = false;
  stranger = "/dev/sdz";  // another disk has that name
  EXPECT_EQ(plan(mirror_with("REMOVED"), "/dev/sda", "restore", back).steps, renamed);
  EXPECT_FALSE(plan(mirror_with("REMOVED"), "/dev/sda", "restore", back).alternatives);
  EXPECT_EQ(plan(mirror_with("FAULTED"), "/dev/sda", "restore", back).answer->status, "refused");
}

TEST_F(CommandPlan, RestoreWantsTheDiskToBeThere) {
  pulled = true;
  retired_by = "k1";
  const nlohmann::json person{{"by", "person"}};
  for (const char* state : {"OFFLINE", "REMOVED", "UNAVAIL", "FAULTED"})
    EXPECT_EQ(plan(mirror_with(state), "/dev/sda", "restore", person).answer->reason,
              with_fmri("<sda> of pool 'tank' is ") + state + ", and its disk is not there");
  EXPECT_EQ(plan(mirror_with("OFFLINE"), "/dev/sda", "restore", {{"key", "k1"}}).answer->status,
            "refused");
  EXPECT_FALSE(plan(mirror_with("DEGRADED"), "/dev/sda", "restore", {{"key", "k1"}}).answer)
      << "ZFS has it open";
}

TEST_F(CommandPlan, ASpareThatStandsInIsAVdevOfItsOwn) {
  const Plan in = plan(kInUse, "/dev/sdh", "spare_in");
  EXPECT_EQ(unmet(request, pool, guid, facts()), with_fmri("<sdh> of pool 'tank' has no spare"));
  ASSERT_TRUE(in.answer);
  EXPECT_EQ(in.answer->status + ": " + in.answer->reason,
            with_fmri("refused: <sdh> is itself a spare that stands in for another disk"));
  plan(kInUse, "/dev/sdh", "retire", {{"to", "degraded"}});
  EXPECT_EQ(success(request, pool, guid, true).reason, with_fmri("<sdh> of pool 'tank' is ONLINE"));
}

TEST_F(CommandPlan, SpareIn) {
  const Plan in = plan(kMirror, "/dev/sda", "spare_in");
  EXPECT_TRUE(in.alternatives);
  EXPECT_EQ(
      in.steps,
      (Steps{{"zpool", "replace", "tank", guid_of("/dev/sda"), "/dev/disk/by-id/wwn-0xS"},
             {"zpool", "replace", "tank", guid_of("/dev/sda"), "/dev/disk/by-id/wwn-0xS-part1"}}));
  for (const size_t step : {0, 1}) {  // each is checked before it is run
    ASSERT_TRUE(in.overwrites.contains(step));
    const hardware::Overwrite& disk = in.overwrites.at(step);
    EXPECT_EQ(disk.path, "/dev/disk/by-id/wwn-0xS-part1");
    EXPECT_EQ(disk.disk, "dev://wwn=" + pool.spares[0].name);
    ASSERT_TRUE(disk.own);
    EXPECT_EQ(disk.own->type, "zfs_member");
    EXPECT_EQ(disk.own->uuid, std::to_string(pool.guid));
    EXPECT_EQ(disk.own->member, std::to_string(pool.spares[0].guid));
    EXPECT_TRUE(disk.own->held);
    EXPECT_EQ(
        disk.own->help,
        fmt::format("if that is not needed, make the disk a spare again: 'zpool remove tank {}', "
                    "'wipefs -a /dev/disk/by-id/wwn-0xS-part1', 'zpool add tank spare "
                    "/dev/disk/by-id/wwn-0xS'",
                    pool.spares[0].name));
    EXPECT_FALSE(disk.insisted);
  }
  EXPECT_EQ(plan("  /dev/sda ONLINE\n", "/dev/sda", "spare_in").answer->status, "refused");
  EXPECT_EQ(plan("  /dev/sda ONLINE\ncache\n  /dev/sdc ONLINE\nspares\n  /dev/sdh AVAIL\n",
                 "/dev/sdc", "spare_in")
                .answer->reason,
            with_fmri("<sdc> is a cache device, which cannot have a spare"));
}

TEST_F(CommandPlan, ADistributedSpareIsRebuilt) {
  const Plan in = plan(
      "  draid1:2d:4c:1s-0 ONLINE\n    /dev/sda ONLINE\n    /dev/sdb ONLINE\n    /dev/sdc ONLINE\n"
      "    /dev/sdd ONLINE\nspares\n  draid1-0-0 AVAIL\n",
      "/dev/sda", "spare_in");
  EXPECT_EQ(in.steps, (Steps{{"zpool", "replace", "-s", "tank", guid_of("/dev/sda"), "draid1-0-0"},
                             {"zpool", "replace", "tank", guid_of("/dev/sda"), "draid1-0-0"}}));
  EXPECT_TRUE(in.overwrites.empty()) << "it is space of the pool";
}

TEST_F(CommandPlan, SpareOut) {
  const nlohmann::json ours{{"key", "s1"}};
  spare_key = "s1";
  const Plan bad = plan(kInUse, "/dev/sdb", "spare_out", ours);
  ASSERT_TRUE(bad.answer) << "the spare holds the data";
  EXPECT_EQ(bad.answer->status, "refused");
  std::string good = kInUse;
  good.replace(good.find("/dev/sdb DEGRADED"), 17, "/dev/sdb ONLINE");
  const Steps detach{{"zpool", "detach", "tank", guid_of("/dev/sdh")}};
  EXPECT_EQ(plan(good, "/dev/sdb", "spare_out", ours).steps, detach);
  EXPECT_EQ(plan(good, "/dev/sdh", "spare_out", ours).steps, detach)
      << "asked for the spare itself";
  EXPECT_EQ(plan(good, "/dev/sdb", "spare_out").answer->status, "failed") << "whose is not said";
  for (const char* other : {"", "s2"}) {
    spare_key = other;
    EXPECT_EQ(plan(good, "/dev/sdb", "spare_out", ours).answer->status, "refused") << other;
    EXPECT_EQ(plan(good, "/dev/sdb", "spare_out", {{"by", "person"}}).steps, detach);
  }
  good.replace(good.find("/dev/sdb ONLINE"), 15, "/dev/sdb ONLINE (resilvering)");
  EXPECT_EQ(plan(good, "/dev/sdb", "spare_out", {{"by", "person"}}).answer->status, "refused");
}

// Another disk of its group is still being filled, so it may hold data that no other disk has.
TEST_F(CommandPlan, ADiskThatMayHoldTheOnlyCopyIsNotReplaced) {
  const auto answer = [&](const char* rest, const char* state, nlohmann::json more = {}) {
    nlohmann::json args{{"device", "dev://wwn=NEW"}, {"path", "/dev/sdf"}};
    if (more.is_object()) args.update(more);
    const Plan made = plan(fmt::format("  mirror-0 DEGRADED\n    /dev/sda {}\n{}", state, rest),
                           "/dev/sda", "replace", args);
    return made.answer ? made.answer->reason : "";
  };
  constexpr const char *kFills = "    /dev/sdb ONLINE (resilvering)\n",
                       *kFull = "    /dev/sdb ONLINE\n", *kWrong = "    /dev/sdb DEGRADED\n";
  for (const char* state : {"UNAVAIL", "REMOVED", "OFFLINE", "FAULTED"}) {
    EXPECT_EQ(answer(kFills, state),
              with_fmri("another disk of mirror-0 of pool 'tank' does not hold all data yet: <sda> "
                        "may hold the only copy of some of it; bring it back"));
    EXPECT_EQ(answer(kFills, state, {{"force", true}}), "") << "a person may";
    EXPECT_EQ(answer(kFull, state), "");
    EXPECT_EQ(answer(kWrong, state), "") << "it has the data";
  }
}

TEST_F(CommandPlan, Replace) {
  const nlohmann::json args{{"device", "dev://wwn=NEW"}, {"path", "/dev/sdf"}};
  nlohmann::json blank = args;
  blank["blank"] = true;
  const std::string sdb = guid_of("/dev/sdb");
  EXPECT_EQ(
      plan(kInUse, "/dev/sdb", "replace", args).steps,
      (Steps{{"zpool", "replace", "tank", guid_of("/dev/sdb"), "/dev/disk/by-id/wwn-0xNEW"}}));
  const Steps forced{
      {"zpool", "replace", "-f", "tank", guid_of("/dev/sdb"), "/dev/disk/by-id/wwn-0xNEW"}};
  EXPECT_EQ(plan(kInUse, "/dev/sdb", "replace", blank).steps, forced);
  partitions = true;
  EXPECT_NE(plan(kInUse, "/dev/sdb", "replace", blank).steps, forced)
      << "somebody called it blank, it is not";
  missing = true;
  EXPECT_EQ(plan(kInUse, "/dev/sdb", "replace", blank).answer->reason, "it is not there");
  EXPECT_EQ(plan(kInUse, "/dev/sdb", "replace").answer->status, "failed");
  EXPECT_EQ(plan(kInUse, "/dev/sdb", "replace", {{"device", "dev://wwn=sda"}}).answer->status,
            "refused");
  EXPECT_EQ(plan(kMirror, "/dev/sdb", "replace", {{"device", "dev://wwn=wwn-0xS"}}).answer->status,
            "refused");
  plan(
      "  mirror-0 DEGRADED\n    /dev/sda ONLINE\n    replacing-1 DEGRADED\n      /dev/sdb "
      "OFFLINE\n      /dev/NEW ONLINE\n",
      "/dev/sdb", "replace", args);
  EXPECT_EQ(unmet(request, pool, guid, facts()), "") << "under way already";
  in_place = "/dev/disk/by-vdev/A3";
  missing = false;
  EXPECT_EQ(plan(kMirror, "/dev/sdb", "replace", args).steps,
            (Steps{{"zpool", "replace", "tank", guid_of("/dev/sdb"), in_place}}))
      << "it keeps the name that its administrator has chosen";
}

// Half of a pool that the machine boots from: a whole disk in its place would boot nothing.
TEST_F(CommandPlan, APartitionAmongOthersIsNotReplacedByAWholeDisk) {
  nlohmann::json args{{"device", "dev://wwn=new"}, {"path", "/dev/sdz"}, {"blank", true}};
  for (const char* half :
       {"/dev/sdb3", "/dev/nvme1n1p3", "/dev/disk/by-id/ata-X_1-part3", "/dev/vdb2", "/dev/sdb10",
        "/dev/disk/by-path/pci-0-ata-2-part2", "/dev/disk/by-id/ata-X_1-part3/old",
        "/dev/disk/by-partuuid/0fc63daf-02", "/dev/disk/by-partlabel/tank1", "/dev/xvda2"}) {
    const std::string rows =
        std::string("  mirror-0 DEGRADED\n    /dev/sda3 ONLINE\n    ") + half + " REMOVED\n";
    args["by"] = "fmd";
    const Plan refused = plan(rows, half, "replace", args);
    ASSERT_TRUE(refused.answer) << half;
    EXPECT_EQ(refused.answer->status, "refused");
    EXPECT_NE(refused.answer->reason.find("boot loader"), std::string::npos)
        << half << ": " << refused.answer->reason;
    args["force"] = true;
    EXPECT_FALSE(plan(rows, half, "replace", args).steps.empty()) << "a person insists";
    args.erase("force");
  }
  for (const char* whole :
       {"/dev/sdb", "/dev/sdb1", "/dev/nvme1n1", "/dev/nvme1n1p1", "/dev/disk/by-id/wwn-0x5-part1",
        "/dev/disk/by-vdev/A12", "/dev/mapper/mpath10", "/dev/disk/by-id/nvme-X_2", "/dev/dm-3"}) {
    const std::string rows =
        std::string("  mirror-0 DEGRADED\n    /dev/sda ONLINE\n    ") + whole + " REMOVED\n";
    EXPECT_FALSE(plan(rows, whole, "replace", args).steps.empty()) << whole;
  }
}

// The data of a vdev on LUKS would be on the new disk without encryption.
TEST_F(CommandPlan, AMappingIsNotReplacedByTheDiskItself) {
  mapped = true;
  nlohmann::json args{{"device", "dev://wwn=new"}, {"path", "/dev/sdz"}, {"blank", true}};
  const std::string rows = "  mirror-0 DEGRADED\n    /dev/sda ONLINE\n    /dev/sdb REMOVED\n";
  const auto refused = plan(rows, "/dev/sdb", "replace", args).answer;
  ASSERT_TRUE(refused && refused->status == "refused");
  EXPECT_NE(refused->reason.find("LUKS"), std::string::npos) << refused->reason;
  args["force"] = true;
  EXPECT_FALSE(plan(rows, "/dev/sdb", "replace", args).steps.empty()) << "a person insists";
}

TEST_F(CommandPlan, ASuspendedPoolAndUnknownCommands) {
  pool = names.pool(status_text(kMirror, "none requested", "SUSPENDED"));
  request.name = "retire";
  request.args = {{"to", "degraded"}};
  EXPECT_EQ(plan_command(request, pool, names.guid("/dev/sda"), facts()).answer->status, "refused");
  EXPECT_EQ(plan(kMirror, "/dev/sda", "explode").answer->status, "failed");
  EXPECT_EQ(
      plan(kMirror, "/dev/disk/by-id/wwn-0xS-part1", "retire", {{"to", "degraded"}}).answer->status,
      "refused");
}

TEST_F(CommandPlan, APersonInsistsOnADisk) {
  partitions = true;
  const nlohmann::json args{{"device", "dev://wwn=new"}, {"path", "/dev/sdz"}, {"by", "person"}};
  EXPECT_EQ(
      plan(kMirror, "/dev/sdb", "replace", args).steps,
      (Steps{{"zpool", "replace", "tank", guid_of("/dev/sdb"), "/dev/disk/by-id/wwn-0xNEW"}}));
  nlohmann::json force = args;
  force["force"] = true;
  EXPECT_EQ(plan(kMirror, "/dev/sdb", "replace", force).steps,
            (Steps{{"zpool", "replace", "-f", "tank", guid_of("/dev/sdb"),
                    "/dev/disk/by-id/wwn-0xNEW"}}));
  force["ashift"] = 9u;
  EXPECT_EQ(plan(kMirror, "/dev/sdb", "replace", force).steps,
            (Steps{{"zpool", "replace", "-f", "-o", "ashift=9", "tank", guid_of("/dev/sdb"),
                    "/dev/disk/by-id/wwn-0xNEW"}}));
  force["device"] = "dev://wwn=sda";
  EXPECT_EQ(plan(kMirror, "/dev/sdb", "replace", force).answer->status, "refused")
      << "what holds data is never overwritten";
}

// A replacing vdev takes no third disk: ZFS fails with EBUSY.
TEST_F(CommandPlan, ANewDiskThatIsGoneMakesRoomForTheNext) {
  const nlohmann::json args{{"device", "dev://wwn=next"}, {"path", "/dev/sdz"}, {"blank", true}};
  const auto rows = [](const std::string& state) {
    return "  mirror-0 DEGRADED\n    /dev/sda ONLINE\n    replacing-1 DEGRADED\n      /dev/sdb "
           "OFFLINE\n      /dev/sdn " +
           state + "\n";
  };
  for (const char* state : {"REMOVED", "UNAVAIL", "FAULTED"})
    EXPECT_EQ(plan(rows(state), "/dev/sdb", "replace", args).steps,
              (Steps{{"zpool", "detach", "tank", guid_of("/dev/sdn")},
                     {"zpool", "replace", "-f", "tank", guid_of("/dev/sdb"),
                      "/dev/disk/by-id/wwn-0xNEW"}}))
        << state;
  const Plan busy = plan(rows("ONLINE"), "/dev/sdb", "replace", args);
  ASSERT_TRUE(busy.answer);
  EXPECT_EQ(busy.answer->reason,
            with_fmri("<sdb> of pool 'tank' is being replaced by <sdn> already; 'zpool detach tank "
                      "sdn' ends that"));
}

TEST_F(CommandPlan, OnlyARestoreStopsAtWhatZfsHasFaulted) {
  pool = names.pool(status_text("  mirror-0 ONLINE\n    /dev/sda FAULTED\n    /dev/sdb ONLINE\n"));
  sdk::CommandRequest replace;
  replace.name = "replace";
  EXPECT_EQ(restore_stop(replace, pool, names.guid("/dev/sda")), "");
  replace.name = "restore";
  EXPECT_NE(restore_stop(replace, pool, names.guid("/dev/sda")), "");
}

TEST_F(CommandPlan, NothingIsReplacedThatMayHoldTheOnlyCopy) {
  const std::string rows =
      "  mirror-0 UNAVAIL\n    /dev/sda UNAVAIL\n    /dev/sdb UNAVAIL\nspares\n  /dev/sdh AVAIL\n";
  const auto replaced = plan(rows, "/dev/sda", "replace", {{"device", "dev://wwn=new"}});
  ASSERT_TRUE(replaced.answer);
  EXPECT_EQ(replaced.answer->status, "refused");
  const auto spared = plan(rows, "/dev/sdb", "spare_in");
  ASSERT_TRUE(spared.answer);
  EXPECT_EQ(spared.answer->status, "refused");
}

}  // namespace
}  // namespace fmd::zfs
