#include "plugins/volumes/hardware_raid.h"

#include <algorithm>
#include <array>
#include <string_view>
#include "plugins/hardware/disk_identity.h"

#include "fmd/base/json.h"
#include "plugins/sdk/messages.h"

namespace fmd::volumes {
namespace {

using nlohmann::json;

// Their disks are volumes, except for passed-through disks, which have the disk's own vendor.
constexpr std::array<std::string_view, 7> kControllers = {
    "megaraid_sas", "megaraid_mbox", "aacraid", "arcmsr", "3w-9xxx", "3w-sas", "ips"};
// Drivers whose volumes have the sysfs attribute raid_level.
constexpr std::array<std::string_view, 2> kTellLevel = {"hpsa", "smartpqi"};
// Vendor names in a volume's INQUIRY data.
constexpr std::array<std::string_view, 14> kVendors = {
    "LSI",     "AVAGO", "BROADCOM", "DELL", "IBM", "LENOVO", "Lenovo",
    "Adaptec", "ASR",   "Areca",    "AMCC", "SMC", "INTEL",  "Cisco"};

std::string line(const sdk::Host& host, const std::string& file) {
  std::string text = host.read(file).value_or(std::string());
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

template <size_t n>
bool is_one_of(const std::array<std::string_view, n>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// Adapters whose disks may be volumes: "host2" → driver. all: every adapter, because the class
// raid_devices has entries.
std::map<std::string, std::string> raid_hosts(const sdk::Host& host, bool all) {
  std::map<std::string, std::string> out;
  const auto names = host.list("/sys/class/scsi_host");
  if (!names) return out;
  for (const std::string& name : *names) {
    std::string driver = line(host, "/sys/class/scsi_host/" + name + "/proc_name");
    if (all || is_one_of(kControllers, driver) || is_one_of(kTellLevel, driver))
      out.emplace(name, std::move(driver));
  }
  return out;
}

// "2:1:0:0" of ".../host2/target2:1:0/2:1:0:0".
std::string hctl_of(const sdk::Host& host, const std::string& device) {
  const std::string real = host.resolve(device).value_or("");
  return real.substr(real.rfind('/') + 1);
}

std::string health_of(const std::string& state) {
  if (state == "active") return "optimal";
  if (state == "resyncing") return "rebuilding";
  if (state == "degraded") return "degraded";
  return state == "offline" ? "failed" : "unknown";
}

}  // namespace

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RaidVolume, disk, driver, level, state)

std::vector<RaidVolume> scan_hardware_raid(const sdk::Host& host) {
  std::vector<RaidVolume> out;
  const auto names = host.list("/sys/block");
  if (!names) return out;
  const auto volumes = host.list("/sys/class/raid_devices").value_or(std::vector<std::string>{});
  const auto adapters = raid_hosts(host, !volumes.empty());
  if (adapters.empty()) return out;
  for (const std::string& name : *names) {
    if (!name.starts_with("sd")) continue;
    const std::string device = "/sys/block/" + name + "/device";
    const std::string hctl = hctl_of(host, device);
    const auto adapter = adapters.find("host" + hctl.substr(0, hctl.find(':')));
    if (adapter == adapters.end()) continue;
    RaidVolume volume;
    volume.driver = adapter->second;
    if (is_one_of(kTellLevel, volume.driver)) volume.level = line(host, device + "/raid_level");
    if (std::binary_search(volumes.begin(), volumes.end(), hctl)) {
      const std::string known = "/sys/class/raid_devices/" + hctl;
      volume.level = line(host, known + "/level");
      volume.state = line(host, known + "/state");
    } else if (volume.level.empty() || volume.level == "N/A") {
      volume.level.clear();
      if (!is_one_of(kControllers, volume.driver) ||
          !is_one_of(kVendors, line(host, device + "/vendor")))
        continue;
    }
    if (const auto identity = hardware::identify_disk(host, name)) volume.disk = identity->fmri;
    if (!volume.disk.empty()) out.push_back(std::move(volume));
  }
  return out;
}

json to_json(const std::vector<RaidVolume>& volumes) {
  return json(volumes);
}

std::vector<RaidVolume> hardware_raid_from_json(const json& doc) {
  return doc.get<std::vector<RaidVolume>>();
}

std::map<std::string, json> hardware_raid_resources(const std::vector<RaidVolume>& volumes) {
  std::map<std::string, json> out;
  for (const RaidVolume& volume : volumes) {
    json p{{"raid.driver", volume.driver},
           {"raid.observed", volume.state.empty() ? "not-observed" : "observed"}};
    if (!volume.level.empty()) p["raid.level"] = volume.level;
    if (!volume.state.empty()) p["raid.health"] = health_of(volume.state);
    if (volume.state.empty())
      p["raid.reason"] =
          "the controller's driver does not report the volume's state; use the controller's own "
          "tool";
    out[volume.disk] = sdk::resource(volume.disk, "disk", std::move(p));
  }
  return out;
}

}  // namespace fmd::volumes
