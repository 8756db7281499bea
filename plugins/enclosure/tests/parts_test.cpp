// Power supplies, fans and sensors: from a shelf's SES pages and from descriptions.
#include <gtest/gtest.h>

#include "plugins/enclosure/parts.h"
#include "plugins/enclosure/tests/chassis_rig.h"
#include "plugins/enclosure/tests/trees.h"

namespace fmd::enclosure::parts_test {
namespace {

using nlohmann::json;
using testing::ChassisTest;

class PartsTest : public ChassisTest {
 protected:
  json properties(const std::string& fmri) { return core_.resources[fmri]["properties"]; }
  bool holds(const std::string& chassis, const std::string& part) {
    for (const auto& edge : core_.resources[chassis]["edges"])
      if (edge == json({{"relation", "contains"}, {"to", part}})) return true;
    return false;
  }
};

constexpr const char* kShelf = "hc://chassis=5000c500fa0e5e50";
const std::string kRear =
    "[[view]]\nname = \"rear\"\nwidth_mm = 440\nheight_mm = 88\n"
    "[[fru]]\ntype = \"psu\"\nlabel = \"Left PSU\"\nses_element = \"psu/1\"\nview = \"rear\"\n"
    "x_mm = 10\ny_mm = 4\nw_mm = 80\nh_mm = 40.5\n";

// SES-3: bit 6 of an element's first byte, PRDFAIL. Such a supply still works.
TEST(Parts, ASupplyThatPredictsItsFailure) {
  for (const bool predicts : {true, false}) {
    Seen seen;
    seen.box.id = "5000c500fa0e5e50";
    seen.box.name = "0:0:1:0";
    seen.answers = true;
    Element supply{"psu", 0, "PSU A", "OK", predicts ? "failure predicted" : "", {}, ""};
    seen.elements.push_back(supply);
    Resources all;
    add_parts(all, seen, {});
    EXPECT_EQ(all["hc://chassis=5000c500fa0e5e50/psu=0"]["properties"]["predicted"], predicts);
  }
}

TEST_F(PartsTest, PowerSuppliesAndFansOfAShelf) {
  make_shelf_with_pages("fakeses0");
  start();
  const std::string chassis = "hc://chassis=5000c500fa0e5e50";
  ASSERT_TRUE(becomes(chassis + "/psu=1", "status", "critical"));
  EXPECT_EQ(core_.resources[chassis + "/psu=1"]["type"], "psu");
  EXPECT_EQ(core_.property(chassis + "/psu=1", "label"), "PSU B");
  EXPECT_EQ(core_.property(chassis + "/psu=1", "reason"), "failed, AC fail");
  EXPECT_EQ(core_.property(chassis + "/psu=1", "ac"), "lost");
  EXPECT_EQ(core_.property(chassis + "/psu=0", "ac"), "ok");
  EXPECT_EQ(core_.property(chassis, "input"), "some");
  EXPECT_EQ(core_.resources[chassis + "/psu=1"]["edges"],
            json({{{"relation", "power"}, {"to", chassis}}}));
  EXPECT_EQ(core_.resources[chassis + "/fan=0"]["edges"],
            json({{{"relation", "cooling"}, {"to", chassis}}}));
  EXPECT_EQ(core_.property(chassis + "/psu=0", "was_installed"), true);
  EXPECT_TRUE(core_.property(chassis + "/fan=1", "was_installed").is_null()) << "an empty place";
  EXPECT_EQ(core_.property(chassis + "/fan=0", "value"), 7220.0);
  EXPECT_EQ(core_.property(chassis + "/sensor=0", "unit"), "celsius");
  EXPECT_EQ(core_.property(chassis + "/sensor=0", "status"), "ok");
  EXPECT_EQ(core_.resources[chassis]["edges"].size(), 2u + 6u);
}

TEST_F(PartsTest, APlaceThatWasEmptiedMeanwhileWasFilledOnce) {
  make_shelf_with_pages("fakeses0");
  start();
  const std::string psu = std::string(kShelf) + "/psu=1";
  ASSERT_TRUE(becomes(psu, "status", "critical"));
  look_again();
  plugin_.reset();
  core_.resources.clear();
  core_.messages.clear();
  std::string status = testing::kStatus;
  const size_t at = status.find(std::string("\2\0\0\x62", 4));
  ASSERT_NE(at, std::string::npos);
  status[at] = '\5';
  tree_.file("/pages/0x2", status);
  start();
  ASSERT_TRUE(becomes(psu, "status", "not installed"));
  EXPECT_EQ(core_.property(psu, "was_installed"), true);
  EXPECT_TRUE(core_.property(std::string(kShelf) + "/fan=1", "was_installed").is_null());
}

TEST_F(PartsTest, AShelfWhoseSgSesFailsTellsOfNone) {
  make_shelf_with_pages("fakeses0");
  tree_.file("/bin/sg_ses", "#!/bin/sh\necho x >> '" + tree_.root() + "/asked'\necho junk\n", 0755);
  start();
  ASSERT_TRUE(loop_.until([&] { return tree_.read("/asked") == "x\nx\nx\n"; }));
  look_again();
  EXPECT_EQ(core_.resources.size(), 3u);
  look_again();
  EXPECT_EQ(tree_.read("/asked"), "x\nx\nx\n") << "it is not asked at every look";
}

TEST_F(PartsTest, AShelfIsAskedAgainAfterItsTime) {
  make_shelf_with_pages("fakeses0");
  components_ = std::chrono::milliseconds(1);
  start();
  const std::string psu = std::string(kShelf) + "/psu=1";
  ASSERT_TRUE(becomes(psu, "status", "critical"));
  tree_.file("/bin/sg_ses", "#!/bin/sh\nexit 5\n", 0755);
  EXPECT_TRUE(loop_.until([&] {
    look_again();
    return core_.property(psu, "status") == "unknown";
  }));
}

TEST_F(PartsTest, AShelfsDescriptionNamesAndPlacesThem) {
  make_shelf_with_pages("fakeses0");
  describe("fakeses",
           "[chassis]\nlabel = \"Box\"\napplies_to = \"shelf\"\nsource = \"a test\"\n"
           "[[match]]\nses_name = \"fakeses*\"\n" +
               kRear);
  start();
  ASSERT_TRUE(becomes(std::string(kShelf) + "/psu=1", "status", "critical"));
  EXPECT_EQ(properties(std::string(kShelf) + "/psu=1"), json({{"label", "Left PSU"},
                                                              {"enclosure", kShelf},
                                                              {"status", "critical"},
                                                              {"reason", "failed, AC fail"},
                                                              {"was_installed", true},
                                                              {"ac", "lost"},
                                                              {"predicted", false},
                                                              {"feed", "own"},
                                                              {"view", "rear"},
                                                              {"x_mm", 10.0},
                                                              {"y_mm", 4.0},
                                                              {"w_mm", 80.0},
                                                              {"h_mm", 40.5}}));
  EXPECT_EQ(core_.property(std::string(kShelf) + "/psu=0", "label"), "PSU A");
  EXPECT_FALSE(properties(std::string(kShelf) + "/psu=0").contains("view"));
}

TEST_F(PartsTest, AQuirkyShelfIsNotBelieved) {
  make_shelf_with_pages("fakeses0");
  describe("fakeses",
           "[chassis]\nlabel = \"Box\"\napplies_to = \"shelf\"\nsource = \"a test\"\n"
           "quirks = [\"ignore-component-status\"]\n[[match]]\nses_name = \"fakeses*\"\n" +
               kRear);
  start();
  const std::string psu = std::string(kShelf) + "/psu=";
  ASSERT_TRUE(becomes(psu + "1", "status", "unknown"));
  EXPECT_EQ(core_.property(psu + "0", "status"), "unknown");
}

// The resources of two processors of one shelf that both report its power supplies.
TEST(TwoProcessors, TheOneThatKnowsCounts) {
  const auto seen = [](const char* name, const char* first, const char* second, bool answers) {
    Seen one;
    one.box.name = name;
    one.box.id = "s";
    one.answers = answers;
    one.elements = {{"psu", 0, "", first, "", {}, ""}, {"psu", 1, "", second, "", {}, ""}};
    return one;
  };
  const Picture picture({}, [](json&, const std::string&) {});
  const Seen a = seen("a", "not available", "critical", true), b = seen("b", "OK", "OK", true),
             silent = seen("c", "OK", "OK", false);
  const auto status = [](const Resources& all, const char* psu) {
    return all.at(std::string("hc://chassis=s/psu=") + psu)["properties"]["status"];
  };
  Resources all = picture.resources({&a, &b});
  EXPECT_EQ(status(all, "0"), "OK");
  EXPECT_EQ(status(all, "1"), "critical") << "the first that knows";
  all = picture.resources({&silent, &a});
  EXPECT_EQ(status(all, "0"), "not available");
  EXPECT_EQ(status(all, "1"), "critical");
  all = picture.resources({&silent});
  EXPECT_EQ(status(all, "0"), "unknown") << "what it is now nobody knows";
}

// Some shelves give each element of a type the same descriptor.
TEST(ElementNames, ThoseOfOneNameHaveTheirNumber) {
  const auto labels = [](const char* first, const char* second) {
    Seen one;
    one.box.name = one.box.id = "s";
    one.elements = {{"psu", 0, first, "OK", "", {}, ""},
                    {"psu", 1, second, "OK", "", {}, ""},
                    {"fan", 0, first, "OK", "", {}, ""}};
    const auto all = Picture({}, [](json&, const std::string&) {}).resources({&one});
    const auto label = [&](const char* part) {
      return all.at(std::string("hc://chassis=s/") + part)["properties"]["label"]
          .get<std::string>();
    };
    return label("psu=0") + ", " + label("psu=1") + ", " + label("fan=0");
  };
  EXPECT_EQ(labels("Power Supply", "Power Supply"), "Power Supply 0, Power Supply 1, Power Supply");
  EXPECT_EQ(labels("PSU A", "PSU B"), "PSU A, PSU B, PSU A");
  EXPECT_EQ(labels("", ""), "psu 0, psu 1, fan 0");
}

TEST(TwoProcessors, ASensorSpeaksTheWordsOfTheHostsChips) {
  Seen one;
  one.box.name = one.box.id = "s";
  for (const char* status : {"OK", "non-critical", "critical", "unrecoverable", "not installed"})
    one.elements.push_back(
        {"sensor", static_cast<int>(one.elements.size()), "", status, "", {}, "celsius"});
  const auto all = Picture({}, [](json&, const std::string&) {}).resources({&one});
  std::string words;
  for (const char* number : {"0", "1", "2", "3", "4"})
    words += all.at("hc://chassis=s/sensor=" + std::string(number))["properties"]["status"]
                 .get<std::string>() +
             " ";
  EXPECT_EQ(words, "ok alarm failed failed unknown ");
}

TEST_F(PartsTest, WhatIsToldAndNotObservedIsThereWithoutAStatus) {
  make_shelf("fakeses0", 2);  // no sg_ses
  describe("fakeses",
           "[chassis]\nlabel = \"Box\"\napplies_to = \"shelf\"\nsource = \"a test\"\n"
           "[[match]]\nses_name = \"fakeses*\"\n" +
               kRear);
  start();
  const std::string psu = std::string(kShelf) + "/psu=1";
  EXPECT_EQ(core_.resources[psu]["type"], "psu");
  EXPECT_EQ(core_.property(psu, "label"), "Left PSU");
  EXPECT_EQ(core_.property(psu, "h_mm"), 40.5);
  EXPECT_EQ(core_.property(psu, "enclosure"), kShelf);
  EXPECT_FALSE(properties(psu).contains("status"));
  EXPECT_TRUE(holds(kShelf, psu));
  EXPECT_FALSE(core_.resources.contains(std::string(kShelf) + "/psu=0"));
}

TEST_F(PartsTest, AHostsOwnPowerSuppliesAndFans) {
  testing::make_tower(tree_);
  describe("own",
           "[chassis]\nlabel = \"Own\"\napplies_to = \"host\"\nsource = \"a test\"\n"
           "[[match]]\ndmi_vendor = \"ACME\"\n"
           "[[view]]\nname = \"rear\"\nlabel = \"Rear, board above\"\nwidth_mm = 440\n"
           "height_mm = 88\n"
           "[[fru]]\ntype = \"psu\"\nlabel = \"PSU {n}\"\ncount = 2\nipmi = \"PS{n} Status\"\n"
           "view = \"rear\"\nx_mm = 5\ny_mm = 4\nw_mm = 80\nh_mm = 40\npitch_x_mm = 90\n"
           "[[fru]]\ntype = \"fan\"\nlabel = \"Fan 1\"\n"
           "[[fru]]\ntype = \"psu\"\nlabel = \"Spare PSU\"\n"
           "[[fru]]\ntype = \"cpu\"\nlabel = \"CPU 1\"\nsocket = \"0\"\n");
  start();
  const std::string box = testing::kTower;
  EXPECT_EQ(core_.resources[box]["type"], "enclosure");
  EXPECT_EQ(core_.property(box, "views"), "rear:440.0x88.0");
  EXPECT_EQ(core_.property(box, "view.rear"), "Rear, board above");
  EXPECT_EQ(properties(box + "/psu=1"), json({{"label", "PSU 2"},
                                              {"ipmi", "PS2 Status"},
                                              {"enclosure", box},
                                              {"view", "rear"},
                                              {"x_mm", 95.0},
                                              {"y_mm", 4.0},
                                              {"w_mm", 80.0},
                                              {"h_mm", 40.0}}));
  EXPECT_EQ(core_.property(box + "/psu=2", "label"), "Spare PSU");
  EXPECT_EQ(core_.property(box + "/fan=0", "label"), "Fan 1");
  EXPECT_TRUE(holds(box, box + "/fan=0"));
  EXPECT_EQ(core_.resources.size(), 5u) << "the processor is fmd-system's";
}

TEST_F(PartsTest, AHostNamesThePartsOfItsBackplane) {
  testing::make_tower(tree_);
  make_shelf_with_pages("fakeses0");
  const auto with_member = [&](const std::string& name) {
    return "[chassis]\nlabel = \"Own\"\napplies_to = \"host\"\nsource = \"a test\"\n"
           "[[match]]\ndmi_vendor = \"ACME\"\n[[member]]\nname = \"bp\"\nses_name = \"fake*\"\n"
           "[[member]]\nname = \"other\"\nses_name = \"nothing\"\n" +
           kRear + "member = \"" + name + "\"\n";
  };
  describe("own", with_member("bp"));
  start();
  const std::string psu = std::string(kShelf) + "/psu=1";
  ASSERT_TRUE(becomes(psu, "status", "critical"));
  EXPECT_EQ(core_.property(psu, "label"), "Left PSU");
  EXPECT_EQ(core_.property(psu, "view"), "rear");
  EXPECT_FALSE(core_.resources.contains(std::string(testing::kTower) + "/psu=0"));
  describe("own", with_member("other"));
  look_again();
  EXPECT_EQ(core_.property(psu, "label"), "PSU B") << "of another backplane, which is not there";
}

}  // namespace
}  // namespace fmd::enclosure::parts_test
