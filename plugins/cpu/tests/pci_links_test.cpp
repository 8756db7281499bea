// Finding the link of a PCI address.
#include "plugins/cpu/pci_links.h"

#include <gtest/gtest.h>

#include "plugins/sdk/tests/support.h"

namespace fmd::cpu {
namespace {

// A configuration space with PCI Express as its second capability.
std::string config(unsigned type) {
  std::string out(128, '\0');
  out[0x34] = 0x40;
  out[0x40] = 0x01;  // power management
  out[0x41] = 0x50;
  out[0x50] = 0x10;
  out[0x52] = static_cast<char>(type << 4 | 2);
  return out;
}

class PciLinks : public ::testing::Test {
 protected:
  sdk::testing::Loop loop_;
  sdk::testing::TempTree tree_;
  sdk::Host host_{loop_, tree_.root(), ""};

  // path: below /sys/devices/pci0000:00.
  void device(const std::string& path, const char* device_class, const std::string& space = "") {
    const std::string name = path.substr(path.rfind('/') + 1);
    tree_.file("/sys/devices/pci0000:00/" + path + "/class", device_class);
    if (!space.empty()) tree_.file("/sys/devices/pci0000:00/" + path + "/config", space);
    tree_.link("/sys/bus/pci/devices/" + name, "../../../devices/pci0000:00/" + path);
  }
  std::pair<std::string, std::string> ends(const std::string& address) {
    const PciLink link = look_at_link(host_, address);
    return {link.port, link.device};
  }
  using Ends = std::pair<std::string, std::string>;
};

TEST_F(PciLinks, OfASwitch) {
  const std::string root = "0000:00:04.0", up = root + "/0000:01:00.0", down = up + "/0000:02:00.0",
                    card = down + "/0000:03:00.0";
  device(root, "0x060400", config(4));
  device(up, "0x060400", config(5));
  device(down, "0x060400", config(6));
  device(up + "/0000:02:01.0", "0x060400", config(6));
  device(card, "0x010802", config(0));
  device(down + "/0000:03:00.1", "0x010802", config(0));
  EXPECT_EQ(ends("0000:01:00.0"), (Ends{"0000:00:04.0", "0000:01:00.0"}))
      << "its port to the processor is the lower end";
  EXPECT_EQ(ends("0000:00:04.0"), (Ends{"0000:00:04.0", "0000:01:00.0"})) << "the same link";
  EXPECT_EQ(ends("0000:02:00.0"), (Ends{"0000:02:00.0", "0000:03:00.0"}));
  EXPECT_EQ(ends("0000:03:00.1"), (Ends{"0000:02:00.0", "0000:03:00.0"})) << "its second function";
  EXPECT_EQ(ends("0000:02:01.0"), (Ends{"0000:02:01.0", ""}));
}

TEST_F(PciLinks, OfWhatDoesNotSay) {
  device("0000:00:04.0", "0x060400");
  device("0000:00:04.0/0000:02:00.0", "0x010802");
  device("0000:00:1f.2", "0x010601");
  EXPECT_EQ(ends("0000:00:04.0"), (Ends{"0000:00:04.0", "0000:02:00.0"}));
  EXPECT_EQ(ends("0000:02:00.0"), (Ends{"0000:00:04.0", "0000:02:00.0"}));
  EXPECT_EQ(ends("0000:00:1f.2"), (Ends{"", "0000:00:1f.2"})) << "a part of the root complex";
  EXPECT_EQ(ends("0000:00:07.0"), (Ends{"", ""}));
  EXPECT_EQ(ends("../../etc"), (Ends{"", ""}));
}

TEST_F(PciLinks, AnySpaceIsTaken) {
  EXPECT_EQ(port_in(config(4)), PciPort::down);
  EXPECT_EQ(port_in(config(5)), PciPort::up);
  EXPECT_EQ(port_in(config(7)), PciPort::none) << "a bridge to PCI";
  std::string circle = config(4);
  circle[0x50] = 0x01;
  circle[0x51] = 0x40;
  EXPECT_EQ(port_in(circle), PciPort::none);
  for (size_t n = 0; n < circle.size(); ++n) (void)port_in(config(4).substr(0, n));
}

}  // namespace
}  // namespace fmd::cpu
