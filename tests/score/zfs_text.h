// ZfsText: events of ZFS as `zpool events -v` printed them on real machines (plugins/zfs/tests/fixtures), of another
// vdev and at another time, read as fmd-zfs reads them. Loaded once; then const, for any thread.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/model/event.h"

namespace fmd::score {

class ZfsText {
 public:
  // Another value in place of the recorded one, by the member's name, as it is printed: `"REMOVED" (0x3)`.
  using Values = std::map<std::string, std::string, std::less<>>;

  explicit ZfsText(const std::string& folder);
  static const ZfsText& recorded();  // of this tree

  // What it was for the vdev; nothing: no such event was recorded, or fmd-zfs does not take it.
  std::optional<Event> event(std::string_view event_class, const std::string& vdev, int64_t time_ns,
                             Values values) const;
  bool knows(std::string_view event_class) const { return blocks_.contains(event_class); }

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> blocks_;  // class → its lines
};

}  // namespace fmd::score
