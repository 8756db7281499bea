// IdlePacker: packs what is to be sealed on a thread that runs when no other wants the processor. One at
// a time, so that it never takes more than one of the processors. Inside the store only.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <thread>

#include "fmd/store/seal_work.h"

namespace fmd::store {

class IdlePacker {
 public:
  // wake: called on the packer's thread when take() has something. It must not lock: others would
  // wait for a thread that nobody lets run.
  explicit IdlePacker(std::function<void()> wake) : wake_(std::move(wake)) {}
  ~IdlePacker();
  IdlePacker(const IdlePacker&) = delete;
  IdlePacker& operator=(const IdlePacker&) = delete;

  void start(std::unique_ptr<SealWork> work);  // none may be under way
  std::unique_ptr<SealWork> take();            // what is finished; empty: nothing is

 private:
  std::function<void()> wake_;
  std::unique_ptr<SealWork> work_;
  std::atomic<bool> finished_ = false;
  std::thread thread_;
};

}  // namespace fmd::store
