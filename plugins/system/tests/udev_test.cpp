// The system plugin with the real Host and udev events, on a machine simulated by umockdev
// (plugins/sdk/tests/beds).
#include <gtest/gtest.h>

#include "plugins/hardware/system_id.h"
#include "plugins/sdk/tests/udev_bed.h"
#include "plugins/system/system_plugin.h"

namespace fmd::machine {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

constexpr const char* kNic = "dev://mac=02:fc:00:00:00:01";
constexpr const char* kPci = "dev://pci=0000:00:03.0";

class SystemUdevTest : public sdk::testing::InBed {
 protected:
  std::unique_ptr<SystemPlugin> plugin_;
  // umockdev does not replace /etc: the machine id is this machine's.
  const std::string machine_ = "hc://system=" + hardware::system_id(host_);
  const std::string sensor_ = machine_ + "/sensor=nct6775-temp1";

  void start() {
    Options options;
    options.rescan = options.readings = 24h;
    plugin_ = std::make_unique<SystemPlugin>(loop_, host_, socket(), options);
    let_look();
  }
  bool there(const std::string& fmri) {
    return loop_.until([&] { return core_.resources.contains(fmri); });
  }
  bool gone(const std::string& fmri) {
    return loop_.until([&] { return core_.gone.contains(fmri); });
  }
  bool linked(const std::string& from, const char* relation, const std::string& to) {
    const json edge = {{"relation", relation}, {"to", to}};
    for (const json& one : core_.resources[from]["edges"])
      if (one == edge) return true;
    return false;
  }
};

TEST_F(SystemUdevTest, ANetworkCardComesAndGoes) {
  start();
  ASSERT_FALSE(core_.resources.contains(kPci));
  bed_.plug("nic");
  ASSERT_TRUE(there(kNic));
  EXPECT_EQ(core_.resources[kNic]["type"], "nic");
  EXPECT_EQ(core_.property(kNic, "name"), "eth0");
  EXPECT_EQ(core_.property(kNic, "link"), "up");
  EXPECT_EQ(core_.property(kNic, "pci"), "0000:00:03.0");
  EXPECT_EQ(core_.property(kPci, "class_name"), "Ethernet controller");
  EXPECT_EQ(core_.property(kPci, "id"), "1af4:1041");
  EXPECT_TRUE(linked(kPci, "path", kNic)) << core_.resources[kPci];
  EXPECT_TRUE(linked(machine_, "contains", kPci));
  bed_.unplug("/sys/devices/pci0000:00/0000:00:03.0");
  ASSERT_TRUE(gone(kNic));
  EXPECT_EQ(core_.gone[kPci], "removed");
  EXPECT_FALSE(linked(machine_, "contains", kPci));
}

TEST_F(SystemUdevTest, AnInterfaceGoesAndItsCardStays) {
  bed_.plug("nic");
  start();
  ASSERT_TRUE(core_.resources.contains(kNic));
  bed_.unplug("/sys/devices/pci0000:00/0000:00:03.0/virtio2/net/eth0");
  ASSERT_TRUE(gone(kNic));
  EXPECT_TRUE(core_.resources.contains(kPci));
  EXPECT_FALSE(linked(kPci, "path", kNic));
}

TEST_F(SystemUdevTest, ASensorChipComesAndGoes) {
  start();
  bed_.plug("sensors");
  ASSERT_TRUE(there(sensor_));
  EXPECT_TRUE(loop_.until([&] { return core_.property(sensor_, "status") == "ok"; }));
  EXPECT_EQ(core_.property(sensor_, "label"), "nct6775 CPUTIN");
  EXPECT_TRUE(loop_.until([&] {
    for (const json& message : core_.of("readings"))
      for (const json& reading : message["readings"])
        if (reading["resource"] == sensor_ && reading["value"] == 41.5) return true;
    return false;
  }));
  bed_.unplug("/sys/devices/platform/nct6775.656");
  EXPECT_TRUE(gone(sensor_));
}

TEST_F(SystemUdevTest, ADriveComesBehindItsPort) {
  start();
  bed_.plug("nvme-drive");
  const std::string drive = "dev://pci=0000:01:00.0";
  ASSERT_TRUE(there(drive));
  EXPECT_EQ(core_.property(drive, "class_name"), "NVMe controller");
  EXPECT_TRUE(linked(drive, "path", "dev://serial=QEMU%20NVMe%20Ctrl:NVME11"));
  bed_.unplug("/sys/devices/pci0000:00/0000:00:05.0/0000:01:00.0");
  EXPECT_TRUE(gone(drive));
}

}  // namespace
}  // namespace fmd::machine
