// Lines of the kernel's trace, as public reports have them, through the plugin and the shipped rules to the cases.
#include <set>
#include <string>

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
  // Traces the registers of one bank. vendor: the kernel's number, 0 Intel, 2 AMD.
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
  // Keeps the inventory, as fmd does.
  void forget() {
    std::erase_if(core_.messages,
                  [](const json& message) { return message.value("method", "") == "events"; });
    core_.events.clear();
  }
  Cases severe(const char* fault, const std::string& resource) {
    return {fmt::format("Major {} {}", fault, resource)};
  }
};

// A NUC's firmware leaves this in bank 4, read at each boot: UC and PCC set, EN (bit 60) clear.
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

// At boot the kernel reads the banks without a TSC and prints the time of reading.
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

// Since 6.10, each value has its own label, and vendor data may follow.
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

// The kernel's patch series for CXL ports prints "CXL Bus Error" instead of "PCIe Bus Error".
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

// An error counts for the device at the lower end of the link, whichever port reports it. Devices
// that report at the same time count separately.
TEST_F(CpuField, ErrorsOfPcieLinks) {
  start();
  const auto report = [&](const char* device, const char* what, int times) {
    forget();
    for (int i = 0; i < times; ++i) {
      traced(fmt::format("aer_event: {} PCIe Bus Error: severity={}, TLP Header=Not available",
                         device, what));
      EXPECT_TRUE(told(static_cast<size_t>(i) + 1));
    }
    return cases();
  };
  const char* port = "0000:80:03.0";
  const std::string part = fmt::format("dev://pci={}", port);
  EXPECT_EQ(report(port, "Corrected, Bad TLP|Bad DLLP|RELAY_NUM Rollover", 6), Cases());
  EXPECT_EQ(report(port, "Corrected, Receiver Error", 9), Cases{"Minor fault.io.pci.link " + part});
  EXPECT_EQ(report(port, "Corrected, Advisory Non-Fatal Error", 1), Cases());
  EXPECT_EQ(report(port, "Corrected, ", 12), Cases()) << "masked";
  EXPECT_EQ(report(port, "Uncorrected, non-fatal, ", 12), Cases()) << "masked";
  EXPECT_EQ(report(port, "Uncorrected, non-fatal, Completion Timeout", 2), Cases());
  EXPECT_EQ(report(port, "Uncorrected, non-fatal, Unsupported Request|ACS Violation", 8),
            Cases{"Minor fault.io.pci.link " + part});
  EXPECT_EQ(report(port, "Fatal, Surprise Down Error", 1), severe("fault.io.pci.fatal", part));
}

// The link is down, so the kernel cannot read which error it was ("type=Inaccessible" in its log).
TEST_F(CpuField, AFatalErrorOfADeviceThatIsInaccessible) {
  start();
  for (const char* bus : {"CXL", "PCIe"}) {
    forget();
    traced(
        fmt::format("aer_event: 0000:0f:00.0 {} Bus Error: severity=Fatal, , TLP Header=Not "
                    "available",
                    bus));
    ASSERT_TRUE(told(1));
    EXPECT_EQ(cases(), severe("fault.io.pci.fatal", "dev://pci=0000:0f:00.0")) << bus;
  }
}

