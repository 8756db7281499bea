#include "tests/reports/pool_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "fmd/base/json.h"
#include "plugins/zfs/tests/fixture.h"

namespace fmd::reports {
namespace {

using nlohmann::ordered_json;
using zfs::StatusPool;
using zfs::StatusRow;

// vdev_aux_t behind the text's words (lib/libzfs/libzfs_status.c and cmd/zpool/zpool_main.c).
std::string aux_of(const StatusRow& row) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kAux{{
      {"cannot open", "OPEN_FAILED"},
      {"corrupted data", "CORRUPT_DATA"},
      {"insufficient replicas", "NO_REPLICAS"},
      {"too many errors", "ERR_EXCEEDED"},
      {"external device fault", "EXTERNAL"},
      {"bad intent log", "BAD_LOG"},
      {"split into new pool", "SPLIT_POOL"},
      {"missing device", "BAD_GUID_SUM"},
      {"currently in use", "SPARED"},
  }};
  for (const auto& [words, aux] : kAux)
    if (row.has_note(words)) return std::string(aux);
  return "";
}

std::string type_of(const std::string& name) {
  for (const char* type : {"mirror", "raidz", "spare", "replacing", "indirect"})
    if (name.starts_with(type) && name.find('-') != name.npos) return type;
  if (name.starts_with("draid")) return name.find(':') != name.npos ? "draid" : "dspare";
  return name.starts_with("/") && !name.starts_with("/dev/") ? "file" : "disk";
}

ordered_json vdev_of(const StatusRow& row, uint64_t guid) {
  ordered_json vdev{{"name", row.name.substr(row.name.rfind('/') + 1)},
                    {"vdev_type", row.depth == 0 ? "root" : type_of(row.name)},
                    {"guid", guid}};
  if (row.name.starts_with("/")) vdev["path"] = row.name;
  const bool open = row.state != "UNAVAIL" && row.state != "SPLIT";
  vdev["state"] = open ? row.state : "CANT_OPEN";
  for (const auto& [name, count] : {std::pair("read_errors", row.read_errors),
                                    {"write_errors", row.write_errors},
                                    {"checksum_errors", row.checksum_errors},
                                    {"slow_ios", row.slow_ios}})
    vdev[name] = count;
  if (const std::string aux = aux_of(row); !aux.empty()) vdev["aux"] = aux;
  if (row.state == "SPLIT") vdev["aux"] = "SPLIT_POOL";
  if (row.has_note("was ")) {
    vdev["was"] = row.note.substr(row.note.find("was ") + 4);
    vdev["path"] = vdev["was"];
  }
  if (row.has_note("(resilvering)")) vdev["scan_processed"] = 4096;
  if (row.has_note("(awaiting resilver)")) vdev["resilver_deferred"] = 1;
  return vdev;
}

// The rows behind `at` that are below it.
void add_children(const StatusPool& status, size_t at, ordered_json& parent,
                  const std::function<uint64_t(const std::string&)>& guid) {
  const StatusRow& above = status.rows[at];
  for (size_t i = at + 1; i < status.rows.size(); ++i) {
    const StatusRow& row = status.rows[i];
    if (row.depth <= above.depth || row.section != above.section) return;
    if (row.depth != above.depth + 1) continue;
    ordered_json vdev = vdev_of(row, guid(row.name));
    add_children(status, i, vdev, guid);
    parent["vdevs"][row.name] = std::move(vdev);
  }
}

ordered_json scan_of(const zfs::Scan& scan) {
  if (scan.kind == zfs::Scan::Kind::none) return nullptr;
  constexpr int64_t kNs = 1'000'000'000;
  constexpr double kAll = 100'000;
  const bool scrub = scan.kind == zfs::Scan::Kind::scrub;
  return {{"function", scrub ? "SCRUB" : "RESILVER"},
          {"state", scan.active()                              ? "SCANNING"
                    : scan.state == zfs::Scan::State::canceled ? "CANCELED"
                                                               : "FINISHED"},
          {"start_time", std::max<int64_t>(scan.started_ns / kNs, 1)},
          {"end_time", scan.ended_ns / kNs},
          {"to_examine", kAll},
          {"issued", static_cast<uint64_t>(scan.percent * kAll / 100)},
          {"errors", scan.errors},
          {"processed", scan.repaired}};
}

}  // namespace

std::string as_json(const StatusPool& status,
                    const std::function<uint64_t(const std::string&)>& guid) {
  ordered_json root = vdev_of(status.rows.front(), zfs::test::kPool);
  root["name"] = status.name;
  add_children(status, 0, root, guid);
  ordered_json pool{{"name", status.name},
                    {"state", status.state},
                    {"pool_guid", zfs::test::kPool},
                    {"vdevs", {{status.name, std::move(root)}}}};
  if (!status.status.empty()) pool["status"] = status.status;
  if (!status.see.empty()) pool["msgid"] = status.see.substr(status.see.rfind('/') + 1);
  const zfs::Scan scan = zfs::parse_scans(status.scans);
  if (const ordered_json stats = scan_of(scan); !stats.is_null()) pool["scan_stats"] = stats;
  for (size_t i = 0; i < status.rows.size(); ++i) {
    const StatusRow& row = status.rows[i];
    if (row.section.empty() || row.depth != 1) continue;
    ordered_json vdev = vdev_of(row, guid(row.name));
    add_children(status, i, vdev, guid);
    pool[row.section == "cache" ? "l2cache" : row.section][row.name] = std::move(vdev);
  }
  if (const auto errors = zfs::parse_data_errors(status.errors)) pool["error_count"] = *errors;
  return ordered_json{{"output_version", {{"command", "zpool status"}, {"vers_major", 0}}},
                      {"pools", {{status.name, std::move(pool)}}}}
      .dump();
}

}  // namespace fmd::reports
