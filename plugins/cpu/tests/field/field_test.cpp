// Lines of the kernel's trace, as public reports have them, through the plugin and the shipped rules to the cases.
#include "plugins/cpu/tests/cpu_rig.h"
#include "tests/lib/told_cases.h"

namespace fmd::cpu::testing {
namespace {

using Cases = std::vector<std::string>;

class CpuField : public CpuTest {
 protected:
  void SetUp() override {
    CpuTest::SetUp();
    thread(5, 5);
    thread(21, 5);
  }
  // One bank's registers. vendor: the kernel's number, 0 Intel, 2 AMD.
  void bank(unsigned cpu_number, unsigned number, uint64_t status, unsigned vendor = 0,
            const char* ipid = "0000000000000000") {
    traced(
        fmt::format("mce_record: CPU: {}, MCGc/s: {}/0, MC{}: {:016x}, IPID: {}, ADDR/MISC/SYND: "
                    "00000000fef4c9e0/0000000000000000/0000000000000000, RIP: "
                    "00:<0000000000000000>, TSC: {:x}, "
                    "PROCESSOR: {}:706a1, TIME: {}, SOCKET: 0, APIC: 0",
                    cpu_number, caps_, number, status, ipid, tsc_, vendor, time(nullptr) - age_s_));
  }
  std::string caps_ = "c07";
  void line(const std::string& text) {
    ASSERT_EQ(write(trace_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  Cases cases() const { return cases_after_two_hours("cpu", core_.messages); }
  Cases of_one(unsigned cpu_number, unsigned number, uint64_t status, unsigned vendor = 0) {
    forget();
    bank(cpu_number, number, status, vendor);
    EXPECT_TRUE(told(1));
    return cases();
  }
  // Keeps the inventory, as the core does.
  void forget() {
    std::erase_if(core_.messages,
                  [](const json& message) { return message.value("method", "") == "events"; });
    core_.events.clear();
  }
  Cases severe(const char* fault, const std::string& resource) {
    return {fmt::format("Major {} {}", fault, resource)};
  }
};

// A NUC's firmware leaves this record in bank 4: UC and PCC are set, EN (bit 60) is clear. Read at each boot.
TEST_F(CpuField, ARecordThatWasNotEnabled) {
  start();
  EXPECT_EQ(of_one(0, 4, 0xa600000000020408), Cases());
  EXPECT_EQ(of_one(5, 4, 0xa600000000020408), Cases()) << "a core that may go offline";
  for (const uint64_t status : {0xa200000000000135ull, 0xa400000000000011ull, 0xe600000000000e0bull,
                                0xae00000000000e0full, 0xa000000000000150ull})
    for (const unsigned vendor : {0u, 2u})
      EXPECT_EQ(of_one(5, 1, status, vendor), Cases()) << std::hex << status << ' ' << vendor;
  EXPECT_EQ(of_one(5, 4, 0xb600000000020408), severe("fault.cpu.core", "cpu://socket=0/core=5"))
      << "the same, enabled";
  EXPECT_EQ(of_one(5, 1, 0xb200000000000135), severe("fault.cpu.cache", "cpu://socket=0/core=5"));
}

TEST_F(CpuField, ARecordOfAnEarlierBoot) {
  timespec up{};
  clock_gettime(CLOCK_BOOTTIME, &up);
  start();
  age_s_ = up.tv_sec + 86400;
  for (const uint64_t status :
       {0xb200000000000135ull, 0xb600000000020408ull, 0xf600000000000011ull})
    EXPECT_EQ(of_one(5, 1, status), Cases()) << std::hex << status;
}

// The kernel reads the banks as it starts, without a time stamp, and prints the time of reading.
TEST_F(CpuField, ARecordThatTheBootHasFound) {
  start();
  const std::string core = "cpu://socket=0/core=5";
  const auto read_after = [&](int64_t seconds) {
    timespec up{};
    clock_gettime(CLOCK_BOOTTIME, &up);
    age_s_ = up.tv_sec - seconds;
  };
  const unsigned long long yellow = 0x9040000000000135ull;
  caps_ = "0f000c14";  // the processor tells yellow from green (MCG_CAP[11])
  tsc_ = 0;
  for (const int64_t seconds : {1, 5, 50}) {
    for (const uint64_t status : {0xb600000000020408ull, 0xf200000000000135ull, yellow}) {
      read_after(seconds);
      EXPECT_EQ(of_one(5, 4, status), Cases()) << seconds << ' ' << std::hex << status;
    }
  }
  tsc_ = 0x1f2e3d;
  read_after(5);
  EXPECT_EQ(of_one(5, 4, 0xb600000000020408), severe("fault.cpu.core", core)) << "an exception's";
  tsc_ = 0;
  read_after(300);
  EXPECT_EQ(of_one(5, 4, 0xb600000000020408), Cases())
      << "left there when a processor went offline or the machine slept: a new one stops the "
         "machine";
  EXPECT_EQ(of_one(5, 1, yellow), severe("fault.cpu.cache-yellow", core)) << "found by polling";
  age_s_ = 0;
  EXPECT_EQ(of_one(5, 1, yellow), severe("fault.cpu.cache-yellow", core));
  age_s_ = time(nullptr) - 1;
  EXPECT_EQ(of_one(5, 1, yellow), Cases()) << "of 1970";
}

// From 6.10 on each value has a label of its own, and behind them there may be the vendor's data.
TEST_F(CpuField, TheFormatOfLaterKernels) {
  start();
  const auto of = [&](uint64_t status, uint64_t tsc, int64_t age, const char* more) {
    forget();
    traced(fmt::format(
        "mce_record: CPU: 5, MCGc/s: 1000c1d/0, MC1: {:016x}, IPID: 0000000000000000, ADDR: "
        "00000000fef4c9e0, MISC: 0000000000000000, SYND: 0000000000000000, RIP: "
        "00:<0000000000000000>, TSC: {:x}, PPIN: 3f2a61cc01b2d3e4, vendor: 0, CPUID: 50654, time: "
        "{}, socket: 0, APIC: a, microcode: 2006b06{}",
        status, tsc, time(nullptr) - age, more));
    EXPECT_TRUE(told(1));
    return cases();
  };
  const std::string core = "cpu://socket=0/core=5";
  for (const char* more : {"", ", vendor data: 0000000000000000 0000000000000000"}) {
    EXPECT_EQ(of(0xb200000000000135, 0x1f2e3d, 0, more), severe("fault.cpu.cache", core));
    EXPECT_EQ(of(0xf200000000000135, 0x1f2e3d, 0, more), severe("fault.cpu.cache", core))
        << "with an overflow";
    EXPECT_EQ(of(0xa200000000000135, 0x1f2e3d, 0, more), Cases()) << "not enabled";
    EXPECT_EQ(of(0xe200000000000135, 0x1f2e3d, 0, more), Cases()) << "not enabled, overflow";
    EXPECT_EQ(of(0xb200000000000135, 0, 0, more), Cases()) << "left in its bank";
    EXPECT_EQ(of(0xb200000000000135, 0x1f2e3d, 400 * 86400, more), Cases()) << "of long ago";
    EXPECT_EQ(of(0x9000000000000135, 0, 0, more), Cases()) << "corrected";
    EXPECT_EQ(of(0xd000000000000135, 0, 0, more), Cases()) << "corrected, more were lost";
  }
}

TEST_F(CpuField, CorrectedErrorsTakeNoCoreAway) {
  start();
  for (int i = 0; i < 20; ++i) {
    bank(5, 1, 0x9000000000000135);
    ASSERT_TRUE(told(static_cast<size_t>(i) + 1));
  }
  EXPECT_EQ(cases(), Cases{"Minor fault.cpu.corrected cpu://socket=0/core=5"});
}

// The kernel's series for CXL ports prints "CXL Bus Error" where others have "PCIe Bus Error".
TEST_F(CpuField, ErrorsOfCxlPorts) {
  start();
  line(
      "   irq/24-aerdrv-146     [001] .....    27.325584: aer_event: 0000:0c:00.0 CXL Bus Error: "
      "severity=Fatal, Uncorrectable Internal Error, TLP Header=Not available\n");
  ASSERT_TRUE(told(1));
  EXPECT_EQ(cases(), severe("fault.io.pci.fatal", "dev://pci=0000:0c:00.0"));
  forget();
  line(
      "   irq/31-aerdrv-201     [003] .....   940.000121: aer_event: 0000:3a:00.0 CXL Bus Error: "
      "severity=Corrected, Bad TLP, TLP Header=Not available\n");
  ASSERT_TRUE(told(1));
  EXPECT_EQ(cases(), Cases()) << "one that was corrected";
}

TEST_F(CpuField, ASeverityThatIsNotKnown) {
  start();
  traced(
      "aer_event: 0000:0c:00.0 PCIe Bus Error: severity=Dreadful, Bad TLP, TLP Header=Not "
      "available");
  ASSERT_TRUE(told(1));
  EXPECT_EQ(cases(), Cases{"Minor fault.cpu.unrated dev://pci=0000:0c:00.0"});
  ASSERT_TRUE(loop_.until([&] { return core_.of("status").back()["state"] == "degraded"; }));
}

}  // namespace
}  // namespace fmd::cpu::testing
