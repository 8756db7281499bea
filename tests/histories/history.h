// History: a world's shape and what happens in it, as a list of typed steps. So that histories can
// be shrunk, any step can be omitted, or played in any state of the world (it may do nothing).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "shape.h"

namespace fmd::histories {

enum class StepKind {
  // Failures. place: a slot's disk, or a spare's.
  checksum_errors,  // amount: how many; option 1: found by a scrub
  io_errors,        // amount
  probe_failure,
  kernel_faults,  // and the errors that led to it
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
  move_disk,  // amount: the destination bay
  light_on,
  light_off,
  // People at the shell. place: a slot's disk, or a spare's.
  zpool_offline,  // option 1: -f
  zpool_online,
  zpool_clear,
  zpool_clear_pool,
  zpool_spare_in,
  zpool_detach_spare,
  zpool_replace,  // with the disk in its bay
  fmadm_acquit,
  fmadm_repaired,
  fmadm_replaced,
  fmadm_acknowledge,
  fmadm_retire,  // option 1: only degraded
  fmadm_restore,
  locate_on,
  locate_off,
  // Plugins. place: the plugin's number.
  plugin_stops,
  plugin_starts,
  plugin_lags,   // amount: ms from a look to the arrival of its message
  next_command,  // option: a Misdeed
  // A compromised plugin describes disks and bays of other plugins.
  lie,       // place: a disk; amount: a bay; option: a Lie, plus kLies * a Liars
  lies_end,  // the lies are withdrawn
  // fmd itself
  kill,           // amount: ms until it is back; option: a Crash
  reboot,         // amount: ms
  clock_jumps,    // amount: seconds, may be negative
  retention,      // resolved cases leave memory
  lose_database,  // amount: ms until it is back with a new database
};

enum class Misdeed {
  none,
  answers_late,  // acts in time, answers after the deadline
  acts_late,     // acts after the deadline
  fails,
  refuses,
  silent,           // neither acts nor answers
  dies_before,      // before acting
  dies_after,       // after acting, before the answer
  forgets_its_keys  // and acts
};

enum class Lie {
  blank,
  other_path,
  other_serial,
  larger,
  in_own_bay,   // in a bay that only the liar describes, with this bay's label
  in_that_bay,  // which fmd-enclosure describes
  smart_failed,
  smart_passed,
  anything,  // any plugin, any property of any part, any edge
  anything_again,
  truth  // describes the disk, the bay and a slot's vdev as fmd knows them
};
inline constexpr int kLies = 11;

// The plugins that report a Lie. For Lie::anything, a random plugin.
enum class Liars { first, second, both };

struct Step {
  Ns at = 0;  // steady clock, since the start
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
