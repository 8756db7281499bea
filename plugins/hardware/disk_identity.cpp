#include "plugins/hardware/disk_identity.h"

#include <algorithm>
#include <optional>

#include "fmd/model/fmri.h"
#include "plugins/hardware/vpd.h"

namespace fmd::hardware {
namespace {

constexpr int kMaxMappings = 4;  // partition on multipath on …

std::string read_trimmed(const sdk::Host& host, const std::string& file) {
  auto text = host.read(file);
  return text ? trim_padding(*text) : std::string();
}

std::string first_of(const sdk::Host& host, const std::string& folder,
                     std::initializer_list<const char*> files) {
  for (const char* file : files)
    if (auto text = read_trimmed(host, folder + file); !text.empty()) return text;
  return {};
}

// "naa.5000c500…", "eui.0025…", "uuid.…-…" → lower-case hex; other forms ("t10.…", "nvme.…") only
// repeat model and serial, and not reliably.
std::string wwn_of(const std::string& wwid) {
  const size_t dot = wwid.find('.');
  if (dot == wwid.npos) return {};
  const std::string kind = wwid.substr(0, dot);
  if (kind != "naa" && kind != "eui" && kind != "uuid") return {};
  std::string hex;
  for (const char c : wwid.substr(dot + 1)) {
    if (c == '-') continue;
    if (!isxdigit(static_cast<unsigned char>(c))) return {};
    hex += static_cast<char>(tolower(static_cast<unsigned char>(c)));
  }
  // Some bridges return all zeros for every disk.
  return hex.find_first_not_of('0') == hex.npos ? std::string() : hex;
}

// The disk of a partition; name itself if it is a whole disk; nullopt if there is no such device.
std::optional<std::string> whole_disk(const sdk::Host& host, const std::string& name) {
  if (host.exists("/sys/block/" + name)) return name;
  if (auto real = host.resolve("/sys/class/block/" + name); real) {
    const std::string above = real->substr(0, real->rfind('/'));
    const std::string parent = above.substr(above.rfind('/') + 1);
    if (host.exists("/sys/block/" + parent)) return parent;
  }
  auto disks = host.list("/sys/block");
  if (!disks) return std::nullopt;
  for (const auto& disk : *disks)
    if (host.exists("/sys/block/" + disk + "/" + name + "/partition")) return disk;
  return std::nullopt;
}

// Device-mapper: the disk below if it is a single disk (multipath: several paths to one).
std::optional<std::string> mapped_onto(const sdk::Host& host, const std::string& name) {
  auto slaves = host.list("/sys/block/" + name + "/slaves");
  if (!slaves || slaves->empty()) return std::nullopt;
  const bool multipath =
      read_trimmed(host, "/sys/block/" + name + "/dm/uuid").starts_with("mpath-");
  if (slaves->size() > 1 && !multipath) return std::nullopt;
  return slaves->front();
}

DiskIdentity read_identity(const sdk::Host& host, const std::string& name) {
  const std::string folder = "/sys/block/" + name + "/";
  DiskIdentity id;
  id.name = name;
  id.wwn = wwn_of(first_of(host, folder, {"device/wwid", "wwid"}));
  if (const auto page = host.read(folder + "device/vpd_pg80")) id.serial = vpd_serial(*page);
  if (id.serial.empty()) id.serial = first_of(host, folder, {"device/serial", "serial"});
  id.model = first_of(host, folder, {"device/model", "device/name"});
  id.firmware = first_of(host, folder, {"device/rev", "device/firmware_rev", "device/fwrev"});
  id.vendor = read_trimmed(host, folder + "device/vendor");
  if (id.vendor.starts_with("0x")) id.vendor.clear();  // a numeric virtio or PCI id, not a name
  if (!id.wwn.empty()) {
    id.fmri = make_fmri("dev", {{"wwn", id.wwn}});
  } else if (!id.serial.empty()) {
    std::string unique = id.model + ":" + id.serial;
    // The serial number is the controller's, so other namespaces need their own FMRI.
    if (const auto space = read_trimmed(host, folder + "nsid"); !space.empty() && space != "1")
      unique += ":" + space;
    id.fmri = make_fmri("dev", {{"serial", unique}});
  }
  return id;
}

}  // namespace

bool is_mapped(const sdk::Host& host, const std::string& name) {
  const std::string uuid = read_trimmed(host, "/sys/block/" + name + "/dm/uuid");
  // "mpath-WWID", and "part1-mpath-WWID" of its partition.
  if (uuid.starts_with("mpath-") || (uuid.starts_with("part") && uuid.find("-mpath-") != uuid.npos))
    return false;
  const auto below = host.list("/sys/block/" + name + "/slaves");
  return !uuid.empty() || (below && !below->empty());
}

Result<DiskIdentity> identify_disk(const sdk::Host& host, std::string_view device) {
  std::string name(device.starts_with("/dev/") ? device.substr(5) : device);
  std::replace(name.begin(), name.end(), '/', '!');  // sysfs's form of "cciss/c0d0"
  if (name.empty() || name == "." || name == "..") return fail("no block device is named so");
  for (int depth = 0; depth < kMaxMappings; ++depth) {
    auto disk = whole_disk(host, name);
    if (!disk) return fail("there is no block device " + name);
    auto below = mapped_onto(host, *disk);
    if (!below) return read_identity(host, *disk);
    name = *below;
  }
  return fail("block device " + name + " is mapped too many times over");
}

}  // namespace fmd::hardware
