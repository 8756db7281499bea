// What must be so of a cause in common whatever the machine: other names change no verdict, and what is well
// elsewhere never moves the blame outwards.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "fmd/base/tests/share.h"
#include "fmd/diagnosis/common_cause.h"
#include "fmd/diagnosis/recurrence.h"

namespace fmd {
namespace {

using Node = size_t;

// A machine as a graph: controllers, expanders in rows, disks with one way, or with one over each of two controllers.
// (Three that are cabled crosswise can explain the same alike; of those the first in the order of names is accused.)
struct Machine {
  std::vector<std::set<Node>> above;  // by node; a node comes after what leads to it
  std::vector<bool> is_disk;
  std::set<Node> failing;

  Node add(std::set<Node> leading, bool disk) {
    above.push_back(std::move(leading));
    is_disk.push_back(disk);
    return above.size() - 1;
  }
  bool leads(Node from, Node to) const {
    return above[to].contains(from) || std::any_of(above[to].begin(), above[to].end(),
                                                   [&](Node one) { return leads(from, one); });
  }
};

class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}
  size_t below(size_t n) { return random_() % n; }
  std::vector<Node> order(size_t n) {
    std::vector<Node> out(n);
    std::iota(out.begin(), out.end(), Node{0});
    std::shuffle(out.begin(), out.end(), random_);
    return out;
  }
  Machine machine() {
    Machine m;
    const bool two_ways = below(3) == 0;
    const Node root = m.add({}, false);
    std::vector<Node> hbas;
    const size_t controllers = two_ways ? 2 : 2 + below(2);
    for (size_t i = 0; i < controllers; ++i) hbas.push_back(m.add({root}, false));
    std::vector<std::set<Node>> ports;  // what a disk can hang on
    const size_t shelves = 2 + below(3);
    for (size_t shelf = 0; shelf < shelves; ++shelf) {
      const Node first = m.add({hbas[shelf % hbas.size()]}, false);
      ports.push_back({first});
      if (two_ways) ports.back().insert(m.add({hbas[(shelf + 1) % hbas.size()]}, false));
      if (!two_ways && below(3) == 0) ports.push_back({m.add({first}, false)});
    }
    for (const std::set<Node>& port : ports)
      for (size_t i = 2 + below(7); i > 0; --i) m.add(port, true);
    const Node sick = below(m.above.size());
    for (Node disk = 0; disk < m.above.size(); ++disk)
      if (m.is_disk[disk] && (m.leads(sick, disk) ? below(4) > 0 : below(20) == 0))
        m.failing.insert(disk);
    return m;
  }

 private:
  std::mt19937 random_;
};

// Whom each failing disk's question accuses: "lowest | higher", by nodes.
using Blame = std::map<Node, std::pair<std::set<Node>, std::set<Node>>>;

Blame blame(const Machine& m, const std::vector<Node>& names) {
  const auto fmri = [&](Node node) { return fmt::format("dev://part={:04}", names[node]); };
  std::vector<Node> by_name(names.size());
  for (Node node = 0; node < names.size(); ++node) by_name[names[node]] = node;
  Inventory inventory;
  PathMemory paths;
  for (const Node node : by_name) {
    Resource r;
    r.fmri = fmri(node);
    r.type = m.is_disk[node] ? "disk" : "expander";
    for (Node to = 0; to < m.above.size(); ++to)
      if (m.above[to].contains(node)) r.edges.push_back({Relation::path, fmri(to)});
    InventoryUpdate update;
    update.source = "t";
    update.resources.push_back(r);
    paths.observe(inventory, inventory.apply(update));
  }
  Accused accused;
  for (const Node disk : m.failing) accused[fmri(disk)];
  Rule rule;
  rule.part_types = {"disk"};
  rule.count = 2;
  rule.well = 0.9;
  const auto hanging =
      std::make_shared<Hanging>(inventory, Topology(inventory, paths, {Relation::path}), rule);
  const Crowd crowd = crowd_of(hanging, accused);
  const auto nodes = [&](const std::vector<std::string>& fmris) {
    std::set<Node> out;
    for (const std::string& one : fmris) out.insert(by_name[std::stoul(one.substr(11))]);
    return out;
  };
  Blame out;
  for (const Node disk : m.failing) {
    const auto found = common_cause(inventory, crowd, rule, fmri(disk));
    if (found) out[disk] = {nodes(found->lowest), nodes(found->higher)};
  }
  return out;
}

std::vector<Node> as_they_are(const Machine& m) {
  std::vector<Node> names(m.above.size());
  std::iota(names.begin(), names.end(), Node{0});
  return names;
}

TEST(CommonProperty, OtherNamesInAnotherOrderChangeNoVerdict) {
  for (unsigned seed = 0; seed < share_of(400); ++seed) {
    Draw draw(seed);
    const Machine m = draw.machine();
    const Blame before = blame(m, as_they_are(m));
    for (int i = 0; i < 3; ++i)
      ASSERT_EQ(blame(m, draw.order(m.above.size())), before) << "seed " << seed;
  }
}

TEST(CommonProperty, ADiskMoreThatIsWellElsewhereMovesNoBlameOutwards) {
  size_t blamed = 0;
  for (unsigned seed = 0; seed < share_of(400); ++seed) {
    Draw draw(seed);
    const Machine m = draw.machine();
    const Blame before = blame(m, as_they_are(m));
    for (Node port = 0; port < m.above.size(); ++port) {
      if (m.is_disk[port]) continue;
      Machine with = m;
      with.add({port}, true);
      const Blame after = blame(with, as_they_are(with));
      for (const auto& [disk, parts] : before) {
        const Node was = *parts.first.begin();
        if (port == was || m.leads(was, port) || !after.contains(disk)) continue;
        ++blamed;
        for (const Node now : after.at(disk).first)
          ASSERT_FALSE(m.leads(now, was)) << "seed " << seed << ", port " << port;
      }
    }
  }
  EXPECT_GT(blamed, share_of(1000)) << "of so many the question was asked";
}

}  // namespace
}  // namespace fmd
