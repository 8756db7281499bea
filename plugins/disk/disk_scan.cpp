#include "plugins/disk/disk_scan.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace fmd::disk {
namespace {

constexpr uint64_t kSector = 512;  // the unit of /sys/block/*/size, whatever the disk's own

bool is_virtual_name(std::string_view name) {
  constexpr std::array<std::string_view, 9> kPrefixes = {"loop", "ram", "zram", "dm-", "md",
                                                         "sr",   "zd",  "fd",   "nbd"};
  return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

std::string read(const sdk::Host& host, const std::string& file) {
  auto text = host.read(file);
  return text ? *text : std::string();
}

uint64_t to_number(const std::string& text) {
  uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

bool is_a_disk(const sdk::Host& host, const std::string& name) {
  const std::string folder = "/sys/block/" + name;
  if (is_virtual_name(name)) return false;
  if (read(host, folder + "/hidden") == "1") return false;  // one path of native NVMe multipath
  // A card reader's empty slot.
  if (read(host, folder + "/removable") == "1" && to_number(read(host, folder + "/size")) == 0)
    return false;
  const auto real = host.resolve(folder);
  return real && (!real->starts_with("/sys/devices/virtual/") ||
                  real->find("/nvme-subsystem/") != std::string::npos);
}

std::string transport_of(const sdk::Host& host, const std::string& name,
                         const std::string& vendor) {
  if (name.starts_with("nvme")) return "nvme";
  if (name.starts_with("vd")) return "virtio";
  if (name.starts_with("mmcblk")) return "mmc";
  const std::string real = host.resolve("/sys/block/" + name).value_or("");
  const auto on = [&](std::string_view part) { return real.find(part) != std::string::npos; };
  if (on("/usb")) return "usb";
  if (on("/rport-")) return "fc";
  if (on("/session")) return "iscsi";
  if (vendor == "ATA" || on("/ata")) return "sata";  // also behind a SAS controller
  if (on("/end_device-") || host.exists("/sys/block/" + name + "/device/sas_address")) return "sas";
  return "scsi";
}

// The names udev gave it that say most: a WWN, else what comes with the transport.
size_t rank(std::string_view link) {
  constexpr std::array<std::string_view, 6> kKinds = {"wwn-",  "nvme-eui.", "nvme-",
                                                      "scsi-", "ata-",      "virtio-"};
  const auto* found = std::find_if(kKinds.begin(), kKinds.end(),
                                   [&](std::string_view kind) { return link.starts_with(kind); });
  return static_cast<size_t>(found - kKinds.begin());
}

// Kernel name → the best link of the folder.
std::map<std::string, std::string> links(const sdk::Host& host, const std::string& folder) {
  std::map<std::string, std::string> result;
  auto names = host.list(folder);
  if (!names) return result;
  for (const auto& name : *names) {
    auto target = host.read_link(folder + "/" + name);
    if (!target) continue;
    std::string& best = result[target->substr(target->rfind('/') + 1)];
    if (best.empty() || rank(name) < rank(best)) best = name;
  }
  for (auto& [name, link] : result) link = folder + "/" + link;
  return result;
}

bool in_use(const sdk::Host& host, const std::string& name) {
  const std::string folder = "/sys/block/" + name;
  if (auto holders = host.list(folder + "/holders"); holders && !holders->empty()) return true;
  auto entries = host.list(folder);
  if (!entries) return false;
  return std::any_of(entries->begin(), entries->end(), [&](const std::string& entry) {
    return entry.starts_with(name) && host.exists(folder + "/" + entry + "/partition");
  });
}

std::string link_of(const std::map<std::string, std::string>& links, const std::string& name) {
  const auto found = links.find(name);
  return found == links.end() ? std::string() : found->second;
}

}  // namespace

Result<DiskScan> scan_disks(const sdk::Host& host) {
  auto names = host.list("/sys/block");
  if (!names) return tl::unexpected(names.error());
  const auto by_id = links(host, "/dev/disk/by-id"), by_path = links(host, "/dev/disk/by-path");
  DiskScan scan;
  for (const auto& name : *names) {
    if (!is_a_disk(host, name)) continue;
    auto identity = sdk::identify_disk(host, name);
    if (!identity) continue;  // it has just gone
    if (identity->fmri.empty()) {
      ++scan.nameless;
      continue;
    }
    if (auto known = scan.disks.find(identity->fmri); known != scan.disks.end()) {
      known->second.in_use |= in_use(host, name);  // another path to it
      continue;
    }
    const std::string folder = "/sys/block/" + name;
    Disk disk;
    disk.size_bytes = to_number(read(host, folder + "/size")) * kSector;
    disk.rotational = read(host, folder + "/queue/rotational") == "1";
    disk.transport = transport_of(host, name, identity->vendor);
    disk.by_id = link_of(by_id, name);
    disk.by_path = link_of(by_path, name);
    disk.diskseq = read(host, folder + "/diskseq");
    disk.in_use = in_use(host, name);
    disk.identity = std::move(*identity);
    const std::string fmri = disk.identity.fmri;
    scan.disks.emplace(fmri, std::move(disk));
  }
  return scan;
}

}  // namespace fmd::disk
