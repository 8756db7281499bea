#include "plugins/system/tests/trees.h"

#include <fstream>
#include <map>

namespace fmd::machine::testing {
namespace {

using sdk::testing::TempTree;

using Attributes = std::map<std::string, std::string>;

void files(const TempTree& tree, const std::string& folder, const Attributes& what) {
  for (const auto& [name, text] : what) tree.file(folder + "/" + name, text + "\n");
}

std::string pci(const TempTree& tree, const std::string& path, const std::string& device_class) {
  const std::string folder = "/sys/devices/pci0000:00/" + path;
  files(tree, folder, {{"class", device_class}, {"vendor", "0x1000"}, {"device", "0x0097"}});
  tree.link("/sys/bus/pci/devices/" + folder.substr(folder.rfind('/') + 1), folder);
  return folder;
}

void block(const TempTree& tree, const std::string& unit, const std::string& name,
           const std::string& wwid) {
  tree.file(unit + "/wwid", wwid + "\n");
  tree.file(unit + "/block/" + name + "/size", "2048\n");
  tree.link(unit + "/block/" + name + "/device", unit);
  tree.link("/sys/block/" + name, unit + "/block/" + name);
}

// A class device of the kernel: a folder below the device, and a link in /sys/class.
void class_device(const TempTree& tree, const std::string& device, const std::string& class_name,
                  const Attributes& what) {
  const std::string name = device.substr(device.rfind('/') + 1),
                    folder = device + "/" + class_name + "/" + name;
  tree.folder(folder);
  files(tree, folder, what);
  tree.link(folder + "/device", device);
  tree.link("/sys/class/" + class_name + "/" + name, folder);
}

void phy(const TempTree& tree, const std::string& device, const std::string& number,
         const std::string& address, const std::string& invalid_dwords) {
  class_device(tree, device, "sas_phy",
               {{"phy_identifier", number},
                {"sas_address", address},
                {"negotiated_linkrate", "12.0 Gbit"},
                {"maximum_linkrate", "12.0 Gbit"},
                {"invalid_dword_count", invalid_dwords},
                {"running_disparity_error_count", "0"},
                {"loss_of_dword_sync_count", "0"},
                {"phy_reset_problem_count", "0"}});
}

}  // namespace

void replay(const TempTree& tree, const std::string& recording) {
  std::ifstream in(recording);
  std::map<std::string, std::string> texts;
  for (std::string line; std::getline(in, line);) {
    const size_t arrow = line.find(" -> "), tab = line.find('\t');
    if (arrow != line.npos)
      tree.link(line.substr(0, arrow), line.substr(arrow + 4));
    else if (tab != line.npos)
      texts[line.substr(0, tab)] += line.substr(tab + 1) + "\n";
  }
  for (const auto& [file, text] : texts) tree.file(file, text);
}

void sas_machine(const TempTree& tree) {
  pci(tree, "0000:3a:00.0", "0x060400");
  const std::string host = pci(tree, "0000:3a:00.0/0000:3b:00.0", "0x010700") + "/host0";
  tree.file("/sys/bus/pci/slots/4/address", "0000:3b:00\n");
  class_device(tree, host, "sas_host", {});
  class_device(tree, host, "scsi_host",
               {{"version_fw", "16.00.10.00"}, {"board_name", "SAS9300-8i"}});
  phy(tree, host + "/phy-0:0", "0", "0x500605b00a1b2c30", "0");
  const std::string port = host + "/port-0:0", expander = port + "/expander-0:0";
  tree.link(port + "/phy-0:0", host + "/phy-0:0");
  class_device(
      tree, expander, "sas_device",
      {{"sas_address", "0x500304801e8a3b3f"}, {"enclosure_identifier", "0x500304801e8a3b3f"}});
  class_device(tree, expander, "sas_expander",
               {{"vendor_id", "LSI"}, {"product_id", "SAS3x40"}, {"product_rev", "0701"}});
  phy(tree, expander + "/phy-0:0:8", "8", "0x500304801e8a3b3f", "7");
  const std::string end = expander + "/port-0:0:0/end_device-0:0:0";
  tree.link(expander + "/port-0:0:0/phy-0:0:8", expander + "/phy-0:0:8");
  class_device(tree, end, "sas_device", {{"sas_address", "0x5000c500a0000001"}});
  class_device(tree, end, "sas_end_device", {});
  block(tree, end + "/target0:0:0/0:0:0:0", "sda", "naa.5000c500a0000003");
}

void sata_and_nvme(const TempTree& tree) {
  const std::string ahci = pci(tree, "0000:00:17.0", "0x010601");
  block(tree, ahci + "/ata1/host1/target1:0:0/1:0:0:0", "sdb", "naa.50014ee2b0000001");
  pci(tree, "0000:5d:00.0", "0x060400");
  const std::string subsystem = "/sys/devices/virtual/nvme-subsystem/nvme-subsys0";
  const std::map<std::string, std::string> controllers = {{"0000:5e:00.0", "nvme0"},
                                                          {"0000:5f:00.0", "nvme1"}};
  for (const auto& [address, name] : controllers) {
    const std::string controller =
        pci(tree, "0000:5d:00.0/" + address, "0x010802") + "/nvme/" + name;
    tree.file(controller + "/transport", "pcie\n");
    tree.link(subsystem + "/" + name, controller);
  }
  tree.file(subsystem + "/nvme0n1/wwid", "eui.0025385b91b05321\n");
  tree.file(subsystem + "/nvme0n1/size", "2048\n");
  tree.link("/sys/block/nvme0n1", subsystem + "/nvme0n1");
}

void sensors(const TempTree& tree) {
  const std::string hwmon = "/sys/class/hwmon/";
  files(tree, hwmon + "hwmon0",
        {{"name", "nct6775"},
         {"temp1_input", "41500"},
         {"temp1_label", "CPUTIN"},
         {"temp1_crit", "95000"},
         {"fan1_input", "0"},
         {"fan1_alarm", "1"},
         {"in0_input", "1200"},
         {"temp1_type", "4"},
         {"pwm1", "128"}});
  for (const auto& [chip, device] :
       std::map<std::string, std::string>{{"hwmon1", "0-0018"}, {"hwmon2", "0-0019"}}) {
    files(tree, hwmon + chip, {{"name", "jc42"}, {"temp1_input", "33000"}});
    tree.folder("/sys/devices/i2c-0/" + device);
    tree.link(hwmon + chip + "/device", "/sys/devices/i2c-0/" + device);
  }
  files(tree, hwmon + "hwmon3", {{"name", "drivetemp"}, {"temp1_input", "30000"}});
}

}  // namespace fmd::machine::testing
