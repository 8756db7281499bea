// GetStatus: pools as they are, and what is suspected and not judged yet.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>

#include "fmd/base/json.h"
#include "fmd/base/text.h"
#include "fmd/control/queries.h"
#include "fmd/model/event_schema.h"
#include "fmd/rules/rules.h"
#include "tests/lib/made.h"

namespace fmd::test {
namespace {

using nlohmann::json;

constexpr int64_t kSecond = 1'000'000'000, kStart = 1795228661 * kSecond;
constexpr const char* kSchema = R"(
[class."ereport.t.path"]
description = "a path is bad"
)";
constexpr const char* kRules = R"(
[[rule]]
name = "removed"
kind = "state"
type = "zfs-vdev"
property = "state"
values = ["REMOVED"]
hold = "15min"
fault = "fault.t.removed"
[[rule]]
name = "removed-soon"
kind = "state"
type = "zfs-vdev"
property = "state"
values = ["REMOVED"]
hold = "5min"
fault = "fault.t.soon"
[[rule]]
name = "pool"
kind = "state"
type = "zfs-pool"
property = "health"
values = ["UNAVAIL"]
hold = "15s"
fault = "fault.t.pool"
[[rule]]
name = "path"
kind = "immediate"
events = ["ereport.t.path"]
fault = "fault.t.path"
)";

std::string fault(const char* name, int number, const char* title) {
  return fmt::format(
      "[[fault]]\nclass = \"fault.t.{}\"\ndictionary = \"TEST\"\nnumber = {}\nseverity = "
      "\"Minor\"\n"
      "title = \"{}\"\ndescription = \"d\"\nresponse = \"r\"\nimpact = \"i\"\naction = \"Replace "
      "the disk.\"\norder = \"replace\"\n",
      name, number, title);
}

// A pool of one disk in SLOT 03, behind a controller.
class StatusTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto [schema, schema_errors] = EventSchema::load({{"e.toml", kSchema}});
    ASSERT_TRUE(schema_errors.empty());
    const std::string text =
        kRules + fault("removed", 1, "Disk is gone") + fault("soon", 2, "A disk is away") +
        "[fault.retire]\nfirst = \"out-of-service\"\nspare = true\nreplace = \"same-bay\"\n" +
        fault("pool", 4, "Pool cannot be opened") + fault("path", 3, "Bad path") +
        "[fault.fru]\nfollow = \"redundancy\"\nscheme = \"dev\"\n";
    auto [rules, errors] = RuleSet::load({{"r.toml", text}}, schema);
    ASSERT_TRUE(errors.empty()) << errors.front().text();
    rules_ = rules;
    engine_ = std::make_unique<Engine>(rules, [] { return std::string("case-1"); });
    take({made("hc://bay=3", "bay", {{"label", std::string("SLOT 03")}},
               {{Relation::contains, "dev://wwn=3"}}),
          made("dev://pci=1", "hba", {{"name", std::string("hba")}},
               {{Relation::path, "dev://wwn=3"}}),
          made("dev://wwn=3", "disk", {{"serial", std::string("S3")}}), leaf("ONLINE"),
          made("zfs://pool=1", "zfs-pool",
               {{"name", std::string("tank")}, {"health", std::string("DEGRADED")}},
               {{Relation::redundancy, "zfs://pool=1/vdev=3"}})});
  }
  Resource leaf(const char* state) const {
    return made("zfs://pool=1/vdev=3", "zfs-vdev",
                {{"name", std::string("sdc")},
                 {"path", std::string("/dev/sdc")},
                 {"pool", std::string("tank")},
                 {"state", std::string(state)},
                 {"spares_available", spares_},
                 {"service", std::string("in-service")}},
                {{Relation::redundancy, "dev://wwn=3"}});
  }
  void take(std::vector<Resource> resources, std::vector<InventoryUpdate::Gone> gone = {}) {
    const InventoryUpdate update{"t", std::move(resources), std::move(gone), false};
    const auto changes = engine_->on_inventory(update, now_);
    bays_.observe(engine_->inventory(), update, changes, now_.wall_ns);
  }
  void pull() {
    take({made("hc://bay=3", "bay", {{"label", std::string("SLOT 03")}}), leaf("REMOVED")},
         {{"dev://wwn=3", "removed", ""}});
  }
  void fail_path(const std::string& part) {
    Event e;
    e.seq = 1;
    e.event_class = "ereport.t.path";
    e.resource = part;
    e.time_ns = e.received_ns = now_.wall_ns;
    e.payload_json = "{}";
    engine_->on_event(e, now_);
  }
  json status() {
    const PartIndex index(engine_->inventory());
    const Maintenance none;
    return json::parse(
        query_status(*engine_, *rules_, bays_, {index, none, dry_run_, now_, auto_replace_}));
  }
  std::string expected() {
    const json pools = status()["pools"];
    return pools.size() == 1 && !pools[0]["expected"].empty()
               ? pools[0]["expected"][0].get<std::string>()
               : "";
  }

  bool dry_run_ = false, auto_replace_ = true;
  int64_t spares_ = 1;
  Moment now_{kStart};
  std::shared_ptr<const RuleSet> rules_;
  std::unique_ptr<Engine> engine_;
  BayHistory bays_;
};

