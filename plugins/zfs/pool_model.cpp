#include "plugins/zfs/pool_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "fmd/base/text.h"

namespace fmd::zfs {
namespace {

constexpr std::string_view kOld = "/old";

uint64_t parse_guid(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : 0;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// "raidz2-0" → raidz; "draid2:4d:8c:1s-0" → draid; "" if it is not the name of an inner vdev.
std::string inner_type(std::string_view name) {
  const size_t dash = name.rfind('-');
  if (dash == std::string_view::npos || parse_guid(name.substr(dash + 1)) == 0)
    if (dash == std::string_view::npos || name.substr(dash + 1) != "0") return "";
  const std::string_view kind = name.substr(0, dash);
  for (const std::string_view type : {"mirror", "spare", "replacing", "indirect"})
    if (kind == type) return std::string(type);
  if (kind.size() == 6 && kind.starts_with("raidz") && is_digit(kind[5])) return "raidz";
  if (kind.size() > 6 && kind.starts_with("draid") && is_digit(kind[5]) && kind[6] == ':')
    return "draid";
  return "";
}

bool is_distributed_spare(std::string_view name) {  // draid2-0-0
  return name.size() > 6 && name.starts_with("draid") && is_digit(name[5]) && name[6] == '-';
}

std::string role_of_section(std::string_view section) {
  if (section == "logs") return "log";
  if (section == "spares") return "spare";
  for (const std::string_view known : {"special", "dedup", "cache"})
    if (section == known) return std::string(known);
  return "data";  // also for unknown sections: losing these may lose the pool
}

// "/dev/sda1": the kernel assigns these names at each boot, so another disk may have it now.
bool is_enumerated(std::string_view path) {
  return path.starts_with("/dev/") && path.find('/', 5) == path.npos;
}

// udev's names of partitions by their table's entries, which give no hint of the disk.
bool names_partition(std::string_view path) {
  return path.starts_with("/dev/disk/by-partuuid/") || path.starts_with("/dev/disk/by-partlabel/");
}

bool is_lettered(std::string_view name) {
  constexpr std::string_view kKinds[] = {"sd", "vd", "hd", "xvd"};
  return std::any_of(std::begin(kKinds), std::end(kKinds), [&](std::string_view kind) {
    return name.starts_with(kind) && name.size() > kind.size();
  });
}

void set_identity(Vdev& vdev, std::string_view printed) {
  if (auto type = inner_type(printed); !type.empty()) {
    vdev.type = type;
    vdev.name = printed;
    return;
  }
  if (is_distributed_spare(printed)) {
    vdev.type = "dspare";
    vdev.name = printed;
    return;
  }
  vdev.path = printed;
  if (const size_t was = vdev.note.find("was "); printed.find('/') == std::string_view::npos) {
    // A disk absent at the import is listed by its GUID, with its former path.
    vdev.path = was == std::string::npos
                    ? ""
                    : vdev.note.substr(was + 4, vdev.note.find("  ", was) - was - 4);
    vdev.former = is_enumerated(vdev.path);
  }
  vdev.type = vdev.path.empty() || vdev.path.starts_with("/dev/") ? "disk" : "file";
  // A disk that is replaced in its own place is listed as "…-part1/old".
  const std::string_view was = vdev.path;
  const bool old = vdev.type == "disk" && was.ends_with(kOld);
  const std::string whole = whole_disk_path(old ? was.substr(0, was.size() - kOld.size()) : was);
  vdev.name = whole.empty()         ? std::string(printed)
              : vdev.former         ? std::string(printed)
              : vdev.type == "disk" ? whole.substr(whole.rfind('/') + 1)
                                    : whole;
  if (old && !vdev.former) vdev.name += kOld;
}

Vdev make_vdev(const StatusRow& row, uint64_t guid, std::string_view printed) {
  Vdev vdev;
  vdev.guid = guid;
  vdev.state = row.state;
  vdev.note = row.note;
  vdev.role = role_of_section(row.section);
  vdev.read_errors = row.read_errors;
  vdev.write_errors = row.write_errors;
  vdev.checksum_errors = row.checksum_errors;
  vdev.slow_ios = row.slow_ios;
  vdev.full = !row.has_note("(resilvering)") && !row.has_note("(awaiting resilver)");
  set_identity(vdev, printed);
  return vdev;
}

Result<Pool> build_pool(const ListedPool& listed, const StatusPool& status,
                        const VdevNames& names) {
  Pool pool;
  pool.name = listed.name;
  pool.guid = listed.guid;
  pool.health = status.state.empty() ? listed.health : status.state;
  pool.errors = status.errors;
  // In that case `state:` may be UNAVAIL or ONLINE.
  if (pool.errors.find("pool I/O is currently suspended") != std::string::npos)
    pool.health = "SUSPENDED";
  if (suspended_by_multihost(status)) {
    pool.health = "SUSPENDED";
    pool.by_multihost = true;
  }
  pool.data_errors = parse_data_errors(status.errors);
  pool.scan = status.work ? status.work->scan : parse_scans(status.scans);
  pool.expand = status.work ? status.work->expand : parse_expand(status.expand);
  pool.error_scrub = status.work ? status.work->error_scrub : parse_error_scrub(status.error_scrub);
  pool.capacity = listed.capacity;
  pool.autoreplace = listed.autoreplace;
  std::vector<int> above;  // indices from the root to the last row
  for (const StatusRow& row : status.rows) {
    if (row.depth == 0) {
      Vdev root = make_vdev(row, listed.guid, "");
      root.type = "root";
      root.name = listed.name;
      pool.vdevs.push_back(std::move(root));
      above = {0};
      continue;
    }
    const uint64_t guid = parse_guid(row.name);
    const auto name = names.find(guid);
    if (guid == 0 || name == names.end())
      return fail(fmt::format("vdev '{}' of pool '{}' has no name yet", display(row.name),
                              display(pool.name)));
    Vdev vdev = make_vdev(row, guid, name->second);
    if (row.section == "spares") {
      pool.spares.push_back(std::move(vdev));
      continue;
    }
    above.resize(static_cast<size_t>(row.depth));
    vdev.parent = above.back();
    auto& siblings = pool.vdevs[static_cast<size_t>(vdev.parent)].children;
    vdev.index = static_cast<int>(siblings.size());
    siblings.push_back(static_cast<int>(pool.vdevs.size()));
    above.push_back(static_cast<int>(pool.vdevs.size()));
    pool.vdevs.push_back(std::move(vdev));
  }
  for (const Vdev& spare : pool.spares)
    if (const int at = pool.index_of(spare.guid); at >= 0)
      pool.vdevs[static_cast<size_t>(at)].role = "spare";
  return pool;
}

}  // namespace

const Vdev* Pool::find(uint64_t wanted) const {
  if (const int at = index_of(wanted); at >= 0) return &vdevs[static_cast<size_t>(at)];
  for (const Vdev& spare : spares)
    if (spare.guid == wanted) return &spare;
  return nullptr;
}

int Pool::index_of(uint64_t wanted) const {
  for (size_t i = 1; i < vdevs.size(); ++i)
    if (vdevs[i].guid == wanted) return static_cast<int>(i);
  return -1;
}

int Pool::top_of(int index) const {
  while (index > 0 && vdevs[static_cast<size_t>(index)].parent > 0)
    index = vdevs[static_cast<size_t>(index)].parent;
  return index;
}

int Pool::slot_of(int index) const {
  const int top = top_of(index);
  // A pair directly below the root is the slot itself; nothing above it is redundant.
  if (vdevs[static_cast<size_t>(top)].pair()) return top;
  while (index > 0 && index != top && vdevs[static_cast<size_t>(index)].parent != top)
    index = vdevs[static_cast<size_t>(index)].parent;
  return index;
}

int Pool::pair_of(int index, std::string_view type) const {
  for (index = vdevs[static_cast<size_t>(index)].parent; index > 0;
       index = vdevs[static_cast<size_t>(index)].parent)
    if (vdevs[static_cast<size_t>(index)].type == type) return index;
  return -1;
}

int Pool::spare_for(int index) const {
  const int pair = pair_of(index, "spare");
  if (pair < 0 || vdevs[static_cast<size_t>(index)].role == "spare") return -1;
  const auto& members = vdevs[static_cast<size_t>(pair)].children;
  for (auto at = members.rbegin(); at != members.rend(); ++at) {
    const Vdev& member = vdevs[static_cast<size_t>(*at)];
    if (member.role == "spare" && member.usable()) return *at;
  }
  return -1;
}

bool same_shape(const std::vector<StatusPool>& a, const std::vector<StatusPool>& b) {
  const auto same_row = [](const StatusRow& x, const StatusRow& y) {
    return x.depth == y.depth && x.section == y.section;
  };
  const auto same_pool = [&](const StatusPool& x, const StatusPool& y) {
    return x.name == y.name && x.rows.size() == y.rows.size() &&
           std::equal(x.rows.begin(), x.rows.end(), y.rows.begin(), same_row);
  };
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), same_pool);
}

