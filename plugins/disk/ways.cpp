#include "plugins/disk/ways.h"

#include <algorithm>
#include <set>

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

// "0:0:4:0" of ".../target0:0:4/0:0:4:0".
bool is_hctl(const std::string& name) {
  return std::count(name.begin(), name.end(), ':') == 3 &&
         name.find_first_not_of("0123456789:") == name.npos;
}

// 3 of ".../ata3/host2/target2:0:0/...".
int ata_port_in(const std::string& path) {
  for (size_t at = path.find("/ata"); at != path.npos; at = path.find("/ata", at + 1))
    if (const auto port = hardware::number<int>(path.substr(at + 4)); port && *port > 0)
      return *port;
  return 0;
}

// libata's link->pmp + dev->devno, which are channel and id (ata_scsi_scan_host() of drivers/ata/libata-scsi.c).
int ata_unit_of(const std::string& hctl) {
  const size_t channel = hctl.find(':') + 1, id = hctl.find(':', channel) + 1;
  return hardware::number<int>(hctl.substr(channel)).value_or(0) +
         hardware::number<int>(hctl.substr(id)).value_or(0);
}

// Without udev's name: the controller and the target on it, without the host's number where there
// is a controller to tell it by.
std::string place_of(const Way& way, const std::string& real) {
  const std::string bus = hardware::pci_address_in(real);
  if (bus.empty()) return way.hctl.empty() ? way.name : "scsi-" + way.hctl;
  return "pci-" + bus + (way.hctl.empty() ? "" : "-" + way.hctl.substr(way.hctl.find(':') + 1));
}

// What changes while it is the same way.
void read_state(const sdk::Host& host, Way& way) {
  if (!way.nvme.empty()) way.state = attribute(host, "/sys/class/nvme/" + way.nvme + "/state");
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
    // "nvme0" itself, also of "nvme0c0n1": a path's device is its controller.
    way.nvme = last.starts_with("nvme-subsys") ? "" : last;
  }
  read_state(host, way);
  way.id = disk.by_path.empty() || name != disk.identity.name ? place_of(way, real)
                                                              : last_of(disk.by_path);
  return way;
}

// The disks below a device: through device-mapper, md, and partitions.
void add_below(const sdk::Host& host, const std::string& name,
               const std::map<std::string, Disk>& devices, std::set<std::string>& disks,
               int depth = 0) {
  if (depth > 8) return;
  if (const auto at = devices.find(name); at != devices.end()) {
    disks.insert(at->second.identity.fmri);
    return;
  }
  const std::string folder = "/sys/class/block/" + name;
  if (host.exists(folder + "/partition")) {
    const std::string real = host.resolve(folder).value_or("");
    return add_below(host, last_of(real.substr(0, real.rfind('/'))), devices, disks, depth + 1);
  }
  if (auto slaves = host.list(folder + "/slaves"))
    for (const auto& slave : *slaves) add_below(host, slave, devices, disks, depth + 1);
}

// "252:0" → the first place it is mounted at.
std::map<std::string, std::string> mounts(const sdk::Host& host) {
  std::map<std::string, std::string> result;
  const std::string text = attribute(host, "/proc/self/mountinfo");
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::vector<std::string> words;
    for (size_t from = at; from < end && words.size() < 5;) {
      const size_t to = std::min(text.find(' ', from), end);
      words.push_back(text.substr(from, to - from));
      from = to + 1;
    }
    if (words.size() == 5) result.emplace(words[2], words[4]);
    at = end + 1;
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

std::vector<FileSystem> scan_file_systems(const sdk::Host& host,
                                          const std::map<std::string, Disk>& devices) {
  std::vector<FileSystem> result;
  std::optional<std::map<std::string, std::string>> mounted, uuid_of;  // few machines have any
  for (const char* type : {"ext4", "xfs"}) {
    const auto names = host.list("/sys/fs/" + std::string(type));
    if (!names) continue;
    for (const auto& name : *names) {
      // Beside the devices there are folders of features and statistics.
      const std::string dev = attribute(host, "/sys/class/block/" + name + "/dev");
      if (dev.empty()) continue;
      FileSystem fs{name, "", type, "", {}, {}};
      if (!mounted) mounted = mounts(host);
      if (!uuid_of) uuid_of = uuids(host);
      if (const auto uuid = uuid_of->find(name); uuid != uuid_of->end()) fs.uuid = uuid->second;
      if (const auto at = mounted->find(dev); at != mounted->end()) fs.mount_point = at->second;
      fs.errors = hardware::number<uint64_t>(
          attribute(host, "/sys/fs/" + fs.type + "/" + name + "/errors_count"));
      std::set<std::string> disks;
      add_below(host, name, devices, disks);
      fs.disks.assign(disks.begin(), disks.end());
      result.push_back(std::move(fs));
    }
  }
  return result;
}

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
    // Native NVMe multipath: the disk is none of its paths.
    for (const auto& path : disk.paths) result.ways.emplace(path, look_at(host, path, disk));
  }
  result.file_systems = scan_file_systems(host, devices);
  return result;
}

json to_json(const Ways& ways) {
  json list = json::array(), file_systems = json::array();
  for (const auto& [name, w] : ways.ways)
    list.push_back({w.name, w.id, w.disk, w.dev, w.hctl, w.nvme, w.hba, w.ata_port, w.ata_unit,
                    w.state, number_json(w.io_errors), number_json(w.io_timeouts)});
  for (const auto& fs : ways.file_systems)
    file_systems.push_back(
        {fs.name, fs.uuid, fs.type, fs.mount_point, number_json(fs.errors), fs.disks});
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
            number_from(w[11])};
    const std::string name = way.name;
    ways.ways.emplace(name, std::move(way));
  }
  for (const json& f : doc.at(1))
    ways.file_systems.push_back(
        {f[0], f[1], f[2], f[3], number_from(f[4]), f[5].get<std::vector<std::string>>()});
  return ways;
}

}  // namespace fmd::disk
