#include "plugins/volumes/btrfs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "fmd/base/json.h"
#include "fmd/model/fmri.h"
#include "fmd/model/last_copy.h"
#include "plugins/hardware/disk_identity.h"
#include "plugins/sdk/messages.h"

namespace fmd::volumes {
namespace {

using nlohmann::json;

constexpr off_t kSuperAt = 65536;
constexpr size_t kSuperBytes = 4096, kMagicAt = 0x40, kFsidAt = 0x20, kDeviceIdAt = 0xc9;

std::string text_of(const sdk::Host& host, const std::string& file) {
  return host.read(file).value_or(std::string());
}

std::optional<uint64_t> whole_number(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

// "write_errs 0\nread_errs 2\n…"
void read_counters(std::string_view text, BtrfsDevice& device) {
  const std::map<std::string_view, uint64_t BtrfsDevice::*> kCounters = {
      {"write_errs", &BtrfsDevice::write_errors},
      {"read_errs", &BtrfsDevice::read_errors},
      {"flush_errs", &BtrfsDevice::flush_errors},
      {"corruption_errs", &BtrfsDevice::corruption_errors},
      {"generation_errs", &BtrfsDevice::generation_errors}};
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const size_t blank = line.find(' ');
    if (blank != line.npos)
      if (const auto at = kCounters.find(line.substr(0, blank)); at != kCounters.end())
        if (const auto value = whole_number(line.substr(blank + 1))) {
          device.*(at->second) = *value;
          device.counted = true;
        }
    text = text.substr(std::min(end + 1, text.size()));
  }
}

std::string superblock_of(const sdk::Host& host, const std::string& name) {
  const int fd = open(host.path("/dev/" + name).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return {};
  std::string bytes(kSuperBytes, '\0');
  const ssize_t got = pread(fd, bytes.data(), bytes.size(), kSuperAt);
  close(fd);
  return got == static_cast<ssize_t>(bytes.size()) ? bytes : std::string();
}

const BtrfsDevice* known_device(const std::vector<BtrfsFileSystem>& known, const std::string& fsid,
                                const std::string& name) {
  for (const BtrfsFileSystem& fs : known)
    for (const BtrfsDevice& device : fs.devices)
      if (fs.fsid == fsid && device.name == name) return &device;
  return nullptr;
}

// Device id → name, of the devices that are present.
std::map<uint64_t, std::string> names_of(const sdk::Host& host, const std::string& fsid,
                                         const std::vector<BtrfsFileSystem>& known) {
  std::map<uint64_t, std::string> out;
  const auto names = host.list("/sys/fs/btrfs/" + fsid + "/devices");
  if (!names) return out;
  for (const std::string& name : *names) {
    if (!host.exists("/sys/class/block/" + name)) continue;
    if (const BtrfsDevice* before = known_device(known, fsid, name)) {
      out[before->id] = name;
      continue;
    }
    const auto super = read_btrfs_super(superblock_of(host, name));
    if (super && super->fsid == fsid) out[super->device_id] = name;
  }
  return out;
}

// kind: "data", "metadata", or "mixed" for small file systems that do not separate them.
std::string profile_of(const sdk::Host& host, const std::string& folder, const char* kind) {
  const auto entries = host.list(folder + "/allocation/" + kind);
  if (!entries) return {};
  // During a conversion both profiles exist: use the less redundant one.
  for (const char* profile :
       {"single", "raid0", "dup", "raid1", "raid1c3", "raid1c4", "raid10", "raid5", "raid6"})
    if (std::find(entries->begin(), entries->end(), profile) != entries->end()) return profile;
  return {};
}

// The number of devices whose loss every block of data survives; empty if the profile is unknown.
std::optional<int> tolerance_of(std::string_view profile) {
  static const std::map<std::string_view, int> kTolerances{
      {"single", 0},  {"raid0", 0},  {"dup", 0},   {"raid1", 1}, {"raid1c3", 2},
      {"raid1c4", 3}, {"raid10", 1}, {"raid5", 1}, {"raid6", 2}};
  const auto at = kTolerances.find(profile);
  return at == kTolerances.end() ? std::nullopt : std::optional(at->second);
}

// Data in raid6 is lost with its metadata in raid1.
std::optional<int> tolerance_of(const BtrfsFileSystem& fs) {
  auto tolerance = tolerance_of(fs.profile);
  if (!tolerance) return {};
  if (const auto metadata = tolerance_of(fs.metadata)) tolerance = std::min(*tolerance, *metadata);
  return tolerance;
}

// "" if the profile is unknown.
std::string health_of(const BtrfsFileSystem& fs, int64_t missing) {
  const auto tolerance = tolerance_of(fs);
  if (!tolerance) return {};
  return missing == 0 ? "optimal" : missing > *tolerance ? "failed" : "degraded";
}

// Whether some data on it has no other copy. A replacement is filled before it counts.
bool has_last_copy(const BtrfsFileSystem& fs, const BtrfsDevice& device) {
  if (device.missing || device.replace_target) return false;
  const auto tolerance = tolerance_of(fs);
  const auto missing = std::count_if(fs.devices.begin(), fs.devices.end(),
                                     [](const BtrfsDevice& d) { return d.missing; });
  return tolerance && missing >= *tolerance;
}

BtrfsFileSystem read_file_system(const sdk::Host& host, const std::string& fsid,
                                 const std::vector<BtrfsFileSystem>& known) {
  const std::string folder = "/sys/fs/btrfs/" + fsid;
  BtrfsFileSystem fs{fsid,
                     text_of(host, folder + "/label"),
                     profile_of(host, folder, "data"),
                     text_of(host, folder + "/exclusive_operation"),
                     {},
                     profile_of(host, folder, "metadata")};
  if (fs.profile.empty()) fs.profile = profile_of(host, folder, "mixed");
  const auto names = names_of(host, fsid, known);
  const auto ids = host.list(folder + "/devinfo");
  if (!ids) return fs;
  for (const std::string& id : *ids) {
    const auto number = whole_number(id);
    if (!number) continue;
    BtrfsDevice device;
    device.id = *number;
    const std::string info = folder + "/devinfo/" + id;
    device.missing = text_of(host, info + "/missing") == "1";
    device.replace_target = text_of(host, info + "/replace_target") == "1";
    read_counters(text_of(host, info + "/error_stats"), device);
    if (const auto name = names.find(device.id); name != names.end() && !device.missing) {
      device.name = name->second;
      if (const auto identity = hardware::identify_disk(host, device.name))
        device.disk = identity->fmri;
    }
    fs.devices.push_back(std::move(device));
  }
  return fs;
}

std::string device_fmri(const BtrfsFileSystem& fs, const BtrfsDevice& device) {
  return make_fmri("btrfs", {{"fsid", fs.fsid}, {"dev", std::to_string(device.id)}});
}

std::string name_of(const BtrfsFileSystem& fs) {
  return fs.label.empty() ? fs.fsid : fs.label;
}

json device_json(const BtrfsFileSystem& fs, const BtrfsDevice& device, const LastDisks& last) {
  json p{{"name", device.name.empty() ? fmt::format("devid {}", device.id) : device.name},
         {"pool", name_of(fs)},
         {"devid", device.id},
         {"state", device.missing ? "missing" : "ok"},
         {"role", device.replace_target ? "replacement" : "data"}};
  if (!device.name.empty()) p["path"] = "/dev/" + device.name;
  if (device.counted) {
    p["io_errors"] = device.write_errors + device.read_errors + device.flush_errors;
    p["corruption_errors"] = device.corruption_errors + device.generation_errors;
  }
  json edges = json::array();
  const auto before = last.find(device_fmri(fs, device));
  const std::string disk = !device.disk.empty()   ? device.disk
                           : before == last.end() ? std::string()
                                                  : before->second;
  if (!disk.empty()) {
    edges.push_back(sdk::edge("redundancy", disk));
    p["last_copy_on"] = has_last_copy(fs, device) ? disk : std::string(kNoLastCopy);
  }
  return sdk::resource(device_fmri(fs, device), "btrfs-device", std::move(p), std::move(edges));
}

}  // namespace

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BtrfsDevice, id, name, disk, missing, replace_target,
                                   write_errors, read_errors, flush_errors, corruption_errors,
                                   generation_errors, counted)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BtrfsFileSystem, fsid, label, profile, operation, devices,
                                   metadata)

