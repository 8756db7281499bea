#include "fmd/hub/grants.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

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
    disk.properties = {{"content", "blank"}, {"smart.status", "failed"}, {"model", "A"}};
    rename_foreign_properties(grants_, update);
    return update.resources[0];
  };
  for (const char* type : {"disk", "sensor", ""}) {
    const Resource disk = told("backup", "dev://wwn=1", type);
    EXPECT_EQ(disk.get("content"), "") << type;
    EXPECT_EQ(disk.get("said_by.backup.content"), "blank");
    EXPECT_EQ(disk.get("smart.status"), "") << type;
    EXPECT_EQ(disk.get("said_by.backup.smart.status"), "failed");
    EXPECT_EQ(disk.get("model"), "A");
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
      told.properties["label"] = Value(std::string("CPU 0"));
      rename_foreign_properties(grants_, update);
      const bool is_own = source == owner;
      for (const char* word : {"service", "retired_by", "spare_key", "retire_refusal", "group"})
        EXPECT_EQ(update.resources[0].get(word), is_own ? "a lie" : "") << source << " " << part;
      EXPECT_EQ(update.resources[0].get("label"), "CPU 0");
    }
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
