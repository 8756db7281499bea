// The module of each EDAC entry, whatever its name.
#include "plugins/hardware/edac_dimms.h"

#include <gtest/gtest.h>

#include "plugins/hardware/board_labels.h"
#include "plugins/sdk/tests/support.h"

namespace fmd::hardware {
namespace {

// In the format of rasdaemon's files.
constexpr const char* kLabels = R"(# a comment
Vendor: Acme Inc.
# two sockets
  Product: Server 10, Server 20
    DIMM_A1: 0.0.0;    DIMM_A2: 0.0.1;
    DIMM B1: 0.1.0, 0.1.1;   # both ranks
  Model: X1-Board
    OTHER: 0.0.0;

Vendor: Boards & Co
  Model: X1-Board
    SLOT1: 1.0.0
    broken; : 1.0.1; X: 1.a.0; Y: 7;
  Product: Server 10
    WRONG: 0.0.0
)";

TEST(BoardLabels, OfTheMachineAndOfItsBoard) {
  BoardLabels labels;
  labels.add(kLabels, {"ACME Inc.", "Server 20", "Boards & Co", "x1-board"});
  EXPECT_EQ(labels.at({0, 0, 0}), "DIMM_A1");
  EXPECT_EQ(labels.at({0, 0, 1}), "DIMM_A2");
  EXPECT_EQ(labels.at({0, 1, 0}), "DIMM B1");
  EXPECT_EQ(labels.at({0, 1, 1}), "DIMM B1");
  EXPECT_EQ(labels.at({1, 0, 0}), "SLOT1");
  EXPECT_EQ(labels.at({1, 0, 1}), "");
  EXPECT_EQ(labels.at({7}), "");
  BoardLabels others;
  others.add(kLabels, {"Nobody", "Server 20", "", ""});
  EXPECT_EQ(others.at({0, 0, 0}), "");
}

TEST(BoardLabels, AnyTextIsTaken) {
  const std::string text = kLabels;
  for (size_t n = 0; n < text.size(); ++n) {
    BoardLabels labels;
    labels.add(text.substr(0, n), {"Acme Inc.", "Server 10", "Boards & Co", "X1-Board"});
    std::string changed = text;
    changed[n] = static_cast<char>(n * 31);
    labels.add(changed, {"Acme Inc.", "Server 10", "Boards & Co", "X1-Board"});
  }
}

class EdacDimms : public ::testing::Test {
 protected:
  sdk::testing::Loop loop_;
  sdk::testing::TempTree tree_;
  sdk::Host host_{loop_, tree_.root(), ""};

  void dimm(const std::string& name, const std::string& label, const std::string& location) {
    const std::string folder = "/sys/devices/system/edac/mc/mc0/" + name;
    tree_.file(folder + "/size", "8192\n");
    tree_.file(folder + "/dimm_label", label + "\n");
    tree_.file(folder + "/dimm_location", location + "\n");
  }
  std::vector<std::string> modules(const DimmNames& names) {
    std::vector<std::string> out;
    for (const EdacDimm& one : edac_dimms(host_, names))
      out.push_back(one.module + (one.own_counts ? "" : " (" + one.own_fmri() + ")"));
    return out;
  }
  static DimmNames smbios(const std::vector<std::string>& locators) {
    std::vector<MemoryModule> modules;
    for (const std::string& locator : locators) modules.emplace_back().locator = locator;
    return DimmNames(modules);
  }
};

TEST_F(EdacDimms, WithoutSmbiosByItsLabelElseByItsNumber) {
  dimm("dimm0", "A1", "channel 0 slot 0");
  dimm("dimm1", "", "channel 1 slot 0");
  tree_.file("/sys/devices/system/edac/mc/mc0/dimm2/size", "0\n");
  EXPECT_EQ(modules({}), (std::vector<std::string>{"mem://dimm=A1", "mem://mc=0/dimm=1"}));
  const auto all = edac_dimms(host_, {});
  EXPECT_EQ(all[1].channel, 1u);
  EXPECT_EQ(all[0].size_bytes, uint64_t{8} << 30);
  EXPECT_EQ(module_called("A1", all, {}), "mem://dimm=A1");
  EXPECT_EQ(module_called("Z9", all, {}), "mem://dimm=Z9");
}

TEST_F(EdacDimms, TheProcessorByItsControllersName) {
  dimm("dimm0", "A1", "channel 0 slot 0");
  EXPECT_EQ(edac_dimms(host_, {})[0].socket, std::nullopt);
  for (const auto& [name, socket] : std::vector<std::pair<std::string, std::optional<unsigned>>>{
           {"Skylake Socket#1 IMC#0", 1},
           {"Broadwell SrcID#10_Ha#0", 10},
           {"F19h", std::nullopt},
           {"Intel_10nm Socket#", std::nullopt}}) {
    tree_.file("/sys/devices/system/edac/mc/mc0/mc_name", name + "\n");
    EXPECT_EQ(edac_dimms(host_, {})[0].socket, socket) << name;
  }
}

// A label that SMBIOS does not know names no module: its numbers are used instead.
TEST_F(EdacDimms, WithSmbiosByItsNames) {
  dimm("dimm0", "CPU_SrcID#0_Chan#0", "channel 0 slot 0");
  dimm("dimm1", "DIMM A2", "channel 1 slot 0");
  DimmNames names = smbios({"DIMM_A1", "DIMM_A2"});
  EXPECT_EQ(modules(names), (std::vector<std::string>{"mem://mc=0/dimm=0", "mem://dimm=DIMM_A2"}));
  EXPECT_EQ(module_called("CPU_SrcID#0_Chan#0", edac_dimms(host_, names), names),
            "mem://mc=0/dimm=0");
  names.also("CPU_SrcID#0_Chan#0", "DIMM_A1");  // from a chassis description
  EXPECT_EQ(modules(names), (std::vector<std::string>{"mem://dimm=DIMM_A1", "mem://dimm=DIMM_A2"}));
}

TEST_F(EdacDimms, RanksAreOneModuleByTheBoardsLabels) {
  dimm("rank0", "mc#0csrow#0channel#0", "csrow 1 channel 0");
  dimm("rank1", "mc#0csrow#1channel#0", "csrow 1 channel 1");
  tree_.file("/sys/class/dmi/id/sys_vendor", "Acme Inc.\n");
  tree_.file("/sys/class/dmi/id/product_name", "Server 10\n");
  tree_.file("/etc/ras/dimm_labels.d/acme", kLabels);
  const DimmNames names = smbios({"DIMM_B1"});
  EXPECT_EQ(modules(names), (std::vector<std::string>{"mem://dimm=DIMM_B1",
                                                      "mem://dimm=DIMM_B1 (mem://mc=0/dimm=1)"}));
  const auto all = edac_dimms(host_, names);
  EXPECT_EQ(all[1].label, "DIMM B1");
  EXPECT_EQ(module_called("mc#0csrow#1channel#0", all, names), "mem://dimm=DIMM_B1");
}

}  // namespace
}  // namespace fmd::hardware
