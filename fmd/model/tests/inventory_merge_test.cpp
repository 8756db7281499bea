// Several plugins report one part: precedence of their values, and values that are kept as said_by.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "fmd/model/inventory.h"

namespace fmd {
namespace {

Resource told(const std::string& fmri, const std::string& type,
              const std::vector<std::pair<std::string, Value>>& properties = {}) {
  Resource r;
  r.fmri = fmri;
  r.type = type;
  for (const auto& [name, value] : properties) r.properties[name] = value;
  return r;
}

TEST(InventoryMerge, TheOwnersWordCountsBeItOlder) {
  Inventory inventory;
  const std::string disk = "dev://wwn=1", bay = "hc://chassis=9/bay=3";
  inventory.apply({"disk", {told(disk, "disk", {{"serial", "S1"}, {"model", "A"}})}, {}, true});
  inventory.apply(
      {"redfish", {told(disk, "drive", {{"model", "B"}, {"condition", "good"}})}, {}, true});
  EXPECT_EQ(inventory.find(disk)->type, "disk");
  EXPECT_EQ(inventory.find(disk)->get("model"), "A");
  EXPECT_EQ(inventory.find(disk)->get("said_by.redfish.model"), "B");
  EXPECT_EQ(inventory.find(disk)->get("condition"), "good");
  EXPECT_EQ(inventory.find(disk)->get("disputed"), "");
  Resource empty = told(bay, "bay", {{"label", "SLOT 03"}}), filled = empty;
  filled.edges = {{Relation::contains, disk}};
  inventory.apply({"enclosure", {empty}, {}, true});
  inventory.apply({"redfish", {filled}, {}, false});
  EXPECT_TRUE(inventory.find(bay)->edges.empty()) << "what sits in a bay is for its owner to say";
  inventory.apply({"enclosure", {}, {{bay, "removed", ""}}, false});
  EXPECT_EQ(inventory.find(bay)->edges.size(), 1u) << "the owner does not see it any more";
}

// The others' bays come first by name, and one of them is of no kind that the table has.
TEST(InventoryMerge, ADiskIsInTheBayOfTheBaysOwner) {
  Inventory inventory;
  const std::string disk = "dev://wwn=1";
  inventory.apply({"disk", {told(disk, "disk", {{"serial", "S1"}})}, {}, true});
  const auto put = [&](const std::string& source, const std::string& bay, const char* label) {
    Resource holder = told(bay, "bay", {{"label", label}});
    holder.edges = {{Relation::contains, disk}};
    inventory.apply({source, {holder}, {}, false});
  };
  put("redfish", "hc://chassis=1/bay=redfish-1", "SLOT 01");
  EXPECT_EQ(inventory.location(disk), "SLOT 01") << "nobody else says where it is";
  put("redfish", "hc://chassis=1/place=1", "SLOT 02");
  put("enclosure", "hc://chassis=9/bay=3", "SLOT 03");
  EXPECT_EQ(inventory.location(disk), "SLOT 03");
  EXPECT_EQ(inventory.fru_path(disk), "hc://chassis=9/bay=3/disk=S1");
  EXPECT_EQ(inventory.parents(disk, Relation::contains).size(), 3u);
}

TEST(InventoryMerge, TwoWhoCallADiskByOtherNumbersAreADispute) {
  Inventory inventory;
  const std::string disk = "dev://wwn=1";
  const auto say = [&](const std::string& source, const std::string& serial) {
    inventory.apply({source, {told(disk, "disk", {{"serial", serial}})}, {}, true});
    return inventory.find(disk)->get("disputed");
  };
  EXPECT_EQ(say("disk", "9WK0AYZE0000C124"), "");
  EXPECT_EQ(say("redfish", "9WK0AYZE"), "") << "the number without what the maker adds to it";
  EXPECT_EQ(say("redfish", "9wk0-ayze "), "") << "written otherwise";
  EXPECT_EQ(say("redfish", "Z1Y0ABCD"), "according to fmd-redfish its serial is Z1Y0ABCD");
  EXPECT_EQ(inventory.find(disk)->get("serial"), "9WK0AYZE0000C124");
  EXPECT_EQ(say("redfish", ""), "");
}

// A property that the owner lacks is not the other's to fill in, however it is sent.
TEST(InventoryMerge, NothingOfALaterOwnerCountsWhileTheFirstSeesTheDisk) {
  Inventory inventory;
  const std::string disk = "dev://wwn=1";
  const auto of_it = [&](const char* name) { return inventory.find(disk)->get(name); };
  Resource of_bmc =
      told(disk, "disk", {{"serial", "S1"}, {"vendor", "V"}, {"size_bytes", int64_t{4000}}});
  of_bmc.edges = {{Relation::contains, "dev://wwn=2"}};
  inventory.apply({"redfish", {of_bmc}, {}, true});
  EXPECT_EQ(of_it("serial"), "S1") << "behind a RAID controller nothing else sees it";
  EXPECT_EQ(inventory.find(disk)->edges.size(), 1u);
  const Resource of_kernel = told(disk, "disk", {{"path", "/dev/sda"}});
  inventory.apply({"disk", {of_kernel}, {}, true});
  for (const bool present : {true, false}) {
    of_bmc.present = present;
    of_bmc.properties["vendor"] = Value(std::string(present ? "W" : "X"));
    inventory.apply({"redfish", {of_bmc}, {}, false});
    EXPECT_EQ(of_it("serial"), "") << present;
    EXPECT_EQ(of_it("said_by.redfish.serial"), "S1");
    EXPECT_EQ(of_it("said_by.redfish.vendor"), present ? "W" : "X");
    EXPECT_TRUE(inventory.find(disk)->edges.empty());
  }
  InventoryUpdate reading{"redfish", {told(disk, "", {{"size_bytes", int64_t{5}}})}, {}, false};
  reading.merge = true;
  inventory.apply(reading);
  EXPECT_EQ(of_it("size_bytes"), "");
  EXPECT_EQ(of_it("said_by.redfish.size_bytes"), "5");
  inventory.apply({"redfish", {of_bmc}, {}, false});
  of_bmc.present = true;
  inventory.apply({"redfish", {of_bmc}, {}, false});
  inventory.apply({"disk", {}, {{disk, "removed", ""}}, false});
  EXPECT_EQ(of_it("serial"), "S1") << "the kernel no longer sees it";
  EXPECT_EQ(of_it("path"), "/dev/sda") << "as last known";
}

TEST(InventoryMerge, ASizeThatDiffersByMoreThanTheUnitIsADispute) {
  Inventory inventory;
  const std::string disk = "dev://wwn=1";
  const auto say = [&](const std::string& source, int64_t bytes) {
    inventory.apply({source, {told(disk, "disk", {{"size_bytes", bytes}})}, {}, true});
    return inventory.find(disk)->get("disputed");
  };
  EXPECT_EQ(say("disk", 4000787030016), "");
  EXPECT_EQ(say("redfish", 4398046511104), "") << "4 TiB for 4 TB";
  EXPECT_EQ(say("redfish", 0), "");
  EXPECT_EQ(say("redfish", 8001563222016),
            "according to fmd-redfish its size is 8001563222016 bytes");
  EXPECT_EQ(inventory.find(disk)->get("size_bytes"), "4000787030016");
}

// fmd-smart is an owner, but its readings alone do not say that the disk is there or not.
TEST(InventoryMerge, AnOwnerThatOnlyMeasuresDoesNotDescribe) {
  Inventory inventory;
  const std::string disk = "dev://wwn=1";
  inventory.apply({"room", {told(disk, "disk", {{"serial", "S1"}})}, {}, true});
  InventoryUpdate read{"smart", {told(disk, "", {{"smart.pending", int64_t{5}}})}, {}, false};
  read.merge = true;
  inventory.apply(read);
  EXPECT_TRUE(inventory.find(disk)->present);
  EXPECT_EQ(inventory.find(disk)->get("serial"), "S1");
  EXPECT_EQ(inventory.find(disk)->get("smart.pending"), "5");
}

// A plugin that is no owner may say what it likes, which is renamed by the hub.
TEST(InventoryMerge, AStrangersNumberIsADisputeToo) {
  Inventory inventory;
  const std::string disk = "dev://wwn=1";
  inventory.apply({"disk", {told(disk, "disk", {{"serial", "S1"}})}, {}, true});
  inventory.apply({"room", {told(disk, "disk", {{"said_by.room.serial", "T2"}})}, {}, true});
  EXPECT_EQ(inventory.find(disk)->get("disputed"), "according to fmd-room its serial is T2");
  EXPECT_EQ(inventory.find(disk)->get("serial"), "S1");
}

TEST(InventoryMerge, OwnersThatFillInDescribeAPartTogether) {
  Inventory inventory;
  const std::string supply = "hc://chassis=1/psu=0";
  inventory.apply({"ipmi", {told(supply, "psu", {{"status", "OK"}, {"label", "PS1"}})}, {}, true});
  inventory.apply({"enclosure", {told(supply, "psu", {{"label", "PSU 1"}})}, {}, true});
  EXPECT_EQ(inventory.find(supply)->get("label"), "PSU 1");
  EXPECT_EQ(inventory.find(supply)->get("status"), "OK");
  EXPECT_EQ(inventory.find(supply)->get("said_by.ipmi.label"), "");
}

}  // namespace
}  // namespace fmd
