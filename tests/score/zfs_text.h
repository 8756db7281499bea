// ZfsText: `zpool events -v` output from real machines (plugins/zfs/tests/fixtures), rewritten for
// another vdev and time, and parsed as fmd-zfs parses it. Loaded once, then const; for any thread.
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
  // Replacements by member name, as printed: `"REMOVED" (0x3)`.
  using Values = std::map<std::string, std::string, std::less<>>;

  explicit ZfsText(const std::string& folder);
  static const ZfsText& recorded();  // of this tree

  // The event about the vdev. Nothing if none was recorded or fmd-zfs ignores it.
  std::optional<Event> event(std::string_view event_class, const std::string& vdev, int64_t time_ns,
                             Values values) const;
  bool knows(std::string_view event_class) const { return blocks_.contains(event_class); }

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> blocks_;  // class → its lines
};

}  // namespace fmd::score
