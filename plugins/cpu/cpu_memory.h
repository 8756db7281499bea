// CpuMemory: the state that fmd-cpu keeps across restarts because it cannot be read again: places
// of offline threads, fmd's own actions, pages with errors, reported crashes. A small JSON file in
// the state folder; without one, in memory only. Single thread.
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

// A part that a command of fmd took out of service. Ends at the next boot.
struct Deed {
  std::string key, boot;
  std::vector<unsigned> threads;  // cores: the threads that were online before
};

struct Page {
  int64_t last_ns = 0;  // wall clock time of the last error
  std::string lost_in;  // boot in which the kernel itself took the page out of use
  std::string module;   // FMRI of its module, otherwise of its channel; "" unknown
};

class CpuMemory {
 public:
  explicit CpuMemory(std::string file) : document_(std::move(file)) {}
  KnownPlaces places;
  std::map<std::string, Deed> deeds;         // by FMRI
  std::set<std::string> ended;               // FMRIs of deeds ended by a restart
  std::map<uint64_t, Page> pages;            // by frame
  std::map<uint64_t, std::string> released;  // restored frames, out of use until the next boot
  std::set<std::string> channels;            // FMRIs of channels that had errors
  std::set<std::string> crashes;             // ids of crashes found in pstore
  bool first = true;                         // no state file: existing pstore records are history

  // A missing file gives an empty memory. A damaged one is an error and also leaves it empty.
  Result<void> load();
  void save();  // when it has changed; trouble is logged

 private:
  sdk::StateDocument document_;
};

}  // namespace fmd::cpu
