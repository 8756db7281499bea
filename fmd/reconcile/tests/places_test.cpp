#include "fmd/reconcile/places.h"

#include <gtest/gtest.h>

namespace fmd {
namespace {

struct PlacesTest : testing::Test {
  PlacesTest() {
    disk.fmri = "dev://wwn=1";
    disk.type = "disk";
    disk.properties = {{"serial", std::string("S1")},
                       {"content", std::string("unknown")},
                       {"size_bytes", uint64_t{1000}},
                       {"temperature_celsius", int64_t{30}}};
    places.changed(disk);
  }
  Places places;
  Resource disk;
};

TEST_F(PlacesTest, WhatIsMeasuredIsNoNews) {
  EXPECT_FALSE(places.changed(disk));
  disk.properties["temperature_celsius"] = int64_t{31};
  disk.properties["load_percent"] = 0.5;
  EXPECT_FALSE(places.changed(disk));
}

TEST_F(PlacesTest, WhatADiskIsGoodForIs) {
  disk.properties["content"] = std::string("blank");
  EXPECT_TRUE(places.changed(disk));
  disk.properties["size_bytes"] = uint64_t{2000};
  EXPECT_TRUE(places.changed(disk));
  disk.properties["sector_bytes"] = int64_t{4096};
  EXPECT_TRUE(places.changed(disk));
  disk.edges.push_back({Relation::contains, "dev://wwn=2"});
  EXPECT_TRUE(places.changed(disk));
  disk.edges[0].to = "dev://wwn=3";
  EXPECT_TRUE(places.changed(disk));
  EXPECT_FALSE(places.changed(disk));
}

TEST_F(PlacesTest, OneThatWasGoneIsNewsHoweverLikeItselfItIs) {
  disk.present = false;
  EXPECT_TRUE(places.changed(disk));
  disk.present = true;
  EXPECT_TRUE(places.changed(disk));
  places.forget(disk.fmri);
  EXPECT_TRUE(places.changed(disk));
}

}  // namespace
}  // namespace fmd
