#include "fmd/bus/private_ids.h"

#include <gtest/gtest.h>

#include "fmd/base/json.h"

namespace fmd::bus {
namespace {

using nlohmann::json;

Resource part(std::string fmri, std::string type, std::map<std::string, std::string> properties) {
  Resource out;
  out.fmri = std::move(fmri);
  out.type = std::move(type);
  for (auto& [name, value] : properties) out.properties.emplace(name, value);
  return out;
}

class PrivateIdsTest : public testing::Test {
 protected:
  PrivateIdsTest() {
    InventoryUpdate update;
    update.source = "system";
    update.resources = {
        part("hc://system=f9", "system",
             {{"uuid", "4C4C4544-0035-4D10-8053-B7C04F573432"},
              {"serial", "9XK3J42"},
              {"chassis_serial", "CN 70\"1\u00e4"}}),
        part("mem://dimm=A1", "dimm", {{"serial", "03AB12CD"}, {"part_number", "M393A2K40CB2"}}),
        part("mem://dimm=A2", "dimm", {{"serial", "1234"}}),
        part("dev://wwn=1", "disk", {{"serial", "Z1Y0DD06"}}),
        part("fs://uuid=1", "filesystem", {{"uuid", "0a1b2c3d"}})};
    inventory_.apply(update);
    ids_ = PrivateIds::of(inventory_);
  }
  json seen(const json& document) const {
    return json::parse(ids_.taken_out_of_json(document.dump()));
  }
  Inventory inventory_;
  PrivateIds ids_;
};

TEST_F(PrivateIdsTest, EachIsTakenOutWhereverItStands) {
  const json document = {{"serial", "9XK3J42"},
                         {"uuid", "4c4c4544-0035-4d10-8053-b7c04f573432"},
                         {"text", "Replace DIMM A1, serial 03AB12CD, in the machine 9XK3J42."},
                         {"chassis", "CN 70\"1\u00e4"},
                         {"fmri", "hc://board=CN%2070%221%C3%A4/x=1"}};
  EXPECT_EQ(seen(document),
            (json{{"serial", "(root only)"},
                  {"uuid", "(root only)"},
                  {"text", "Replace DIMM A1, serial (root only), in the machine (root only)."},
                  {"chassis", "(root only)"},
                  {"fmri", "hc://board=(root only)/x=1"}}));
}

TEST_F(PrivateIdsTest, WhatIsEverybodysStays) {
  const json document = {{"serial", "Z1Y0DD06"},          {"uuid", "0a1b2c3d"},
                         {"part", "M393A2K40CB2"},        {"pid", 1234},
                         {"longer", "9XK3J42B A9XK3J42"}, {"quote", "\\\"1234\\"}};
  json expected = document;
  expected["quote"] = "\\\"(root only)\\";
  EXPECT_EQ(seen(document), expected) << "a number is no serial number, nor is part of a word";
}

TEST_F(PrivateIdsTest, ACasesOwnTextsHoldTheSerialNumbersOfItsSuspects) {
  Case c;
  Suspect dimm, disk;
  dimm.fru = "mem://dimm=A1";
  dimm.serial = "03AB12CD";
  disk.fru = "dev://wwn=1";
  disk.serial = "Z1Y0DD06";
  c.suspects = {dimm, disk};
  EXPECT_EQ(PrivateIds::of(c).taken_out_of("DIMM 03AB12CD or disk Z1Y0DD06"),
            "DIMM (root only) or disk Z1Y0DD06");
}

TEST_F(PrivateIdsTest, WhichPropertiesAreRoots) {
  EXPECT_TRUE(is_private("system", "uuid"));
  EXPECT_TRUE(is_private("board", "product_serial"));
  EXPECT_TRUE(is_private("psu", "serial"));
  EXPECT_FALSE(is_private("disk", "serial"));
  EXPECT_FALSE(is_private("md-array", "uuid"));
  EXPECT_FALSE(is_private("system", "model"));
}

TEST_F(PrivateIdsTest, ALargeDocumentTakesNoTime) {
  std::string text = "\"";
  while (text.size() < (4u << 20)) text += "hc://chassis=5000c500fa0e5e50/bay=3 03AB12C ";
  text += "9XK3J42\"";
  const std::string out = ids_.taken_out_of_json(text);
  EXPECT_TRUE(out.ends_with(" (root only)\""));
  EXPECT_EQ(out.size(), text.size() + 4);
}

}  // namespace
}  // namespace fmd::bus
