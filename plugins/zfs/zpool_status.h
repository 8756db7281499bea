// Parses the text of `zpool status` into rows: OpenZFS 2.1 has no -j; also reads 2.2 and 2.3. The
// NAME column may contain blanks; its width is taken from the heading. Pure.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/result.h"
#include "plugins/zfs/scan_text.h"

namespace fmd::zfs {

struct StatusRow {
  std::string name;   // as printed: a path, a guid (-g), "raidz2-0", "spare-5"
  std::string state;  // ONLINE, DEGRADED, FAULTED, OFFLINE, UNAVAIL, REMOVED, AVAIL, INUSE
  uint64_t read_errors = 0, write_errors = 0, checksum_errors = 0;
  uint64_t slow_ios = 0;  // with -s; only leaves
  std::string note;       // "too many errors  (resilvering)", "was /dev/sdb1", "" ...
  int depth = 0;          // 0: the pool, or a section's heading (not a row); 1: its vdevs
  std::string section;    // "": data; logs, special, dedup, spares, cache

  bool has_note(std::string_view words) const { return note.find(words) != std::string::npos; }
};

struct StatusPool {
  std::string name, state;         // state: ONLINE, ..., SUSPENDED
  std::string errors;              // "No known data errors"
  std::string status, see;         // the explanation, and the address or id of its message
  std::vector<std::string> scans;  // one text each; several if single vdevs are rebuilt
  std::string expand;              // the "expand:" text of a raidz during or after expansion
  std::string error_scrub;         // the "scrub:" text of `zpool scrub -e`
  std::vector<StatusRow> rows;     // rows[0] is the pool
  // The three texts as numbers, if zpool reports these (zpool_json.h).
  struct Work {
    Scan scan, expand, error_scrub;
  };
  std::optional<Work> work;
};

// All pools of one output. Fails if it is not understood, since redundancy must not be guessed.
Result<std::vector<StatusPool>> parse_status(std::string_view text);

// Whether ZFS suspended the pool because it could not renew its multihost record, by which other
// hosts see that the pool is in use.
bool suspended_by_multihost(const StatusPool& pool);

// Number of damaged blocks (2.1: or files) from the `errors:` line; nullopt: unknown to zpool.
std::optional<uint64_t> parse_data_errors(std::string_view errors);
// Their owners, from `zpool status -v` of one pool: "/tank/file", "tank/home:/file" if not mounted,
// "tank/home:<0x2>" if it has no name any more, "<metadata>:<0x3d>". Raw: file names may contain
// anything.
std::vector<std::string> parse_damaged(std::string_view text);

// `zpool list -H -p -o name,guid,health,capacity`
struct ListedPool {
  std::string name, health;
  uint64_t guid = 0;
  std::optional<int> capacity = {};  // percent; nullopt: unknown
  bool autoreplace = false;
};
// Columns of `zpool list -H -p -o` that parse_pool_list() reads.
inline constexpr std::string_view kListColumns = "name,guid,health,capacity,autoreplace";
Result<std::vector<ListedPool>> parse_pool_list(std::string_view text);

}  // namespace fmd::zfs
