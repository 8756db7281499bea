// Runs inside umockdev-wrapper: the machine is a testbed.
#include <gtest/gtest.h>

#include "plugins/hardware/disk_identity.h"
#include "plugins/sdk/tests/support.h"
#include "plugins/sdk/tests/udev_bed.h"

namespace fmd::hardware {
namespace {

TEST(DiskIdentityOnTheRealHost, APartitionIsItsDisk) {
  sdk::testing::UdevBed bed;
  bed.plug("scsi-disk");
  bed.plug("scsi-partitions");
  sdk::testing::Loop loop;
  const sdk::Host host(loop, "/", "");
  const auto disk = identify_disk(host, "/dev/sde9");
  ASSERT_TRUE(disk) << disk.error().text();
  EXPECT_EQ(disk->fmri, "dev://wwn=5000c500a0000003");
  EXPECT_EQ(disk->name, "sde");
}

}  // namespace
}  // namespace fmd::hardware
