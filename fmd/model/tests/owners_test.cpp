#include "fmd/model/owners.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace fmd {
namespace {

std::string first_owner(std::string_view fmri) {
  const PartOwners* const owners = owners_of(fmri);
  return owners ? owners->owners.front() : "";
}

TEST(Owners, TheLongestPatternThatFitsCounts) {
  EXPECT_EQ(first_owner("hc://chassis=1/bay=3"), "enclosure");
  EXPECT_EQ(first_owner("hc://chassis=1/bay=redfish-3"), "redfish");
  EXPECT_EQ(first_owner("hc://chassis=1/bay=redfish"), "enclosure");
  EXPECT_EQ(first_owner("hc://chassis=1"), "enclosure");
  EXPECT_EQ(first_owner("hc://chassis=1/door=1"), "") << "no kind of fmd's";
  EXPECT_EQ(first_owner("hc://system=1/sensor=ipmi-4"), "ipmi");
  EXPECT_EQ(first_owner("hc://system=1/sensor=coretemp-temp1"), "system");
  EXPECT_EQ(first_owner("cpu://socket=0/core=1/thread=2"), "system");
  EXPECT_EQ(first_owner("zfs://pool=1/vdev=2"), "zfs");
  EXPECT_EQ(first_owner("ups://name=1"), "");
  EXPECT_EQ(first_owner(""), "");
  EXPECT_EQ(first_owner("dev://wwn"), "");
}

TEST(Owners, CommandsGoToThePluginThatActs) {
  EXPECT_EQ(acting_plugin("cpu://socket=0/core=1"), "cpu");
  EXPECT_EQ(acting_plugin("mem://page=1000"), "cpu");
  EXPECT_EQ(acting_plugin("hc://system=1"), "ipmi");
  EXPECT_EQ(acting_plugin("hc://chassis=1/bay=3"), "enclosure");
  EXPECT_EQ(acting_plugin("hc://chassis=1/bay=redfish-3"), "redfish");
  EXPECT_EQ(acting_plugin("dev://serial=A:1"), "disk");
  EXPECT_EQ(acting_plugin("md://uuid=1/disk=2"), "volumes");
  EXPECT_EQ(acting_plugin("ups://name=1"), "");
}

TEST(Owners, APropertyOfOnePluginIsNoOwnersEither) {
  const PartOwners& disk = *owners_of("dev://wwn=1");
  EXPECT_TRUE(disk.may_set("redfish", "serial"));
  EXPECT_FALSE(disk.may_set("redfish", "content"));
  EXPECT_FALSE(disk.may_set("disk", "smart.status"));
  EXPECT_FALSE(disk.may_set("ipmi", "serial"));
  EXPECT_TRUE(disk.may_set("ipmi", "a_third_partys"));
  EXPECT_FALSE(disk.is_own("redfish", "serial")) << "it depends on who else sees the disk";
  EXPECT_TRUE(disk.is_own("smart", "smart.status"));
  EXPECT_TRUE(owners_of("zfs://pool=1")->is_own("zfs", "health"));
}

TEST(Owners, AMistakeInTheTableIsAnError) {
  const auto wrong = [](std::string_view toml) {
    const auto read = parse_owners(toml);
    return read ? std::string() : read.error().message;
  };
  EXPECT_EQ(wrong("[resource.a]\nproperties = []\n"), "");
  EXPECT_NE(wrong("[resource.a]\nowner = [\"x\"]\n").find("owner"), std::string::npos);
  EXPECT_NE(wrong("[resource.a]\nfmri = [\"a://\"]\nowners = [\"x\"]\nonly.y = 1\n").find("only.y"),
            std::string::npos);
  EXPECT_EQ(wrong("[resource.a]\nfmri = [\"a://\"]\nowners = [\"x\"]\n"
                  "[resource.b]\nfmri = [\"a://\"]\nowners = [\"y\"]\n"),
            "a:// has two owners");
}

}  // namespace
}  // namespace fmd
