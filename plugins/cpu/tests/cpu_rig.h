// Runs the plugin on a fake machine: trace_pipe is a FIFO, sysfs and /proc are files.
#pragma once
#include "plugins/cpu/cpu_plugin.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <set>
#include <tuple>

#include "plugins/sdk/tests/support.h"

namespace fmd::cpu::testing {
using namespace std::chrono_literals;
using nlohmann::json;

inline constexpr const char* kInstance = "/sys/kernel/tracing/instances/fmd-cpu";
inline constexpr const char* kCore1 = "cpu://socket=0/core=1";
inline constexpr const char* kPage = "mem://page=1f0000000";

class CpuTest : public ::testing::Test {
 protected:
  sdk::testing::Loop loop_;
  sdk::testing::TempTree tree_;
  sdk::Host host_{loop_, tree_.root(), ""};
  sdk::testing::FakeCore core_{loop_, tree_.root() + "/plugins.sock"};
  std::unique_ptr<CpuPlugin> plugin_;
  int trace_ = -1;
  int64_t age_s_ = 0;          // age of the records that checked() writes, in seconds
  uint64_t tsc_ = 0x5d3f00a1;  // TSC of the records; 0: none
  uint64_t booted_s_ = 0;      // boot time for the plugin, since the epoch; 0: read from the clocks

  void SetUp() override {
    tree_.file("/proc/sys/kernel/random/boot_id", "b007\n");
    tree_.file("/proc/meminfo", "MemTotal:       16316412 kB\n");
    tree_.file("/sys/devices/system/memory/soft_offline_page", "");
    for (unsigned n = 0; n < 4; ++n) thread(n, n % 2);
    tree_.remove("/sys/devices/system/cpu/cpu0/online");  // as on x86
    tree_.file(std::string(kInstance) + "/trace_clock", "[local] global boot\n");
    for (const char* file : {"buffer_percent", "buffer_size_kb", "tracing_on",
                             "events/mce/mce_record/enable", "events/ras/mc_event/enable"})
      tree_.file(fmt::format("{}/{}", kInstance, file), "");
    mkfifo((tree_.root() + kInstance + "/trace_pipe").c_str(), 0600);
    trace_ =
        open((tree_.root() + kInstance + "/trace_pipe").c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  }
  void TearDown() override {
    plugin_.reset();
    close(trace_);
  }
  static std::string cpu(unsigned n) { return "/sys/devices/system/cpu/cpu" + std::to_string(n); }
  void thread(unsigned n, unsigned core) {
    tree_.file(cpu(n) + "/online", "1\n");
    tree_.file(cpu(n) + "/topology/physical_package_id", "0\n");
    tree_.file(cpu(n) + "/topology/core_id", std::to_string(core) + "\n");
  }
  void start(bool act = true) {
    Options options;
    options.rescan = 1h;
    options.episode = 20ms;
    options.minute = 50ms;
    options.act = act;
    options.unacked_at_most = 40;
    options.descriptions = {tree_.root() + "/chassis.d"};
    options.state_file = tree_.root() + "/memory.json";
    options.booted_s = booted_s_;
    plugin_.reset();
    plugin_ = std::make_unique<CpuPlugin>(loop_, host_, tree_.root() + "/plugins.sock", options);
    ASSERT_TRUE(loop_.until([&] { return core_.property(kCore1, "service") != nullptr; }));
  }
  void restart() {
    plugin_.reset();
    core_.resources.clear();
    start();
  }
  void traced(const std::string& text) {
    timespec up{};
    clock_gettime(CLOCK_BOOTTIME, &up);
    const std::string line = fmt::format("          <idle>-0       [000] ..s1.  {}.{:06}: {}\n",
                                         up.tv_sec, up.tv_nsec / 1000, text);
    ASSERT_EQ(write(trace_, line.data(), line.size()), static_cast<ssize_t>(line.size()));
  }
  void checked(uint64_t status, unsigned cpu_number = 1, uint64_t address = 0, uint64_t misc = 0) {
    traced(fmt::format(
        "mce_record: CPU: {}, MCGc/s: 1000c14/0, MC1: {:016x}, IPID: 0000000000000000, "
        "ADDR/MISC/SYND: {:016x}/{:016x}/0, RIP: 00:<0>, TSC: {:x}, PROCESSOR: 0:606a6, TIME: "
        "{}, SOCKET: 0, APIC: 1",
        cpu_number, status, address, misc, tsc_, time(nullptr) - age_s_));
  }
  bool told(size_t events) {
    return loop_.until([&] { return core_.events.size() >= events; });
  }
  json answer(std::string_view name, const std::string& key, const std::string& part, json args) {
    const uint64_t id = core_.command(name, key, part, std::move(args));
    EXPECT_TRUE(loop_.until([&] { return core_.answers.contains(id); }));
    return core_.answers[id];
  }
  json retire(const std::string& key, const std::string& part = kCore1) {
    return answer("retire", key, part, {{"to", "out-of-service"}});
  }
  json restore(json args, const std::string& part = kCore1) {
    return answer("restore", fmt::format("undo{}", core_.answers.size()), part, std::move(args));
  }
  std::string online(unsigned n) { return tree_.read(cpu(n) + "/online").substr(0, 1); }
};

inline constexpr uint64_t kCache = 0x8000000000000135, kMemory = 0x8c00000000000092;

}  // namespace fmd::cpu::testing
