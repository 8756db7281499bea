// Log: reports each entry of a Redfish service's logs (LogEntry, DSP0268) once, as the events of
// plugins/ipmi. An entry is identified by its address, Id and creation time, because a cleared log
// may reuse ids. At the first poll, existing entries are not reported as new. Pure.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plugins/redfish/parts.h"
#include "plugins/sdk/plugin.h"

namespace fmd::redfish {

class Log {
 public:
  // cursor: if "" or damaged, the next poll is the first.
  void restore(const std::string& cursor);
  std::string cursor() const;
  bool first_look() const { return !known_; }

  // pages: documents with entries. whole: all of them were read; otherwise nothing is forgotten.
  std::vector<sdk::OutEvent> take(const Documents& documents, const std::set<std::string>& pages,
                                  bool whole, const Service& service, const Told& told,
                                  int64_t now_ns);

 private:
  bool known_ = false;
  std::set<std::string> seen_;  // keys of existing entries
  std::map<std::string, std::string>
      open_;  // key → resource of reported problems that are not resolved
};

// "2026-11-23T01:02:03+00:00" in ns since the epoch; empty if not a valid time.
std::optional<int64_t> time_of(const std::string& text);

}  // namespace fmd::redfish
