// History: a world's shape and what happens in it, as a list of typed steps. Each step can be left out or
// played in any state of the world (then it may do nothing), which is what makes histories shrinkable.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "shape.h"

namespace fmd::histories {

enum class StepKind {
  // Things that break. place: a slot's disk, or a spare's.
  checksum_errors,  // amount: how many; option 1: a scrub meets them
  io_errors,        // amount
  probe_failure,
  kernel_faults,  // with the errors that led to it
  smart_failed,
  smart_passed,
  smart_grows,  // amount: sectors
  scrub,        // of the place's pool; amount: seconds
  // ZED
  zed_degrades,
  zed_faults,
  zed_spare_in,
  zed_onlines,
  zed_clears,
  // People at the machine. place: a bay.
  pull,
  put_back,   // the disk last pulled from there
  put_other,  // amount: 0 blank, 1 used, 2 too small
  move_disk,  // amount: the bay it goes to
  light_on,
  light_off,
  // People at the shell. place: a slot's disk, or a spare's.
  zpool_offline,  // option 1: -f
  zpool_online,
  zpool_clear,
  zpool_clear_pool,
  zpool_spare_in,
  zpool_detach_spare,
  zpool_replace,  // by the disk in its bay
  fmadm_acquit,
  fmadm_repaired,
  fmadm_replaced,
  fmadm_acknowledge,
  fmadm_retire,  // option 1: only degraded
  fmadm_restore,
  locate_on,
  locate_off,
  // Plugins. place: which.
  plugin_stops,
  plugin_starts,
  plugin_lags,   // amount: ms from a look to its arrival
  next_command,  // option: a Misdeed
  // A plugin that was broken into describes disks and bays of other plugins.
  lie,       // place: a disk; amount: a bay; option: a Lie
  lies_end,  // it describes none any more
  // fmd itself
  kill,           // amount: ms until it is back; option: a Crash
  reboot,         // amount: ms
  clock_jumps,    // amount: seconds, may be negative
  retention,      // resolved cases leave memory
  lose_database,  // amount: ms until it is back, with a new one
};

enum class Misdeed {
  none,
  answers_late,  // does it, answers after the deadline
  acts_late,     // does it after the deadline
  fails,
  refuses,
  silent,           // neither does it nor answers
  dies_before,      // doing it
  dies_after,       // doing it, before the answer
  forgets_its_keys  // and does it
};

enum class Lie {
  blank,
  other_path,
  other_serial,
  larger,
  in_own_bay,   // in a bay that only the liar describes, with the label of that bay
  in_that_bay,  // which fmd-enclosure describes
  smart_failed,
  smart_passed,
  anything,  // any plugin, any property of any part, any edge
  anything_again
};
inline constexpr int kLies = 10;

struct Step {
  Ns at = 0;  // steady, from the start
  StepKind kind = StepKind::checksum_errors;
  int place = 0, amount = 0, option = 0;
};

struct History {
  uint64_t seed = 0;
  Shape shape;
  std::vector<Step> steps;
};

History write_history(uint64_t seed);

}  // namespace fmd::histories
