// Which part each record blames.
#include "plugins/cpu/findings.h"

#include <gtest/gtest.h>

#include "plugins/sdk/messages.h"

namespace fmd::cpu {
namespace {

constexpr uint64_t kVal = uint64_t{1} << 63, kUc = uint64_t{1} << 61, kMisc = uint64_t{1} << 59,
                   kAddr = uint64_t{1} << 58, kYellow = uint64_t{2} << 53;

// Two sockets of two cores of two threads; cores 0 and 1 of socket 0 share their L2.
Processors machine() {
  Processors out;
  for (unsigned n = 0; n < 8; ++n) {
    Thread& thread = out.threads[n];
    thread.place = {n % 4 / 2, n % 2};
    thread.sharing["L1"] = {n % 4, n % 4 + 4};
    thread.sharing["L2"] = n % 4 < 2 ? std::vector<unsigned>{0, 1, 4, 5} : std::vector<unsigned>{n};
  }
  return out;
}

std::vector<std::string> told(const MceRecord& record, const Processors& where = machine()) {
  std::vector<std::string> out;
  for (const auto& event : findings(record, where))
    out.push_back(event.event_class + " " + event.resource);
  return out;
}

MceRecord check(uint64_t status, unsigned cpu = 5) {
  MceRecord record;
  record.vendor = Vendor::intel;
  record.cpu = cpu;
  record.status = kVal | status;
  record.mcg_cap = 1 << 11;
  return record;
}

using Told = std::vector<std::string>;

TEST(Findings, ACacheIsItsCores) {
  EXPECT_EQ(told(check(0x0135)), Told{"ereport.cpu.cache cpu://socket=0/core=1"});
  EXPECT_EQ(told(check(0x0135, 2)), Told{"ereport.cpu.cache cpu://socket=1/core=0"});
  EXPECT_EQ(told(check(0x0011)), Told{"ereport.cpu.tlb cpu://socket=0/core=1"});
  EXPECT_EQ(told(check(0x0005)), Told{"ereport.cpu.internal cpu://socket=0/core=1"});
  EXPECT_EQ(told(check(0x0135, 99)), Told{"ereport.cpu.cache cpu://socket=0"}) << "nobody knows it";
}

TEST(Findings, TheL3CacheAndTheBusAreTheSockets) {
  MceRecord l3 = check(0x010b, 2);
  l3.vendor = Vendor::amd;
  l3.ipid = uint64_t{7} << 48 | uint64_t{0xb0} << 32;
  EXPECT_EQ(told(l3), Told{"ereport.cpu.cache cpu://socket=1"});
  EXPECT_EQ(told(check(0x0c0f, 2)), Told{"ereport.cpu.bus cpu://socket=1"});
}

TEST(Findings, YellowSpeaksOfEachCoreThatUsesTheCache) {
  EXPECT_EQ(told(check(kYellow | 0x0136)), (Told{"ereport.cpu.cache cpu://socket=0/core=1",
                                                 "ereport.cpu.cache cpu://socket=0/core=0"}));
  EXPECT_EQ(told(check(kYellow | 0x0135)), Told{"ereport.cpu.cache cpu://socket=0/core=1"});
  EXPECT_EQ(told(check(0x0136)), Told{"ereport.cpu.cache cpu://socket=0/core=1"});
}

hardware::EdacDimm dimm(unsigned controller, std::optional<unsigned> channel, const char* label,
                        unsigned number = 0) {
  hardware::EdacDimm out;
  out.controller = controller;
  out.number = number;
  out.channel = channel;
  out.label = out.kernel_label = label;
  out.module = std::string("mem://dimm=") + label;
  return out;
}

TEST(Findings, MemoryIsThePageAndWhereEdacDoesNotCountTheChannel) {
  MceRecord record = check(kAddr | kMisc | 0x0092);
  record.address = 0x1f0000040;
  record.misc = 0x86;  // physical, lowest valid bit 6
  Processors counted = machine();
  counted.modules = {dimm(0, 2, "A1"), dimm(1, 2, "B1"), dimm(1, 3, "B2")};
  counted.collector = false;
  EXPECT_EQ(told(record, counted), Told{"ereport.memory.page mem://page=1f0000000"});
  const Told both = {"ereport.memory.page mem://page=1f0000000",
                     "ereport.memory.channel mem://socket=0/bank=0/channel=2"};
  for (const std::optional<bool> collector : {std::optional(true), std::optional<bool>()}) {
    counted.collector = collector;
    EXPECT_EQ(told(record, counted), both);
  }
  EXPECT_EQ(told(record).size(), 2u);
  record.misc = 0x46;  // a linear address
  EXPECT_EQ(told(record), Told{both[1]});
  counted.modules[1] = dimm(0, 2, "A1", 7);  // another rank of it
  EXPECT_EQ(told(record, counted), Told{"ereport.memory.module mem://dimm=A1"})
      << "no other module sits on a channel 2";
  counted.modules.push_back(dimm(1, std::nullopt, "C1"));
  EXPECT_EQ(told(record, counted), Told{both[1]}) << "of one nobody knows where it sits";
}

TEST(Findings, AModuleByWhateverNameAndTheChannelThatOthersHaveInCommon) {
  hardware::MemoryModule module;
  module.locator = "DIMM_A1";
  Processors where = machine();
  where.dimms = hardware::DimmNames({module});
  where.modules = {dimm(1, 2, "DIMM A1"), dimm(1, std::nullopt, "B1")};
  where.modules[0].module = "mem://dimm=DIMM_A1";
  const auto of = [&](const MemoryRecord& record) {
    std::vector<std::string> out;
    for (const auto& event : findings({0, record}, where, {}))
      out.push_back(event.event_class + " " + event.resource);
    return out;
  };
  MemoryRecord record;
  record.source = "edac";
  record.label = "DIMM A1";
  EXPECT_EQ(of(record), Told{"ereport.memory.shared mem://mc=1/channel=2"});
  record.label = "B1";
  EXPECT_EQ(of(record), Told{}) << "nobody told its channel";
  record.label = "DIMM A1";
  record.source = "firmware";
  EXPECT_EQ(of(record), (Told{"ereport.memory.shared mem://mc=1/channel=2",
                              "ereport.memory.module mem://dimm=DIMM_A1"}));
}

// EDAC counts these for no module, so nothing else reports them.
TEST(Findings, AnErrorThatEdacCannotGiveToOneModule) {
  Processors where = machine();
  where.collector = false;
  where.modules = {dimm(0, 0, "A1"), dimm(0, 0, "A2"), dimm(0, 1, "B1"), dimm(1, 0, "C1"),
                   dimm(1, std::nullopt, "D1")};
  const auto of = [&](const char* label, std::optional<unsigned> controller,
                      ErrorSeverity severity = ErrorSeverity::corrected) {
    MemoryRecord record;
    record.source = "edac";
    record.label = label;
    record.controller = controller;
    record.severity = severity;
    std::vector<std::string> out;
    for (const auto& event : findings({0, record}, where, {}))
      out.push_back(event.event_class + " " + event.resource);
    return out;
  };
  EXPECT_EQ(of("A1", 0), Told{"ereport.memory.shared mem://mc=0/channel=0"});
  EXPECT_EQ(of("A1 or A2", 0), Told{"ereport.memory.channel mem://mc=0/channel=0"});
  EXPECT_EQ(of("A1 or B1", 0), Told{"ereport.memory.channel mem://mc=0"});
  EXPECT_EQ(of("C1 or D1", 1), Told{"ereport.memory.channel mem://mc=1"});
  EXPECT_EQ(of("", 1, ErrorSeverity::uncorrected), Told{"ereport.memory.channel mem://mc=1"});
  EXPECT_EQ(of("Z7 or Z8", 1), Told{"ereport.memory.channel mem://mc=1"});
  EXPECT_EQ(of("A1 or C1", std::nullopt), Told{});
  MemoryRecord page;
  page.source = "edac";
  page.message = "memory read error";
  page.label = "A1 or B1";
  page.controller = 0;
  page.address = 0x2000;
  const auto events = findings({0, page}, where, {});
  ASSERT_EQ(events.size(), 2u);
  EXPECT_FALSE(events[0].payload.contains("module")) << "no module is called that";
  EXPECT_EQ(events[1].payload["text"], "memory read error (A1 or B1)");
  where.collector = true;  // the processor's own report names the channel
  EXPECT_EQ(of("A1 or A2", 0), Told{});
  EXPECT_EQ(of("", 1, ErrorSeverity::uncorrected), Told{"ereport.memory.channel mem://mc=1"})
      << "unless firmware hides it";
}

// Addresses of AMD's memory controllers are not physical: no page may be retired for one.
TEST(Findings, AnAddressOfAnotherKindIsNoPage) {
  MceRecord record = check(kAddr | 0x011b);
  record.vendor = Vendor::amd;
  record.ipid = uint64_t{0x96} << 32 | 0x250f00;
  record.address = 0x5000;
  EXPECT_EQ(told(record), Told{"ereport.memory.channel mem://socket=0/bank=0/channel=2"});
}

TEST(Findings, PoisonIsTheMemorysNotTheCores) {
  MceRecord record = check(kUc | uint64_t{1} << 60 | kMisc | kAddr | uint64_t{3} << 55 | 0x0134);
  record.mcg_cap |= 1 << 24;
  record.address = 0x1f0000040;
  record.misc = 0x8c;
  EXPECT_EQ(told(record), Told{"ereport.memory.page mem://page=1f0000000"});
  record.misc = 0;
  EXPECT_EQ(told(record), Told{"ereport.cpu.poison cpu://socket=0"});
}

// The kernel omits masked errors from the list.
TEST(Findings, AnErrorThatIsMaskedAccusesNobody) {
  for (const ErrorSeverity severity : {ErrorSeverity::corrected, ErrorSeverity::uncorrected}) {
    TraceRecord record{0, AerRecord{"0000:00:04.0", severity, ""}};
    const auto events = findings(record, machine(), [](const std::string&) { return PciLink{}; });
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].event_class, "ereport.io.pci.masked");
  }
}

