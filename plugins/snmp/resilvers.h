// Resilvers: how each pool's last scan ended, on disk, so that the end of a resilver is told also when it was over before
// anybody looked, or came while fmd-snmp was not running; and told once. Single thread.
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
  std::string fmri, name, health;
  std::string last;      // how its last scan ended, in words that have its time; "": not known
  bool observed = true;  // it answers
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
  std::map<std::string, std::string> last_;  // FMRI → how its last scan ended
  std::map<std::string, Resilvered> ended_;
};

}  // namespace fmd::snmp