// The case of a finding that waits has no suspects yet.
TEST_F(StatusTest, ItsCaseSaysThePartAndTheTimeToo) {
  pull();
  now_.wall_ns += 60 * kSecond;
  now_.steady_ns += 60 * kSecond;
  const PartIndex index(engine_->inventory());
  const Maintenance none;
  const auto text =
      query_cases(*engine_, {index, none, false, now_, true}, R"({"all":true})", Paging::whole);
  const json say = json::parse(*text)[0]["say"];
  const std::string until =
      format_time_fma(wall_of(engine_->held_finding("case-1")->deadline_ns, now_)).substr(0, 12);
  EXPECT_EQ(say["headline"], "sdc of pool tank: suspected, decided by " + until);
  EXPECT_EQ(say["do_now"],
            "Wait: fmd has not judged sdc of pool tank yet; it decides by " + until + ".");
}

TEST_F(StatusTest, APulledDiskIsNamedByTheBayWhereItWas) {
  EXPECT_EQ(status()["held"], json::array());
  pull();
  const json held = status()["held"];
  ASSERT_EQ(held.size(), 1u) << "two rules, one part: the one that is decided first\n" << held;
  EXPECT_EQ(held[0]["name"], "SLOT 03");
  EXPECT_EQ(held[0]["text"], "a disk is away");
  EXPECT_EQ(held[0]["decided_by_ns"], kStart + 300 * kSecond);
  EXPECT_TRUE(
      expected().starts_with("SLOT 03 was removed 1 s ago; a case and the spare follow at "))
      << expected();
  dry_run_ = true;
  EXPECT_TRUE(expected().starts_with("SLOT 03 was removed 1 s ago; a case follows at "))
      << expected();
}

// A pool is named as such, and never as one of its disks.
TEST_F(StatusTest, ASuspectedPoolIsNamedAsAPool) {
  pull();
  take({made("zfs://pool=1", "zfs-pool",
             {{"name", std::string("tank")}, {"health", std::string("UNAVAIL")}},
             {{Relation::redundancy, "zfs://pool=1/vdev=3"}})});
  const json now = status();
  ASSERT_EQ(now["held"].size(), 2u) << now["held"];
  EXPECT_EQ(now["held"][0]["name"], "SLOT 03");
  EXPECT_EQ(now["held"][0]["text"], "a disk is away");
  EXPECT_EQ(now["held"][1]["name"], "pool tank");
  EXPECT_EQ(now["held"][1]["text"], "pool cannot be opened");
  EXPECT_EQ(now["pools"][0]["state"], "UNAVAIL");
  EXPECT_FALSE(now["pools"][0].contains("redundancy")) << now["pools"][0];
  EXPECT_EQ(expected(), "SLOT 03 was removed 1 s ago.")
      << "the pool's case explains it: none follows";
}