TEST_F(CpuField, ErrorsOfCxlDevices) {
  start();
  const auto of = [&](const std::string& event, int times = 1) {
    forget();
    for (int i = 0; i < times; ++i) {
      traced(event);
      EXPECT_TRUE(told(static_cast<size_t>(i) + 1)) << event;
    }
    return cases();
  };
  const std::string device = "memdev=mem2 host=0000:e3:00.0 serial=4051",
                    part = "dev://pci=0000:e3:00.0";
  EXPECT_EQ(of("cxl_aer_uncorrectable_error: " + device +
               ": status: 'Memory Address Parity Error | Receiver Overflow' first_error: 'Memory "
               "Address Parity Error'"),
            severe("fault.io.pci.fatal", part));
  EXPECT_EQ(of("cxl_aer_correctable_error: " + device + ": status: 'CRC Threshold Hit'"), Cases());
  EXPECT_EQ(of("cxl_aer_correctable_error: " + device + ": status: 'Memory Data ECC Error'", 9),
            Cases{"Minor fault.io.pci.link " + part});
  const auto media = [&](const char* name, const char* flags, const char* type, const char* cause) {
    return fmt::format(
        "{}: {} log=Failure : time=1795228661000 uuid=fbcd0a77-c260-417f-85a9-088b1621eba6 len=128 "
        "flags='' handle=1 related_handle=0 maint_op_class=0 : dpa=7c0fe40 dpa_flags='' "
        "descriptor='{}' type='{}' transaction_type='{}' channel=2 rank=1 device=3 comp_id=00 00 "
        "validity_flags='CHANNEL|RANK' hpa=ffffffffffffffff region= region_uuid=00000000",
        name, device, flags, type, cause);
  };
  // Switches and ports, since Linux 6.15.
  const std::string port = "device=0000:0c:00.0 host=0000:0b:00.0";
  EXPECT_EQ(of("cxl_port_aer_uncorrectable_error: " + port +
               " status: 'Receiver Overflow' first_error: 'Receiver Overflow'"),
            severe("fault.io.pci.fatal", "dev://pci=0000:0c:00.0"));
  EXPECT_EQ(of("cxl_port_aer_correctable_error: " + port + " status='CRC Threshold Hit'", 9),
            Cases{"Minor fault.io.pci.link dev://pci=0000:0c:00.0"});
  for (const char* name : {"cxl_general_media", "cxl_dram"}) {
    EXPECT_EQ(of(media(name, "UNCORRECTABLE_EVENT", "ECC Error", "Host Read")),
              Cases{"Critical fault.memory.dimm-firmware-ue " + part})
        << name;
    EXPECT_EQ(of(media(name, "", "ECC Error", "Internal Media Scrub"), 3), Cases()) << name;
    EXPECT_EQ(of(media(name, "THRESHOLD_EVENT", "ECC Error", "Host Read"), 12),
              Cases{"Minor fault.memory.dimm-firmware " + part})
        << name;
  }
  EXPECT_EQ(of("cxl_poison: " + device +
               " trace_type=List region= region_uuid=00000000-0000-0000-0000-000000000000 "
               "hpa=0xffffffffffffffff dpa=0x7c0fe40 dpa_length=0x40 source=Internal flags= "
               "overflow_time=0"),
            Cases{"Critical fault.memory.dimm-firmware-ue " + part});
}

// Injected errors and addresses outside the device. The last line proves that all were read.
TEST_F(CpuField, WhatACxlDeviceReportsAndIsNoError) {
  start();
  const std::string device = "memdev=mem0 host=0000:0d:00.0 serial=9";
  for (const char* event :
       {"cxl_poison: {} trace_type=Inject region= region_uuid=0 hpa=0xffffffffffffffff dpa=0x40 "
        "dpa_length=0x40 source=Injected flags= overflow_time=0",
        "cxl_poison: {} trace_type=List region= region_uuid=0 hpa=0xffffffffffffffff dpa=0x40 "
        "dpa_length=0x40 source=Injected flags= overflow_time=0",
        "cxl_general_media: {} log=Warning : time=1 uuid=0 len=128 flags='' handle=2 "
        "related_handle=0 maint_op_class=0 : dpa=40 dpa_flags='' "
        "descriptor='UNCORRECTABLE_EVENT' type='Invalid Address' transaction_type='Host Write'",
        "cxl_general_media: {} log=Failure : time=1 uuid=0 len=128 flags='' handle=7 "
        "related_handle=0 maint_op_class=0 maint_op_sub_class=0 : dpa=40 dpa_flags='' "
        "descriptor='UNCORRECTABLE_EVENT' type='TE State Violation' sub_type='Not Reported' "
        "transaction_type='Host Read'",
        "cxl_overflow: {}: log=Informational : 3 records from 1795228661000 to 1795228662000",
        "cxl_generic_event: {} log=Informational : time=1 uuid=5e1819d9 len=128 flags='' handle=8 "
        "related_handle=0 maint_op_class=0 maint_op_sub_class=0 : 00 01",
        "cxl_dram: {} log=Warning : time=1 uuid=0 len=128 flags='' handle=3 related_handle=0 "
        "maint_op_class=0 : dpa=40 dpa_flags='' descriptor='UNCORRECTABLE_EVENT' type='ECC Error' "
        "transaction_type='Host Inject Poison'"})
    traced(fmt::format(fmt::runtime(event), device));
  traced("cxl_aer_correctable_error: " + device + ": status: 'Retry Threshold'");
  ASSERT_TRUE(told(1));
  EXPECT_EQ(core_.events.size(), 1u);
  EXPECT_EQ(cases(), Cases());
  EXPECT_EQ(core_.of("status").back()["state"], "ok");
}

