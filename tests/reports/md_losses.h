// MdLosses: members of the array md0 of an ArrayPlay that are lost, in the ways in which the kernel
// shows it.
#pragma once
#include <fmt/format.h>

#include <string>
#include <vector>

#include "tests/reports/array_play.h"

namespace fmd::reports {

inline void make_faulty(ArrayPlay& play, const std::string& array, const std::vector<int>& disks) {
  for (const int n : disks)
    play.line(fmt::format("set sys/block/{}/md/dev-@DEV{}@/state faulty", array, n));
  play.line(fmt::format("set sys/block/{}/md/degraded {}", array, disks.size()));
}

inline void remove_members(ArrayPlay& play, const std::string& array,
                           const std::vector<int>& disks) {
  for (const int n : disks) play.line(fmt::format("rm sys/block/{}/md/dev-@DEV{}@", array, n));
  play.line(fmt::format("set sys/block/{}/md/degraded {}", array, disks.size()));
}

// The kernel's reactions to the loss of a disk: it marks the disk as faulty, removes it, or lists it
// as before if it has the last good copy.
enum class Loss { faulty, removed, listed };

inline void lose(ArrayPlay& play, int disk, Loss loss) {
  if (loss == Loss::faulty)
    make_faulty(play, "md0", {disk});
  else
    play.machine.set_away({disk});
  if (loss == Loss::removed) remove_members(play, "md0", {disk});
  if (loss == Loss::listed)
    for (const char* folder : {"block", "class/block"})
      play.line(fmt::format("rm sys/{}/@DEV{}@", folder, disk));
}

}  // namespace fmd::reports
