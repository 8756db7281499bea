// StoreJobs: work on the store in a place where a slow disk delays nobody. One job at a time:
// writes in order, and before all queries. Called from one thread, the owner's.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

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
  virtual void ask(Job question) = 0;  // done when nothing is left to be written
  // A bite of sealing (Store::seal_some()), and what came of it.
  using Sealed = std::function<void(const Result<bool>&)>;
  virtual void seal(Sealed told) {
    run([told = std::move(told)](Store& store) {
      return [told, more = store.seal_some()] { told(more); };
    });
  }
  // Calls what jobs that are finished returned, and says how many these were. Waits until all is
  // written, at most so long.
  virtual size_t collect(int64_t patience_ns) = 0;
  virtual StoreFacts facts() = 0;
  virtual bool damaged() = 0;  // a job met damage: it is to be replaced
};

}  // namespace fmd