// A device's reports of its own health, from kernels 6.2 to 6.15.
TEST_F(CpuField, HealthOfACxlDevice) {
  start();
  struct Row {
    const char *log, *event, *flags, *media, *life, *heat, *volatile_errors;
    Cases expected;
  };
  const std::string part = "dev://pci=0000:e3:00.0";
  const auto major = [&](const char* what) {
    return Cases{fmt::format("Major fault.memory.device.{} {}", what, part)};
  };
  const Cases minor{"Minor fault.memory.device.warning " + part}, none;
  const char *kHealth = "Health Status Change", *kMedia = "Media Status Change";
  const char *kWell = "Normal", *kWarning = "Warning", *kCritical = "Critical";
  for (const Row& row : std::initializer_list<Row>{
           {"Warning", kHealth, "MAINTENANCE_NEEDED", kWell, kWell, kWell, kWell, minor},
           {"Warning", kHealth, "PERFORMANCE_DEGRADED", kWell, kWell, kWell, kWell, minor},
           {"Warning", kHealth, "MEM_CAPACITY_DEGRADED", kWell, kWell, kWell, kWell, minor},
           {"Failure", kHealth, "MAINTENANCE_NEEDED|REPLACEMENT_NEEDED", kWell, kWell, kWell, kWell,
            major("failing")},
           {"Failure", kMedia, "", "Write Persistency Lost", kWell, kWell, kWell, major("failing")},
           {"Warning", kMedia, "", "All Data loss in the Event of Shutdown", kWell, kWell, kWell,
            major("failing")},
           {"Fatal",
            kMedia,
            "",
            "All Data Lost",
            kWell,
            kWell,
            kWell,
            {"Critical fault.memory.dimm-firmware-ue " + part}},
           {"Warning", "Life Used Change", "", kWell, kWarning, kWell, kWell, minor},
           {"Failure", "Life Used Change", "", kWell, kCritical, kWell, kWell, major("failing")},
           {"Warning", "Temperature Change", "", kWell, kWell, kWarning, kWell, minor},
           {"Failure", "Temperature Change", "", kWell, kWell, kCritical, kWell, major("hot")},
           {"Warning", kHealth, "", kWell, kWell, kWell, kWarning, minor},
           {"Fatal", "Data Path Error", "", kWell, kWell, kWell, kWell, major("failing")},
           {"Warning", "LSA Error", "", kWell, kWell, kWell, kWell, minor},
           {"Failure", "Memory Media FRU Error", "", kWell, kWell, kWell, kWell, major("failing")},
           {"Informational", kHealth, "", kWell, kWell, kWell, kWell, none},
           {"Informational", "Temperature Change", "", kWell, kWell, kWell, kWell, none},
           {"Informational", kMedia, "", "Not Ready", kWell, kWell, kWell, none}}) {
    for (const char* sub_type : {"", " event_sub_type='Not Reported'"}) {
      forget();
      traced(fmt::format(
          "cxl_memory_module: memdev=mem2 host=0000:e3:00.0 serial=4051 log={} : "
          "time=1795228661000000000 uuid=fe927475-dd59-4339-a586-79bab113b774 len=128 flags='' "
          "handle=5 related_handle=0 maint_op_class=0 : event_type='{}'{} health_status='{}' "
          "media_status='{}' as_life_used={} as_dev_temp={} as_cor_vol_err_cnt={} "
          "as_cor_per_err_cnt=Normal life_used=97 device_temp=91 dirty_shutdown_cnt=1 "
          "cor_vol_err_cnt=812 cor_per_err_cnt=0",
          row.log, row.event, sub_type, row.flags, row.media, row.life, row.heat,
          row.volatile_errors));
      // The end of what was read.
      traced("cxl_aer_correctable_error: memdev=mem2 host=0000:e3:00.0 serial=4051: status: 'x'");
      ASSERT_TRUE(told(row.expected.empty() ? 1 : 2)) << row.event << row.flags << row.media;
      EXPECT_EQ(cases(), row.expected) << row.event << row.flags << row.media;
    }
  }
  EXPECT_EQ(core_.of("status").back()["state"], "ok");
}

// Reports of one second about several things are several, and none explains an error of the processor's bus.
TEST_F(CpuField, SeveralReportsOfACxlDevicesHealth) {
  start();
  const std::string begin =
      "cxl_memory_module: memdev=mem0 host=0000:0d:00.0 serial=9 log=Failure : time=1 uuid=0 "
      "len=128 flags='' handle=5 related_handle=0 maint_op_class=0 : event_type=";
  const std::string end =
      " as_cor_vol_err_cnt=Normal as_cor_per_err_cnt=Normal life_used=3 device_temp=102 "
      "dirty_shutdown_cnt=0 cor_vol_err_cnt=0 cor_per_err_cnt=0";
  traced(begin +
         "'Temperature Change' health_status='' media_status='Normal' as_life_used=Normal "
         "as_dev_temp=Critical" +
         end);
  traced(begin +
         "'Health Status Change' health_status='REPLACEMENT_NEEDED' media_status='Normal' "
         "as_life_used=Normal as_dev_temp=Normal" +
         end);
  ASSERT_TRUE(told(2));
  EXPECT_EQ(cases(), Cases{"Major fault.memory.device.failing dev://pci=0000:0d:00.0"})
      << "one case of one device";
  std::set<std::string> reported;
  for (const json& event : core_.events) reported.insert(event["payload"]["health"]);
  EXPECT_EQ(reported, (std::set<std::string>{"failing", "hot"}));
  forget();
  traced(begin +
         "'Health Status Change' health_status='0x40' media_status='0x1f' as_life_used=Normal "
         "as_dev_temp=Normal" +
         end);
  ASSERT_TRUE(told(1));
  EXPECT_EQ(core_.events.back()["payload"]["health"], "unknown");
  ASSERT_TRUE(loop_.until([&] { return core_.of("status").back()["state"] == "degraded"; }));
}

