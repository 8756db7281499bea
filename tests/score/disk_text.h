// DiskText: what the kernel printed of failing disks on real machines (recorded/kernel-disk.txt), of another disk and at
// another time, read and told as fmd-disk does. Loaded once; then const, for any thread.
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

  // It is about that part of the host, a disk or a path, on a clock of the kernel's own. Nothing: no such line was
  // recorded of such a disk.
  std::optional<Event> event(const Host& host, std::string_view event_class,
                             const std::string& resource, int64_t uptime_ns) const;

 private:
  void keep(const std::string& line);

  std::map<std::string, std::string, std::less<>> lines_;  // class → the first that makes it
};

}  // namespace fmd::score
