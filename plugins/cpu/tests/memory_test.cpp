#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "plugins/cpu/cpu_memory.h"

namespace fmd::cpu {
namespace {

TEST(CpuMemory, AFileOfWhichOneMemberIsDamagedLeavesItEmpty) {
  const std::string file = ::testing::TempDir() + "cpu-memory.json";
  CpuMemory full(file);
  full.places[3] = {0, 1};
  full.deeds["cpu://socket=0/core=1"] = {"key", "boot", {3}};
  full.ended = {"cpu://socket=0/core=2"};
  full.pages[7] = {1, "boot", "mem://dimm=A1"};
  full.released[8] = "boot";
  full.channels = {"mem://channel=0"};
  full.crashes = {"dmesg-1"};
  full.save();
  const auto good = nlohmann::json::parse(std::ifstream(file));
  ASSERT_GE(good.size(), 7u);
  for (const auto& [member, value] : good.items()) {
    auto damaged = good;
    damaged[member] = 7;
    std::ofstream(file) << damaged;
    CpuMemory read(file);
    EXPECT_FALSE(read.load()) << member;
    EXPECT_TRUE(read.places.empty() && read.deeds.empty() && read.ended.empty() &&
                read.pages.empty() && read.released.empty() && read.channels.empty() &&
                read.crashes.empty() && read.first)
        << member;
  }
}

}  // namespace
}  // namespace fmd::cpu
