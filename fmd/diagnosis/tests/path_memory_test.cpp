// What led to a part last.
#include "fmd/diagnosis/path_memory.h"

#include <gtest/gtest.h>

namespace fmd {
namespace {

class Paths : public ::testing::Test {
 protected:
  // A phy, and what it leads to; all that is told of it.
  void phy(const std::string& fmri, const std::vector<std::string>& to, bool present = true) {
    Resource r;
    r.fmri = fmri;
    r.type = "phy";
    for (const std::string& part : to) r.edges.push_back({Relation::path, part});
    InventoryUpdate update;
    update.source = "system";
    update.resources.push_back(r);
    if (!present) {
      update.resources.clear();
      update.gone.push_back({fmri, "removed", ""});
    }
    paths.observe(inventory, inventory.apply(update));
  }
  using List = std::vector<std::string>;
  Inventory inventory;
  PathMemory paths;
};

TEST_F(Paths, WhatLeadsThereAndWhatLedThereLast) {
  EXPECT_EQ(paths.to("dev://wwn=1"), List());
  phy("dev://phy=1", {"dev://wwn=1"});
  EXPECT_EQ(paths.to("dev://wwn=1"), List{"dev://phy=1"});
  phy("dev://phy=1", {});
  EXPECT_EQ(paths.to("dev://wwn=1"), List{"dev://phy=1"}) << "it has dropped off";
  phy("dev://phy=1", {"dev://wwn=2"});
  EXPECT_EQ(paths.to("dev://wwn=1"), List{"dev://phy=1"}) << "another disk is in its place";
  EXPECT_EQ(paths.to("dev://wwn=2"), List{"dev://phy=1"});
}

TEST_F(Paths, ADiskThatComesBackElsewhereIsThere) {
  phy("dev://phy=1", {"dev://wwn=1"});
  phy("dev://phy=1", {});
  phy("dev://phy=2", {"dev://wwn=1"});
  EXPECT_EQ(paths.to("dev://wwn=1"), List{"dev://phy=2"});
}

TEST_F(Paths, TwoWaysAreTwo) {
  phy("dev://phy=2", {"dev://wwn=1"});
  phy("dev://phy=1", {"dev://wwn=1"});
  EXPECT_EQ(paths.to("dev://wwn=1"), (List{"dev://phy=1", "dev://phy=2"}));
}

TEST_F(Paths, AWholeControllerThatGoesLeavesItsName) {
  phy("dev://phy=1", {"dev://wwn=1"});
  phy("dev://phy=1", {}, false);
  EXPECT_EQ(paths.to("dev://wwn=1"), List{"dev://phy=1"});
}

}  // namespace
}  // namespace fmd
