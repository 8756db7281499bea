// IdlePacker: packs blocks on a thread that runs only when no other needs the processor. One block
// at a time, so that it uses at most one processor. Nobody may wait for that thread: it may not run
// for seconds, not even to end. Internal to the store.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/store/seal_work.h"

namespace fmd::store {

class IdlePacker {
 public:
  // wake: called on the packer's thread when take() has something, never after the end. It must not
  // lock: others would wait for a thread that nobody lets run.
  using Pack = std::function<void(SealWork&)>;
  explicit IdlePacker(
      std::function<void()> wake, Pack pack = [](SealWork& work) { work.pack(); });
  ~IdlePacker();  // what is being packed is for nobody then
  IdlePacker(const IdlePacker&) = delete;
  IdlePacker& operator=(const IdlePacker&) = delete;

  // None may be under way. An error where the system gives no thread; then the work is gone.
  Result<void> start(std::unique_ptr<SealWork> work);
  std::unique_ptr<SealWork> take();  // what is finished; empty: nothing is

 private:
  struct Run;
  std::function<void()> wake_;
  Pack pack_;
  std::vector<std::shared_ptr<Run>> runs_;  // the last one, and those before it that are not over
};

}  // namespace fmd::store
