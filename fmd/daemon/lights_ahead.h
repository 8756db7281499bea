// LightsAhead: the fault LEDs that were commanded while nothing could be written to disk. They are
// recorded in a file beside the socket, in memory (/run). It survives a kill -9 of fmd, so that the
// next fmd knows who lit them; it does not survive a reboot.
#pragma once
#include <string>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/base/state_row.h"

namespace fmd {

class LightsAhead {
 public:
  explicit LightsAhead(std::string path);
  // Of a run before: interventions, and the bays that they are about. None: there is no file, or it is none
  // of ours.
  std::vector<StateRow> read() const;
  // These instead. None: all is on disk, the file goes.
  Result<void> keep(const std::vector<StateRow>& rows) const;

 private:
  std::string path_;
};

}  // namespace fmd
