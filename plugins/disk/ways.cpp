#include "plugins/disk/ways.h"

#include <algorithm>
#include <array>
#include <set>
#include <sstream>

#include "fmd/base/json.h"
#include "fmd/model/fmri.h"
#include "plugins/disk/disk_scan.h"
#include "plugins/hardware/kernel_number.h"
#include "plugins/hardware/pci_address.h"

namespace fmd::disk {
namespace {

using nlohmann::json;

std::string attribute(const sdk::Host& host, const std::string& file) {
  return host.read(file).value_or(std::string());
}

std::string last_of(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// "0:0:4:0", as in ".../target0:0:4/0:0:4:0".
bool is_hctl(const std::string& name) {
  return std::count(name.begin(), name.end(), ':') == 3 &&
         name.find_first_not_of("0123456789:") == name.npos;
}

// 3 for ".../ata3/host2/target2:0:0/...".
int ata_port_in(const std::string& path) {
  for (size_t at = path.find("/ata"); at != path.npos; at = path.find("/ata", at + 1))
    if (const auto port = hardware::number<int>(path.substr(at + 4)); port && *port > 0)
      return *port;
  return 0;
}

// libata's link->pmp + dev->devno: SCSI channel and id (libata-scsi.c, ata_scsi_scan_host()).
int ata_unit_of(const std::string& hctl) {
  const size_t channel = hctl.find(':') + 1, id = hctl.find(':', channel) + 1;
  return hardware::number<int>(hctl.substr(channel)).value_or(0) +
         hardware::number<int>(hctl.substr(id)).value_or(0);
}

// Without udev's name: the controller and the target on it, without the unstable host number if
// there is a controller.
std::string place_of(const Way& way, const std::string& real) {
  const std::string bus = hardware::pci_address_in(real);
  if (bus.empty()) return way.hctl.empty() ? way.name : "scsi-" + way.hctl;
  return "pci-" + bus + (way.hctl.empty() ? "" : "-" + way.hctl.substr(way.hctl.find(':') + 1));
}

// Reads the properties that may change on the same path.
void read_state(const sdk::Host& host, Way& way) {
  if (!way.nvme.empty()) {
    way.state = attribute(host, "/sys/class/nvme/" + way.nvme + "/state");
    way.ana = attribute(host, "/sys/block/" + way.name + "/ana_state");
  }
  if (way.hctl.empty()) return;
  const sdk::Host::Folder device(host, "/sys/block/" + way.name + "/device");
  way.state = device.read("state").value_or("");
  way.io_errors = hardware::number<uint64_t>(device.read("ioerr_cnt").value_or(""));
  way.io_timeouts = hardware::number<uint64_t>(device.read("iotmo_cnt").value_or(""));
}

void place_scsi(const std::string& real, Way& way) {
  way.ata_port = ata_port_in(real);
  if (way.ata_port > 0) way.ata_unit = ata_unit_of(way.hctl);
  const std::string bus = hardware::pci_address_in(real);
  if (!bus.empty()) way.hba = make_fmri("dev", {{"pci", bus}});
}

Way look_at(const sdk::Host& host, const std::string& name, const Disk& disk) {
  Way way;
  way.name = name;
  way.disk = disk.identity.fmri;
  way.dev = attribute(host, "/sys/block/" + name + "/dev");
  const std::string real = host.resolve("/sys/block/" + name + "/device").value_or("");
  if (const std::string last = last_of(real); is_hctl(last)) {
    way.hctl = last;
    place_scsi(real, way);
  } else if (name.starts_with("nvme")) {
    // "nvme0" for "nvme0n1" and for "nvme0c0n1": the device of a path is its controller.
    way.nvme = last.starts_with("nvme-subsys") ? "" : last;
  }
  read_state(host, way);
  way.id = disk.by_path.empty() || name != disk.identity.name ? place_of(way, real)
                                                              : last_of(disk.by_path);
  return way;
}

// The disks below a device; `direct`: those without an md array or an LVM volume between, which may
// have redundancy.
struct DisksBelow {
  std::set<std::string> all, direct;
};

bool may_have_redundancy(const sdk::Host& host, const std::string& folder) {
  return host.exists(folder + "/md") || attribute(host, folder + "/dm/uuid").starts_with("LVM-");
}

// Through device-mapper, md, and partitions.
void add_below(const sdk::Host& host, const std::string& name,
               const std::map<std::string, Disk>& devices, DisksBelow& disks, bool direct = true,
               int depth = 0) {
  if (depth > 8) return;
  if (const auto at = devices.find(name); at != devices.end()) {
    disks.all.insert(at->second.identity.fmri);
    if (direct) disks.direct.insert(at->second.identity.fmri);
    return;
  }
  const std::string folder = "/sys/class/block/" + name;
  if (host.exists(folder + "/partition")) {
    const std::string real = host.resolve(folder).value_or("");
    return add_below(host, last_of(real.substr(0, real.rfind('/'))), devices, disks, direct,
                     depth + 1);
  }
  direct = direct && !may_have_redundancy(host, folder);
  if (auto slaves = host.list(folder + "/slaves"))
    for (const auto& slave : *slaves) add_below(host, slave, devices, disks, direct, depth + 1);
}

// A line of mountinfo (proc_pid_mountinfo(5)).
struct Mount {
  std::string dev, point, type, source;  // "252:0"; btrfs has its own numbers
  bool forced_read_only = false;         // mounted for writing, but not writable
};

bool has_option(const std::string& options, std::string_view wanted) {
  std::string_view rest = options;
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find(','));
    if (one == wanted) return true;
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
  }
  return false;
}

// Mount options of these types carry no information.
bool is_never_writable(std::string_view type) {
  static constexpr std::array<std::string_view, 6> kTypes{"squashfs", "iso9660", "udf",
                                                          "erofs",    "cramfs",  "romfs"};
  return std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end();
}

// Only the first mount of each file system.
std::vector<Mount> mounts(const sdk::Host& host) {
  std::vector<Mount> result;
  std::set<std::string> seen;
  // Reads PID 1's: in the unit's own namespace all mounts are read-only (ProtectSystem=strict).
  std::string text = attribute(host, "/proc/1/mountinfo");
  if (text.empty()) text = attribute(host, "/proc/self/mountinfo");
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string id, parent, root, options, word, super;
    Mount mount;
    if (!(words >> id >> parent >> mount.dev >> root >> mount.point >> options)) continue;
    while (words >> word && word != "-") {
    }
    words >> mount.type >> mount.source >> super;
    if (!seen.insert(mount.dev).second) continue;
    // An administrator's remount changes both flags; "errors=remount-ro" and btrfs change only that
    // of the file system.
    mount.forced_read_only = !is_never_writable(mount.type) && has_option(options, "rw") &&
                             (has_option(super, "ro") || has_option(super, "emergency_ro"));
    result.push_back(std::move(mount));
  }
  return result;
}

