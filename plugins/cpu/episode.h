// Episode: what the kernel says within a second, told once: errors of one kind about one part are one,
// however often and by however many sources. A corrected error of the bus waits for another second: a
// memory error of the same processor, in that second or beside it, explains it. Pure; the caller keeps
// the time.
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
  // socket: FMRI of the processor whose bank told; "" when the source does not say.
  void add(sdk::OutEvent event, const std::string& socket);
  std::vector<sdk::OutEvent> take();  // the second is over
  bool goes_on() const;               // another second has to be waited for

 private:
  struct Fold {
    sdk::OutEvent event;
    std::string socket;
    uint64_t times = 0, counted = 0;
  };
  using Sockets = std::set<std::string>;
  static void explain(Fold& fold, const Sockets& with_memory_errors);

  std::map<std::string, Fold> folds_;
  std::vector<Fold> waiting_;               // errors of the bus, of the second before
  Sockets memory_;                          // sockets that had memory errors, now
  std::array<Sockets, 2> memory_before_{};  // in the last second, and in the one before
};

// Storm: how many corrected errors a minute each processor takes. A memory error that EDAC tells of as
// well is one.
class Storm {
 public:
  void add(const TraceRecord& record, const std::string& socket);
  std::map<std::string, uint64_t> take();  // by the socket's FMRI; the minute is over
  bool empty() const { return by_socket_.empty() && other_ == 0; }

 private:
  std::map<std::string, uint64_t> by_socket_;
  uint64_t memory_ = 0;  // of these, by a memory controller
  uint64_t other_ = 0;   // by EDAC and the firmware, which name no processor
};

}  // namespace fmd::cpu
