// CpuMemory: what fmd-cpu must know from one run to the next and no look can tell: where threads sit
// that are offline, what fmd's own commands did, which pages had errors, which crashes were told. A
// small JSON file in the state folder; without a folder it lasts as long as the process. Single thread.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "fmd/base/result.h"
#include "plugins/cpu/processors.h"
#include "plugins/sdk/state_document.h"

namespace fmd::cpu {

// What a command of fmd's took out of service. Ends with the boot.
struct Deed {
  std::string key, boot;
  std::vector<unsigned> threads;  // of a core: those that were online before
};

struct Page {
  int64_t last_ns = 0;  // wall clock, of its last error
  std::string lost_in;  // the boot in which the kernel took it out by itself
  std::string module;   // FMRI of the module, or else the channel, that it is on; "" not known
};

class CpuMemory {
 public:
  explicit CpuMemory(std::string file) : document_(std::move(file)) {}
  KnownPlaces places;
  std::map<std::string, Deed> deeds;         // by FMRI
  std::set<std::string> ended;               // FMRIs of deeds that ended with an earlier boot
  std::map<uint64_t, Page> pages;            // by frame
  std::map<uint64_t, std::string> released;  // frames given back, which the boot keeps out of use
  std::set<std::string> channels;            // FMRIs of those that had errors
  std::set<std::string> crashes;             // names of what pstore kept
  bool first = true;                         // nothing was known: what pstore holds is history

  // A missing file is an empty memory; a damaged one an error, and an empty memory too.
  Result<void> load();
  void save();  // when it has changed; trouble is logged

 private:
  sdk::StateDocument document_;
};

}  // namespace fmd::cpu
