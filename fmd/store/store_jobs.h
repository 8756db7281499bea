// StoreJobs: runs work on the store where a slow disk delays no other work. One job at a time:
// writes in order, and before all queries. Called from the owner's thread only.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "fmd/store/store.h"

namespace fmd {

// The store after the last job.
struct StoreFacts {
  StoreStats stats;  // may be slightly outdated under load
  std::string moved_aside;
  bool full = false;
};

class StoreJobs {
 public:
  using Done = std::function<void()>;       // called on the owner's thread; may be empty
  using Job = std::function<Done(Store&)>;  // must not use data that the owner may change
  virtual ~StoreJobs() = default;
  virtual void run(Job job) = 0;
  virtual void ask(Job question) = 0;  // runs when no write is waiting
  // One step of sealing (Store::seal_some()) and its result.
  using Sealed = std::function<void(const Result<bool>&)>;
  virtual void seal(Sealed told) {
    run([told = std::move(told)](Store& store) {
      return [told, more = store.seal_some()] { told(more); };
    });
  }
  // Calls the results of finished jobs and returns their number. Waits at most patience_ns until
  // all writes are done.
  virtual size_t collect(int64_t patience_ns) = 0;
  virtual StoreFacts facts() = 0;
  virtual bool damaged() = 0;  // a job found damage: replace the store
};

}  // namespace fmd