std::map<std::string, std::string> uuids(const sdk::Host& host) {
  std::map<std::string, std::string> result;
  if (auto names = host.list("/dev/disk/by-uuid"))
    for (const auto& uuid : *names)
      if (auto target = host.read_link("/dev/disk/by-uuid/" + uuid))
        result[last_of(*target)] = uuid;
  return result;
}

class FileSystemScan {
 public:
  FileSystemScan(const sdk::Host& host, const std::map<std::string, Disk>& devices)
      : host_(host), devices_(devices), mounts_(mounts(host)), uuids_(uuids(host)) {}

  std::vector<FileSystem> all() {
    for (const char* type : {"ext4", "xfs"}) {
      const auto names = host_.list("/sys/fs/" + std::string(type));
      if (!names) continue;
      for (const auto& name : *names) {
        // The directory also has entries for features and statistics.
        const std::string dev = attribute(host_, "/sys/class/block/" + name + "/dev");
        if (dev.empty()) continue;
        const auto at = std::find_if(mounts_.begin(), mounts_.end(),
                                     [&](const Mount& mount) { return mount.dev == dev; });
        add(name, type, at == mounts_.end() ? Mount() : *at);
      }
    }
    for (const Mount& mount : mounts_)
      if (mount.source.starts_with("/dev/"))
        add(last_of(host_.resolve(mount.source).value_or(mount.source)), mount.type, mount);
    return std::move(found_);
  }

