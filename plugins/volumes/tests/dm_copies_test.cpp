// The disks of LVM volumes that hold data without another copy.
#include "plugins/volumes/tests/dm_rig.h"

namespace fmd::volumes::testing {
namespace {

// Volumes on disks 3 to 6; each leg of a raid is a hidden map of its own.
class DmCopies : public DmTest {
 protected:
  const std::string uuid_ = "LVM-" + std::string(64, 'v');
  void SetUp() override {
    DmTest::SetUp();
    for (int n = 3; n <= 6; ++n) t_.plug(n);
  }
  // legs[i]: the devices below leg i.
  void raid(const std::vector<std::vector<std::string>>& legs, const std::string& word = "rimage") {
    std::vector<std::string> slaves;
    for (size_t i = 0; i < legs.size(); ++i) {
      const std::string device = fmt::format("dm-{}", 20 + i);
      map(device, fmt::format("vg0-data_{}_{}", word, i),
          "LVM-" + std::string(63, 'l') + std::to_string(i) + "-real", legs[i]);
      slaves.push_back(device);
    }
    map("dm-10", "vg0-data", uuid_, slaves);
  }
  json last_copies(const char* status) {
    return properties(look(status), "dm://uuid=" + uuid_)["last_copy_on"];
  }
  static std::string disks(const std::vector<int>& numbers) {
    std::string out;
    for (const int n : numbers) out += (out.empty() ? "" : ",") + disk_of(n);
    return out;
  }
};

TEST_F(DmCopies, AVolumeWithoutRedundancy) {
  map("dm-10", "vg0-data", uuid_, {"sdd", "sde"});
  EXPECT_EQ(last_copies("vg0-data: 0 8388608 linear \n"), disks({3, 4}));
  EXPECT_EQ(last_copies("vg0-data: 0 8388608 striped 2 8:48 8:64 1 AA\n"), disks({3, 4}));
  EXPECT_EQ(last_copies(nullptr), json()) << "dmsetup does not answer";
}

TEST_F(DmCopies, TheLegsOfARaid) {
  struct Row {
    const char* status;
    std::vector<int> last;
  };
  raid({{"sdd"}, {"sde"}});
  for (const Row& row :
       std::vector<Row>{{"raid1 2 AA 9/9 idle 0 0 -", {}},
                        {"raid1 2 AD 9/9 idle 0 0 -", {3}},
                        {"raid1 2 DA 9/9 idle 0 0 -", {4}},
                        // 'lvconvert --repair' fills the second leg
                        {"raid1 2 Aa 3/9 recover 0 0 -", {3}},
                        {"raid1 2 aA 3/9 recover 0 0 -", {4}},
                        {"raid1 2 Aa 3/9 idle 0 0 -", {3}},
                        // The source is lost while it fills the other leg: either may be needed.
                        {"raid1 2 Da 3/9 recover 0 0 -", {3, 4}},
                        {"raid1 2 aa 3/9 resync 0 0 -", {3, 4}},
                        {"raid1 2 aD 3/9 resync 0 0 -", {3}},
                        {"raid0 2 AA 9/9 idle 0 0 -", {3, 4}}})
    EXPECT_EQ(last_copies(fmt::format("vg0-data: 0 8388608 raid {}\n", row.status).c_str()),
              row.last.empty() ? "none" : disks(row.last))
        << row.status;
  raid({{"sdd"}, {"sde"}, {"sdf"}, {"sdg"}});
  for (const Row& row : std::vector<Row>{{"raid5_ls 4 AAAA 9/9 idle 0 0 -", {}},
                                         {"raid5_ls 4 AADA 9/9 idle 0 0 -", {3, 4, 6}},
                                         {"raid5_ls 4 AAaA 2/9 recover 0 0 -", {3, 4, 6}},
                                         {"raid5_ls 4 aaaa 2/9 resync 0 0 -", {3, 4, 5, 6}},
                                         {"raid5_ls 4 AaDA 2/9 recover 0 0 -", {3, 4, 5, 6}},
                                         {"raid6_zr 4 AADA 9/9 idle 0 0 -", {}},
                                         {"raid6_zr 4 aADA 2/9 recover 0 0 -", {4, 6}},
                                         {"raid10 4 AAAA 9/9 idle 0 0 -", {}},
                                         {"raid10 4 AADA 9/9 idle 0 0 -", {6}},
                                         {"raid10 4 AAaA 2/9 recover 0 0 -", {6}}})
    EXPECT_EQ(last_copies(fmt::format("vg0-data: 0 8388608 raid {}\n", row.status).c_str()),
              row.last.empty() ? "none" : disks(row.last))
        << row.status;
}

// A leg is lost while another one is filled from it.
TEST_F(DmCopies, AVolumeWhoseOnlyWholeLegIsLost) {
  const auto health = [this](const std::string& status) {
    return properties(look(("vg0-data: 0 8388608 raid " + status + "\n").c_str()),
                      "dm://uuid=" + uuid_)["health"];
  };
  raid({{"sdd"}, {"sde"}, {"sdf"}, {"sdg"}});
  EXPECT_EQ(health("raid1 2 Da 3/9 recover 0 0 -"), "failed");
  EXPECT_EQ(health("raid1 2 Da 3/9 idle 0 0 -"), "failed");
  EXPECT_EQ(health("raid1 2 aD 3/9 resync 0 0 -"), "degraded");
  EXPECT_EQ(health("raid1 2 Aa 3/9 recover 0 0 -"), "rebuilding");
  EXPECT_EQ(health("raid1 2 aa 3/9 resync 0 0 -"), "rebuilding");
  EXPECT_EQ(health("raid1 3 Daa 3/9 recover 0 0 -"), "failed");
  EXPECT_EQ(health("raid1 3 DAa 3/9 recover 0 0 -"), "degraded");
  EXPECT_EQ(health("raid5_ls 4 ADaA 3/9 recover 0 0 -"), "failed");
  EXPECT_EQ(health("raid6_zr 4 ADaA 3/9 recover 0 0 -"), "degraded");
  EXPECT_EQ(health("raid6_zr 4 aDaA 3/9 recover 0 0 -"), "failed");
  EXPECT_EQ(health("raid10 4 AADa 3/9 recover 0 0 -"), "failed");
  EXPECT_EQ(health("raid10 4 ADaA 3/9 recover 0 0 -"), "degraded");
}

TEST_F(DmCopies, WhatIsBelowAPoolOrAnArray) {
  // A thin pool whose data is a raid1.
  raid({{"sdd"}, {"sde"}});
  map("dm-30", "vg0-pool-tpool", uuid_ + "-tpool", {"dm-10"});
  map("dm-31", "vg0-thin", "LVM-" + std::string(64, 't'), {"dm-30"});
  const std::string thin = "dm://uuid=LVM-" + std::string(64, 't');
  const std::string status = "vg0-thin: 0 8388608 thin 4194304 8388607\n";
  EXPECT_EQ(
      properties(look((status + "vg0-data: 0 8388608 raid raid1 2 AA 9/9 idle 0 0 -\n").c_str()),
                 thin)["last_copy_on"],
      "none");
  EXPECT_EQ(
      properties(look((status + "vg0-data: 0 8388608 raid raid1 2 AD 9/9 idle 0 0 -\n").c_str()),
                 thin)["last_copy_on"],
      disk_of(3));
  // The array answers for its own disks.
  map("md0", "", "", {"sdd", "sde"});
  map("dm-10", "vg0-data", uuid_, {"md0"});
  EXPECT_EQ(last_copies("vg0-data: 0 8388608 linear \n"), "none");
  map("dm-10", "vg0-data", uuid_, {"md0", "sdf"});
  EXPECT_EQ(last_copies("vg0-data: 0 8388608 linear \n"), disk_of(5));
  // A second partition of one of its disks, which the array does not mirror.
  map("dm-10", "vg0-data", uuid_, {"md0", "sdd"});
  EXPECT_EQ(last_copies("vg0-data: 0 8388608 linear \n"), disk_of(3));
  // A volume group whose name looks like an array's.
  map("dm-10", "md1-data", uuid_, {"sdd"});
  EXPECT_EQ(last_copies("md1-data: 0 8388608 linear \n"), disk_of(3));
  map("dm-10", "vg0-data", uuid_, {});
  // Both legs on one disk, as 'alloc anywhere' allows.
  raid({{"sdd"}, {"sdd"}});
  EXPECT_EQ(last_copies("vg0-data: 0 8388608 raid raid1 2 AA 9/9 idle 0 0 -\n"), disk_of(3));
}

}  // namespace
}  // namespace fmd::volumes::testing