TEST_F(StatusTest, ANewDiskThatIsFilledIsNamedByItsBay) {
  pull();
  Resource old = leaf("REMOVED");
  old.properties["replacing"] = std::string("zfs://pool=1/vdev=8");
  take({old,
        made("zfs://pool=1/vdev=8", "zfs-vdev",
             {{"name", std::string("sdh")}, {"service", std::string("in-service")}},
             {{Relation::redundancy, "dev://wwn=8"}}),
        made("dev://wwn=8", "disk", {{"serial", std::string("S8")}}),
        made("hc://bay=3", "bay", {{"label", std::string("SLOT 03")}},
             {{Relation::contains, "dev://wwn=8"}})});
  EXPECT_EQ(expected(), "SLOT 03 was removed 1 s ago; the new disk in SLOT 03 is being filled.");
  take({made("zfs://pool=1/vdev=8", "zfs-vdev",
             {{"name", std::string("sdh")}, {"service", std::string("removed")}}, {})});
  EXPECT_EQ(expected().find("being filled"), std::string::npos) << expected();
}

TEST_F(StatusTest, AMaintenanceWindowIsShownWithItsReason) {
  MaintenanceWindow window;
  window.from_ns = kStart;
  window.until_ns = kStart + 3600 * kSecond;
  window.reason = "new fans";
  window.who = "root";
  Maintenance maintenance;
  ASSERT_TRUE(maintenance.add(window, kStart));
  const PartIndex index(engine_->inventory());
  const json now =
      json::parse(query_status(*engine_, *rules_, bays_, {index, maintenance, false, now_, true}));
  EXPECT_TRUE(now["maintenance"]["text"].get<std::string>().starts_with(
      "maintenance of this host (new fans) until "))
      << now["maintenance"];
}

TEST_F(StatusTest, SinceWhenADiskIsAway) {
  pull();
  now_.wall_ns += 40 * kSecond;
  now_.steady_ns += 40 * kSecond;
  EXPECT_TRUE(expected().starts_with("SLOT 03 was removed 40 s ago; a case and the spare follow"))
      << expected();
  take({made("hc://bay=3", "bay", {{"label", std::string("SLOT 03")}, {"occupied", true}})});
  EXPECT_TRUE(expected().starts_with("SLOT 03 stopped responding 40 s ago; a case")) << expected();
}

// ZFS notices at its next write.
TEST_F(StatusTest, ADiskWasPulledAlthoughZfsHasNotNoticed) {
  pull();
  for (const char* state : {"DEGRADED", "ONLINE"}) {
    Resource unaware = leaf(state);
    unaware.properties["spare"] = std::string("resilvering");
    unaware.properties["spare_by"] = std::string("zfs://pool=1/vdev=7");
    fail_path("zfs://pool=1/vdev=3");
    take({unaware, made("zfs://pool=1/vdev=7", "zfs-vdev", {{"name", std::string("SPARE")}})});
    EXPECT_EQ(expected(), "SLOT 03 was removed 1 s ago; the spare SPARE is being filled.");
    take({made("hc://bay=3", "bay", {{"label", std::string("SLOT 03")}, {"occupied", true}})});
    EXPECT_EQ(expected(), "SLOT 03 stopped responding 1 s ago; the spare SPARE is being filled.");
    take({made("hc://bay=3", "bay", {{"label", std::string("SLOT 03")}, {"occupied", false}})});
  }
}

TEST_F(StatusTest, APoolThatIsCalledHealthyNamesTheDiskThatWasPulled) {
  pull();
  const auto pool = [&](const char* health) {
    return made("zfs://pool=1", "zfs-pool",
                {{"name", std::string("tank")}, {"health", std::string(health)}},
                {{Relation::redundancy, "zfs://pool=1/vdev=3"}});
  };
  take({leaf("ONLINE"), pool("ONLINE")});
  EXPECT_TRUE(expected().starts_with("SLOT 03 was removed 1 s ago")) << expected();
}

// md and btrfs call it missing.
TEST_F(StatusTest, AMissingMemberWasRemovedThen) {
  pull();
  take({leaf("missing")});
  EXPECT_TRUE(expected().starts_with("SLOT 03 was removed 1 s ago")) << expected();
}

TEST_F(StatusTest, ADiskThatIsBackWasNotRemoved) {
  pull();
  take({made("hc://bay=3", "bay", {{"label", std::string("SLOT 03")}},
             {{Relation::contains, "dev://wwn=3"}}),
        made("dev://wwn=3", "disk", {{"serial", std::string("S3")}})});
  EXPECT_TRUE(
      expected().starts_with("SLOT 03 is there, but not in use; a case and the spare "
                             "follow at "))
      << expected();
  EXPECT_TRUE(expected().ends_with(" unless it is used again by then.")) << expected();
}

