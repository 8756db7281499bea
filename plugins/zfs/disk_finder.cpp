#include "plugins/zfs/disk_finder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "fmd/base/text.h"
#include "fmd/model/fmri.h"
#include "plugins/hardware/disk_identity.h"
#include "plugins/sdk/plugin.h"

namespace fmd::zfs {
namespace {

constexpr std::string_view kById = "/dev/disk/by-id/";
constexpr std::string_view kByVdev = "/dev/disk/by-vdev/";
constexpr std::string_view kByPath = "/dev/disk/by-path/";
constexpr uint64_t kSector = 512;  // unit of /sys/block/*/size

bool is_hex(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

// Rank of a link name: the smaller, the more it identifies the disk. ZFS keeps the name.
int rank_of(std::string_view link) {
  constexpr std::array<std::string_view, 7> kKinds = {"wwn-",  "nvme-eui.", "nvme-uuid.", "nvme-",
                                                      "scsi-", "ata-",      "virtio-"};
  for (size_t i = 0; i < kKinds.size(); ++i)
    if (link.starts_with(kKinds[i])) return static_cast<int>(i);
  return static_cast<int>(kKinds.size());
}

// "/dev/mapper/luks1", "/dev/disk/by-id/dm-uuid-CRYPT-…"; a multipath map may have any name.
bool names_mapping(std::string_view path) {
  const bool mapping = path.starts_with("/dev/mapper/") || path.starts_with("/dev/disk/by-id/dm-");
  return mapping && path.find("mpath") == path.npos;
}

}  // namespace

std::string disk_by_name(std::string_view name) {
  name = name.substr(name.rfind('/') + 1);
  if (const size_t part = name.rfind("-part"); part != std::string_view::npos)
    name = name.substr(0, part);
  std::string_view hex;
  if (name.starts_with("wwn-0x"))
    hex = name.substr(6);
  else if (name.starts_with("scsi-3"))
    hex = name.substr(6);
  else if (name.starts_with("nvme-eui."))
    hex = name.substr(9);
  if (!is_hex(hex) || (hex.size() != 16 && hex.size() != 32)) return "";
  std::string wwn(hex);
  std::transform(wwn.begin(), wwn.end(), wwn.begin(),
                 [](unsigned char c) { return static_cast<char>(tolower(c)); });
  return make_fmri("dev", {{"wwn", wwn}});
}

std::string DiskFinder::kernel_name(const std::string& path) const {
  for (const std::string& name : {path, whole_disk_path(path)})
    if (auto real = host_.resolve(name); real && real->starts_with("/dev/")) return real->substr(5);
  return "";
}

std::string DiskFinder::disk_of(const Vdev& vdev, std::map<uint64_t, std::string>& known) const {
  if (vdev.type != "disk") return "";
  const bool in_use = vdev.usable() || vdev.state == "AVAIL" || vdev.state == "INUSE";
  if (in_use || vdev.path.starts_with(kById)) {
    if (const auto name = kernel_name(vdev.path); !name.empty())
      if (auto disk = hardware::identify_disk(host_, name); disk && !disk->fmri.empty())
        return known[vdev.guid] = disk->fmri;
  }
  if (const auto found = known.find(vdev.guid); found != known.end()) return found->second;
  auto by_name = vdev.path.starts_with(kById) ? disk_by_name(vdev.path) : "";
  if (!by_name.empty()) known[vdev.guid] = by_name;
  return by_name;
}

bool DiskFinder::is_mapped(const Vdev& vdev, std::set<uint64_t>& known, bool seen) const {
  if (vdev.type != "disk") return false;
  const bool in_use = vdev.usable() || vdev.state == "AVAIL" || vdev.state == "INUSE";
  const std::string name = in_use ? block_device(vdev) : "";
  if (name.empty()) return known.contains(vdev.guid) || (!seen && names_mapping(vdev.path));
  const bool mapped = hardware::is_mapped(host_, name);
  if (mapped)
    known.insert(vdev.guid);
  else
    known.erase(vdev.guid);
  return mapped;
}

bool DiskFinder::present(const Vdev& vdev) const {
  return !vdev.path.starts_with('/') || host_.exists(vdev.path);
}

bool DiskFinder::bears_label(const Vdev& vdev) const {
  const auto real = host_.resolve(vdev.path);
  return real && real->starts_with("/dev/") && has_label(real->substr(5), vdev.guid);
}

bool DiskFinder::has_label(const std::string& kernel_name, uint64_t guid) const {
  const auto number = host_.read("/sys/class/block/" + kernel_name + "/dev");
  if (!number) return false;
  const auto known = host_.read("/run/udev/data/b" + *number);
  if (!known) return false;
  const std::string lines = "\n" + *known + "\n";  // other file systems also have an ID_FS_UUID_SUB
  return lines.find("\nE:ID_FS_TYPE=zfs_member\n") != std::string::npos &&
         lines.find(fmt::format("\nE:ID_FS_UUID_SUB={}\n", guid)) != std::string::npos;
}

std::string DiskFinder::labelled_path(const Vdev& vdev, std::string_view disk) const {
  const auto is_its = [&](const std::string& kernel) {
    const auto whole = hardware::identify_disk(host_, kernel);
    return whole && whole->fmri == disk && has_label(kernel, vdev.guid);
  };
  for (const std::string_view folder : {kById, kByPath})
    if (auto link = best_link(folder, is_its); !link.empty()) return link;
  return "";
}

std::string DiskFinder::at_path(const Vdev& vdev) const {
  return disk_at(vdev.path);
}

std::string DiskFinder::disk_at(const std::string& path) const {
  const std::string name = kernel_name(path);
  if (name.empty()) return "";
  const auto disk = hardware::identify_disk(host_, name);
  return disk ? disk->fmri : "";
}

std::string DiskFinder::in_place(const Vdev& vdev) const {
  if (vdev.type != "disk") return "";
  const bool plain = !vdev.physpath.empty() && vdev.physpath.find('/') == std::string::npos;
  for (const std::string_view folder : {kByVdev, kByPath})
    if (auto disk = plain ? disk_at(std::string(folder) + vdev.physpath) : ""; !disk.empty())
      return disk;
  for (const std::string_view folder : {kByVdev, kByPath, kById})
    if (vdev.path.starts_with(folder)) return disk_at(vdev.path);
  return "";
}

std::string DiskFinder::path_in_place(const Vdev& vdev, std::string_view device) const {
  if (!vdev.path.starts_with(kByVdev) && !vdev.path.starts_with(kByPath)) return "";
  return at_path(vdev) == device ? whole_disk_path(vdev.path) : "";
}

std::string DiskFinder::block_device(const Vdev& vdev) const {
  const std::string name = vdev.type == "disk" ? kernel_name(vdev.path) : "";
  if (name.empty() || host_.exists("/sys/block/" + name)) return name;
  const auto real = host_.resolve("/sys/class/block/" + name);
  if (!real) return "";
  const std::string above = real->substr(0, real->rfind('/'));
  return above.substr(above.rfind('/') + 1);
}

DeviceFacts DiskFinder::facts(const Vdev& vdev) const {
  DeviceFacts facts;
  const auto name = kernel_name(vdev.path);
  if (name.empty()) return facts;
  if (auto size = host_.read("/sys/class/block/" + name + "/size")) {
    uint64_t sectors = 0;
    (void)std::from_chars(size->data(), size->data() + size->size(), sectors);
    facts.size_bytes = sectors * kSector;
  }
  auto disk = hardware::identify_disk(host_, name);
  if (auto kind = host_.read("/sys/block/" + (disk ? disk->name : name) + "/queue/rotational"))
    facts.rotational = *kind == "1";
  return facts;
}

bool DiskFinder::has_partitions(const std::string& path) const {
  const auto name = kernel_name(path);
  auto entries = host_.list("/sys/block/" + name);
  return entries && std::any_of(entries->begin(), entries->end(), [&](const std::string& entry) {
           return host_.exists("/sys/block/" + name + "/" + entry + "/partition");
         });
}

std::string DiskFinder::best_link(std::string_view folder,
                                  const std::function<bool(const std::string&)>& wanted) const {
  auto links = host_.list(folder);
  std::string best;
  for (const std::string& link : links ? *links : std::vector<std::string>()) {
    const auto target = kernel_name(std::string(folder) + link);
    if (target.empty() || !wanted(target)) continue;
    if (best.empty() || rank_of(link) < rank_of(best)) best = link;
  }
  return best.empty() ? best : std::string(folder) + best;
}

Result<std::string> DiskFinder::stable_path(std::string_view device, std::string_view path) const {
  const auto is_it = [&](const std::string& kernel) {
    auto disk = hardware::identify_disk(host_, kernel);
    return disk && disk->fmri == device && disk->name == kernel;
  };
  const std::string name = path.empty() ? "" : kernel_name(std::string(path));
  if (!name.empty() && !is_it(name))
    return fail(fmt::format("{} is not {} any more: another disk has that name now", display(path),
                            device));
  const auto wanted = [&](const std::string& kernel) {
    return name.empty() ? is_it(kernel) : kernel == name;
  };
  for (const std::string_view folder : {kById, kByPath})
    if (auto link = best_link(folder, wanted); !link.empty()) return link;
  return fail(
      fmt::format("{} is not there, or udev has given it no name in {} yet", device, kById));
}

}  // namespace fmd::zfs