TEST(Findings, AFatalErrorOfADeviceThatCannotBeReadIsOne) {
  TraceRecord record{0, AerRecord{"0000:00:04.0", ErrorSeverity::fatal, ""}};
  const auto events = findings(record, machine(), [](const std::string&) { return PciLink{}; });
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].event_class, "ereport.io.pci.link");
  EXPECT_EQ(events[0].payload["text"],
            "the device can no longer be read, so the error is not known");
}

TEST(Findings, OnlyUncorrectedErrorsNeedToBeEnabled) {
  constexpr uint64_t kEn = uint64_t{1} << 60, kPcc = uint64_t{1} << 57,
                     kSignaled = uint64_t{1} << 56;
  const auto class_of = [](uint64_t status, uint64_t cap = 0) {
    MceRecord record = check(status);
    record.mcg_cap = cap;
    return findings(record, machine()).at(0).event_class;
  };
  EXPECT_EQ(class_of(kUc | kPcc | 0x0005), "ereport.cpu.leftover");
  EXPECT_EQ(class_of(kUc | 0x0005), "ereport.cpu.leftover");
  EXPECT_EQ(class_of(kUc | kEn | 0x0005), "ereport.cpu.internal");
  EXPECT_EQ(class_of(0x0005), "ereport.cpu.internal") << "corrected";
  constexpr uint64_t kRecovers = uint64_t{1} << 24;
  EXPECT_EQ(class_of(kUc | 0x0c0f, kRecovers), "ereport.cpu.bus") << "UCNA: EN is of no meaning";
  EXPECT_EQ(class_of(kUc | kSignaled | 0x0c0f, kRecovers), "ereport.cpu.bus") << "SRAO";
  EXPECT_EQ(class_of(kUc | kSignaled | uint64_t{1} << 55 | 0x0c0f, kRecovers),
            "ereport.cpu.leftover")
      << "SRAR";
}

TEST(Findings, ALinkIsItsLowerEnd) {
  TraceRecord record{0, AerRecord{"0000:00:04.0", ErrorSeverity::fatal, "Surprise Down Error"}};
  const auto events = findings(record, machine(), [](const std::string& address) {
    EXPECT_EQ(address, "0000:00:04.0");
    return PciLink{"0000:00:04.0", "0000:02:00.0", "3"};
  });
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].resource, "dev://pci=0000:02:00.0");
  EXPECT_EQ(events[0].payload["slot"], "slot 3");
  EXPECT_EQ(events[0].payload["port"], "0000:00:04.0");
  EXPECT_EQ(events[0].payload["severity"], "fatal");
}

}  // namespace
}  // namespace fmd::cpu