// The other events of the kernel's group, and the flags that all of them have.
TEST_F(CpuField, OtherReportsOfACxlDevice) {
  start();
  const std::string device = "memdev=mem5 host=0000:a1:00.0 serial=77",
                    part = " dev://pci=0000:a1:00.0";
  const auto head = [&](const char* name, const char* log, const char* flags) {
    return fmt::format(
        "{}: {} log={} : time=5 uuid=e71f3a40-2d29-4092-8a39-4d1c966c7c65 len=128 flags='{}' "
        "handle=5 related_handle=0 maint_op_class=1 maint_op_sub_class=2 : ",
        name, device, log, flags);
  };
  const auto of = [&](const std::string& text) {
    forget();
    traced(text);
    EXPECT_TRUE(told(1)) << text;
    return cases();
  };
  const Cases warning{"Minor fault.memory.device.warning" + part},
      failing{"Major fault.memory.device.failing" + part};
  EXPECT_EQ(of("cxl_overflow: " + device + ": log=Failure : 12 records from 17952 to 17953"),
            warning);
  EXPECT_EQ(core_.events.back()["payload"]["text"],
            "12 records of its log \"Failure\" were lost, which may be errors");
  const std::string bytes = "01 3c 00 00";
  EXPECT_EQ(of(head("cxl_generic_event", "Warning", "") + bytes), warning);
  EXPECT_EQ(of(head("cxl_generic_event", "Fatal", "PERMANENT_CONDITION") + bytes), failing);
  EXPECT_EQ(of(head("cxl_memory_sparing", "Informational",
                    "PERMANENT_CONDITION | HARDWARE_REPLACEMENT_NEEDED") +
               "result=2 validity_flags='CHANNEL'"),
            failing);
  EXPECT_EQ(of("cxl_poison: " + device +
               " trace_type=List region= region_uuid=0 hpa=0xffffffffffffffff dpa=0x40 "
               "dpa_length=0x40 source=External flags= overflow_time=0"),
            warning)
      << "it arrived damaged";
  forget();
  traced(head("cxl_dram", "Warning", "MAINTENANCE_NEEDED | HARDWARE_REPLACEMENT_NEEDED") +
         "dpa=40 dpa_flags='' descriptor='THRESHOLD_EVENT' type='ECC Error' "
         "transaction_type='Host Read' hpa=ffffffffffffffff");
  ASSERT_TRUE(told(2));
  EXPECT_EQ(cases(), failing);
  EXPECT_EQ(core_.of("status").back()["state"], "ok");
}

// A later kernel's event of a group whose events all report errors.
TEST_F(CpuField, AnEventThatTheParserDoesNotKnow) {
  for (const char* file : {"events/cxl/enable", "events/cxl/cxl_new/enable"})
    tree_.file(fmt::format("{}/{}", kInstance, file), "0\n");
  start();
  EXPECT_EQ(tree_.read(std::string(kInstance) + "/events/cxl/enable"), "1");
  traced("cxl_new: memdev=mem0 host=0000:0f:00.0 something: bad");
  ASSERT_TRUE(loop_.until([&] { return core_.of("status").back()["state"] == "degraded"; }));
}

// Where the memory is mapped, the page is known as well, and may be taken out of use.
TEST_F(CpuField, ACxlDevicesPage) {
  start();
  traced(
      "cxl_dram: memdev=mem1 host=0000:0f:00.0 serial=12 log=Fatal : time=9 uuid=0 len=128 "
      "flags='PERMANENT' handle=4 related_handle=0 maint_op_class=3 : dpa=1000 dpa_flags='' "
      "descriptor='UNCORRECTABLE_EVENT' type='Scrub Media ECC Error' transaction_type='Unknown' "
      "channel=0 rank=0 nibble_mask=0 bank_group=1 bank=2 row=99 column=7 cor_mask= "
      "hpa=890001000 region=region0 region_uuid=00000000-0000-0000-0000-000000000000");
  ASSERT_TRUE(told(2));
  EXPECT_EQ(cases(), (Cases{"Critical fault.memory.dimm-firmware-ue dev://pci=0000:0f:00.0",
                            "Minor fault.memory.page mem://page=890001000"}));
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
