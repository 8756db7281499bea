// Log: entries of a Redfish service's logs (LogEntry, DSP0268) as the events of plugins/ipmi, each once. An
// entry is known by its address, its Id and the time it was created, since a cleared log may count from 1
// again. What stands there at the first look is no news. Pure.
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
  // cursor: "" or damaged: none, so the next look is the first.
  void restore(const std::string& cursor);
  std::string cursor() const;
  bool first_look() const { return !known_; }

  // pages: the documents that hold entries. whole: all of them were read; else nothing is forgotten.
  std::vector<sdk::OutEvent> take(const Documents& documents, const std::set<std::string>& pages,
                                  bool whole, const Service& service, const Told& told,
                                  int64_t now_ns);

 private:
  bool known_ = false;
  std::set<std::string> seen_;  // keys of entries that stand there
  std::map<std::string, std::string>
      open_;  // key → resource, of what was told as bad and is not resolved
};

// "2026-11-23T01:02:03+00:00" in ns since the epoch; nothing when it is no such time.
std::optional<int64_t> time_of(const std::string& text);

}  // namespace fmd::redfish
