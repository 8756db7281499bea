// Folder trees of simulated machines for the tests of the enclosure plugin.
//
// tower: hand-made, like Linux 6.1's libata (drivers/ata/libata-transport.c): an AHCI
//   controller at 0000:00:1f.2 with four ports, disks at ports 1 and 3, and a second controller at
//   0000:03:00.0 without any disk.
// nvme server: hand-made, like drivers/pci/slot.c, drivers/pci/hotplug/pciehp_hpc.c and
//   drivers/pci/npem.c (Linux 6.13): slots 7 and 8 behind ports with NPEM, slot 9 with an
//   attention indicator only, slot 1 with a network card.
// sas box: hand-made, like drivers/scsi/scsi_transport_sas.c: an HBA with eight phys, a disk at
//   phy 4.
// workstation: as the tower, at 0000:00:17.0: port 1 has a port multiplier with two disks, port 2
//   an optical drive; a second controller has no disk.
// VMD server: like drivers/pci/controller/vmd.c: NVMe slots in a PCI domain of five digits.
// backplane server: like drivers/scsi/ses.c and drivers/misc/enclosure.c: an expander's SES
//   processor with three slots, the disk in the first at an ATA port of the host (as in
//   an SGPIO backplane with SES), and another ATA disk.
// double shelf: one shelf with two processors; each sees one of two disks, and both slots have the
//   number 0.
// The enclosure of enclosure_test.cpp is as recorded on the test machine.
// replay: a recording (fixtures/README.md).
#pragma once
#include <fstream>
#include <map>
#include <string>

#include "plugins/sdk/tests/support.h"

