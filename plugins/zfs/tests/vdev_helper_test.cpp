#include "plugins/zfs/vdev_helper.h"

#include <gtest/gtest.h>
#include <systemd/sd-event.h>

#include <filesystem>
#include <fstream>

namespace fmd::zfs {
namespace {

class VdevHelper : public ::testing::Test {
 protected:
  VdevHelper() {
    sd_event_new(&loop_);
    char name[] = "/tmp/fmd-vdev-helper-XXXXXX";
    tools_ = mkdtemp(name);
  }
  ~VdevHelper() override {
    std::filesystem::remove_all(tools_);
    sd_event_unref(loop_);
  }

  sd_event* loop_ = nullptr;
  std::string tools_;
};

// Not in PATH, since it is not meant for people.
TEST_F(VdevHelper, IsRunFromWhereItIsInstalled) {
  const sdk::Host host(loop_, "", tools_);
  const auto argv = with_helper(host, {kVdevHelper, "remove", "tank", "7"});
  EXPECT_EQ(argv,
            (std::vector<std::string>{"/usr/libexec/fmd/fmd-zfs-vdev", "remove", "tank", "7"}));
  EXPECT_EQ(with_helper(host, {"zpool", "status"}), (std::vector<std::string>{"zpool", "status"}));
}

TEST_F(VdevHelper, AStandInComesFirst) {
  const std::string path = tools_ + "/" + kVdevHelper;
  std::ofstream(path) << "#!/bin/sh\n";
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  const sdk::Host host(loop_, "", tools_);
  EXPECT_EQ(with_helper(host, {kVdevHelper, "fault", "tank", "7"}).front(), kVdevHelper);
}

}  // namespace
}  // namespace fmd::zfs
