// The plugin on the fake machine of cpu_rig.h.
#include "plugins/cpu/tests/cpu_rig.h"

namespace fmd::cpu::testing {
namespace {

TEST_F(CpuTest, TellsOfCoresAndTheirErrors) {
  start();
  EXPECT_EQ(core_.property(kCore1, "name"), "CPU 0 core 1");
  EXPECT_EQ(core_.property(kCore1, "group"), "cpu://socket=0");
  EXPECT_EQ(core_.property(kCore1, "retire_refusal"), nullptr);
  EXPECT_EQ(core_.property("cpu://socket=0/core=0", "retire_refusal"),
            "the kernel cannot take cpu0 offline");
  checked(kCache, 3);
  ASSERT_TRUE(told(1));
  EXPECT_EQ(core_.events[0]["class"], "ereport.cpu.cache");
  EXPECT_EQ(core_.events[0]["resource"], kCore1);
  EXPECT_EQ(core_.events[0]["payload"]["level"], "L1");
  EXPECT_EQ(core_.events[0]["payload"]["severity"], "corrected");
  EXPECT_EQ(core_.events[0]["payload"]["times"], 1);
}

// Cores that share an L2 cache count as one part in fmd's retirement limits.
TEST_F(CpuTest, CoresOfOneCacheGoTogether) {
  start();
  EXPECT_EQ(core_.property(kCore1, "unit"), nullptr);
  for (unsigned n = 0; n < 4; ++n) {
    tree_.file(cpu(n) + "/cache/index2/level", "2\n");
    tree_.file(cpu(n) + "/cache/index2/shared_cpu_list", "0-3\n");
  }
  restart();
  EXPECT_EQ(core_.property(kCore1, "unit"), "cpu://socket=0/core=0");
  EXPECT_EQ(core_.property("cpu://socket=0/core=0", "unit"), nullptr);
}

TEST_F(CpuTest, ACacheThatWasNotThereIsSeenLater) {
  KnownPlaces known;
  const auto first = look_at_processors(host_, known);
  EXPECT_TRUE(first.threads.at(1).sharing.empty());
  tree_.file(cpu(1) + "/cache/index2/level", "2\n");
  tree_.file(cpu(1) + "/cache/index2/shared_cpu_list", "0-3\n");
  const auto second = look_at_processors(host_, known, {}, first);
  EXPECT_EQ(second.threads.at(1).sharing.at("L2"), (std::vector<unsigned>{0, 1, 2, 3}));
  // Cache files are not read again while the same threads are online.
  tree_.file(cpu(1) + "/cache/index2/shared_cpu_list", "1\n");
  EXPECT_EQ(look_at_processors(host_, known, {}, second), second);
}

TEST_F(CpuTest, ASecondOfTheSameIsOneError) {
  start();
  for (int i = 0; i < 50; ++i) checked(kCache);
  checked(kMemory, 1, 0x1f0000040, 0x86);
  traced(
      "mc_event: 3 Corrected errors: memory read error on A1 (mc:0 location:2:0:-1 "
      "address:0x1f0000040 grain:32 syndrome:0x0)");
  ASSERT_TRUE(told(3));
  loop_.drain();
  ASSERT_EQ(core_.events.size(), 3u);
  EXPECT_EQ(core_.events[0]["payload"]["times"], 50);
  EXPECT_EQ(core_.events[2]["resource"], kPage) << "by two sources";
  EXPECT_EQ(core_.events[2]["payload"]["times"], 4);
  EXPECT_EQ(core_.property(kPage, "service"), "in-service");
  EXPECT_EQ(core_.property("mem://socket=0/bank=1/channel=2", "name"),
            "memory channel 2 of CPU 0 (bank 1)");
}

TEST(Processors, SocketsHaveTheirPrintedNames) {
  Processors machine;
  machine.threads[0].place = {0, 0};
  machine.threads[1].place = {1, 0};
  machine.name_sockets({"CPU1", "CPU2"});
  EXPECT_EQ(machine.name_of_socket("0"), "CPU1");
  EXPECT_EQ(machine.name_of_socket("1"), "CPU2");
  EXPECT_EQ(machine.name_of_socket("7"), "CPU 7");
  machine.name_sockets({"CPU1"});
  EXPECT_EQ(machine.name_of_socket("0"), "CPU 0") << "another number than the kernel has";
}

TEST_F(CpuTest, TheBusEchoesWhatMemoryHas) {
  start();
  checked(0x8000000000000c0f);
  checked(kMemory, 1, 0x1f0000040, 0x86);
  ASSERT_TRUE(told(3));
  const auto buses = [this] {
    std::vector<json> out;
    for (const auto& event : core_.events)
      if (event["class"] == "ereport.cpu.bus") out.push_back(event["payload"]);
    return out;
  };
  ASSERT_EQ(buses().size(), 1u) << "it stays on record";
  EXPECT_EQ(buses()[0]["explained"], "memory");
  checked(0xb000000000000c0f);  // uncorrected: not explained by a corrected error
  ASSERT_TRUE(told(4));
  EXPECT_FALSE(buses()[1].contains("explained"));
}

// fmd acknowledges late, and no further error comes.
TEST_F(CpuTest, HearsAgainOnceFmdHasAcknowledged) {
  start();
  core_.ack = false;
  for (uint64_t page = 1; page <= 50; ++page) checked(kMemory, 1, page << 12, 0x86);
  ASSERT_TRUE(told(51)) << "50 pages and their channel";
  loop_.drain();
  core_.ack_held();
  const size_t before = core_.events.size();
  checked(0xb000000000000c0f);
  EXPECT_TRUE(loop_.until([&] {
    return core_.events.size() > before && core_.events.back()["class"] == "ereport.cpu.bus";
  }));
}

TEST_F(CpuTest, AStormIsCounted) {
  start();
  for (int i = 0; i < 30; ++i) checked(kCache);
  const auto read = [&](double value) {
    return loop_.until([&] {
      for (const auto& message : core_.of("readings"))
        for (const auto& reading : message["readings"])
          if (reading["resource"] == "cpu://socket=0" && reading["value"] == value) return true;
      return false;
    });
  };
  EXPECT_TRUE(read(30)) << "all that the pipe held came at once";
  EXPECT_TRUE(read(0)) << "and when it is over";
}

TEST_F(CpuTest, ACoreGoesWithAllItsThreadsAndComesBack) {
  start();
  const json done = retire("case:retire:1");
  EXPECT_EQ(done["status"], "done") << done;
  EXPECT_EQ(done["reason"], "cpu1, cpu3 are offline");
  EXPECT_EQ(online(1) + online(3) + online(2), "001");
  EXPECT_EQ(core_.property(kCore1, "service"), "out-of-service") << "told before the answer";
  EXPECT_EQ(core_.property(kCore1, "retired_by"), "case:retire:1");
  // The kernel removes the topology of offline threads; then the plugin restarts.
  for (const unsigned n : {1, 3}) tree_.remove(cpu(n) + "/topology");
  restart();
  EXPECT_EQ(core_.property(kCore1, "service"), "out-of-service");
  EXPECT_EQ(core_.property(kCore1, "retired_by"), "case:retire:1");
  EXPECT_EQ(restore({{"key", "another"}})["status"], "refused");
  EXPECT_EQ(restore({{"key", "case:retire:1"}})["status"], "done");
  EXPECT_EQ(online(1) + online(3), "11");
  EXPECT_EQ(core_.property(kCore1, "service"), "in-service");
  EXPECT_EQ(core_.property(kCore1, "retired_by"), nullptr);
}

TEST_F(CpuTest, AfterARebootNothingIsOursAndTheSameIsDoneAgain) {
  start();
  retire("case:retire:1");
  for (const unsigned n : {1, 3}) tree_.file(cpu(n) + "/online", "1\n");
  tree_.file("/proc/sys/kernel/random/boot_id", "b008\n");
  restart();
  EXPECT_EQ(core_.property(kCore1, "service"), "in-service");
  EXPECT_EQ(core_.property(kCore1, "retired_by"), nullptr);
  EXPECT_EQ(core_.property(kCore1, "service_by"), "restart");
  restart();
  EXPECT_EQ(core_.property(kCore1, "service_by"), "restart")
      << "known after fmd-cpu's restart, too";
  EXPECT_EQ(retire("case:retire:2")["status"], "done");
  EXPECT_EQ(online(1), "0");
  EXPECT_EQ(core_.property(kCore1, "service_by"), nullptr);
  EXPECT_EQ(restore({{"key", "case:retire:2"}})["status"], "done");
  EXPECT_EQ(core_.property(kCore1, "service_by"), nullptr) << "that was us";
}

TEST_F(CpuTest, WhatSomebodyElseTookOutIsTheirs) {
  tree_.file(cpu(3) + "/online", "0\n");  // as with hyper-threading switched off
  start();
  EXPECT_EQ(core_.property(kCore1, "service"), "in-service");
  retire("case:retire:1");
  EXPECT_EQ(restore({{"key", "case:retire:1"}})["status"], "done");
  EXPECT_EQ(online(1) + online(3), "10") << "as it was before";
  tree_.file(cpu(1) + "/online", "0\n");
  const json already = retire("case:retire:2");
  EXPECT_EQ(already["detail"]["already"], true);
  EXPECT_EQ(core_.property(kCore1, "retired_by"), nullptr);
  EXPECT_EQ(restore({{"key", "case:retire:2"}})["status"], "refused");
  EXPECT_EQ(restore({{"by", "person"}})["status"], "done");
  EXPECT_EQ(online(1) + online(3), "11");
}

TEST_F(CpuTest, NeverCpu0NorTheLastCore) {
  start();
  EXPECT_EQ(retire("a", "cpu://socket=0/core=0")["status"], "refused");
  tree_.file(cpu(0) + "/online", "0\n");
  tree_.file(cpu(2) + "/online", "0\n");
  const json last = retire("b");
  EXPECT_EQ(last["status"], "refused");
  EXPECT_EQ(last["reason"], "the last core that is online");
  EXPECT_EQ(retire("c", "cpu://socket=7/core=0")["status"], "refused");
  EXPECT_EQ(online(1) + online(3), "11");
}

TEST_F(CpuTest, ObservesOnlyWhenToldSo) {
  start(false);
  EXPECT_EQ(retire("a")["status"], "refused");
  EXPECT_EQ(online(1), "1");
}

TEST_F(CpuTest, APageGoesAndItsClaimIsGivenUp) {
  start();
  checked(kMemory, 1, 0x1f0000040, 0x86);
  ASSERT_TRUE(told(1));
  EXPECT_EQ(retire("case:retire:1", kPage)["status"], "done");
  EXPECT_EQ(tree_.read("/sys/devices/system/memory/soft_offline_page"), "0x1f0000000");
  EXPECT_EQ(core_.property(kPage, "service"), "out-of-service");
  EXPECT_EQ(core_.property(kPage, "service_until"), "boot");
  EXPECT_EQ(core_.property(kPage, "retired_by"), "case:retire:1");
  EXPECT_EQ(restore({{"key", "case:retire:1"}}, kPage)["status"], "done");
  EXPECT_EQ(core_.property(kPage, "service"), "out-of-service") << "the kernel cannot put it back";
  EXPECT_EQ(core_.property(kPage, "retired_by"), nullptr);
  tree_.file("/proc/sys/kernel/random/boot_id", "b008\n");
  restart();
  EXPECT_EQ(core_.property(kPage, "service"), "in-service");
}

TEST_F(CpuTest, APageIsItsModulesWhereEdacTold) {
  const std::string dimm = "/sys/devices/system/edac/mc/mc0/dimm0", fmri = "mem://dimm=A1";
  tree_.file(dimm + "/size", "4096\n");
  tree_.file(dimm + "/dimm_label", "A1\n");
  tree_.file(dimm + "/dimm_location", "channel 1 slot 0\n");
  start();
  traced(
      "mc_event: 1 Corrected error: memory read error on A1 (mc:0 location:1:0:-1 "
      "address:0x1f0000000 grain:6 syndrome:0x0)");
  ASSERT_TRUE(told(2));
  ASSERT_NE(core_.property(fmri, "pages_out"), nullptr);
  EXPECT_EQ(core_.property(fmri, "pages_out"), 0);
  EXPECT_EQ(core_.property(fmri, "size_class"), "4G");
  EXPECT_EQ(core_.resources[fmri]["edges"], json({{{"relation", "contains"}, {"to", kPage}}}));
  EXPECT_EQ(core_.property("mem://mc=0/channel=1", "modules"), "A1");
  EXPECT_EQ(retire("k1", kPage)["status"], "done");
  ASSERT_TRUE(loop_.until([&] { return core_.property(fmri, "pages_out") == 1; }));
  restart();
  EXPECT_EQ(core_.property(fmri, "pages_out"), 1) << "also after a restart";
}

TEST_F(CpuTest, AChannelLeadsToItsModulesAndIsInItsProcessor) {
  const std::string mc = "/sys/devices/system/edac/mc/mc0",
                    other = "/sys/devices/system/edac/mc/mc1";
  for (const auto& [folder, label, location] : {std::tuple(mc + "/dimm0", "A1", "channel 0 slot 0"),
                                                {mc + "/dimm1", "A2", "channel 0 slot 1"},
                                                {mc + "/dimm2", "B1", "channel 1 slot 0"},
                                                {other + "/dimm0", "C1", "channel 0 slot 0"}}) {
    tree_.file(folder + "/size", "4096\n");
    tree_.file(folder + "/dimm_label", std::string(label) + "\n");
    tree_.file(folder + "/dimm_location", std::string(location) + "\n");
  }
  tree_.file(other + "/mc_name", "Skylake Socket#1 IMC#0\n");
  start();
  const auto leads_to = [&](const std::string& fmri, const char* relation) {
    std::set<std::string> out;
    for (const json& edge : core_.resources[fmri]["edges"])
      if (edge["relation"] == relation) out.insert(edge["to"]);
    return out;
  };
  using Names = std::set<std::string>;
  EXPECT_EQ(leads_to("mem://mc=0/channel=0", "path"), (Names{"mem://dimm=A1", "mem://dimm=A2"}));
  EXPECT_EQ(leads_to("mem://mc=0/channel=1", "path"), Names{"mem://dimm=B1"});
  EXPECT_EQ(leads_to("cpu://socket=0", "contains"),
            (Names{"cpu://socket=0/core=0", "cpu://socket=0/core=1", "mem://mc=0/channel=0",
                   "mem://mc=0/channel=1"}));
  EXPECT_EQ(leads_to("mem://mc=1/channel=0", "path"), Names{"mem://dimm=C1"})
      << "of a processor that is not there";
}

TEST_F(CpuTest, APageThatCannotBeFreedIsAskedForAgain) {
  start();
  checked(kMemory, 1, 0x1f0000040, 0x86);
  ASSERT_TRUE(told(1));
  tree_.remove("/sys/devices/system/memory/soft_offline_page");
  EXPECT_EQ(retire("case:retire:1", kPage)["status"], "failed");
  EXPECT_EQ(core_.property(kPage, "service"), "in-service");
  EXPECT_EQ(core_.property(kPage, "retired_by"), nullptr);
  tree_.file("/sys/devices/system/memory/soft_offline_page", "");
  EXPECT_EQ(retire("case:retire:2", kPage)["status"], "done");
}

TEST_F(CpuTest, NoMoreThanAThousandthOfTheMemory) {
  tree_.file("/proc/meminfo", "MemTotal:       8192 kB\n");  // two pages
  start();
  for (const unsigned page : {1, 2, 3}) checked(kMemory, 1, page << 12, 0x86);
  ASSERT_TRUE(told(3));
  EXPECT_EQ(retire("a", "mem://page=1000")["status"], "done");
  EXPECT_EQ(retire("b", "mem://page=2000")["status"], "done");
  EXPECT_EQ(retire("c", "mem://page=3000")["status"], "refused");
}

TEST_F(CpuTest, WhyTheMachineStoppedIsToldOnce) {
  const char* panic =
      "<0>[   40.1] mce: [Hardware Error]: CPU 1: Machine Check Exception: 5 Bank 3: "
      "be00000000000136\n"
      "<0>[   40.1] mce: [Hardware Error]: TSC 1f ADDR 12345000 MISC 86 \n"
      "<0>[   40.1] mce: [Hardware Error]: PROCESSOR 0:606a6 TIME 1795228661 SOCKET 0 APIC 12\n";
  booted_s_ = 1795228661 + 300;
  start();
  ASSERT_TRUE(core_.events.empty());
  tree_.file("/sys/fs/pstore/dmesg-erst-1", panic);
  core_.commit = false;
  restart();
  ASSERT_TRUE(loop_.until([&] { return core_.count("events") == 1; }));
  core_.commit = true;
  restart();  // before fmd has committed the event
  ASSERT_TRUE(told(1));
  EXPECT_EQ(core_.events[0]["class"], "ereport.cpu.crash");
  EXPECT_EQ(core_.events[0]["resource"], kCore1);
  EXPECT_EQ(core_.events[0]["payload"]["stopped"], "2026-11-21 02:37:41 UTC");
  EXPECT_EQ(core_.events[0]["payload"]["severity"], "fatal");
  restart();
  loop_.drain();
  EXPECT_EQ(core_.events.size(), 1u);
}

// One event, about the page; the channel contains the page and is the replaceable part.
TEST_F(CpuTest, ACrashOfMemoryNamesThePageAndWhatHoldsIt) {
  booted_s_ = 1795228661 + 300;
  start();
  tree_.file("/sys/fs/pstore/dmesg-erst-1",
             "<0>[   40.1] mce: [Hardware Error]: CPU 1: Machine Check Exception: 5 Bank 7: "
             "be00000000010092\n"
             "<0>[   40.1] mce: [Hardware Error]: TSC 1f ADDR 12345000 MISC 86 \n"
             "<0>[   40.1] mce: [Hardware Error]: PROCESSOR 0:606a6 TIME 1795228661 SOCKET 0 APIC "
             "12\n");
  restart();
  ASSERT_TRUE(told(1));
  EXPECT_EQ(core_.events[0]["class"], "ereport.memory.crash");
  EXPECT_EQ(core_.events[0]["resource"], "mem://page=12345000");
  EXPECT_EQ(core_.events[0]["payload"]["stopped"], "2026-11-21 02:37:41 UTC");
  const std::string channel = "mem://socket=0/bank=7/channel=2";
  ASSERT_TRUE(loop_.until([&] { return core_.property(channel, "name") != nullptr; }));
  EXPECT_EQ(core_.resources.at(channel)["edges"],
            json({{{"relation", "contains"}, {"to", "mem://page=12345000"}}}));
  loop_.drain();
  EXPECT_EQ(core_.events.size(), 1u);
}

TEST_F(CpuTest, WhatIsKeptWhenFmdIsNewIsHistory) {
  tree_.file("/sys/fs/pstore/dmesg-erst-1",
             "mce: [Hardware Error]: CPU 1: Machine Check Exception: 5 Bank 3: be00000000000136\n");
  start();
  restart();
  loop_.drain();
  EXPECT_TRUE(core_.events.empty());
}

// Errors of a port and of the device below it count for the same link.
TEST_F(CpuTest, ALinkIsNamedByItsSlot) {
  const std::string port = "/sys/devices/pci0000:00/0000:00:04.0", card = port + "/0000:02:00.0";
  tree_.file(port + "/class", "0x060400\n");
  tree_.file(card + "/class", "0x010802\n");
  tree_.link("/sys/bus/pci/devices/0000:00:04.0", "../../../devices/pci0000:00/0000:00:04.0");
  tree_.link("/sys/bus/pci/devices/0000:02:00.0",
             "../../../devices/pci0000:00/0000:00:04.0/0000:02:00.0");
  tree_.file("/sys/bus/pci/slots/3/address", "0000:02:00\n");
  start();
  traced(
      "aer_event: 0000:00:04.0 PCIe Bus Error: severity=Fatal, Surprise Down Error, TLP "
      "Header=Not available");
  traced(
      "aer_event: 0000:02:00.0 PCIe Bus Error: severity=Corrected, Bad TLP, TLP Header=Not "
      "available");
  ASSERT_TRUE(told(2));
  tree_.remove(card);  // the card is gone, the slot remains
  tree_.file(port + "/secondary_bus_number", "2\n");
  traced(
      "aer_event: 0000:00:04.0 PCIe Bus Error: severity=Fatal, Surprise Down Error, TLP "
      "Header=Not available");
  ASSERT_TRUE(told(3));
  EXPECT_EQ(core_.events[2]["resource"], "dev://pci=0000:00:04.0");
  EXPECT_EQ(core_.events[2]["payload"]["slot"], "slot 3");
  core_.events.pop_back();
  for (const auto& event : core_.events) {
    EXPECT_EQ(event["resource"], "dev://pci=0000:02:00.0");
    EXPECT_EQ(event["payload"]["port"], "0000:00:04.0");
    EXPECT_EQ(event["payload"]["slot"], "slot 3");
  }
}

TEST_F(CpuTest, WithoutATraceItSaysSo) {
  tree_.remove("/sys/kernel");
  start();
  ASSERT_TRUE(loop_.until([&] { return core_.count("status") > 0; }));
  EXPECT_EQ(core_.of("status").back()["state"], "not-observed") << "as in a container";
  plugin_.reset();
  core_.messages.clear();
  tree_.folder("/sys/kernel/tracing");
  start();
  ASSERT_TRUE(loop_.until([&] { return core_.count("status") > 0; }));
  EXPECT_EQ(core_.of("status").back()["state"], "degraded");
}

}  // namespace
}  // namespace fmd::cpu::testing
