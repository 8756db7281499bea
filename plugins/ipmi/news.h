// News: converts entries of the BMC's log into events and pairs assertions with deassertions. Pure.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plugins/ipmi/meaning.h"
#include "plugins/ipmi/owners.h"
#include "plugins/ipmi/sdr.h"
#include "plugins/ipmi/sel.h"
#include "plugins/ipmi/watch.h"
#include "plugins/sdk/plugin.h"

namespace fmd::ipmi {

class News {
 public:
  struct Around {
    const std::string& system;
    const Sdr& sdr;
    const Watch& watch;
    const Meaning& meaning;
    const Owners& owners;
    std::optional<uint32_t> bmc_now;
    int64_t now_ns;
    int64_t too_old_ns = 0;   // older entries are not evidence
    bool first_read = false;  // an undated entry may have any age
  };
  std::vector<sdk::OutEvent> of(const SelEntry& entry, const Around& around);
  // Ends the logged states of sensors that can be read again.
  std::vector<sdk::OutEvent> of_readable_again(const Around& around);
  // Asserted states of the log: offsets, by the sensor's owner and number. Part of the cursor.
  using Key = std::pair<int, int>;
  std::map<Key, std::set<int>> asserted;

 private:
  bool taken_back(const SelEntry& entry, const State& state, const Meaning& meaning);
};

}  // namespace fmd::ipmi
