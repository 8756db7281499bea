#include "fmd/hub/routing.h"

#include <gtest/gtest.h>

namespace fmd::routing_test {
namespace {

const std::string kBay = "hc://chassis=1/bay=4", kBmcBay = "hc://chassis=1/bay=redfish-4";
using Names = std::vector<std::string>;

PluginGrant given(Names handles) {
  PluginGrant grant;
  grant.handles = std::move(handles);
  return grant;
}

class Routing : public ::testing::Test {
 protected:
  void connect(const std::string& name, Names handles, Names commands = {"set_led"}) {
    PluginHello hello;
    hello.name = name;
    hello.handles = std::move(handles);
    hello.commands = std::move(commands);
    table_.connected(hello, ++peer_, {}, 0, 0);
  }
  std::string to(const std::string& target, const Names& described_by,
                 const std::string& command = "set_led") const {
    const Route route = route_command(table_, grants_, described_by, target, command);
    return route.plugin ? route.plugin->hello.name : route.trouble;
  }
  PluginTable table_;
  PluginGrants grants_;
  PeerId peer_ = 0;
};

TEST_F(Routing, AnUnknownTargetGoesToTheLongestPrefixConnected) {
  connect("all", {"zfs://", "outbox:mail"});
  connect("pools", {"zfs://pool=1/"});
  EXPECT_EQ(to("zfs://pool=1/vdev=2", {}), "pools");
  EXPECT_EQ(to("zfs://pool=2/vdev=2", {}), "all");
  EXPECT_EQ(to("outbox:mail", {}), "all");
  EXPECT_EQ(to("outbox:snmp", {}), "no plugin that takes commands for it is connected");
  table_.disconnected("pools", 0);
  EXPECT_EQ(to("zfs://pool=1/vdev=2", {}), "all");
}

// It declares a longer prefix than fmd-enclosure, so that the LED's commands come to it.
TEST_F(Routing, APrefixThatIsLongerThanItsGrantGainsNothing) {
  grants_ = {{"enclosure", given({"hc://"})}, {"liar", given({"hc://"})}};
  connect("enclosure", {"hc://"});
  connect("liar", {"hc://chassis=1/bay="});
  EXPECT_EQ(to(kBay, {"enclosure"}), "enclosure");
  EXPECT_EQ(to(kBay, {"enclosure", "liar"}), "enclosure") << "both described the LED";
  EXPECT_EQ(to(kBay, {}), "enclosure") << "nobody has described it: the first by name";
}

TEST_F(Routing, APluginThatDescribedNothingGetsNothing) {
  connect("enclosure", {"hc://"});
  connect("script", {kBay});  // root's, without a grant
  EXPECT_EQ(to(kBay, {"enclosure"}), "enclosure");
  EXPECT_EQ(to(kBay, {"script"}), "script");
}

TEST_F(Routing, AnLedsPluginThatIsAwayIsWaitedFor) {
  grants_ = {{"enclosure", given({"hc://"})}, {"liar", given({"hc://"})}};
  connect("liar", {"hc://chassis=1/bay="});
  const std::string waits = "fmd-enclosure, which described it, is not connected";
  EXPECT_EQ(to(kBay, {"enclosure"}).substr(0, waits.size()), waits);
  EXPECT_EQ(to(kBay, {"enclosure", "liar"}),
            "none of the plugins that described it takes commands for it now: fmd-enclosure, "
            "fmd-liar");
  grants_.clear();
  connect("enclosure", {"hc://chassis=1/"});
  table_.disconnected("enclosure", 0);
  connect("liar", {"hc://"});
  EXPECT_NE(to(kBay, {"enclosure", "liar"}), "liar") << "the last hello of fmd-enclosure counts";
}

TEST_F(Routing, ALongerPrefixThatIsGrantedByNameWins) {
  grants_ = {{"enclosure", given({"hc://"})},
             {"strip", given({"hc://chassis=*/bay="})},
             {"redfish", given({"hc://chassis=*/bay=redfish-"})}};
  connect("enclosure", {"hc://"});
  connect("strip", {"hc://chassis=1/bay="});
  connect("redfish", {"hc://chassis=1/bay=redfish-"});
  EXPECT_EQ(to(kBay, {"enclosure", "strip"}), "strip");
  EXPECT_EQ(to(kBay, {"enclosure"}), "enclosure");
  EXPECT_EQ(to(kBmcBay, {"redfish"}), "redfish");
}

// Retiring a processor, a disk of a pool or of an array, and the machine's own LED are routed by the same rule.
TEST_F(Routing, EachPartHasItsActingPlugin) {
  const std::map<std::string, std::string> parts{
      {"cpu://socket=0/core=1", "cpu"}, {"mem://page=1000", "cpu"},
      {"zfs://pool=1/vdev=2", "zfs"},   {"md://array=1/member=2", "volumes"},
      {"hc://system=X", "ipmi"},        {kBmcBay, "redfish"}};
  for (const auto& [part, acting] : parts) {
    table_ = {};
    const std::string prefix = part.substr(0, part.find("://") + 3);
    connect(acting, {prefix});
    connect("aaa", {part});  // before all others by name, and with the longest prefix
    grants_["aaa"] = given({prefix});
    EXPECT_EQ(to(part, {"aaa", acting}), acting);
    table_.disconnected(acting, 0);
    EXPECT_NE(to(part, {"aaa", acting}), "aaa") << part;
  }
}

TEST_F(Routing, OfEqualsTheOneThatNamesTheCommandIsAsked) {
  connect("a", {"ups://"}, {"refresh"});
  connect("b", {"ups://"}, {"refresh", "retire"});
  EXPECT_EQ(to("ups://name=1", {"a", "b"}, "retire"), "b");
  EXPECT_EQ(to("ups://name=1", {"a", "b"}, "refresh"), "a");
  EXPECT_EQ(to("ups://name=1", {"a"}, "retire"), "a") << "it may know more than it names";
}

}  // namespace
}  // namespace fmd::routing_test
