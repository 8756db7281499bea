// Which one part explains that several fail, by itself.
#include "fmd/diagnosis/common_cause.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fmd/base/duration.h"

namespace fmd {
namespace {

class Search : public ::testing::Test {
 protected:
  // Parts are named A0, A1, … below the ancestor A.
  void ancestor(const std::string& name, int parts, const std::vector<std::string>& over = {}) {
    Resource r;
    r.fmri = "hc://" + name;
    r.type = "hba";
    for (int i = 0; i < parts; ++i) {
      Resource disk;
      disk.fmri = fmt::format("dev://{}{}", name, i);
      disk.type = "disk";
      r.edges.push_back({Relation::path, disk.fmri});
      put(disk);
    }
    for (const std::string& other : over) r.edges.push_back({Relation::path, "hc://" + other});
    put(r);
  }
  void put(const Resource& r) {
    InventoryUpdate update;
    update.source = "t";
    update.resources.push_back(r);
    paths.observe(inventory, inventory.apply(update));
  }
  // Whom so many of each accuse.
  std::string blamed(const std::vector<std::pair<std::string, int>>& failing) {
    Accused accused;
    std::string one;
    int64_t at_ns = kSecondNs;
    for (const auto& [name, count] : failing)
      for (int i = 0; i < count; ++i, at_ns += apart_ns)
        accused[one = fmt::format("dev://{}{}", name, i)] = at_ns;
    rule.part_types = {"disk"};
    const Topology topology(inventory, paths, {Relation::path});
    const auto found = common_cause(inventory, topology, rule, accused, one, at_ns + kSecondNs);
    return found ? found->lowest.front() : "";
  }
  Inventory inventory;
  PathMemory paths;
  Rule rule;
  int64_t apart_ns = kSecondNs;
};

TEST_F(Search, OfSoManyKinds) {
  ancestor("A", 6);
  rule.kinds = 2;
  EXPECT_EQ(blamed({{"A", 6}}), "") << "all are disks";
  for (const int n : {0, 1}) {
    Resource sensor = *inventory.find(fmt::format("dev://A{}", n));
    sensor.properties["kind"] = std::string("voltage");
    put(sensor);
  }
  EXPECT_EQ(blamed({{"A", 6}}), "hc://A");
}

TEST_F(Search, TheLowestThatExplainsThem) {
  ancestor("A", 12);
  ancestor("B", 12);
  ancestor("R", 0, {"A", "B"});
  EXPECT_EQ(blamed({{"A", 12}}), "hc://A");
  EXPECT_EQ(blamed({{"A", 12}, {"B", 12}}), "hc://R");
  EXPECT_EQ(blamed({{"A", 1}}), "");
}

constexpr int64_t kDay = 86400 * kSecondNs;

// The further apart they fail, the more likely is it that each failed by itself.
TEST_F(Search, PartsThatFailDaysApartAreAChance) {
  ancestor("A", 6);
  EXPECT_EQ(blamed({{"A", 2}}), "hc://A");
  apart_ns = 30 * kDay;
  EXPECT_EQ(blamed({{"A", 2}}), "");
}

TEST_F(Search, FewOfManyThatStayedWellAreAChance) {
  ancestor("A", 100);
  ancestor("B", 4);
  apart_ns = kDay / 4;
  EXPECT_EQ(blamed({{"A", 2}}), "");
  EXPECT_EQ(blamed({{"B", 2}}), "hc://B");
}

TEST_F(Search, PartsThatOftenFailByThemselvesProveLess) {
  ancestor("A", 4);
  apart_ns = kDay / 4;
  EXPECT_EQ(blamed({{"A", 2}}), "hc://A");
  rule.own = 5;
  EXPECT_EQ(blamed({{"A", 2}}), "");
  rule.rate = 500;
  EXPECT_EQ(blamed({{"A", 2}}), "hc://A");
}

TEST_F(Search, AtLeastThisShareOfThem) {
  ancestor("A", 6);
  rule.share = 0.5;
  EXPECT_EQ(blamed({{"A", 2}}), "");
  EXPECT_EQ(blamed({{"A", 3}}), "hc://A");
}

TEST_F(Search, OneMoreThatIsWellMovesNoBlameOutwards) {
  for (int below = 2; below <= 12; ++below)
    for (int failing = 2; failing <= below; ++failing)
      for (int beside = 0; beside <= 6; ++beside) {
        inventory = Inventory();
        paths = PathMemory();
        ancestor("A", below);
        ancestor("B", beside);
        ancestor("R", 0, {"A", "B"});
        const std::string before = blamed({{"A", failing}});
        ancestor("B", beside + 1);
        const std::string after = blamed({{"A", failing}});
        if (before == "hc://A") {
          EXPECT_EQ(after, "hc://A") << below << " " << failing << " " << beside;
        }
      }
}

}  // namespace
}  // namespace fmd
