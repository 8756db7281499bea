// LightsAhead: the fault LEDs as they were commanded while nothing could be written, in a file beside the
// socket: in memory (/run), not on the disk that is full or broken. It outlives a kill -9 of fmd, so that the
// fmd that comes after knows whose they are; the machine's reset it does not outlive.
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
