// Resilvers: which pools are being resilvered, on disk, so that the end of one is told also when it came while
// fmd-snmp was not running; and told once. Single thread.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/model/inventory.h"
#include "plugins/snmp/notification.h"

namespace fmd::snmp {

// A pool or md array as it is.
struct PoolScan {
  std::string fmri, name, health, last;  // last: how its last scan ended
  bool observed = true, resilvers = false;
  int64_t started_ns = 0;  // 0: not known
};
std::vector<PoolScan> pool_scans(const Inventory& inventory);

class Resilvers {
 public:
  // folder: the state directory; "": nothing is kept.
  static Result<Resilvers> open(const std::string& folder);

  // Takes in how things are. What has ended is to be told until told().
  Result<void> see(const std::vector<PoolScan>& pools, const std::string& host, int64_t wall_ns);
  const std::map<std::string, Resilvered>& to_tell() const { return ended_; }  // by key
  Result<void> told(const std::string& key);

 private:
  Result<void> load();
  Result<void> save() const;

  std::string path_;
  std::map<std::string, int64_t> running_;  // FMRI → when it began, or was seen first
  std::map<std::string, Resilvered> ended_;
};

}  // namespace fmd::snmp
