#include "fmd/hub/grants.h"

#include <gtest/gtest.h>

namespace fmd {
namespace {

constexpr uid_t kFmd = 990, kMail = 991, kMallory = 1000;

Peer peer(uid_t uid) {
  return {1, uid, uid, {}};
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
    grants_["mail"] = {"fmd-mail", kMail, true, {}, {}, {}, false};
    grants_["backup"] = {"backup",      kMallory,      false, {"ereport.backup.*"},
                         {"backup://"}, {"backup://"}, false};
    grants_["nobody-yet"].user = "not-made";
  }
  std::string refusal(uid_t uid, const PluginHello& said) const {
    const auto may = may_bear(peer(uid), kFmd, grants_, said);
    return may ? "" : may.error().message;
  }
  PluginGrants grants_;
};

TEST_F(Grants, RootAndFmdItselfBearEveryName) {
  for (const uid_t uid : {uid_t{0}, kFmd})
    EXPECT_EQ(refusal(uid, hello("zfs", {"zfs://"}, {"ereport.fs.zfs.*"})), "");
}

TEST_F(Grants, ANameThatIsGivenToNobodyIsRootsAlone) {
  for (const char* name : {"zfs", "disk", "enclosure", "aaa", "nobody-yet"})
    EXPECT_NE(refusal(kMallory, hello(name)).find("it is "), std::string::npos) << name;
  EXPECT_NE(refusal(kMail, hello("zfs")).find("it is root's"), std::string::npos);
}

TEST_F(Grants, ANotifierDeliversItsOwnAndNothingElse) {
  EXPECT_EQ(refusal(kMail, hello("mail", {"outbox:mail"})), "");
  EXPECT_NE(refusal(kMallory, hello("mail", {"outbox:mail"})).find("fmd-mail's"),
            std::string::npos);
  EXPECT_NE(refusal(kMail, hello("mail", {"outbox:snmp"})), "");
  EXPECT_NE(refusal(kMail, hello("mail", {"outbox:"})), "");
  EXPECT_NE(refusal(kMail, hello("mail", {"outbox:mail", "zfs://"})), "");
  EXPECT_NE(refusal(kMail, hello("mail", {}, {"ereport.fs.zfs.*"})), "");
  EXPECT_NE(refusal(0, hello("mail", {"zfs://"})), "");  // root's, broken into, no more than that
  InventoryUpdate update;
  update.source = "mail";
  update.resources.emplace_back().fmri = "dev://wwn=1";
  EXPECT_FALSE(may_describe(grants_, update));
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
  EXPECT_TRUE(may_describe(grants_, update));
  update.gone.push_back({"dev://wwn=1", "destroyed", ""});
  EXPECT_FALSE(may_describe(grants_, update));
}

TEST(Grant, ClassesLieWithinPatterns) {
  EXPECT_TRUE(class_within("ereport.a.b", {"sysevent.*", "ereport.a.*"}));
  EXPECT_TRUE(class_within("ereport.a", {"ereport.a"}));
  EXPECT_TRUE(class_within("ereport.a", {"*"}));
  EXPECT_FALSE(class_within("ereport.ab", {"ereport.a", "ereport.a.*"}));
  EXPECT_FALSE(class_within("ereport.a", {}));
}

TEST(Grant, AUserIsANumberOrAName) {
  EXPECT_EQ(user_id("root"), 0u);
  EXPECT_EQ(user_id("1000"), 1000u);
  EXPECT_EQ(user_id("no-such-user-here"), std::nullopt);
  EXPECT_EQ(user_id(""), std::nullopt);
}

}  // namespace
}  // namespace fmd
