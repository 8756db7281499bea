#include "plugins/disk/disk_scan.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "fmd/base/json.h"
#include "plugins/hardware/disk_identity.h"

namespace fmd::disk {
namespace {

using nlohmann::json;

constexpr uint64_t kSector = 512;  // unit of /sys/block/*/size, whatever the disk's sector size

bool is_virtual_name(std::string_view name) {
  constexpr std::array<std::string_view, 9> kPrefixes = {"loop", "ram", "zram", "dm-", "md",
                                                         "sr",   "zd",  "fd",   "nbd"};
  return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

// Whether it may be built on other block devices: no disk, file, memory or network device.
bool is_built(std::string_view name) {
  constexpr std::array<std::string_view, 12> kNone = {
      "sd", "vd", "nvme", "mmcblk", "loop", "ram", "zram", "sr", "zd", "fd", "nbd", "xvd"};
  return std::none_of(kNone.begin(), kNone.end(),
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
  if (read(host, folder + "/hidden") == "1") return false;  // a path of native NVMe multipath
  // An empty slot of a card reader.
  if (read(host, folder + "/removable") == "1" && to_number(read(host, folder + "/size")) == 0)
    return false;
  const auto real = host.resolve(folder);
  return real && (!real->starts_with("/sys/devices/virtual/") ||
                  real->find("/nvme-subsystem/") != std::string::npos);
}

std::string transport_of(const sdk::Host& host, const std::string& name,
                         const std::string& vendor) {
  if (name.starts_with("nvme")) {
    const std::string fabric = read(host, "/sys/block/" + name + "/device/transport");
    return fabric.empty() || fabric == "pcie" ? "nvme" : "nvme-" + fabric;
  }
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

// Preference among udev's links: a WWN first, then the transport's names.
size_t rank(std::string_view link) {
  constexpr std::array<std::string_view, 6> kKinds = {"wwn-",  "nvme-eui.", "nvme-",
                                                      "scsi-", "ata-",      "virtio-"};
  const auto* found = std::find_if(kKinds.begin(), kKinds.end(),
                                   [&](std::string_view kind) { return link.starts_with(kind); });
  return static_cast<size_t>(found - kKinds.begin());
}

// Maps each kernel name to the best link in the folder.
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

// The disk of a partition (bdevname): "sda" for "sda1", "nvme0n1" for "nvme0n1p2"; "" for others.
std::string whole_name(const std::string& name) {
  size_t end = name.size();
  while (end > 0 && isdigit(static_cast<unsigned char>(name[end - 1])) != 0) --end;
  if (end == name.size()) return {};
  const bool counted =
      end > 1 && name[end - 1] == 'p' && isdigit(static_cast<unsigned char>(name[end - 2])) != 0;
  return name.substr(0, counted ? end - 1 : end);
}

// All block devices with partitions or with other devices on them. Reads only the devices that may
// be built on others, which are fewer than the disks.
std::set<std::string> used_devices(const sdk::Host& host, const std::vector<std::string>& names) {
  std::set<std::string> used;
  for (const auto& name : host.list("/sys/class/block").value_or(std::vector<std::string>{}))
    if (const std::string whole = whole_name(name);
        std::binary_search(names.begin(), names.end(), whole))
      used.insert(whole);
  std::map<std::string, std::vector<std::string>> slaves;
  for (const auto& name : names)
    if (is_built(name))
      if (auto below = host.list("/sys/block/" + name + "/slaves"); below && !below->empty())
        slaves.emplace(name, std::move(*below));
  std::set<std::string> held;
  for (const auto& [holder, below] : slaves) held.insert(below.begin(), below.end());
  for (const auto& [holder, below] : slaves) {
    // A multipath map is only another name of the disk: look at the uses of the map.
    const bool counts = held.contains(holder) || used.contains(holder) ||
                        !read(host, "/sys/block/" + holder + "/dm/uuid").starts_with("mpath-");
    if (counts) used.insert(below.begin(), below.end());
  }
  return used;
}

std::string link_of(const std::map<std::string, std::string>& links, const std::string& name) {
  const auto found = links.find(name);
  return found == links.end() ? std::string() : found->second;
}

// "nvme0n1" for its path "nvme0c2n1"; "" if the name is not that of a path.
std::string multipath_head(const std::string& name) {
  const size_t c = name.find('c', 4), n = name.find('n', 4);
  if (!name.starts_with("nvme") || c == name.npos || n == name.npos || n < c) return {};
  return name.substr(0, c) + name.substr(n);
}

Disk read_fixed(const sdk::Host& host, const std::string& name, hardware::DiskIdentity identity) {
  const std::string queue = "/sys/block/" + name + "/queue/";
  Disk disk;
  disk.rotational = read(host, queue + "rotational") == "1";
  disk.sector_bytes = to_number(read(host, queue + "logical_block_size"));
  disk.physical_sector_bytes = to_number(read(host, queue + "physical_block_size"));
  disk.transport = transport_of(host, name, identity.vendor);
  disk.identity = std::move(identity);
  return disk;
}

bool is_same(const std::map<std::string, Disk>& known, const std::string& name,
             const std::string& diskseq) {
  const auto before = known.find(name);
  return before != known.end() && !diskseq.empty() && before->second.diskseq == diskseq;
}

// The disk without links and use; nullopt if it is not one that fmd reports.
std::optional<Disk> look_at(const sdk::Host& host, const std::string& name,
                            const std::string& diskseq, size_t& nameless) {
  if (!is_a_disk(host, name)) return std::nullopt;
  auto identity = hardware::identify_disk(host, name);
  if (!identity) return std::nullopt;  // it has just disappeared
  if (identity->fmri.empty()) ++nameless;
  if (identity->fmri.empty()) return std::nullopt;
  Disk disk = read_fixed(host, name, std::move(*identity));
  disk.diskseq = diskseq;
  return disk;
}

// udev's names of disks, read on demand.
class Links {
 public:
  explicit Links(const sdk::Host& host) : host_(host) {}
  // Time of the last change; "" unknown.
  std::string state() const {
    const std::string by_id = host_.state_of_folder(kById),
                      by_path = host_.state_of_folder(kByPath);
    return by_id.empty() || by_path.empty() ? "" : by_id + " " + by_path;
  }
  void set(Disk& disk, const std::string& name) {
    if (!std::exchange(read_, true)) {
      by_id_ = links(host_, kById);
      by_path_ = links(host_, kByPath);
    }
    disk.by_id = link_of(by_id_, name);
    disk.by_path = link_of(by_path_, name);
  }

 private:
  static constexpr const char *kById = "/dev/disk/by-id", *kByPath = "/dev/disk/by-path";
  const sdk::Host& host_;
  bool read_ = false;
  std::map<std::string, std::string> by_id_, by_path_;
};

json disk_json(const Disk& d) {
  const auto& id = d.identity;
  return {id.fmri,
          id.serial,
          id.wwn,
          id.vendor,
          id.model,
          id.firmware,
          id.name,
          d.size_bytes,
          d.rotational,
          d.sector_bytes,
          d.physical_sector_bytes,
          d.transport,
          d.by_id,
          d.by_path,
          d.diskseq,
          d.in_use,
          d.paths};
}

Disk disk_from(const json& j) {
  Disk d;
  d.identity = {j[0], j[1], j[2], j[3], j[4], j[5], j[6]};
  d.size_bytes = j[7];
  d.rotational = j[8];
  d.sector_bytes = j[9];
  d.physical_sector_bytes = j[10];
  d.transport = j[11];
  d.by_id = j[12];
  d.by_path = j[13];
  d.diskseq = j[14];
  d.in_use = j[15];
  d.paths = j[16].get<std::vector<std::string>>();
  return d;
}

}  // namespace

Result<DeviceScan> scan_devices(const sdk::Host& host, const DeviceScan& before) {
  auto names = host.list("/sys/block");
  if (!names) return tl::unexpected(names.error());
  Links links(host);
  DeviceScan scan;
  scan.links = links.state();  // taken before the links are read
  const bool same_links = !scan.links.empty() && scan.links == before.links;
  const std::set<std::string> used = used_devices(host, *names);
  std::map<std::string, std::vector<std::string>> nvme_paths;
  std::set<std::string> same;  // with unchanged links
  for (const auto& name : *names) {
    if (is_virtual_name(name)) continue;
    if (const std::string head = multipath_head(name); !head.empty()) {
      nvme_paths[head].push_back(name);
      continue;
    }
    const sdk::Host::Folder folder(host, "/sys/block/" + name);
    const std::string diskseq = folder.read("diskseq").value_or("");
    const bool known = is_same(before.devices, name, diskseq);
    auto disk = known ? before.devices.at(name) : look_at(host, name, diskseq, scan.nameless);
    if (!disk) continue;
    disk->size_bytes = to_number(folder.read("size").value_or("")) * kSector;
    if (!known || !same_links)
      links.set(*disk, name);
    else
      same.insert(name);
    disk->in_use = used.contains(name);
    disk->paths.clear();
    scan.devices.emplace(name, std::move(*disk));
  }
  for (const auto& [head, paths] : nvme_paths)
    if (const auto at = scan.devices.find(head); at != scan.devices.end() && paths.size() > 1)
      at->second.paths = paths;
  scan.ways = scan_ways(host, scan.devices, before.ways, same);
  return scan;
}

std::map<std::string, Disk> disks_of(const DeviceScan& scan) {
  std::map<std::string, Disk> disks;
  for (const auto& [name, device] : scan.devices) {
    const auto [at, is_first] = disks.emplace(device.identity.fmri, device);
    if (is_first) continue;
    Disk& disk = at->second;
    if (disk.paths.empty()) disk.paths.push_back(disk.identity.name);
    disk.paths.push_back(name);
    disk.in_use |= device.in_use;
  }
  return disks;
}

// CBOR instead of JSON text: models and serials may contain any byte.
std::string to_bytes(const Result<DeviceScan>& scan) {
  json doc = json::object();
  if (scan) {
    doc["devices"] = json::array();
    for (const auto& [name, disk] : scan->devices) doc["devices"].push_back(disk_json(disk));
    doc["nameless"] = scan->nameless;
    doc["ways"] = to_json(scan->ways);
    doc["links"] = scan->links;
  } else {
    doc["error"] = scan.error().text();
  }
  const auto bytes = json::to_cbor(doc);
  return std::string(bytes.begin(), bytes.end());
}

Result<DeviceScan> from_bytes(const std::string& bytes) {
  const json doc = json::from_cbor(bytes, true, false);
  if (doc.is_object() && doc.contains("error")) return fail(doc["error"].get<std::string>());
  if (!doc.is_object() || !doc.contains("nameless")) return fail("the scan broke off");
  DeviceScan scan;
  scan.nameless = doc["nameless"];
  scan.ways = ways_from(doc["ways"]);
  scan.links = doc["links"];
  for (const json& one : doc["devices"]) {
    Disk disk = disk_from(one);
    const std::string name = disk.identity.name;
    scan.devices.emplace(name, std::move(disk));
  }
  return scan;
}

}  // namespace fmd::disk
