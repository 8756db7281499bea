// Which one part explains that several fail, by itself.
#include "fmd/diagnosis/common_cause.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

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
  std::string blamed(const std::vector<std::pair<std::string, int>>& failing,
                     Proof proof = Proof::either) {
    Accused accused;
    std::string one;
    for (const auto& [name, count] : failing)
      for (int i = 0; i < count; ++i) accused.insert(one = fmt::format("dev://{}{}", name, i));
    Rule rule;
    rule.part_types = {"disk"};
    rule.count = proof == Proof::both ? 3 : 2;
    rule.proof = proof;
    rule.kinds = kinds;
    const Topology topology(inventory, paths, {Relation::path});
    const auto found = common_cause(inventory, topology, rule, accused, one);
    return found ? found->lowest.front() : "";
  }
  Inventory inventory;
  PathMemory paths;
  size_t kinds = 1;
};

TEST_F(Search, OfSoManyKinds) {
  ancestor("A", 6);
  kinds = 2;
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
  EXPECT_EQ(blamed({{"B", 1}, {"A", 12}}), "hc://A") << "one of the others is another story";
  EXPECT_EQ(blamed({{"A", 12}, {"B", 12}}), "hc://R");
  EXPECT_EQ(blamed({{"A", 1}}), "");
}

TEST_F(Search, FewAmongManyAreNoChanceWhereNobodyElseFails) {
  ancestor("A", 24);
  for (const char* other : {"B", "C", "D", "E"}) ancestor(other, 24);
  EXPECT_EQ(blamed({{"A", 2}}), "") << "1 in 23";
  EXPECT_EQ(blamed({{"A", 4}}), "hc://A") << "1 in 850";
}

TEST_F(Search, BothProofsTakeHalfOfThemAndNoChance) {
  ancestor("A", 6);
  ancestor("B", 11);
  EXPECT_EQ(blamed({{"A", 2}}, Proof::both), "") << "two are two";
  EXPECT_EQ(blamed({{"A", 3}}, Proof::both), "hc://A") << "half, and nobody else";
  EXPECT_EQ(blamed({{"B", 1}, {"A", 3}}, Proof::either), "hc://A");
  EXPECT_EQ(blamed({{"B", 1}, {"A", 3}}, Proof::both), "") << "1 in 10";
  EXPECT_EQ(blamed({{"B", 1}, {"A", 5}}, Proof::both), "hc://A") << "1 in 185";
  for (const char* other : {"C", "D", "E"}) ancestor(other, 24);
  ancestor("F", 24);
  EXPECT_EQ(blamed({{"F", 6}}, Proof::either), "hc://F");
  EXPECT_EQ(blamed({{"F", 6}}, Proof::both), "") << "a quarter of them";
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

TEST(Chance, IsTheHypergeometricTail) {
  EXPECT_NEAR(chance_of(0, 5, 3, 10), 1, 1e-12);
  EXPECT_NEAR(chance_of(2, 2, 2, 4), 1.0 / 6, 1e-12);
  EXPECT_NEAR(chance_of(1, 2, 2, 4), 5.0 / 6, 1e-12);
  EXPECT_NEAR(chance_of(4, 24, 4, 120), 10626.0 / 8214570, 1e-9);
}

}  // namespace
}  // namespace fmd