TEST_F(StatusTest, WhatBecomesOfANewDiskInTheBayOfAPulledOne) {
  pull();
  take({made("hc://bay=3", "bay", {{"label", std::string("SLOT 03")}},
             {{Relation::contains, "dev://wwn=4"}}),
        made("dev://wwn=4", "disk", {{"serial", std::string("S4")}})});
  const std::string there =
      "SLOT 03 was removed 1 s ago, and another disk (serial S4) is in its bay; ";
  const std::string used = "and the new disk is used then if it is blank and large enough.";
  const auto is_promised = [&] {
    EXPECT_TRUE(expected().starts_with(there + "a case follows at ")) << expected();
    return expected().ends_with(used);
  };
  EXPECT_TRUE(is_promised());
  auto_replace_ = false;
  EXPECT_FALSE(is_promised()) << "[action] auto_replace";
  auto_replace_ = true;
  take({made("fmd://plugin=zfs", "plugin", {{"act", std::string("never")}})});
  EXPECT_FALSE(is_promised()) << "pools are left to a person";
  take({made("hc://bay=3", "bay", {{"label", std::string("SLOT 03")}})},
       {{"dev://wwn=4", "removed", ""}});
  EXPECT_TRUE(expected().starts_with("SLOT 03 was removed 1 s ago; a case follows at "))
      << expected();
}

TEST_F(StatusTest, AReplacedDiskThatIsStillThereIsNamed) {
  EXPECT_EQ(status()["old_disks"], json::array());
  EXPECT_EQ(status()["pull_order"], json::array());
  fail_path("zfs://pool=1/vdev=3");
  ASSERT_EQ(engine_->cases().size(), 1u);
  take({made("zfs://pool=1/vdev=9", "zfs-vdev", {{"name", std::string("sdi")}})},
       {{"zfs://pool=1/vdev=3", "replaced", "zfs://pool=1/vdev=9"}});
  const json old = status()["old_disks"];
  ASSERT_EQ(old.size(), 1u) << status();
  const std::string uuid = old[0]["case"];
  EXPECT_EQ(old[0]["text"],
            "The old disk is still in SLOT 03: take it out. If it is to stay there, run 'fmadm "
            "acquit " +
                uuid.substr(0, 8) + "'.");
  // By the case or by the disk, as a part that no open case is about.
  ASSERT_TRUE(engine_->judge(Engine::Verdict::acquitted, "", "SLOT 03", "alice", now_));
  EXPECT_EQ(status()["old_disks"], json::array());
  EXPECT_EQ(engine_->find_case(uuid)->timeline.back().kind, "acquitted");
  EXPECT_FALSE(engine_->judge(Engine::Verdict::acquitted, uuid, "", "alice", now_)) << "it is over";
}

TEST_F(StatusTest, AFaultyDiskThatWasDetachedIsNamed) {
  fail_path("zfs://pool=1/vdev=3");
  take({}, {{"zfs://pool=1/vdev=3", "detached", ""}});
  const json old = status()["old_disks"];
  ASSERT_EQ(old.size(), 1u) << status();
  ASSERT_TRUE(
      engine_->judge(Engine::Verdict::acquitted, std::string(old[0]["case"]), "", "alice", now_));
  EXPECT_EQ(status()["old_disks"], json::array());
}

TEST_F(StatusTest, NoSpareIsPromisedThatThePoolDoesNotHave) {
  spares_ = 0;
  pull();
  EXPECT_TRUE(expected().starts_with("SLOT 03 was removed 1 s ago; a case follows at "))
      << expected();
}

TEST_F(StatusTest, WhatHangsOnAnAccusedControllerIsNotSuspectedItself) {
  fail_path("dev://pci=1");
  take({leaf("REMOVED")});
  EXPECT_EQ(status()["held"], json::array());
  EXPECT_EQ(expected(), "SLOT 03 is there, but not in use.");
}

}  // namespace
}  // namespace fmd::test
