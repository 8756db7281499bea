// News: which of a disk's words are new, as events. What is true of a disk for weeks is told once;
// what has been told travels as the event source's cursor, so that a restart repeats nothing and
// loses nothing. Single thread.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "plugins/sdk/plugin.h"
#include "plugins/smart/report.h"

namespace fmd::smart {

class News {
 public:
  // cursor: what the core has committed; "" or damaged: nothing was ever told.
  void restore(const std::string& cursor);
  std::string cursor() const;

  // Of a look at one disk.
  std::vector<sdk::OutEvent> of_report(const std::string& fmri, const Report& report,
                                       int64_t now_ns);
  // In which an earlier look at this disk counted sectors.
  SectorUnit sector_unit(const std::string& fmri) const;
  std::vector<sdk::OutEvent> of_hang(const std::string& fmri, double seconds, int64_t now_ns);

 private:
  struct Told {
    std::set<std::string> conditions;  // that hold, as far as the core knows
    uint64_t errors = 0;               // newest entry of the NVMe error log
    bool log_known = false;
    SectorUnit sectors = SectorUnit::unknown;
  };
  void of_error_log(Told& told, const std::string& fmri, const Report& report, int64_t now_ns,
                    std::vector<sdk::OutEvent>& events);

  std::map<std::string, Told> told_;  // by FMRI
  uint64_t number_ = 0;               // makes each cursor another one
};

}  // namespace fmd::smart