std::optional<BtrfsSuper> read_btrfs_super(std::string_view bytes) {
  if (bytes.size() < kSuperBytes || bytes.substr(kMagicAt, 8) != "_BHRfS_M") return {};
  BtrfsSuper out;
  for (size_t i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out.fsid += '-';
    out.fsid += fmt::format("{:02x}", static_cast<unsigned char>(bytes[kFsidAt + i]));
  }
  for (size_t i = 8; i-- > 0;)
    out.device_id = out.device_id << 8 | static_cast<unsigned char>(bytes[kDeviceIdAt + i]);
  return out;
}

std::vector<BtrfsFileSystem> scan_btrfs(const sdk::Host& host,
                                        const std::vector<BtrfsFileSystem>& known) {
  std::vector<BtrfsFileSystem> out;
  if (const auto names = host.list("/sys/fs/btrfs"))
    for (const std::string& name : *names)
      if (name.size() == 36) out.push_back(read_file_system(host, name, known));  // not "features"
  return out;
}

json to_json(const std::vector<BtrfsFileSystem>& all) {
  return json(all);
}

std::vector<BtrfsFileSystem> btrfs_from_json(const json& doc) {
  return doc.get<std::vector<BtrfsFileSystem>>();
}

void note_disks(const std::vector<BtrfsFileSystem>& all, LastDisks& last) {
  for (const BtrfsFileSystem& fs : all)
    for (const BtrfsDevice& device : fs.devices)
      if (!device.disk.empty()) last[device_fmri(fs, device)] = device.disk;
}

std::map<std::string, json> btrfs_resources(const std::vector<BtrfsFileSystem>& all,
                                            const LastDisks& last) {
  std::map<std::string, json> out;
  for (const BtrfsFileSystem& fs : all) {
    const auto missing = std::count_if(fs.devices.begin(), fs.devices.end(),
                                       [](const BtrfsDevice& d) { return d.missing; });
    json edges = json::array();
    for (const BtrfsDevice& device : fs.devices) {
      const std::string fmri = device_fmri(fs, device);
      edges.push_back(sdk::edge("redundancy", fmri));
      out[fmri] = device_json(fs, device, last);
    }
    const std::string whole = make_fmri("btrfs", {{"fsid", fs.fsid}});
    json p{{"name", name_of(fs)},
           {"devices", fs.devices.size()},
           {"missing", missing},
           {"operation", fs.operation}};
    if (!fs.profile.empty()) p["profile"] = fs.profile;
    if (!fs.metadata.empty()) p["metadata_profile"] = fs.metadata;
    if (const std::string health = health_of(fs, missing); !health.empty()) p["health"] = health;
    out[whole] = sdk::resource(whole, "btrfs", std::move(p), std::move(edges));
  }
  return out;
}

}  // namespace fmd::volumes
