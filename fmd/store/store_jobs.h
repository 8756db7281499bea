// StoreJobs: work on the store, done where a slow disk holds nobody up. Jobs run in order, one at a
// time. Called from one thread, the owner's.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "fmd/store/store.h"

namespace fmd {

// The store as it was after the last job.
struct StoreFacts {
  StoreStats stats;  // a moment old under load
  std::string moved_aside;
  bool full = false;
};

class StoreJobs {
 public:
  using Done = std::function<void()>;       // called on the owner's thread; may be empty
  using Job = std::function<Done(Store&)>;  // holds nothing that the owner may change meanwhile
  virtual ~StoreJobs() = default;
  virtual void run(Job job) = 0;
  // Calls what jobs that are finished returned. Waits for those under way, at most so long.
  virtual void collect(int64_t patience_ns) = 0;
  virtual StoreFacts facts() = 0;
  virtual bool damaged() = 0;  // a job met damage: it is to be replaced
};

}  // namespace fmd
