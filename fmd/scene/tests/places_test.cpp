// Parts that are not drawn are found in a picture: a card in its slot, an expander by its bays.
#include "fmd/scene/places.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "box.h"

namespace fmd::scene::places_test {
namespace {

constexpr const char* kSlot = "hc://system=c1/pcislot=5";
constexpr const char* kBridge = "dev://pci=0000:01:00.0";
constexpr const char* kHba = "dev://pci=0000:02:00.0";
constexpr const char* kPort = "dev://mac=00:11:22:33:44:55";
constexpr const char* kExpander = "dev://sas=500a";

// A slot with a card (bridge, HBA, network port); two disks behind an expander, one without.
Box cabled() {
  Box box;
  box.told.reserve(64);
  box.chassis("front:444.0x87.0");
  box.add("hc://system=c1", "system").properties["id"] = Value{std::string("c1")};
  for (int n = 1; n <= 3; ++n) box.bay(n);
  for (int n = 1; n <= 3; ++n) box.disk(n);
  Resource& slot = box.add(kSlot, "pci-slot");
  slot.properties["label"] = Value{std::string("SLOT5")};
  slot.edges = {{Relation::contains, kBridge}};
  Resource& bridge = box.add(kBridge, "pci");
  bridge.properties["class_name"] = Value{std::string("PCI bridge")};
  bridge.edges = {{Relation::path, kHba}, {Relation::path, kPort}};
  Resource& hba = box.add(kHba, "hba");
  hba.properties["model"] = Value{std::string("SAS3008")};
  hba.edges = {{Relation::path, kExpander}, {Relation::path, Box::disk_fmri(3)}};
  box.add(kPort, "nic");
  box.add(kExpander, "expander").edges = {{Relation::path, Box::disk_fmri(1)},
                                          {Relation::path, Box::disk_fmri(2)}};
  return box;
}

Part slot_of(Box& box) {
  const Scene scene = box.scene();
  for (const Face& face : scene.faces)
    if (const Part* part = face.find(kSlot)) return *part;
  ADD_FAILURE() << "the slot is in no picture";
  return {};
}

TEST(Places, ACardIsAsBadAsWhatIsOnIt) {
  for (const char* fault : {kSlot, kBridge, kHba, kPort}) {
    Box box = cabled();
    EXPECT_EQ(slot_of(box).state, PartState::unwatched);
    Case& c = box.accuse(1);
    c.suspects[0] = {};
    c.suspects[0].resource = c.suspects[0].fru = fault;
    const Part part = slot_of(box);
    EXPECT_EQ(part.state, PartState::faulted) << fault;
    EXPECT_EQ(part.cases, std::vector<std::string>{"case-1"}) << fault;
    EXPECT_EQ(box.state(1), PartState::ok) << "its disks are well";
  }
}

TEST(Places, ACardIsCalledByWhatItDoes) {
  Box box = cabled();
  const Part part = slot_of(box);
  EXPECT_EQ(part.holds, kHba);
  EXPECT_EQ(part.detail, "SAS3008");
  EXPECT_EQ(part.says, "SLOT5: SAS3008: not watched");
}

TEST(Places, WhatACardIsInAndWhatIsBehindIt) {
  Box box = cabled();
  (void)box.scene();
  for (const char* part : {kBridge, kHba, kPort}) {
    const auto in = around(box.inventory, part);
    EXPECT_TRUE(std::any_of(in.begin(), in.end(), [](const Resource* r) {
      return r->fmri == kSlot;
    })) << part;
  }
  EXPECT_TRUE(around(box.inventory, kExpander).empty()) << "it is not in the HBA's slot";
  const auto bays = [](std::initializer_list<int> numbers) {
    std::vector<std::string> all;
    for (const int n : numbers) all.push_back(Box::bay_fmri(n));
    return all;
  };
  EXPECT_EQ(bays_behind(box.inventory, kExpander), bays({1, 2}));
  EXPECT_EQ(bays_behind(box.inventory, kHba), bays({1, 2, 3}));
  EXPECT_EQ(bays_behind(box.inventory, kPort), bays({}));
  EXPECT_EQ(bays_behind(box.inventory, "dev://sas=nobody"), bays({}));
}

TEST(Places, ACircleHasAnEnd) {
  Box box = cabled();
  box.of(kHba).edges.push_back({Relation::path, kBridge});
  (void)box.scene();
  EXPECT_EQ(bays_behind(box.inventory, kBridge).size(), 3u);
  EXPECT_EQ(inside(box.inventory, kSlot).size(), 3u);
}

}  // namespace
}  // namespace fmd::scene::places_test
