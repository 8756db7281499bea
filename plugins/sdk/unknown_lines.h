// UnknownLines: lines of the kernel's trace that a plugin cannot parse, so that it reports a format
// change of a new kernel: formats of subscribed events without a field that the parser needs, and
// lines that failed to parse. Owned by the plugin, which shows text() in its status and is degraded
// while it is not empty. Single thread.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/sdk/kernel_lines.h"

namespace fmd::sdk {

class UnknownLines {
 public:
  // Reads the `format` file of each event in that instance. Each event's format is compared once.
  // An event without the file (not built in, or its module is not loaded) is compared later.
  void compare(const Host& host, std::string_view instance, const std::vector<TraceEvent>& events);
  // Adds a line of a subscribed event that failed to parse. True if it is the first of its event.
  bool add(std::string_view event, std::string_view line);
  uint64_t count() const { return count_; }
  // "" if every line was understood.
  std::string text() const;
  // Subscribed events that this kernel lacks although it has others of their group: renamed, moved
  // or not built in. "" if none. Not a reason to be degraded.
  std::string missing() const;

 private:
  std::set<std::string> compared_, unknown_formats_, missing_;
  std::map<std::string, uint64_t> lines_;  // by event
  std::string last_;
  uint64_t count_ = 0;
};

// Whether a format file's "print fmt" has all the parts that the parser of `event` looks for.
bool is_known_format(const TraceEvent& event, std::string_view format);

}  // namespace fmd::sdk
