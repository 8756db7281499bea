// The whole plugin, with a fake ipmitool that answers when the test allows it, and a core on a real
// socket.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>

#include "fmd/model/fmri.h"
#include "plugins/hardware/system_id.h"
#include "plugins/ipmi/bmc.h"
#include "plugins/ipmi/ipmi_plugin.h"
#include "plugins/sdk/tests/support.h"

namespace fmd::ipmi {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

// Each ipmitool fails with the text that the test writes.
class IpmiPluginTest : public ::testing::Test {
 protected:
  sdk::testing::Loop loop_;
  sdk::testing::TempTree tree_;
  sdk::testing::FakeCore core_{loop_, tree_.root() + "/s"};
  sdk::Host host_{loop_, tree_.root(), tree_.root() + "/bin"};
  int answers_ = -1;
  std::unique_ptr<IpmiPlugin> plugin_;

  void SetUp() override {
    const std::string root = tree_.root(), fifo = root + "/answers";
    tree_.folder("/run");
    tree_.file("/dev/ipmi0", "");
    tree_.file("/asked", "");
    ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
    answers_ = open(fifo.c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_GE(answers_, 0);
    tree_.file("/bin/ipmitool",
               "#!/bin/sh\necho >>" + root + "/asked\nread answer <" + fifo +
                   "\necho \"$answer\" >&2\nexit 1\n",
               0755);
    Options options;
    options.interval = 1h;
    options.confirm = 1h;
    options.folder = root + "/run";
    plugin_ = std::make_unique<IpmiPlugin>(loop_, host_, root + "/s", options);
  }
  void TearDown() override {
    plugin_.reset();
    close(answers_);
  }
  bool asked(int times) {
    return loop_.until([&] {
      const std::string lines = tree_.read("/asked");
      return std::count(lines.begin(), lines.end(), '\n') == times;
    });
  }
  void give(std::string answer) {
    answer += '\n';
    ASSERT_EQ(write(answers_, answer.data(), answer.size()), static_cast<ssize_t>(answer.size()));
  }
  json answer(uint64_t command) {
    EXPECT_TRUE(loop_.until([&] { return core_.answers.contains(command); }));
    return core_.answers[command];
  }
};

TEST_F(IpmiPluginTest, ARefreshIsAnsweredByALookThatBeganAfterIt) {
  ASSERT_TRUE(asked(1));
  const auto refresh = core_.command("refresh", "1", "hc://system=host");
  loop_.drain();
  give("the first look");
  ASSERT_TRUE(asked(2));
  EXPECT_FALSE(core_.answers.contains(refresh)) << "that look began before it was asked";
  give("the second look");
  EXPECT_EQ(answer(refresh)["reason"], "the second look");
}

TEST_F(IpmiPluginTest, ALookWaitsForTheOrderThatHasTheLink) {
  ASSERT_TRUE(asked(1));
  give("the first look");
  const auto first = core_.command("refresh", "1", "hc://system=host");
  ASSERT_TRUE(asked(2));
  give("the second look");
  answer(first);
  const auto order =
      core_.command("set_led", "2", make_fmri("hc", {{"system", hardware::system_id(host_)}}),
                    {{"indication", "locate"}, {"on", true}});
  ASSERT_TRUE(asked(3));
  const auto refresh = core_.command("refresh", "3", "hc://system=host");
  loop_.drain();
  give("the order");
  EXPECT_EQ(answer(order)["status"], "failed");
  ASSERT_TRUE(asked(4)) << "the look begins when the link is free";
  give("the third look");
  EXPECT_EQ(answer(refresh)["reason"], "the third look");
}

// In a child process without privileges or without network; 0 if the link reports that.
int said_by_child(const std::function<bool()>& prepare, const std::function<bool()>& says) {
  const pid_t child = fork();
  if (child == 0) _exit(!prepare() ? 2 : says() ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(IpmiPluginTest, ADeviceOfAnotherGroupIsNamed) {
  chmod(tree_.root().c_str(), 0755);
  chmod((tree_.root() + "/dev").c_str(), 0755);
  chmod((tree_.root() + "/dev/ipmi0").c_str(), 0600);
  Options options;
  options.folder = tree_.root() + "/run";
  const BmcLink link(host_, options);
  EXPECT_EQ(link.cannot(), "");
  EXPECT_EQ(said_by_child([] { return geteuid() != 0 || seteuid(65534) == 0; },
                          [&] {
                            return link.cannot() ==
                                   "no permission for /dev/ipmi0: run 'udevadm trigger "
                                   "--subsystem-match=ipmi'";
                          }),
            0);
}

// As RestrictAddressFamilies= does.
bool lose_the_network() {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_socket, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAFNOSUPPORT),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{static_cast<unsigned short>(std::size(filter)), filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST_F(IpmiPluginTest, ABmcInTheNetworkNeedsTheDropIn) {
  Options options;
  options.folder = tree_.root() + "/run";
  options.lan.host = "192.0.2.7";
  const BmcLink link(host_, options);
  EXPECT_EQ(link.cannot(), "");
  EXPECT_EQ(said_by_child(lose_the_network,
                          [&] { return link.cannot().find("the drop-in") != std::string::npos; }),
            0);
}

// Each answer has another time of change, so each poll would load the records and poll again.
TEST_F(IpmiPluginTest, SensorRecordsThatAlwaysChangeDoNotKeepALookFromItsEnd) {
  ASSERT_TRUE(asked(1));
  unlink((tree_.root() + "/bin/ipmitool").c_str());
  tree_.file("/bin/ipmitool", R"py(#!/usr/bin/python3
import sys, time
if "dump" in sys.argv:
    open(sys.argv[-1], "wb").write(bytes([0, 0, 0x51, 0xC0, 1, 0]))
elif "exec" in sys.argv:
    stamp = list((time.monotonic_ns() & 0xFFFFFFFF).to_bytes(4, "little"))
    sizes = {"0x06 0x01": 15, "0x0a 0x40": 14, "0x0a 0x48": 4, "0x0a 0x20": 14, "0x00 0x01": 4}
    for line in open(sys.argv[-1]):
        netfn, command = line.split()[1:3]
        data = [0] * sizes[netfn + " " + command]
        if command == "0x20":
            data[5:9] = stamp
        print("RAW REQ (channel=0x0 netfn=%s lun=0x0 cmd=%s data_len=0)" % (netfn, command), file=sys.stderr)
        print("RAW RSP (%d bytes)" % len(data), file=sys.stderr)
        print(" ".join("%02x" % byte for byte in data))
)py",
             0755);
  give("the first look");
  const auto refresh = [&](const char* key) {
    const json told = answer(core_.command("refresh", key, "hc://system=host"));
    EXPECT_EQ(told["status"], "done") << told;
  };
  for (const char* key : {"1", "2", "3", "4"}) refresh(key);
  EXPECT_TRUE(std::any_of(core_.resources.begin(), core_.resources.end(),
                          [](const auto& one) { return one.second["type"] == "bmc"; }));
  ASSERT_TRUE(loop_.until([&] {
    return core_.count("status") > 0 && core_.of("status").back()["state"] == "degraded";
  }));
  EXPECT_EQ(core_.of("status").back()["reason"], "the BMC's sensor records change with each look");
}

TEST_F(IpmiPluginTest, SensorRecordsThatDoNotEndAreRefused) {
  tree_.file("/bin/ipmitool",
             "#!/bin/sh\nfor last; do :; done\nhead -c $(cat " + tree_.root() +
                 "/size) /dev/zero >$last\n",
             0755);
  Options options;
  options.folder = tree_.root() + "/run";
  BmcLink link(host_, options);
  for (const auto& [size, good] : {std::pair{"4194304", true}, {"4194305", false}}) {
    tree_.file("/size", size);
    std::optional<Result<std::string>> dump;
    link.dump_sdr([&](Result<std::string> one) { dump = std::move(one); });
    ASSERT_TRUE(loop_.until([&] { return dump.has_value(); }));
    EXPECT_EQ(dump->has_value(), good) << size;
  }
}

}  // namespace
}  // namespace fmd::ipmi
