// Runs inside umockdev-wrapper: udev's messages come from a test bed.
#include "plugins/sdk/udev_monitor.h"

#include <gtest/gtest.h>
#include <umockdev.h>

#include "plugins/sdk/tests/support.h"

namespace fmd::sdk {
namespace {

TEST(UdevMonitor, TellsOfTheSubsystemsAskedFor) {
  UMockdevTestbed* bed = umockdev_testbed_new();
  ASSERT_TRUE(umockdev_in_mock_environment()) << "run by umockdev-wrapper";
  gchar* disk = umockdev_testbed_add_device(bed, "block", "sde", nullptr, "size", "524288", nullptr,
                                            "DEVTYPE", "disk", nullptr);
  gchar* net = umockdev_testbed_add_device(bed, "net", "eth0", nullptr, nullptr, nullptr);
  testing::Loop loop;
  std::vector<UdevMonitor::Event> seen;
  auto monitor =
      UdevMonitor::open(loop, {"block"}, [&](const UdevMonitor::Event& e) { seen.push_back(e); });
  ASSERT_TRUE(monitor) << monitor.error().text();
  umockdev_testbed_uevent(bed, net, "add");
  umockdev_testbed_uevent(bed, disk, "add");
  umockdev_testbed_uevent(bed, disk, "remove");
  ASSERT_TRUE(loop.until([&] { return seen.size() >= 2; }));
  EXPECT_EQ(seen[0].action, "add");
  EXPECT_EQ(seen[0].subsystem, "block");
  EXPECT_EQ(seen[0].name, "sde");
  EXPECT_EQ(seen[1].action, "remove");
  EXPECT_EQ(seen.size(), 2u);
  g_free(disk);
  g_free(net);
  g_object_unref(bed);
}

}  // namespace
}  // namespace fmd::sdk