namespace fmd::enclosure::testing {

inline void scsi_disk(const sdk::testing::TempTree& tree, const std::string& lun,
                      const std::string& name, const std::string& wwn) {
  tree.file(lun + "/wwid", "naa." + wwn + "\n");
  tree.folder(lun + "/block/" + name);
  tree.link(lun + "/block/" + name + "/device", lun);
  tree.link("/sys/block/" + name, lun + "/block/" + name);
}

inline std::string ata_port(int port) {
  return "/sys/devices/pci0000:00/0000:00:1f.2/ata" + std::to_string(port);
}
inline std::string ata_lun(int port) {
  const std::string n = std::to_string(port - 1);
  return ata_port(port) + "/host" + n + "/target" + n + ":0:0/" + n + ":0:0:0";
}

inline void make_tower(const sdk::testing::TempTree& tree) {
  for (int port = 1; port <= 4; ++port) {
    const std::string n = std::to_string(port);
    tree.file(ata_port(port) + "/ata_port/ata" + n + "/port_no", n + "\n");
    tree.link("/sys/class/ata_port/ata" + n, ata_port(port) + "/ata_port/ata" + n);
  }
  const std::string other = "/sys/devices/pci0000:00/0000:00:1c.0/0000:03:00.0/ata5/ata_port/ata5";
  tree.file(other + "/port_no", "1\n");
  tree.link("/sys/class/ata_port/ata5", other);
  scsi_disk(tree, ata_lun(1), "sda", "5000c500a0000001");
  scsi_disk(tree, ata_lun(3), "sdb", "5000c500a0000003");
  tree.file("/sys/class/dmi/id/sys_vendor", "ACME\n");
  tree.file("/sys/class/dmi/id/product_name", "Tower 1\n");
  tree.file("/etc/machine-id", "0123456789abcdef0123456789abcdef\n");
}

inline constexpr const char* kTower = "hc://chassis=f98595ef-4abf-46c3-847f-1deb864ebcb6";

inline std::string port_of(const std::string& bus) {  // the port above a bus
  return "/sys/devices/pci0000:00/0000:00:0" + bus.substr(1, 1) + ".0";
}

inline void nvme_slot(const sdk::testing::TempTree& tree, const std::string& slot,
                      const std::string& bus, bool disk) {
  const std::string port = port_of(bus), address = "0000:" + bus + ":00";
  tree.file("/sys/bus/pci/slots/" + slot + "/address", address + "\n");
  tree.file("/sys/bus/pci/slots/" + slot + "/attention", "0\n");
  tree.folder(port + "/pci_bus/0000:" + bus);
  tree.link("/sys/class/pci_bus/0000:" + bus, port + "/pci_bus/0000:" + bus);
  if (!disk) return;
  const std::string device = port + "/" + address + ".0", name = "nvme" + slot;
  tree.file(device + "/nvme/" + name + "/" + name + "n1/wwid", "eui.00253850a000000" + slot + "\n");
  tree.link(device + "/nvme/" + name + "/" + name + "n1/device", device + "/nvme/" + name);
  tree.link("/sys/bus/pci/devices/" + address + ".0", device);
  tree.link("/sys/block/" + name + "n1", device + "/nvme/" + name + "/" + name + "n1");
}

inline void npem(const sdk::testing::TempTree& tree, const std::string& bus) {
  const std::string address = port_of(bus).substr(port_of(bus).rfind('/') + 1);
  for (const char* led : {"ok", "locate", "fail"}) {
    const std::string name = address + ":enclosure:" + led;
    tree.file(port_of(bus) + "/leds/" + name + "/brightness", "0\n");
    tree.link("/sys/class/leds/" + name, port_of(bus) + "/leds/" + name);
  }
}

inline void make_nvme_server(const sdk::testing::TempTree& tree) {
  nvme_slot(tree, "7", "02", true);
  npem(tree, "02");
  nvme_slot(tree, "8", "03", false);
  npem(tree, "03");
  nvme_slot(tree, "9", "04", true);
  nvme_slot(tree, "1", "05", false);  // a network card
  tree.folder(port_of("05") + "/0000:05:00.0/net/eth0");
  tree.link("/sys/bus/pci/devices/0000:05:00.0", port_of("05") + "/0000:05:00.0");
  tree.file("/sys/class/dmi/id/sys_vendor", "ACME\n");
}

inline void make_sas_box(const sdk::testing::TempTree& tree) {
  const std::string host = "/sys/devices/pci0000:00/0000:00:03.0/0000:06:00.0/host2";
  for (int phy = 0; phy < 8; ++phy) {
    const std::string name = "phy-2:" + std::to_string(phy);
    tree.file(host + "/" + name + "/sas_phy/" + name + "/phy_identifier", std::to_string(phy));
    tree.link("/sys/class/sas_phy/" + name, host + "/" + name + "/sas_phy/" + name);
  }
  tree.link(host + "/port-2:0/phy-2:4", host + "/phy-2:4");
  scsi_disk(tree, host + "/port-2:0/end_device-2:0/target2:0:0/2:0:0:0", "sdq", "5000c500a0000009");
}

inline std::string ahci_port(int port) {
  return "/sys/devices/pci0000:00/0000:00:17.0/ata" + std::to_string(port);
}

inline void make_ahci(const sdk::testing::TempTree& tree, int ports) {
  for (int port = 1; port <= ports; ++port) {
    const std::string n = std::to_string(port), at = ahci_port(port) + "/ata_port/ata" + n;
    tree.file(at + "/port_no", n + "\n");
    tree.link("/sys/class/ata_port/ata" + n, at);
  }
  tree.file("/sys/class/dmi/id/sys_vendor", "ACME\n");
}

inline void make_workstation(const sdk::testing::TempTree& tree) {
  make_ahci(tree, 2);
  const std::string other = "/sys/devices/pci0000:00/0000:00:1c.0/0000:03:00.0/ata9/ata_port/ata9";
  tree.file(other + "/port_no", "1\n");
  tree.link("/sys/class/ata_port/ata9", other);
  scsi_disk(tree, ahci_port(1) + "/host0/target0:0:0/0:0:0:0", "sda", "5000c500b0000001");
  scsi_disk(tree, ahci_port(1) + "/host0/target0:1:0/0:1:0:0", "sdb", "5000c500b0000002");
  tree.folder(ahci_port(2) + "/host1/target1:0:0/1:0:0:0/block/sr0");
}

inline void make_vmd_server(const sdk::testing::TempTree& tree) {
  const std::string domain = "/sys/devices/pci0000:5d/0000:5d:05.5/pci10000:00/";
  for (const auto& [slot, bus] : {std::pair<std::string, std::string>{"12", "01"}, {"13", "02"}}) {
    const std::string port = "10000:00:" + bus + ".0", at = domain + port;
    tree.file("/sys/bus/pci/slots/" + slot + "/address", "10000:" + bus + ":00\n");
    tree.folder(at + "/pci_bus/10000:" + bus);
    tree.link("/sys/class/pci_bus/10000:" + bus, at + "/pci_bus/10000:" + bus);
    for (const char* led : {"locate", "fail"}) {
      const std::string name = port + ":enclosure:" + led;
      tree.file(at + "/leds/" + name + "/brightness", "0\n");
      tree.link("/sys/class/leds/" + name, at + "/leds/" + name);
    }
  }
  tree.file("/sys/bus/pci/slots/14/address", "10000:03:00\n");  // empty, and without an LED
  const std::string drive = domain + "10000:00:01.0/10000:01:00.0", space = drive + "/nvme/nvme0";
  tree.file(space + "/nvme0n1/wwid", "eui.00253850c0000001\n");
  tree.link("/sys/bus/pci/devices/10000:01:00.0", drive);
  tree.link("/sys/block/nvme0n1", space + "/nvme0n1");
  tree.file("/sys/class/dmi/id/sys_vendor", "ACME\n");
}

inline void ses_slot(const sdk::testing::TempTree& tree, const std::string& box,
                     const std::string& name, const std::string& number, const std::string& disk) {
  tree.file(box + "/" + name + "/slot", number + "\n");
  tree.file(box + "/" + name + "/type", "array device\n");
  tree.file(box + "/" + name + "/status", disk.empty() ? "not installed\n" : "OK\n");
  for (const char* led : {"fault", "locate"}) tree.file(box + "/" + name + "/" + led, "0\n");
  if (!disk.empty()) tree.link(box + "/" + name + "/device", disk);
}

inline void make_backplane_server(const sdk::testing::TempTree& tree) {
  make_ahci(tree, 2);
  const std::string first = ahci_port(1) + "/host1/target1:0:0/1:0:0:0";
  scsi_disk(tree, first, "sda", "5000c500d0000000");
  scsi_disk(tree, ahci_port(2) + "/host2/target2:0:0/2:0:0:0", "sdb", "5000c500d0000009");
  const std::string
      unit = "/sys/devices/pci0000:00/0000:00:03.0/0000:06:00.0/host0/target0:0:9/0:0:9:0",
      box = unit + "/enclosure/0:0:9:0";
  tree.file(box + "/id", "5003048001f9a13f\n");
  tree.file(unit + "/vendor", "SMC     \n");
  tree.file(unit + "/model", "SC826P          \n");
  tree.link(box + "/device", unit);
  tree.link("/sys/class/enclosure/0:0:9:0", box);
  ses_slot(tree, box, "Slot00", "0", first);
  ses_slot(tree, box, "Slot01", "1", "");
  ses_slot(tree, box, "Slot02  ", "2", "");
}

inline void make_double_shelf(const sdk::testing::TempTree& tree) {
  for (const auto& [host, seen] :
       {std::pair<std::string, std::string>{"1", "Disk A"}, {"2", "Disk B"}}) {
    const std::string at = "/sys/devices/pci0000:00/0000:0" + host + ":00.0/host" + host + "/",
                      disk = at + "target" + host + ":0:1/" + host + ":0:1:0";
    scsi_disk(tree, disk, "sd" + host, "5000c500e000000" + host);
    const std::string name = host + ":0:7:0",
                      box = at + "target" + host + ":0:7/" + name + "/enclosure/" + name;
    tree.file(box + "/id", "50050cc10c4001aa\n");
    tree.link("/sys/class/enclosure/" + name, box);
    for (const char* slot : {"Disk A", "Disk B"})
      ses_slot(tree, box, slot, "0", slot == seen ? disk : "");
  }
}

// Links first: files are then created below their targets.
inline void replay(const sdk::testing::TempTree& tree, const std::string& recording) {
  std::ifstream in(recording);
  std::map<std::string, std::string> texts;
  for (std::string line; std::getline(in, line);) {
    const size_t arrow = line.find(" -> "), tab = line.find('\t');
    if (arrow != line.npos) {
      tree.folder(line.substr(arrow + 4));
      tree.link(line.substr(0, arrow), line.substr(arrow + 4));
    } else if (tab != line.npos) {
      texts[line.substr(0, tab)] += line.substr(tab + 1) + "\n";
    }
  }
  for (const auto& [file, text] : texts) tree.file(file, text);
}

}  // namespace fmd::enclosure::testing
