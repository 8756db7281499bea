// Lines as kernels print them: those of 6.1 are recorded in a VM, those of 6.12 follow its header.
#include "plugins/cpu/trace_records.h"

#include <gtest/gtest.h>

namespace fmd::cpu {
namespace {

template <class T>
T parsed(std::string_view line) {
  const auto record = parse_trace_record(line);
  EXPECT_TRUE(record) << line;
  return record && std::holds_alternative<T>(record->what) ? std::get<T>(record->what) : T{};
}

// Recorded: Linux 6.1.
constexpr std::string_view kMce =
    "     kworker/1:3-224     [001] .....   211.069456: mce_record: CPU: 1, MCGc/s: 100010a/0, "
    "MC3: "
    "9c00004000010135, IPID: 0000000000000000, ADDR/MISC/SYND: "
    "0000000012345678/0000000000000086/0000000000000007, RIP: 00:<0000000000000000>, TSC: 0, "
    "PROCESSOR: "
    "2:60fb1, TIME: 1795228661, SOCKET: 1, APIC: 1";

TEST(TraceRecords, MachineCheckOfLinux61) {
  const auto mce = parsed<MceRecord>(kMce);
  EXPECT_EQ(mce.cpu, 1u);
  EXPECT_EQ(mce.socket, 1u);
  EXPECT_EQ(mce.bank, 3u);
  EXPECT_EQ(mce.status, 0x9c00004000010135u);
  EXPECT_EQ(mce.address, 0x12345678u);
  EXPECT_EQ(mce.misc, 0x86u);
  EXPECT_EQ(mce.synd, 7u);
  EXPECT_EQ(mce.mcg_cap, 0x100010au);
  EXPECT_EQ(mce.vendor, Vendor::amd);
  EXPECT_EQ(mce.time_s, 1795228661u);
  EXPECT_EQ(parse_trace_record(kMce)->uptime_ns, 211'069'456'000);
}

TEST(TraceRecords, MachineCheckOfLinux612) {
  const auto mce = parsed<MceRecord>(
      "          <idle>-0       [003] ..s1.    12.000100: mce_record: CPU: 3, MCGc/s: f000c14/5, "
      "MC7: "
      "8c00004000010092, IPID: 0000009600250f00, ADDR: 00000001f0000040, MISC: 0000000000000086, "
      "SYND: "
      "0000000000000001, RIP: 10:<ffffffff81000000>, TSC: 1f, PPIN: 2b, vendor: 0, CPUID: 606a6, "
      "time: "
      "1795228661, socket: 1, APIC: 12, microcode: d0003b9");
  EXPECT_EQ(mce.cpu, 3u);
  EXPECT_EQ(mce.bank, 7u);
  EXPECT_EQ(mce.status, 0x8c00004000010092u);
  EXPECT_EQ(mce.address, 0x1f0000040u);
  EXPECT_EQ(mce.synd, 1u);
  EXPECT_EQ(mce.ipid, 0x9600250f00u);
  EXPECT_EQ(mce.mcg_cap, 0xf000c14u);
  EXPECT_EQ(mce.mcg_status, 5u);
  EXPECT_EQ(mce.vendor, Vendor::intel);
  EXPECT_EQ(mce.socket, 1u);
}

// Recorded on Debian 13: the trace has the record even with the collector (RAS_CEC) active.
TEST(TraceRecords, MachineCheckOfMemoryBesideTheCollector) {
  const auto mce = parsed<MceRecord>(
      "     kworker/1:2-69      [001] .....   153.823591: mce_record: CPU: 1, MCGc/s: 100010a/0, "
      "MC3: 9400000000000092, IPID: 0000000000000000, ADDR: 0000000002345040, MISC: "
      "0000000000000000, SYND: 0000000000000000, RIP: 00:<0000000000000000>, TSC: 0, PPIN: 0, "
      "vendor: 2, CPUID: 60fb1, time: 1795389318, socket: 0, APIC: 1, microcode: 1000065");
  EXPECT_EQ(mce.status, 0x9400000000000092u);
  EXPECT_EQ(mce.address, 0x2345040u);
  EXPECT_EQ(mce.vendor, Vendor::amd);
  EXPECT_EQ(mce.time_s, 1795389318u);
}

TEST(TraceRecords, Edac) {
  const auto said = parsed<MemoryRecord>(
      "     kworker/0:1-15      [000] .....    30.500000: mc_event: 3 Corrected errors: memory "
      "read error "
      "on CPU_SrcID#0_MC#0_Chan#1_DIMM#0 (mc:2 location:1:0:-1 address:0x1f0000040 grain:32 "
      "syndrome:0x00000000  rank:0 row:0x1234)");
  EXPECT_EQ(said.count, 3u);
  EXPECT_EQ(said.severity, ErrorSeverity::corrected);
  EXPECT_EQ(said.message, "memory read error");
  EXPECT_EQ(said.label, "CPU_SrcID#0_MC#0_Chan#1_DIMM#0");
  EXPECT_EQ(said.controller, 2u);
  EXPECT_EQ(said.address, 0x1f0000040u);
  const auto unknown = parsed<MemoryRecord>(
      "     kworker/0:1-15      [000] .....    30.500000: mc_event: 1 Uncorrected error: on any "
      "memory "
      "(mc:0 location:-1:-1:-1 address:0x00000000 grain:1 syndrome:0x00000000)");
  EXPECT_EQ(unknown.severity, ErrorSeverity::uncorrected);
  EXPECT_EQ(unknown.label, "");
  EXPECT_FALSE(unknown.address);
}

TEST(TraceRecords, Firmware) {
  const auto said = parsed<MemoryRecord>(
      "     kworker/0:1-15      [000] .....    30.500000: extlog_mem_event: {2} Corrected error: "
      "single-bit ECC physical addr: 00000001f0000040 (mask lsb: c) node: 0 card: 1 module: 0 DIMM "
      "location: P1 DIMM_A2 FRU: 00000000-0000-0000-0000-000000000000 ");
  EXPECT_EQ(said.severity, ErrorSeverity::corrected);
  EXPECT_EQ(said.message, "single-bit ECC");
  EXPECT_EQ(said.label, "P1 DIMM_A2");
  EXPECT_EQ(said.address, 0x1f0000040u);
  EXPECT_EQ(said.source, "firmware");
  EXPECT_EQ(parsed<MemoryRecord>(
                "     kworker/0:1-15      [000] .....    30.500000: extlog_mem_event: {2} "
                "Corrected error: unknown physical addr: 0000000000001000 (mask lsb: c) "
                "FRU: 00000000-0000-0000-0000-000000000000 DIMM_B1")
                .label,
            "DIMM_B1");
}

// Recorded.
TEST(TraceRecords, Pcie) {
  const auto fatal = parsed<AerRecord>(
      "   irq/25-aerdrv-55      [001] .....   259.001125: aer_event: 0000:00:04.0 PCIe Bus Error: "
      "severity=Fatal, Data Link Protocol Error, TLP Header=Not available");
  EXPECT_EQ(fatal.device, "0000:00:04.0");
  EXPECT_EQ(fatal.severity, ErrorSeverity::fatal);
  EXPECT_EQ(fatal.errors, "Data Link Protocol Error");
  const auto two = parsed<AerRecord>(
      "   irq/25-aerdrv-55      [001] .....   261.071033: aer_event: 0000:00:04.0 PCIe Bus Error: "
      "severity=Uncorrected, non-fatal, Data Link Protocol Error|Completion Timeout, TLP "
      "Header=Not available");
  EXPECT_EQ(two.severity, ErrorSeverity::uncorrected);
  EXPECT_EQ(two.errors, "Data Link Protocol Error|Completion Timeout");
  EXPECT_EQ(parsed<AerRecord>(
                "   irq/25-aerdrv-55      [001] .....   261.071033: aer_event: 0000:03:00.0 "
                "PCIe Bus Error: severity=Corrected, Bad TLP, TLP Header=Not available")
                .severity,
            ErrorSeverity::corrected);
}

constexpr std::string_view kHead = "   irq/24-aerdrv-146     [001] .....    27.325584: ";
std::string line(std::string_view text) {
  return std::string(kHead) + std::string(text);
}

TEST(TraceRecords, LinksOfOtherKinds) {
  const auto cxl = parsed<AerRecord>(
      line("aer_event: 0000:0c:00.0 CXL Bus Error: severity=Fatal, Uncorrectable Internal Error, "
           "TLP Header=Not available"));
  EXPECT_EQ(cxl.device, "0000:0c:00.0");
  EXPECT_EQ(cxl.severity, ErrorSeverity::fatal);
  EXPECT_EQ(cxl.errors, "Uncorrectable Internal Error");
  EXPECT_EQ(parsed<AerRecord>(line("aer_event: 0000:0c:00.0 UCIe Link Bus Error: "
                                   "severity=Corrected, Bad TLP, TLP Header=Not available"))
                .device,
            "0000:0c:00.0");
}

TEST(TraceRecords, SeverityWords) {
  const auto of = [](std::string_view word) {
    return parsed<AerRecord>(line("aer_event: 0000:0c:00.0 PCIe Bus Error: severity=" +
                                  std::string(word) + ", Bad TLP, TLP Header=Not available"))
        .severity;
  };
  EXPECT_EQ(of("Correctable"), ErrorSeverity::corrected);
  EXPECT_EQ(of("Uncorrectable (Fatal)"), ErrorSeverity::fatal);
  EXPECT_EQ(of("Uncorrectable (Non-Fatal)"), ErrorSeverity::uncorrected);
  EXPECT_EQ(of("Advisory"), ErrorSeverity::unknown);
  EXPECT_EQ(parsed<MemoryRecord>(line("mc_event: 1 Informational error: x on A1 (mc:0 "
                                      "location:0:0:-1 address:0x0 grain:1 syndrome:0x0)"))
                .severity,
            ErrorSeverity::corrected);
  EXPECT_EQ(parsed<MemoryRecord>(line("extlog_mem_event: {2} Recoverable error: multi-bit ECC "
                                      "physical addr: 0000000000001000 (mask lsb: c) "))
                .severity,
            ErrorSeverity::uncorrected);
  EXPECT_EQ(
      parsed<OtherRecord>(line("non_standard_event: severity: 9; sec type:1; FRU: x")).severity,
      ErrorSeverity::unknown);
  EXPECT_EQ(parsed<OtherRecord>(line("arm_event: cpu: 3; error: 2; affinity level: 0; MPIDR: 1"))
                .severity,
            ErrorSeverity::uncorrected);
  EXPECT_EQ(parsed<OtherRecord>(line("arm_event: affinity level: 0; MPIDR: 1")).severity,
            ErrorSeverity::unknown);
}

// Reports lines of subscribed events that cannot be parsed.
TEST(TraceRecords, LinesThatCannotBeRead) {
  EXPECT_EQ(unread_event(kMce), "");
  EXPECT_EQ(unread_event(line("cxl_of_a_later_kernel: memdev=mem0")), "cxl_of_a_later_kernel");
  EXPECT_EQ(unread_event(line("non_standard_event: severity: 3; sec type:1")), "")
      << "informational";
  EXPECT_EQ(unread_event(line("arm_event: affinity level: 0; MPIDR: 1")), "");
  EXPECT_EQ(unread_event(line("mce_record: processor 3 bank 4 status 9c")), "mce_record");
  EXPECT_EQ(unread_event(line("aer_event: 0000:0c:00.0 link error, fatal")), "aer_event");
  for (const char* text :
       {"cxl_dram: memdev=mem0 host=platform descriptor='' type='ECC Error'",
        "cxl_dram: memdev=mem0 host=0000:0f:00.0 type='ECC Error'",
        "cxl_dram: host=0000:0f:00.0 descriptor='UNCORRECTABLE_EVENT' type='ECC Error'"})
    EXPECT_EQ(unread_event(line(text)), "cxl_dram") << text;
  EXPECT_EQ(unread_event(line("cxl_memory_module: memdev=mem0 host=0000:0f:00.0 log=Fatal")),
            "cxl_memory_module");
  EXPECT_EQ(unread_event(line("cxl_poison: memdev=mem0 host=0000:0f:00.0 flags=")), "cxl_poison");
  for (const char* text :
       {"cxl_overflow: memdev=mem0 host=0000:0f:00.0 serial=0: 12 records from 1",
        "cxl_overflow: memdev=mem0 host=0000:0f:00.0 serial=0: log=Fatal : 12"})
    EXPECT_EQ(unread_event(line(text)), "cxl_overflow") << text;
  EXPECT_EQ(unread_event(line("cxl_generic_event: memdev=mem0 host=0000:0f:00.0 log=Fatal : 00")),
            "cxl_generic_event");
  EXPECT_EQ(unread_event(line("cxl_aer_correctable_error: memdev=mem0 serial=0: status: 'x'")),
            "cxl_aer_correctable_error");
  EXPECT_EQ(unread_event(line("aer_event: 0000:0c:00.0 PCIe Bus Error: severity=Advisory, Bad TLP, "
                              "TLP Header=x")),
            "aer_event");
  EXPECT_EQ(unread_event(line("memory_failure_event: page fd74 recovered")),
            "memory_failure_event");
}

TEST(TraceRecords, PoisonedPage) {
  const auto page = parsed<PoisonedPage>(
      "         python3-717     [001] .....   339.611201: memory_failure_event: pfn 0xfd74: "
      "recovery "
      "action for dirty LRU page: Recovered");
  EXPECT_EQ(page.frame, 0xfd74u);
  EXPECT_EQ(page.kind, "dirty LRU page");
  EXPECT_EQ(page.result, "Recovered");
}

TEST(TraceRecords, Others) {
  const auto arm = parsed<OtherRecord>(
      "     kworker/0:1-15      [000] .....    30.500000: arm_event: affinity level: 0; MPIDR: "
      "0000000081000300; MIDR: 00000000481fd010; running state: 1; PSCI state: 0");
  EXPECT_EQ(arm.mpidr, 0x81000300u);
  const auto other = parsed<OtherRecord>(
      "     kworker/0:1-15      [000] .....    30.500000: non_standard_event: severity: 2; sec "
      "type:12345678-0000; FRU: 00000000 x; data len:4; raw data:00");
  EXPECT_EQ(other.severity, ErrorSeverity::corrected);
  EXPECT_EQ(other.text, "severity: 2; sec type:12345678-0000; FRU: 00000000 x");
}

// A program's name may contain anything: its 16 columns are skipped.
TEST(TraceRecords, AProgramsNameIsNoEvent) {
  EXPECT_FALSE(
      parse_trace_record(": aer_event: xxx-717     [001] .....   339.611201: sched_switch: "
                         "0000:00:04.0 PCIe Bus Error: "
                         "severity=Fatal, x, TLP Header=Not available"));
  EXPECT_FALSE(parse_trace_record("] 1.0: aer_event-7 [001] ..... 1.000000: other: x"));
}

TEST(TraceRecords, CutAndNoiseAreTaken) {
  for (size_t n = 0; n < kMce.size(); ++n) (void)parse_trace_record(kMce.substr(0, n));
  std::string line(kMce);
  for (size_t n = 0; n < line.size(); ++n) {
    std::string changed = line;
    changed[n] = static_cast<char>(n * 37);
    (void)parse_trace_record(changed);
  }
  EXPECT_FALSE(parse_trace_record(""));
  EXPECT_FALSE(parse_trace_record("CPU:1 [LOST 12 EVENTS]"));
  EXPECT_EQ(lost_events("CPU:1 [LOST 12 EVENTS]"), 12u);
  EXPECT_FALSE(lost_events(kMce));
}

}  // namespace
}  // namespace fmd::cpu
