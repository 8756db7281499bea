// News: turns the changes in a disk's SMART state into events. A condition that lasts for weeks is
// reported once. What was reported is stored in the event source's cursor, so that a restart
// neither repeats nor loses events. Single thread.
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
  // cursor: as committed by fmd; if "" or damaged, nothing has been reported.
  void restore(const std::string& cursor);
  std::string cursor() const;

  std::vector<sdk::OutEvent> of_report(const std::string& fmri, const Report& report,
                                       int64_t now_ns);
  // The unit in which this disk counts sectors, from an earlier query.
  SectorUnit sector_unit(const std::string& fmri) const;
  std::vector<sdk::OutEvent> of_hang(const std::string& fmri, double seconds, int64_t now_ns);

 private:
  struct Told {
    std::set<std::string> conditions;  // in force, as reported to fmd
    uint64_t errors = 0;               // newest entry of the NVMe error log
    bool log_known = false;
    SectorUnit sectors = SectorUnit::unknown;
  };
  void of_error_log(Told& told, const std::string& fmri, const Report& report, int64_t now_ns,
                    std::vector<sdk::OutEvent>& events);

  std::map<std::string, Told> told_;  // by FMRI
  uint64_t number_ = 0;               // makes each cursor different
};

}  // namespace fmd::smart
