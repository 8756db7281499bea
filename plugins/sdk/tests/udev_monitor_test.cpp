// Runs inside umockdev-wrapper: the machine and udev's messages come from a test bed.
#include "plugins/sdk/udev_monitor.h"

#include <gtest/gtest.h>

#include "plugins/sdk/tests/support.h"
#include "plugins/sdk/tests/udev_bed.h"

namespace fmd::sdk {
namespace {

constexpr const char* kTarget = "/sys/devices/pci0000:00/0000:00:02.0/virtio1/host0/target0:0:2";
const std::string kUnit = std::string(kTarget) + "/0:0:2:0";

TEST(UdevMonitor, TellsOfTheSubsystemsAskedFor) {
  testing::UdevBed bed;
  testing::Loop loop;
  const Host host(loop, "/", "");
  std::vector<UdevMonitor::Event> seen;
  const auto monitor = UdevMonitor::of_host(
      host, loop, {"block"}, [&](const UdevMonitor::Event& e) { seen.push_back(e); });
  ASSERT_TRUE(monitor);
  bed.plug("nic");
  bed.plug("scsi-disk");
  bed.plug("scsi-partitions");
  bed.unplug(kTarget);
  ASSERT_TRUE(loop.until([&] { return seen.size() >= 6; }));
  std::string story;
  for (const auto& event : seen)
    story += event.action + " " + event.subsystem + " " + event.name + "\n";
  EXPECT_EQ(story,
            "add block sde\nadd block sde1\nadd block sde9\n"
            "remove block sde9\nremove block sde1\nremove block sde\n");
}

TEST(UdevMonitor, NoneOfASimulatedHost) {
  testing::UdevBed bed;
  testing::Loop loop;
  const Host host(loop, "/somewhere", "");
  EXPECT_FALSE(UdevMonitor::of_host(host, loop, {"block"}, [](const UdevMonitor::Event&) {}));
}

// The real Host sees the bed because it reads /sys through libc.
TEST(UdevBed, IsTheRealHostsMachine) {
  testing::UdevBed bed;
  bed.plug("scsi-disk");
  bed.plug("scsi-partitions");
  testing::Loop loop;
  const Host host(loop, "/", "");
  EXPECT_EQ(host.list("/sys/block").value_or(std::vector<std::string>()),
            std::vector<std::string>{"sde"});
  EXPECT_EQ(host.resolve("/sys/block/sde").value_or(""), kUnit + "/block/sde");
  EXPECT_EQ(host.resolve("/sys/block/sde/device").value_or(""), kUnit);
  EXPECT_EQ(host.read_link("/sys/block/sde/device").value_or(""), "../../../0:0:2:0");
  EXPECT_EQ(host.read("/sys/block/sde/device/model").value_or(""), "QEMU HARDDISK   ");
  EXPECT_TRUE(host.exists("/dev/sde1"));
  EXPECT_TRUE(host.write(kUnit + "/rev", "2.6"));
  EXPECT_EQ(host.read(kUnit + "/rev").value_or(""), "2.6");
  bed.unplug(kTarget);
  EXPECT_TRUE(host.list("/sys/block").value().empty());
  EXPECT_FALSE(host.exists("/dev/sde"));
  EXPECT_FALSE(host.resolve("/sys/class/block/sde"));
  EXPECT_FALSE(host.read_link("/dev/disk/by-id/wwn-0x5000c500a0000003"));
}

}  // namespace
}  // namespace fmd::sdk
