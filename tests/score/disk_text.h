// DiskText: kernel messages about failing disks from real machines (recorded/kernel-disk.txt),
// rewritten for another disk and time, and parsed as fmd-disk parses them. Loaded once, then const;
// for any thread.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "fmd/model/event.h"
#include "host.h"

namespace fmd::score {

class DiskText {
 public:
  explicit DiskText(const std::string& file);
  static const DiskText& recorded();  // of this tree

  // resource: a disk or path of the host; uptime_ns: the kernel's clock. Nothing if no such line
  // was recorded for such a disk.
  std::optional<Event> event(const Host& host, std::string_view event_class,
                             const std::string& resource, int64_t uptime_ns) const;

 private:
  void keep(const std::string& line);

  std::map<std::string, std::string, std::less<>> lines_;  // class → the first line that yields it
};

}  // namespace fmd::score
