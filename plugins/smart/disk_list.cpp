#include "plugins/smart/disk_list.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <string_view>

#include "plugins/hardware/disk_identity.h"
#include "plugins/sdk/plugin.h"

namespace fmd::smart {
namespace {

std::string read(const sdk::Host& host, const std::string& file) {
  auto text = host.read(file);
  return text ? *text : std::string();
}

// virtio disks, multimedia cards, loop devices and the like have no SMART data.
bool may_have_smart(const std::string& name) {
  return name.starts_with("sd") || name.starts_with("nvme");
}

std::optional<hardware::DiskIdentity> look_at(const sdk::Host& host, const std::string& name) {
  const std::string folder = "/sys/block/" + name;
  if (read(host, folder + "/hidden") == "1") return {};  // one path of native NVMe multipath
  // An empty slot of a card reader.
  if (read(host, folder + "/removable") == "1" && read(host, folder + "/size") == "0") return {};
  auto identity = hardware::identify_disk(host, name);
  if (!identity || identity->fmri.empty()) return {};
  return std::move(*identity);
}

// "nvme0": a controller, not "nvme0n1".
bool is_controller(std::string_view name) {
  if (!name.starts_with("nvme") || name.size() == 4) return false;
  return std::all_of(name.begin() + 4, name.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

// A namespace's controllers: one, or with native multipath all of its subsystem.
std::vector<std::string> controllers(const sdk::Host& host, const std::string& name) {
  const auto real = host.resolve("/sys/block/" + name + "/device");
  if (!real) return {};
  const std::string folder = real->substr(real->rfind('/') + 1);
  if (is_controller(folder)) return {folder};
  std::vector<std::string> found;
  if (auto entries = host.list(*real))
    std::copy_if(entries->begin(), entries->end(), std::back_inserter(found), is_controller);
  return found;
}

std::string udev_property(const std::string& database, std::string_view key) {
  const std::string wanted = "\nE:" + std::string(key) + "=";
  const size_t at = ("\n" + database).find(wanted);
  if (at == std::string::npos) return {};
  const size_t from = at + wanted.size() - 1;
  return database.substr(from, database.find('\n', from) - from);
}

// The id of the group that a block device's content belongs to. For a ZFS member the "file system"
// id is that of the pool.
std::string group_of(const sdk::Host& host, const std::string& folder) {
  const std::string number = read(host, folder + "/dev");
  if (number.empty()) return {};
  const std::string database = read(host, "/run/udev/data/b" + number);
  const std::string kind = udev_property(database, "ID_FS_TYPE");
  const std::string id = udev_property(database, "ID_FS_UUID");
  const bool shared = kind == "zfs_member" || kind == "linux_raid_member" || kind == "btrfs";
  return shared && !id.empty() ? kind + ":" + id : std::string();
}

std::vector<std::string> groups_of(const sdk::Host& host, const std::string& name) {
  const std::string folder = "/sys/block/" + name;
  std::set<std::string> groups{group_of(host, folder)};
  if (auto entries = host.list(folder))
    for (const auto& entry : *entries)
      if (entry.starts_with(name)) groups.insert(group_of(host, folder + "/" + entry));
  groups.erase("");
  return {groups.begin(), groups.end()};
}

bool is_named(const hardware::DiskIdentity& id, const std::string& device,
              const std::string& what) {
  return what == device || what == "/dev/" + id.name || what == id.name ||
         (!id.serial.empty() && what == id.serial) || (!id.wwn.empty() && what == id.wwn);
}

class Listing {
 public:
  Listing(const sdk::Host& host, const Options& options) : host_(host), options_(options) {}

  void add(const std::string& name, const hardware::DiskIdentity& id) {
    if (!name.starts_with("nvme")) return add_path(id, name, "/dev/" + name);
    // Other namespaces belong to the same drive.
    for (const std::string& controller : controllers(host_, name))
      if (const auto first = drives_.emplace(controller, id.fmri).first; first->second == id.fmri)
        add_path(id, name, "/dev/" + controller);
  }
  std::map<std::string, Target> take() { return std::move(targets_); }

 private:
  void add_path(const hardware::DiskIdentity& id, const std::string& name,
                const std::string& device) {
    const auto named = [&](const std::string& what) { return is_named(id, device, what); };
    if (std::any_of(options_.ignore.begin(), options_.ignore.end(), named)) return;
    Target& target = targets_[id.fmri];
    target.fmri = id.fmri;
    target.devices.push_back(device);
    target.names.push_back(name);
    target.nvme = name.starts_with("nvme");
    for (const auto& [what, type] : options_.types)
      if (named(what)) target.type = type;
    if (options_.selftest.short_every.count() > 0 || options_.selftest.long_every.count() > 0)
      for (auto& group : groups_of(host_, name))
        if (std::find(target.groups.begin(), target.groups.end(), group) == target.groups.end())
          target.groups.push_back(std::move(group));
  }

  const sdk::Host& host_;
  const Options& options_;
  std::map<std::string, Target> targets_;
  std::map<std::string, std::string> drives_;  // controller → FMRI of its first namespace
};

}  // namespace

Result<std::map<std::string, Target>> list_disks(const sdk::Host& host, const Options& options,
                                                 KnownDisks& known) {
  const auto names = host.list("/sys/block");
  if (!names) return tl::unexpected(names.error());
  Listing listing(host, options);
  KnownDisks now;
  for (const auto& name : *names) {
    if (!may_have_smart(name)) continue;
    KnownDisk disk{read(host, "/sys/block/" + name + "/diskseq"), {}};
    if (const auto before = known.find(name);
        before != known.end() && !disk.diskseq.empty() && before->second.diskseq == disk.diskseq)
      disk = std::move(before->second);
    else if (auto identity = look_at(host, name))
      disk.identity = std::move(*identity);
    else
      continue;
    listing.add(name, disk.identity);
    now.emplace(name, std::move(disk));
  }
  known = std::move(now);
  return listing.take();
}

bool still_there(const sdk::Host& host, const Target& target, size_t path) {
  if (path >= target.names.size()) return target.names.empty();  // behind a controller: unknown
  const auto id = hardware::identify_disk(host, target.names[path]);
  return id && id->fmri == target.fmri;
}

}  // namespace fmd::smart
