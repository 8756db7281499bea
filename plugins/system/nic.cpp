#include "plugins/system/nic.h"

#include "fmd/model/fmri.h"
#include "plugins/system/sysfs.h"

namespace fmd::machine {
namespace {

using nlohmann::json;

constexpr const char* kNet = "/sys/class/net";

// A bond gives its members its own address; the permanent one is in perm_hwaddr.
std::string own_address(const sdk::Host& host, const std::string& folder) {
  const std::string kept = read_text(host, folder + "/bonding_slave/perm_hwaddr");
  std::string mac = kept.empty() ? read_text(host, folder + "/address") : kept;
  for (char& c : mac)
    if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
  const bool is_address =
      mac.size() >= 17 && mac.find_first_not_of("0123456789abcdef:") == mac.npos;
  return is_address && mac.find_first_not_of("0:") != mac.npos ? mac : std::string();
}

}  // namespace

void add_nics(const sdk::Host& host, Facts& facts) {
  for (const std::string& name : names_in(host, kNet)) {
    const std::string folder = std::string(kNet) + "/" + name;
    const auto device = host.resolve(folder + "/device");
    if (!device) continue;  // lo, bridges, bonds, tunnels
    const std::string mac = own_address(host, folder);
    if (mac.empty()) continue;
    std::string fmri = make_fmri("dev", {{"mac", mac}});
    if (facts.has(fmri)) fmri = make_fmri("dev", {{"mac", mac}, {"name", name}});
    json& nic = facts.add(fmri, "nic");
    set_text(nic, "name", name);
    set_text(nic, "mac", mac);
    set_text(nic, "link", read_text(host, folder + "/operstate"));
    if (const auto driver = host.resolve(folder + "/device/driver"))
      set_text(nic, "driver", last_name(*driver));
    // -1 or an error if there is no link.
    if (const auto speed = read_number(host, folder + "/speed"); speed && *speed > 0)
      nic["properties"]["speed_mbps"] = *speed;
    if (const std::string pci = nearest_pci(*device); !pci.empty()) {
      set_text(nic, "pci", pci);
      facts.link(pci_fmri(pci), "path", fmri);
    }
    facts.contain(fmri);
  }
}

}  // namespace fmd::machine
