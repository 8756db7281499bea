// Episode: merges the records of one second: errors of one kind about one part become one event,
// whatever their number and sources. A corrected bus error waits for another second, because a
// memory error of the same processor in that second or an adjacent one explains it. Pure; the
// caller keeps the time.
#pragma once
#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "plugins/cpu/findings.h"
#include "plugins/cpu/trace_records.h"
#include "plugins/sdk/messages.h"

namespace fmd::cpu {

class Episode {
 public:
  // socket: FMRI of the processor whose bank reported the error; "" if the source names none.
  void add(sdk::OutEvent event, const std::string& socket);
  std::vector<sdk::OutEvent> take();  // at the end of each second
  bool goes_on() const;               // take() is due again a second later

 private:
  struct Fold {
    sdk::OutEvent event;
    std::string socket;
    uint64_t times = 0, counted = 0;
  };
  using Sockets = std::set<std::string>;
  static void explain(Fold& fold, const Sockets& with_memory_errors);

  std::map<std::string, Fold> folds_;
  std::vector<Fold> waiting_;               // bus errors of the second before
  Sockets memory_;                          // sockets with memory errors in this second
  std::array<Sockets, 2> memory_before_{};  // in the last second and in the one before
};

// Storm: corrected errors per minute and processor. Errors that EDAC reports as well count once.
class Storm {
 public:
  void add(const TraceRecord& record, const std::string& socket);
  std::map<std::string, uint64_t> take();  // at the end of each minute; by socket FMRI
  bool empty() const { return by_socket_.empty() && other_ == 0; }

 private:
  std::map<std::string, uint64_t> by_socket_;
  uint64_t memory_ = 0;  // those reported by a memory controller
  uint64_t other_ = 0;   // from EDAC and the firmware, which name no processor
};

}  // namespace fmd::cpu
