#include "host.h"

#include <gtest/gtest.h>

namespace fmd::score {
namespace {

const ShapeSpec& shape(const std::string& name) {
  for (const ShapeSpec& one : shapes())
    if (one.name == name) return one;
  throw std::out_of_range(name);
}

class Spares : public testing::Test {
 protected:
  bool has(const std::string& fmri, const char* property, const char* value) {
    return host.told(Teller::zfs, fmri).is(property, value);
  }

  Host host{shape("one controller")};  // with one spare
  const std::string first = host.disks[0].vdev, second = host.disks[1].vdev;
  const std::string spare = host.disks.back().vdev;
};

TEST_F(Spares, OneThatIsInIsNoneForTheNext) {
  ASSERT_TRUE(has(second, "spares_available", "1"));
  ASSERT_TRUE(host.bring_spare(first, "key"));
  EXPECT_TRUE(has(first, "spare", "active"));
  EXPECT_TRUE(has(spare, "state", "INUSE"));
  EXPECT_TRUE(has(second, "spares_available", "0"));
  EXPECT_TRUE(has("zfs://pool=7", "spares_available", "0"));
  EXPECT_FALSE(host.bring_spare(second, "other"));
}

TEST_F(Spares, OneThatIsBackStandsInForTheNext) {
  ASSERT_TRUE(host.bring_spare(first, "key"));
  host.return_spare(first);
  EXPECT_TRUE(has(first, "spare", "none"));
  EXPECT_TRUE(has(spare, "state", "AVAIL"));
  EXPECT_TRUE(has(second, "spares_available", "1"));
  EXPECT_TRUE(host.bring_spare(second, "other"));
}

TEST(MuteBays, NoneReportsWhetherItIsEmpty) {
  Host host(shape("tower"), Variant::plain, {Bays::silent});
  const std::string& bay = host.disks[0].bay;
  const InventoryUpdate after = host.set(Teller::enclosure, bay, "occupied", Value(false));
  for (const Resource* r : {&host.told(Teller::enclosure, bay), &after.resources.front()})
    for (const char* property : {"occupied", "tells_empty"})
      EXPECT_FALSE(r->properties.contains(property)) << property;
  EXPECT_EQ(host.told(Teller::enclosure, bay).get("led.fault"), "off");
}

}  // namespace
}  // namespace fmd::score
