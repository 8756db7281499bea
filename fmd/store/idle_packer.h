// IdlePacker: packs blocks on a thread that runs only when the processor is idle. One block at a
// time, so that it uses at most one processor. No one may wait for that thread: it may not run for
// seconds, not even to exit. Internal to the store.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/store/seal_work.h"

namespace fmd::store {

class IdlePacker {
 public:
  // wake: called on the packer's thread when take() has a result, never after destruction. It must
  // not lock: others would wait for a thread that does not run.
  using Pack = std::function<void(SealWork&)>;
  explicit IdlePacker(
      std::function<void()> wake, Pack pack = [](SealWork& work) { work.pack(); });
  ~IdlePacker();  // drops the current job's result
  IdlePacker(const IdlePacker&) = delete;
  IdlePacker& operator=(const IdlePacker&) = delete;

  // No job may be running. On an error (no thread available) the work is lost.
  Result<void> start(std::unique_ptr<SealWork> work);
  std::unique_ptr<SealWork> take();  // the finished work; null: none

 private:
  struct Run;
  std::function<void()> wake_;
  Pack pack_;
  std::vector<std::shared_ptr<Run>> runs_;  // the last one, and earlier ones that have not finished
};

}  // namespace fmd::store
