#include "fmd/store/idle_packer.h"

#include <pthread.h>
#include <sched.h>

#include <utility>

namespace fmd::store {

IdlePacker::~IdlePacker() {
  if (thread_.joinable()) thread_.join();
}

// A thread for each: one that has become idle may not become anything else again, and none is kept
// while nothing is to be packed.
void IdlePacker::start(std::unique_ptr<SealWork> work) {
  work_ = std::move(work);
  finished_ = false;
  thread_ = std::thread([this] {
    const struct sched_param none {};
    (void)pthread_setschedparam(pthread_self(), SCHED_IDLE, &none);  // else as the others run
    work_->pack();
    finished_ = true;
    wake_();
  });
}

std::unique_ptr<SealWork> IdlePacker::take() {
  if (!finished_) return nullptr;
  thread_.join();
  finished_ = false;
  return std::exchange(work_, nullptr);
}

}  // namespace fmd::store
