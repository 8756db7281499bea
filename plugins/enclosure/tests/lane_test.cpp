#include "plugins/enclosure/lane.h"

#include <gtest/gtest.h>
#include <poll.h>

#include "plugins/sdk/tests/support.h"

namespace fmd::enclosure {
namespace {

using namespace std::chrono_literals;

// Two concurrent page writes undo each other: the second waits for the first, and an urgent one
// precedes those that wait.
TEST(Lane, OneAtATimeUrgentFirst) {
  sdk::testing::Loop loop;
  sdk::testing::TempTree tree;
  sdk::Host host(loop, tree.root(), "");
  auto lane = std::make_shared<Lane>(loop, host, 60s);
  std::vector<std::string> order;
  const auto job = [&](const std::string& name, bool urgent) {
    lane->run(
        [&tree, name] {
          tree.file("/began-" + name, "");
          while (name == "first" && tree.read("/go").empty()) poll(nullptr, 0, 5);
          return name;
        },
        [&order](const sdk::CommandOutput& output) { order.push_back(output.out); }, urgent);
  };
  job("first", false);
  job("second", false);
  job("urgent", true);
  ASSERT_TRUE(loop.until([&] { return host.exists("/began-first"); }));
  // Another command that is started now runs to its end, so the lane had time to misbehave.
  bool other = false;
  host.run({"true"}, 60s, [&](const sdk::CommandOutput&) { other = true; });
  ASSERT_TRUE(loop.until([&] { return other; }));
  EXPECT_FALSE(host.exists("/began-second"));
  EXPECT_FALSE(host.exists("/began-urgent"));
  tree.file("/go", "x");
  ASSERT_TRUE(loop.until([&] { return order.size() == 3; }));
  EXPECT_EQ(order, (std::vector<std::string>{"first", "urgent", "second"}));
}

}  // namespace
}  // namespace fmd::enclosure
