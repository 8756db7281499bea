// The text of `zpool status`, as rows: what OpenZFS 2.1 prints (no -j there), and 2.2 and 2.3 as
// well. The NAME column may hold blanks; its width is known from the heading. Pure.
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
  uint64_t slow_ios = 0;  // with -s; of a leaf
  std::string note;       // "too many errors  (resilvering)", "was /dev/sdb1", "" ...
  int depth =
      0;  // 0: the pool; in a section 0 is its heading (not a row) and its vdevs begin with 1
  std::string section;  // "": data; logs, special, dedup, spares, cache

  bool has_note(std::string_view words) const { return note.find(words) != std::string::npos; }
};

struct StatusPool {
  std::string name, state;         // state: ONLINE, ..., SUSPENDED
  std::string errors;              // "No known data errors"
  std::vector<std::string> scans;  // one text each; several where single vdevs are rebuilt
  std::string expand;              // the "expand:" text of a raidz that is or was expanded
  std::string error_scrub;         // the "scrub:" text of `zpool scrub -e`
  std::vector<StatusRow> rows;     // rows[0] is the pool
  // What stands in place of the three texts when zpool has told it in numbers (zpool_json.h).
  struct Work {
    Scan scan, expand, error_scrub;
  };
  std::optional<Work> work;
};

// All pools of one output. Fails when it is not understood: nothing is guessed about a pool's
// redundancy.
Result<std::vector<StatusPool>> parse_status(std::string_view text);

// How many blocks (2.1: or files) the pool knows to be damaged, from its `errors:` line; nothing when zpool
// could not tell.
std::optional<uint64_t> parse_data_errors(std::string_view errors);
// What they belong to, from `zpool status -v` of one pool: "/tank/file", "tank/home:/file" of what is not
// mounted, "tank/home:<0x2>" of what has no name any more, "<metadata>:<0x3d>". Raw: a file may be called
// anything.
std::vector<std::string> parse_damaged(std::string_view text);

// `zpool list -H -p -o name,guid,health,capacity`
struct ListedPool {
  std::string name, health;
  uint64_t guid = 0;
  std::optional<int> capacity = {};  // percent; nothing: not known
  bool autoreplace = false;
};
// What parse_pool_list() reads: `zpool list -H -p -o` with this.
inline constexpr std::string_view kListColumns = "name,guid,health,capacity,autoreplace";
Result<std::vector<ListedPool>> parse_pool_list(std::string_view text);

}  // namespace fmd::zfs
