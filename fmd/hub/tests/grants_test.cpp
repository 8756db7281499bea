#include "fmd/hub/grants.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace fmd {
namespace {

constexpr uid_t kFmd = 990, kMail = 991, kMallory = 1000;
constexpr gid_t kShelf = 980, kZfs = 981;

Peer peer(uid_t uid) {
  return {1, uid, uid, {}};
}

// Root's, with a unit of a plugin.
Peer in_unit(gid_t group) {
  return {1, 0, 0, {970, group}};
}

PluginHello hello(const std::string& name, std::vector<std::string> handles = {},
                  std::vector<std::string> observes = {}) {
  PluginHello out;
  out.name = name;
  out.handles = std::move(handles);
  out.observes = std::move(observes);
  return out;
}

class Grants : public ::testing::Test {
 protected:
  Grants() {
    grants_["mail"] = {"fmd-mail", kMail, true, {}, {}, {}, false, "", {}};
    grants_["backup"] = {
        "backup", kMallory, false, {"ereport.backup.*"}, {"backup://"}, {"backup://"},
        false,    "",       {}};
    grants_["zfs"] = {"",    {},  false, {"ereport.fs.zfs.*"}, {"zfs://"}, {"zfs://"},
                      false, "z", kZfs};
    grants_["enclosure"] = {"",    {},      false, {"ereport.enclosure.*"}, {"hc://"}, {"hc://"},
                            false, "shelf", kShelf};
    grants_["nobody-yet"].user = "not-made";
  }
  std::string refusal(uid_t uid, const PluginHello& said) const { return refusal(peer(uid), said); }
  std::string refusal(const Peer& who, const PluginHello& said) const {
    const auto may = may_bear(who, kFmd, grants_, said);
    return may ? "" : may.error().message;
  }
  bool may_tell(const Peer& who, const std::string& name, const std::string& fmri) const {
    InventoryUpdate update;
    update.source = name;
    update.resources.emplace_back().fmri = fmri;
    return may_describe(who, grants_, update).has_value();
  }
  PluginGrants grants_;
};

TEST_F(Grants, RootAndFmdItselfBearEveryName) {
  for (const uid_t uid : {uid_t{0}, kFmd})
    EXPECT_EQ(refusal(uid, hello("zfs", {"zfs://"}, {"ereport.fs.zfs.*"})), "");
}

TEST_F(Grants, ANameThatIsGivenToNobodyIsRootsAlone) {
  for (const char* name : {"zfs", "disk", "enclosure", "aaa", "nobody-yet"})
    EXPECT_NE(refusal(kMallory, hello(name)).find("may not be the plugin"), std::string::npos)
        << name;
  EXPECT_NE(refusal(kMail, hello("zfs")).find("gives that name to root"), std::string::npos);
}

TEST_F(Grants, ARefusalNamesTheGrantThatIsMissing) {
  const std::string begins = fmt::format(
      "uid {} may not be the plugin \"room\": fmd.toml has no [plugin.room]. Add [plugin.room] "
      "with user = \"{}\"",
      kMail, kMail);
  const std::string ends = ", then run 'systemctl reload fmd'";
  EXPECT_EQ(refusal(kMail, hello("room")), begins + ends);
  EXPECT_EQ(refusal(kMail, hello("room", {"room://"}, {"sysevent.room.*", "ereport.room.hot"})),
            begins +
                " and observes = [\"sysevent.room.*\", \"ereport.room.hot\"] and handles = "
                "[\"room://\"]" +
                ends);
  EXPECT_EQ(refusal(kMail, hello("room", {}, std::vector<std::string>(500, "a.b"))),
            begins + " and observes = [\"a.b\", \"a.b\", \"a.b\", \"a.b\", ...]" + ends);
}

TEST_F(Grants, ANotifierDeliversItsOwnAndNothingElse) {
  EXPECT_EQ(refusal(kMail, hello("mail", {"outbox:mail"})), "");
  EXPECT_NE(refusal(kMallory, hello("mail", {"outbox:mail"})).find("to fmd-mail"),
            std::string::npos);
  EXPECT_NE(refusal(kMail, hello("mail", {"outbox:snmp"})), "");
  EXPECT_NE(refusal(kMail, hello("mail", {"outbox:"})), "");
  EXPECT_NE(refusal(kMail, hello("mail", {"outbox:mail", "zfs://"})), "");
  EXPECT_NE(refusal(kMail, hello("mail", {}, {"ereport.fs.zfs.*"})), "");
  EXPECT_NE(refusal(0, hello("mail", {"zfs://"})), "");  // root's, broken into, no more than that
  InventoryUpdate update;
  update.source = "mail";
  update.resources.emplace_back().fmri = "dev://wwn=1";
  EXPECT_FALSE(may_describe(peer(kMail), grants_, update));
}

TEST_F(Grants, ARootsPluginInItsGroupIsNoOther) {
  const PluginHello shelf = hello("enclosure", {"hc://"}, {"ereport.enclosure.*"});
  EXPECT_EQ(refusal(in_unit(kShelf), shelf), "");
  EXPECT_EQ(refusal({1, 0, kShelf, {}}, shelf), "") << "as its first group";
  for (const char* name : {"zfs", "disk", "mail", "backup", "aaa"})
    EXPECT_NE(refusal(in_unit(kShelf), hello(name)).find("it is the plugin \"enclosure\""),
              std::string::npos)
        << name;
  for (const char* wide : {"zfs://", "dev://", "outbox:mail", "h"})
    EXPECT_NE(refusal(in_unit(kShelf), hello("enclosure", {wide})), "") << wide;
  for (const char* wide : {"*", "ereport.*", "ereport.fs.zfs.checksum"})
    EXPECT_NE(refusal(in_unit(kShelf), hello("enclosure", {}, {wide})), "") << wide;
  EXPECT_TRUE(may_tell(in_unit(kShelf), "enclosure", "hc://chassis=1/bay=2"));
  EXPECT_FALSE(may_tell(in_unit(kShelf), "enclosure", "zfs://pool=1"));
  // A group makes nobody root.
  EXPECT_NE(refusal({1, kMallory, kShelf, {kShelf}}, shelf), "");
}

TEST_F(Grants, RootAtTheShellIsInNoPluginsGroup) {
  EXPECT_EQ(refusal(0, hello("enclosure", {"zfs://"}, {"ereport.fs.zfs.*"})), "");
  EXPECT_TRUE(may_tell(peer(0), "enclosure", "zfs://pool=1"));
  // Of two groups' it may be either.
  const Peer both{1, 0, 0, {kShelf, kZfs}};
  EXPECT_EQ(refusal(both, hello("enclosure")), "");
  EXPECT_EQ(refusal(both, hello("zfs")), "");
  EXPECT_NE(refusal(both, hello("disk")), "");
}

TEST_F(Grants, WhatIsGivenIsTheMostThatIsTaken) {
  EXPECT_EQ(refusal(kMallory, hello("backup", {"backup://job=1"}, {"ereport.backup.tape.*"})), "");
  EXPECT_EQ(refusal(kMallory, hello("backup", {}, {"ereport.backup.failed"})), "");
  for (const char* wide : {"*", "ereport.*", "ereport.backup*", "ereport.fs.zfs.checksum"})
    EXPECT_NE(refusal(kMallory, hello("backup", {}, {wide})), "") << wide;
  for (const char* wide : {"b", "zfs://", "outbox:mail", "outbox:backup"})
    EXPECT_NE(refusal(kMallory, hello("backup", {wide})), "") << wide;
  InventoryUpdate update;
  update.source = "backup";
  update.resources.emplace_back().fmri = "backup://job=1";
  EXPECT_TRUE(may_describe(peer(kMallory), grants_, update));
  update.gone.push_back({"dev://wwn=1", "destroyed", ""});
  EXPECT_FALSE(may_describe(peer(kMallory), grants_, update));
}

TEST(Grant, ClassesLieWithinPatterns) {
  EXPECT_TRUE(class_within("ereport.a.b", {"sysevent.*", "ereport.a.*"}));
  EXPECT_TRUE(class_within("ereport.a", {"ereport.a"}));
  EXPECT_TRUE(class_within("ereport.a", {"*"}));
  EXPECT_FALSE(class_within("ereport.ab", {"ereport.a", "ereport.a.*"}));
  EXPECT_FALSE(class_within("ereport.a", {}));
}

TEST_F(Grants, AStarStandsForOneValue) {
  grants_["zfs"].handles = {"hc://chassis=*/bay=redfish-"};
  const auto may = [&](const char* handles) {
    return refusal(in_unit(kZfs), hello("zfs", {handles})).empty();
  };
  EXPECT_TRUE(may("hc://chassis=5000/bay=redfish-"));
  EXPECT_TRUE(may("hc://chassis=5000/bay=redfish-7"));
  EXPECT_FALSE(may("hc://"));
  EXPECT_FALSE(may("hc://chassis=5000/bay="));
  EXPECT_FALSE(may("hc://chassis=5000/bay=7/bay=redfish-"));
  EXPECT_FALSE(may("hc://chassis=5000")) << "all of a chassis";
}

// Content and path decide which disk is overwritten, SMART which one is taken out of service.
TEST_F(Grants, APropertyThatOnlyAnotherPluginMaySetIsRenamed) {
  const auto told = [&](const std::string& source, const std::string& fmri, const char* type) {
    InventoryUpdate update;
    update.source = source;
    Resource& disk = update.resources.emplace_back();
    disk.fmri = fmri;
    disk.type = type;
    disk.properties = {{"content", "blank"}, {"smart.status", "failed"}, {"colour", "A"}};
    set_apart_foreign(grants_, update);
    return update.resources[0];
  };
  for (const char* type : {"disk", "sensor", ""}) {
    const Resource disk = told("backup", "dev://wwn=1", type);
    EXPECT_EQ(disk.get("content"), "") << type;
    EXPECT_EQ(disk.get("said_by.backup.content"), "blank");
    EXPECT_EQ(disk.get("smart.status"), "") << type;
    EXPECT_EQ(disk.get("said_by.backup.smart.status"), "failed");
    EXPECT_EQ(disk.get("colour"), "A") << "no type declares it";
  }
  EXPECT_EQ(told("backup", "backup://tape=1", "tape").get("content"), "blank") << "its own part";
  grants_["disk"] = grants_["zfs"];
  EXPECT_EQ(told("disk", "dev://wwn=1", "disk").get("content"), "blank") << "the owner";
  EXPECT_EQ(told("disk", "dev://wwn=1", "disk").get("smart.status"), "") << "fmd-smart's";
  grants_["smart"] = grants_["zfs"];
  EXPECT_EQ(told("smart", "dev://wwn=1", "disk").get("smart.status"), "failed");
  EXPECT_EQ(told("smart", "dev://wwn=1", "disk").get("content"), "") << "fmd-disk's";
  EXPECT_EQ(told("script", "dev://wwn=1", "disk").get("content"), "blank") << "root's own";
}

TEST_F(Grants, NoPluginSpeaksForAnother) {
  for (const std::string source : {"redfish", "disk"}) {
    grants_[source] = {};
    InventoryUpdate update;
    update.source = source;
    Resource& disk = update.resources.emplace_back();
    disk.fmri = "dev://wwn=1";
    disk.properties = {{"disputed", "according to fmd-smart its serial is X"},
                       {"said_by.smart.serial", "X"}};
    set_apart_foreign(grants_, update);
    EXPECT_EQ(update.resources[0].get("disputed"), "") << source;
    EXPECT_EQ(update.resources[0].get("said_by.smart.serial"), "") << source;
    EXPECT_EQ(update.resources[0].get("said_by." + source + ".said_by.smart.serial"), "X");
  }
}

// From "retired_by" fmd recognizes its own actions after the loss of its database, from "service" what has to be undone.
TEST_F(Grants, OnlyThePluginThatRetiresAPartSaysHowItsServiceIs) {
  const std::map<std::string, std::string> owners{{"cpu://socket=0/core=3", "cpu"},
                                                  {"mem://page=1000", "cpu"},
                                                  {"zfs://pool=1/vdev=2", "zfs"},
                                                  {"md://uuid=1/disk=2", "volumes"}};
  for (const auto& [part, owner] : owners)
    for (const std::string source : {"redfish", "ipmi", "system", "cpu", "zfs", "volumes"}) {
      grants_[source] = {};
      InventoryUpdate update;
      update.source = source;
      Resource& told = update.resources.emplace_back();
      told.fmri = part;
      for (const char* word : {"service", "retired_by", "spare_key", "retire_refusal", "group"})
        told.properties[word] = Value(std::string("a lie"));
      told.properties["colour"] = Value(std::string("red"));
      set_apart_foreign(grants_, update);
      const bool is_own = source == owner;
      for (const char* word : {"service", "retired_by", "spare_key", "retire_refusal", "group"})
        EXPECT_EQ(update.resources[0].get(word), is_own ? "a lie" : "") << source << " " << part;
      EXPECT_EQ(update.resources[0].get("colour"), "red");
    }
}

// One part of each kind, a property that a decision or a message rests on, and who may set it.
TEST_F(Grants, EachPropertyHasItsOwners) {
  struct {
    std::string part, property;
    std::set<std::string> owners;
  } const facts[] = {
      {"dev://wwn=1", "serial", {"disk", "smart", "redfish"}},
      {"dev://serial=A:1", "size_bytes", {"disk", "smart", "redfish"}},
      {"dev://wwn=1", "wwn", {"disk", "smart", "redfish"}},
      {"dev://wwn=1", "by_id", {"disk"}},
      {"dev://wwn=1", "temperature_celsius", {"smart"}},
      {"dev://wwn=1", "raid.health", {"volumes"}},
      {"dev://path=pci-1", "kernel_state", {"disk", "volumes"}},
      {"dev://path=pci-1", "multipath_state", {"volumes"}},
      {"dev://pci=0000:01:00.0", "link_width", {"system"}},
      {"dev://sas=5/phy=1", "link", {"system"}},
      {"fs://uuid=1", "read_only", {"disk"}},
      {"zfs://pool=1", "health", {"zfs"}},
      {"zfs://pool=1/vdev=2", "failures_left", {"zfs"}},
      {"md://uuid=1", "health", {"volumes"}},
      {"md://uuid=1/disk=2", "state", {"volumes"}},
      {"dm://uuid=LVM-1", "health", {"volumes"}},
      {"btrfs://fsid=1/dev=1", "state", {"volumes"}},
      {"hc://chassis=1", "views", {"enclosure"}},
      {"hc://chassis=1/bay=3", "occupied", {"enclosure"}},
      {"hc://chassis=1/bay=3", "label", {"enclosure"}},
      {"hc://chassis=1/bay=3", "bmc.state", {"ipmi"}},
      {"hc://chassis=1/bay=redfish-3", "occupied", {"redfish"}},
      {"hc://chassis=1/psu=0", "status", {"enclosure", "ipmi"}},
      {"hc://chassis=1/fan=ipmi1", "status", {"ipmi"}},
      {"hc://chassis=1/fan=redfish-1", "status", {"redfish"}},
      {"hc://chassis=1/sensor=1", "status", {"enclosure"}},
      {"hc://system=1/sensor=ipmi-1", "level", {"ipmi"}},
      {"hc://system=1/sensor=redfish-1", "level", {"redfish"}},
      {"hc://system=1/sensor=nct-fan1", "value", {"system"}},
      {"hc://system=1/bmc=redfish", "state", {"redfish"}},
      {"hc://system=1/power=0", "input", {"ipmi"}},
      {"hc://system=1", "serial", {"system"}},
      {"hc://system=1", "led.locate", {"ipmi"}},
      {"cpu://socket=0", "model", {"system", "cpu"}},
      {"cpu://socket=0", "collector", {"cpu"}},
      {"cpu://socket=0/core=1", "state", {"cpu"}},
      {"mem://dimm=A1", "serial", {"system"}},
      {"mem://dimm=A1", "pages_out", {"cpu"}},
      {"mem://page=1000", "state", {"cpu"}},
  };
  for (const std::string source : {"disk", "smart", "zfs", "volumes", "enclosure", "ipmi",
                                   "redfish", "cpu", "system", "room"}) {
    grants_[source] = {};
    for (const auto& fact : facts) {
      InventoryUpdate update;
      update.source = source;
      Resource& told = update.resources.emplace_back();
      told.fmri = fact.part;
      told.type = "room";  // the claimed type must not matter
      told.properties[fact.property] = Value(std::string("a value"));
      set_apart_foreign(grants_, update);
      EXPECT_EQ(update.resources[0].get(fact.property),
                fact.owners.contains(source) ? "a value" : "")
          << source << " about " << fact.property << " of " << fact.part;
      EXPECT_EQ(update.resources[0].properties.size(), 1u) << "kept, be it apart";
    }
  }
}

TEST_F(Grants, OnlyAnOwnerSaysWhatABayContainsAndAPoolIsOn) {
  using Edges = std::vector<Edge>;
  const std::string bay = "hc://chassis=1/bay=3", disk = "dev://wwn=1", pool = "zfs://pool=1";
  const auto edges = [&](const std::string& source, const std::string& fmri, const Edges& told) {
    grants_[source] = {};
    InventoryUpdate update;
    update.source = source;
    update.resources.emplace_back().fmri = fmri;
    update.resources[0].edges = told;
    set_apart_foreign(grants_, update);
    return update.resources[0].edges;
  };
  const Edges holds{{Relation::contains, disk}}, of_pool{{Relation::redundancy, pool}},
      on_disk{{Relation::redundancy, disk}}, by_path{{Relation::path, disk}};
  EXPECT_EQ(edges("enclosure", bay, holds), holds);
  EXPECT_EQ(edges("redfish", bay, holds), Edges());
  EXPECT_EQ(edges("redfish", bay, by_path), by_path);
  EXPECT_EQ(edges("redfish", "hc://chassis=1/bay=redfish-3", holds), holds);
  EXPECT_EQ(edges("redfish", "hc://chassis=1", holds), Edges()) << "be it called a bay";
  EXPECT_EQ(edges("redfish", "hc://system=1", holds), Edges());
  EXPECT_EQ(
      edges("ipmi", "hc://system=1", {{Relation::contains, "hc://system=1/board=ipmi1"}}).size(),
      1u);
  EXPECT_EQ(edges("redfish", "redfish://vdev=1", of_pool), Edges()) << "a group of its own";
  EXPECT_EQ(edges("redfish", disk, of_pool), Edges());
  EXPECT_EQ(edges("room", "room://volume=1", on_disk), on_disk) << "a third party's volumes";
  EXPECT_EQ(edges("zfs", pool, on_disk), on_disk);
  EXPECT_EQ(edges("volumes", pool, on_disk), Edges());
}

TEST_F(Grants, APartThatIsGrantedByNameIsItsOwn) {
  grants_["room"] = {};
  const auto label = [&](const std::vector<std::string>& describes) {
    grants_["room"].describes = describes;
    InventoryUpdate update;
    update.source = "room";
    Resource& told = update.resources.emplace_back();
    told.fmri = "hc://system=1/sensor=room-door";
    told.properties["label"] = Value(std::string("door"));
    set_apart_foreign(grants_, update);
    return update.resources[0].get("label");
  };
  EXPECT_EQ(label({"hc://system=1/sensor=room-"}), "door");
  EXPECT_EQ(label({"hc://"}), "");
  EXPECT_EQ(label({"hc://system=1/sensor="}), "");
}

TEST_F(Grants, APrefixCountsAsFarAsItIsGranted) {
  grants_["zfs"].handles = {"hc://", "hc://chassis=*/bay=redfish-"};
  const auto counts = [&](const char* name, std::string_view asked) {
    EXPECT_EQ(granted_length(grants_, name, asked), asked.size()) << asked;
  };
  EXPECT_EQ(granted_length(grants_, "zfs", "hc://chassis=5/bay=1"), std::string("hc://").size());
  EXPECT_EQ(granted_length(grants_, "zfs", "hc://chassis=5/bay=redfish-1"),
            std::string("hc://chassis=5/bay=redfish-").size());
  counts("zfs", "hc://");
  counts("mail", "outbox:mail");
  counts("script", "hc://chassis=5/bay=1");
}

TEST(Grant, AUserIsANumberOrAName) {
  EXPECT_EQ(user_id("root"), 0u);
  EXPECT_EQ(user_id("1000"), 1000u);
  EXPECT_EQ(user_id("no-such-user-here"), std::nullopt);
  EXPECT_EQ(user_id(""), std::nullopt);
  EXPECT_EQ(group_id("root"), gid_t{0});
  EXPECT_EQ(group_id("1000"), gid_t{1000});
  EXPECT_EQ(group_id("no-such-group-here"), std::nullopt);
  EXPECT_EQ(group_id(""), std::nullopt);
}

}  // namespace
}  // namespace fmd
