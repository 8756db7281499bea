#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "plugins/volumes/volumes_memory.h"

namespace fmd::volumes {
namespace {

TEST(VolumesMemory, AFileOfWhichOneMemberIsDamagedLeavesItEmpty) {
  const std::string file = ::testing::TempDir() + "volumes-memory.json";
  VolumesMemory full(file);
  full.paths["dm://uuid=mpath-1"] = 2;
  full.maps["mpath-1"].name = "mpatha";
  full.btrfs_known["1-2"].name = "data";
  full.begin("key");
  full.save();
  const auto good = nlohmann::json::parse(std::ifstream(file));
  ASSERT_GE(good.size(), 6u);
  for (const auto& [member, value] : good.items()) {
    auto damaged = good;
    damaged[member] = 7;
    std::ofstream(file) << damaged;
    VolumesMemory read(file);
    EXPECT_FALSE(read.load()) << member;
    EXPECT_TRUE(read.paths.empty() && read.maps.empty() && read.btrfs_disks.empty() &&
                read.btrfs_known.empty() && !read.answer_to("key"))
        << member;
  }
}

}  // namespace
}  // namespace fmd::volumes