 private:
  void add(const std::string& name, const std::string& type, const Mount& mount) {
    if (!names_.insert(name).second) return;
    FileSystem fs{name, "", type, mount.point, {}, {}, mount.forced_read_only, {}};
    if (const auto uuid = uuids_.find(name); uuid != uuids_.end()) fs.uuid = uuid->second;
    fs.errors = hardware::number<uint64_t>(
        attribute(host_, "/sys/fs/" + type + "/" + name + "/errors_count"));
    DisksBelow disks;
    add_below(host_, name, devices_, disks);
    fs.disks.assign(disks.all.begin(), disks.all.end());
    fs.direct_disks.assign(disks.direct.begin(), disks.direct.end());
    found_.push_back(std::move(fs));
  }

  const sdk::Host& host_;
  const std::map<std::string, Disk>& devices_;
  const std::vector<Mount> mounts_;
  const std::map<std::string, std::string> uuids_;
  std::set<std::string> names_;
  std::vector<FileSystem> found_;
};

json number_json(const std::optional<uint64_t>& number) {
  return number ? json(*number) : json();
}
std::optional<uint64_t> number_from(const json& j) {
  return j.is_number_unsigned() ? std::optional(j.get<uint64_t>()) : std::nullopt;
}

}  // namespace

std::string way_fmri(const Way& way) {
  return make_fmri("dev", {{"path", way.id}});
}

std::string file_system_fmri(const FileSystem& fs) {
  return make_fmri("fs", {fs.uuid.empty() ? std::pair<std::string, std::string>("device", fs.name)
                                          : std::pair<std::string, std::string>("uuid", fs.uuid)});
}

// NVM Express base specification 2.0, asymmetric namespace access states; states of a controller in
// drivers/nvme/host/core.c. A controller without the former omits ana_state or has "optimized".
std::string nvme_state(const Way& way) {
  const size_t controller = way.name.find('c'), end = way.name.find('n', 4);
  if (!way.name.starts_with("nvme") || controller == way.name.npos || end < controller) return {};
  if (way.state == "new" || way.ana == "change") return "changing";
  if (!way.state.empty() && way.state != "live") return "lost";
  if (way.ana == "persistent-loss") return "lost";
  return way.ana == "inaccessible" ? "standby" : "usable";
}

Ways scan_ways(const sdk::Host& host, const std::map<std::string, Disk>& devices,
               const Ways& before, const std::set<std::string>& same) {
  Ways result;
  for (const auto& [name, disk] : devices) {
    const auto known = before.ways.find(name);
    if (disk.paths.empty() && known != before.ways.end() && same.contains(name)) {
      Way way = known->second;
      read_state(host, way);
      result.ways.emplace(name, std::move(way));
    } else if (disk.paths.empty()) {
      result.ways.emplace(name, look_at(host, name, disk));
    }
    // Native NVMe multipath: the paths have their own devices.
    for (const auto& path : disk.paths) result.ways.emplace(path, look_at(host, path, disk));
  }
  result.file_systems = FileSystemScan(host, devices).all();
  return result;
}

json to_json(const Ways& ways) {
  json list = json::array(), file_systems = json::array();
  for (const auto& [name, w] : ways.ways)
    list.push_back({w.name, w.id, w.disk, w.dev, w.hctl, w.nvme, w.hba, w.ata_port, w.ata_unit,
                    w.state, number_json(w.io_errors), number_json(w.io_timeouts), w.ana});
  for (const auto& fs : ways.file_systems)
    file_systems.push_back({fs.name, fs.uuid, fs.type, fs.mount_point, number_json(fs.errors),
                            fs.disks, fs.forced_read_only, fs.direct_disks});
  return {list, file_systems};
}

Ways ways_from(const json& doc) {
  Ways ways;
  for (const json& w : doc.at(0)) {
    Way way{w[0],
            w[1],
            w[2],
            w[3],
            w[4],
            w[5],
            w[6],
            w[7],
            w[8],
            w[9],
            number_from(w[10]),
            number_from(w[11]),
            w[12]};
    const std::string name = way.name;
    ways.ways.emplace(name, std::move(way));
  }
  for (const json& f : doc.at(1))
    ways.file_systems.push_back({f[0], f[1], f[2], f[3], number_from(f[4]),
                                 f[5].get<std::vector<std::string>>(), f[6].get<bool>(),
                                 f[7].get<std::vector<std::string>>()});
  return ways;
}

}  // namespace fmd::disk