VdevNames collect_names(const std::vector<StatusPool>& with_guids,
                        const std::vector<StatusPool>& with_paths) {
  VdevNames names;
  for (size_t i = 0; i < with_guids.size() && i < with_paths.size(); ++i)
    for (size_t row = 1; row < with_guids[i].rows.size() && row < with_paths[i].rows.size(); ++row)
      if (const uint64_t guid = parse_guid(with_guids[i].rows[row].name); guid)
        names[guid] = with_paths[i].rows[row].name;
  return names;
}

Result<std::vector<Pool>> build_pools(const std::vector<ListedPool>& listed,
                                      const std::vector<StatusPool>& with_guids,
                                      const VdevNames& names) {
  std::vector<Pool> pools;
  if (listed.size() != with_guids.size()) return fail("the list of pools has changed meanwhile");
  for (const ListedPool& entry : listed) {
    const auto status =
        std::find_if(with_guids.begin(), with_guids.end(),
                     [&](const StatusPool& pool) { return pool.name == entry.name; });
    if (status == with_guids.end()) return fail("the list of pools has changed meanwhile");
    auto pool = build_pool(entry, *status, names);
    if (!pool) return tl::unexpected(pool.error());
    pools.push_back(std::move(*pool));
  }
  return pools;
}

std::string whole_disk_path(std::string_view path) {
  if (!path.starts_with("/dev/") || names_partition(path)) return std::string(path);
  if (path.ends_with("-part1")) return std::string(path.substr(0, path.size() - 6));
  const std::string_view name = path.substr(path.rfind('/') + 1);
  // Only the kernel's own names: a mapping or volume may be called "vdata1" or "sdcrypt1".
  if (is_enumerated(path) && path.ends_with('1') && name.size() > 3) {
    const auto disk = path.substr(0, path.size() - 1);
    const char last = disk.back();
    const bool letters = is_lettered(name) && last >= 'a' && last <= 'z';
    if (letters) return std::string(disk);
    if (last == 'p' && name.size() > 4 && is_digit(disk[disk.size() - 2]))
      return std::string(disk.substr(0, disk.size() - 1));
  }
  return std::string(path);
}

bool is_one_of_partitions(std::string_view path) {
  if (path.ends_with(kOld)) path.remove_suffix(kOld.size());
  if (names_partition(path)) return true;
  const size_t last = path.find_last_not_of("0123456789");
  if (!path.starts_with("/dev/") || last == path.npos || last + 1 == path.size()) return false;
  const std::string_view before = path.substr(0, last + 1), number = path.substr(last + 1);
  if (number == "1") return false;  // ZFS makes it itself on a whole disk
  if (before.ends_with("-part")) return true;
  if (!is_enumerated(path)) return false;
  const std::string_view name = before.substr(before.rfind('/') + 1);
  if (name.starts_with("nvme") || name.starts_with("mmcblk"))
    return name.ends_with('p') && is_digit(name[name.size() - 2]);
  return is_lettered(name);
}

}  // namespace fmd::zfs
