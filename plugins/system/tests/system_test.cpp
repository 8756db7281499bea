// The result of a scan of the machine.
#include "plugins/system/tests/system_rig.h"
#include "plugins/system/tests/tables.h"

namespace fmd::machine::testing {
namespace {

TEST_F(SystemTest, AnEmptyMachineIsASystemAndNothingElse) {
  const Facts facts = scan();
  ASSERT_EQ(facts.resources.size(), 1u);
  EXPECT_EQ(facts.system, "hc://system=host");
  EXPECT_EQ(facts.problem, "");
  start();
  EXPECT_TRUE(core_.of("inventory").at(0)["complete"]);
  ASSERT_TRUE(core_.resources.contains("hc://system=host"));
  EXPECT_EQ(core_.resources["hc://system=host"]["present"], true);
  ASSERT_TRUE(loop_.until([&] { return core_.count("status") > 0; }));
  EXPECT_EQ(core_.of("status").back()["state"], "ok");
}

TEST_F(SystemTest, TheRecordedMachine) {
  testing::replay(tree_, FIXTURES "/machine-recorded.txt");
  const Facts facts = scan();
  EXPECT_EQ(property(facts, "cpu://socket=0", "model"), "AMD EPYC");
  EXPECT_EQ(property(facts, "cpu://socket=0", "cores"), 2);
  EXPECT_EQ(property(facts, "cpu://socket=0", "l3_bytes"), 32 << 20) << "shared by both cores";
  EXPECT_EQ(property(facts, "cpu://socket=0/core=1", "l1d_bytes"), 32 << 10);
  EXPECT_EQ(property(facts, "cpu://socket=0/core=1", "l2_bytes"), 512 << 10);
  EXPECT_EQ(property(facts, "cpu://socket=0/core=1/thread=1", "name"), "cpu1");
  EXPECT_TRUE(linked(facts, "cpu://socket=0", "contains", "cpu://socket=0/core=1"));
  EXPECT_EQ(property(facts, "dev://pci=0000:00:00.0", "class_name"), "Host bridge");
  EXPECT_EQ(property(facts, "dev://pci=0000:00:02.0", "id"), "1af4:1042");
  EXPECT_EQ(property(facts, "dev://pci=0000:00:02.0", "model"), "Virtio block");
  EXPECT_EQ(property(facts, "dev://pci=0000:00:02.0", "driver"), "virtio-pci");
  EXPECT_EQ(property(facts, "dev://mac=02:fc:00:00:00:01", "name"), "eth0");
  EXPECT_EQ(property(facts, "dev://mac=02:fc:00:00:00:01", "driver"), "virtio_net");
  EXPECT_TRUE(property(facts, "dev://mac=02:fc:00:00:00:01", "speed_mbps").is_null());
  EXPECT_TRUE(linked(facts, "dev://pci=0000:00:03.0", "path", "dev://mac=02:fc:00:00:00:01"));
  size_t nics = 0;
  for (const auto& [fmri, resource] : facts.resources) nics += resource["type"] == "nic";
  EXPECT_EQ(nics, 1u) << "lo and ifb0 are no hardware";
}

TEST_F(SystemTest, TheSystemOutOfDmi) {
  for (const auto& [file, text] : std::map<std::string, std::string>{
           {"product_uuid", "4C4C4544-0035-4D10-8053-B7C04F573432\n"},
           {"sys_vendor", "Dell Inc.\n"},
           {"product_name", "PowerEdge R740xd\n"},
           {"product_serial", "To Be Filled By O.E.M.\n"},
           {"bios_version", "2.12.2\n"}})
    tree_.file("/sys/class/dmi/id/" + file, text);
  const Facts facts = scan();
  EXPECT_EQ(facts.system, "hc://system=host") << "DMI's UUID is root's to know: no FMRI has it";
  EXPECT_EQ(property(facts, facts.system, "uuid"), "4C4C4544-0035-4D10-8053-B7C04F573432");
  EXPECT_EQ(property(facts, facts.system, "vendor"), "Dell Inc.");
  EXPECT_EQ(property(facts, facts.system, "model"), "PowerEdge R740xd");
  EXPECT_EQ(property(facts, facts.system, "bios_version"), "2.12.2");
  EXPECT_TRUE(property(facts, facts.system, "serial").is_null()) << "nobody's serial number";
  tree_.file("/sys/class/dmi/id/product_uuid", "03000200-0400-0500-0006-000700080009\n");
  EXPECT_TRUE(property(scan(), facts.system, "uuid").is_null()) << "a board whose maker wrote none";
  tree_.file("/etc/machine-id", "0123456789abcdef0123456789abcdef\n");
  EXPECT_EQ(scan().system, "hc://system=f98595ef-4abf-46c3-847f-1deb864ebcb6");
}

TEST_F(SystemTest, MemoryBySmbiosAndEdacTogether) {
  tree_.file("/sys/firmware/dmi/tables/DMI",
             testing::memory_device({.locator = "DIMM_A1",
                                     .bank = "NODE 0",
                                     .size = 16384,
                                     .serial = "03AB12CD",
                                     .part_number = "M393A2K40CB2-CTD"}) +
                 testing::memory_device({.locator = "DIMM 0", .bank = "B0", .size = 8192}) +
                 testing::memory_device({.locator = "DIMM 0", .bank = "B1", .size = 8192}) +
                 testing::memory_device({.locator = "DIMM 7", .size = 8192, .handle = 0x1107}) +
                 testing::memory_device({.locator = "DIMM 7", .size = 8192, .handle = 0x1108}) +
                 testing::end_mark());
  const std::string mc = "/sys/devices/system/edac/mc/mc0/";
  for (const auto& [name, label] : std::map<std::string, std::string>{
           {"dimm0", "NODE 0 DIMM_A1"}, {"dimm1", "CPU_SrcID#0_MC#0_Chan#1_DIMM#0"}}) {
    tree_.file(mc + name + "/dimm_label", label + "\n");
    tree_.file(mc + name + "/size", "16384\n");
    tree_.file(mc + name + "/dimm_ce_count", "3\n");
    tree_.file(mc + name + "/dimm_ue_count", "0\n");
  }
  tree_.file(mc + "dimm2/size", "0\n");
  const Facts facts = scan();
  EXPECT_EQ(property(facts, "mem://dimm=DIMM_A1", "size_bytes"), uint64_t{16} << 30);
  EXPECT_EQ(property(facts, "mem://dimm=DIMM_A1", "serial"), "03AB12CD");
  EXPECT_EQ(property(facts, "mem://dimm=DIMM_A1", "speed"), 2933);
  EXPECT_EQ(property(facts, "mem://dimm=DIMM_A1", "edac"), "mc0/dimm0");
  EXPECT_EQ(property(facts, "mem://dimm=B0%20DIMM%200", "label"), "B0 DIMM 0");
  EXPECT_TRUE(facts.has("mem://dimm=B1%20DIMM%200"));
  EXPECT_TRUE(facts.has("mem://dimm=DIMM%207%231108")) << "told apart by its handle";
  ASSERT_TRUE(facts.has("mem://mc=0/dimm=1")) << "no module is called so";
  EXPECT_EQ(facts.resources.at("mem://mc=0/dimm=1")["type"], "edac-dimm");
  EXPECT_FALSE(facts.has("mem://mc=0/dimm=2"));
  start();
  EXPECT_TRUE(loop_.until([&] { return reading("mem://dimm=DIMM_A1", "ce_count") == 3; }));
}

TEST_F(SystemTest, AModuleHasTheCountsOfAllItsRanks) {
  const std::string mc = "/sys/devices/system/edac/mc/mc0/";
  const std::map<std::string, const char*> counts{{"rank0", "3"}, {"rank1", "4"}, {"rank2", "5"}};
  for (const auto& [name, count] : counts) {
    tree_.file(mc + name + "/dimm_label", name == "rank2" ? "A2\n" : "A1\n");
    tree_.file(mc + name + "/size", "4096\n");
    tree_.file(mc + name + "/dimm_ce_count", std::string(count) + "\n");
    tree_.file(mc + name + "/dimm_ue_count", "1\n");
  }
  const Facts facts = scan();
  EXPECT_FALSE(facts.has("mem://mc=0/dimm=1")) << "a rank is no part of its own";
  EXPECT_EQ(property(facts, "mem://dimm=A1", "size_bytes"), uint64_t{8} << 30);
  EXPECT_EQ(property(facts, "mem://dimm=A2", "size_bytes"), uint64_t{4} << 30);
  start();
  EXPECT_TRUE(loop_.until([&] { return reading("mem://dimm=A1", "ce_count") == 7; }));
  EXPECT_TRUE(loop_.until([&] { return reading("mem://dimm=A1", "ue_count") == 2; }));
  EXPECT_TRUE(loop_.until([&] { return reading("mem://dimm=A2", "ce_count") == 5; }));
}

TEST_F(SystemTest, ABrokenSmbiosTableIsSaidAndDoesNoHarm) {
  tree_.file("/sys/firmware/dmi/tables/DMI",
             testing::memory_device({.locator = "DIMM_A1", .size = 1024}) +
                 std::string("\x11\x03\x00\x00\x00\x00", 6));
  EXPECT_TRUE(scan().has("mem://dimm=DIMM_A1"));
  start();
  ASSERT_TRUE(loop_.until([&] { return core_.count("status") > 0; }));
  EXPECT_EQ(core_.of("status").back()["state"], "degraded");
}

TEST_F(SystemTest, EdacAloneNamesTheModules) {
  tree_.file("/sys/devices/system/edac/mc/mc0/dimm0/dimm_label", "A1\n");
  tree_.file("/sys/devices/system/edac/mc/mc0/dimm0/size", "4096\n");
  const Facts facts = scan();
  ASSERT_TRUE(facts.has("mem://dimm=A1"));
  EXPECT_EQ(facts.resources.at("mem://dimm=A1")["type"], "dimm");
}

constexpr const char* kHba = "dev://pci=0000:3b:00.0";
constexpr const char* kExpander = "dev://sas=500304801e8a3b3f";
constexpr const char* kDisk = "dev://wwn=5000c500a0000003";

TEST_F(SystemTest, TheSasFabric) {
  testing::sas_machine(tree_);
  tree_.folder("/sys/class/sas_host/a-host-that-is-no-pci-device");
  const Facts facts = scan();
  EXPECT_EQ(facts.resources.at(kHba)["type"], "hba");
  EXPECT_EQ(property(facts, kHba, "class_name"), "SAS controller");
  EXPECT_EQ(property(facts, kHba, "firmware"), "16.00.10.00");
  EXPECT_EQ(property(facts, kExpander, "model"), "SAS3x40");
  const std::string host_phy = "dev://sas=500605b00a1b2c30/phy=0",
                    phy = std::string(kExpander) + "/phy=8";
  EXPECT_TRUE(linked(facts, kHba, "path", host_phy));
  EXPECT_TRUE(linked(facts, host_phy, "path", kExpander)) << facts.resources.at(host_phy);
  EXPECT_TRUE(linked(facts, kExpander, "path", phy));
  EXPECT_TRUE(linked(facts, phy, "path", kDisk));
  EXPECT_EQ(property(facts, phy, "link_rate"), "12.0 Gbit");
  EXPECT_EQ(property(facts, phy, "attached"), "5000c500a0000001");
  EXPECT_FALSE(linked(facts, kHba, "path", kDisk)) << "the phys lead there";
  EXPECT_EQ(property(facts, "hc://system=host/pcislot=4", "label"), "PCI slot 4");
  EXPECT_TRUE(linked(facts, "hc://system=host/pcislot=4", "contains", kHba));
  EXPECT_FALSE(linked(facts, "hc://system=host", "contains", kHba));
  start();
  EXPECT_TRUE(loop_.until([&] { return reading(phy, "invalid_dword_count") == 7; }));
  EXPECT_TRUE(loop_.until([&] { return reading(host_phy, "phy_reset_problem_count") == 0; }));
}

TEST_F(SystemTest, SataAndNvmeDisksHangOnTheirPciDevice) {
  testing::sata_and_nvme(tree_);
  const Facts facts = scan();
  EXPECT_EQ(facts.resources.at("dev://pci=0000:00:17.0")["type"], "hba");
  EXPECT_EQ(facts.resources.at("dev://pci=0000:5e:00.0")["type"], "pci");
  EXPECT_TRUE(linked(facts, "dev://pci=0000:00:17.0", "path", "dev://wwn=50014ee2b0000001"));
  EXPECT_TRUE(linked(facts, "dev://pci=0000:5d:00.0", "path", "dev://pci=0000:5e:00.0"));
  // Native multipath: two controllers, one namespace.
  EXPECT_TRUE(linked(facts, "dev://pci=0000:5e:00.0", "path", "dev://wwn=0025385b91b05321"));
  EXPECT_TRUE(linked(facts, "dev://pci=0000:5f:00.0", "path", "dev://wwn=0025385b91b05321"));
}

TEST_F(SystemTest, SensorsWithReadingsAndStatus) {
  testing::sensors(tree_);
  start();
  const std::string temp = "hc://system=host/sensor=nct6775-temp1",
                    fan = "hc://system=host/sensor=nct6775-fan1",
                    first = "hc://system=host/sensor=jc42.0-0018-temp1";
  ASSERT_TRUE(loop_.until([&] { return reading(temp, "value") == 41.5; }));
  EXPECT_TRUE(loop_.until([&] { return reading(fan, "value") == 0; }));
  EXPECT_TRUE(loop_.until([&] { return core_.property(fan, "status") == "alarm"; }));
  EXPECT_TRUE(loop_.until([&] { return core_.property(temp, "status") == "ok"; }));
  EXPECT_EQ(core_.property(temp, "label"), "nct6775 CPUTIN");
  EXPECT_EQ(core_.property(temp, "unit"), "celsius");
  EXPECT_EQ(core_.property(temp, "limit_critical"), 95.0);
  EXPECT_TRUE(core_.resources.contains(first)) << "two chips of one name go by their devices";
  for (const auto& [fmri, resource] : core_.resources)
    EXPECT_EQ(fmri.find("drivetemp"), fmri.npos) << "asking it would ask the disk";
}

TEST(FactsBytes, ComeBackAsTheyWent) {
  Facts facts;
  facts.system = "hc://system=x";
  facts.add("hc://system=x", "system")["properties"]["name"] = "caf\xe9";  // Latin-1, not UTF-8
  facts.contain("dev://pci=0000:00:00.0");
  facts.gauges["chip"].push_back({"r", "value", "/f", 1000, "celsius"});
  facts.problem = "p";
  const auto back = from_bytes(to_bytes(facts));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->resources, facts.resources);
  EXPECT_EQ(back->gauges, facts.gauges);
  EXPECT_EQ(back->problem, "p");
  EXPECT_FALSE(from_bytes(""));
  EXPECT_FALSE(from_bytes("\xa1\x61\x61\x01"));
}

}  // namespace
}  // namespace fmd::machine::testing
