// Arrivals: whether a plugin that describes parts is still expected to report since the daemon's
// start. Until all have reported, the bay or serial number of a part may be unknown only for that
// reason. A plugin that described disks or bays before the restart is expected by name. A plugin
// that connects has 10 s for its first inventory. For 5 s after the start, a plugin that is not
// known yet may also connect. Pure: steady times are passed in. Single thread.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "fmd/model/case.h"
#include "fmd/model/inventory.h"

namespace fmd {

class Arrivals {
 public:
  static constexpr int64_t kUnheardOfNs = 5LL * 1000000000;
  static constexpr int64_t kFirstWordNs = 10LL * 1000000000;
  static constexpr int64_t kKnownNs = 60LL * 1000000000;  // as long as anybody would wait

  // inventory: as restored.
  void started(const Inventory& inventory, int64_t now_ns);
  void connected(const std::string& plugin, int64_t now_ns);
  void told(const std::string& plugin);  // all it knows
  bool expected(int64_t now_ns) const;
  // Whether bay or serial of that suspect may yet become known.
  bool expected_for(const Suspect& suspect, int64_t now_ns) const;
  std::optional<int64_t> next_deadline_ns(int64_t now_ns) const;  // when somebody is given up

 private:
  int64_t unheard_of_until_ns_ = 0;
  std::map<std::string, int64_t> until_;  // by plugin
};

}  // namespace fmd
