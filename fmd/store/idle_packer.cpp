#include "fmd/store/idle_packer.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <system_error>
#include <thread>
#include <utility>

namespace fmd::store {

// One packing job, shared by its thread and the packer.
struct IdlePacker::Run {
  enum Step { packs, wakes, over };
  std::unique_ptr<SealWork> work;
  std::function<void()> wake;
  Pack pack;
  std::atomic<Step> step = packs;

  bool go_on_to(Step next) {
    Step before = packs;
    return step.compare_exchange_strong(before, next);
  }

  void run() {
    const struct sched_param none {};
    (void)pthread_setschedparam(pthread_self(), SCHED_IDLE, &none);  // or at normal priority
    pack(*work);
    if (!go_on_to(wakes)) return;
    wake();
    step = over;
    step.notify_all();
  }
};

IdlePacker::IdlePacker(std::function<void()> wake, Pack pack)
    : wake_(std::move(wake)), pack_(std::move(pack)) {}

// Waits only for a running wake(), whose owner may be destroyed after this.
IdlePacker::~IdlePacker() {
  for (const auto& run : runs_)
    if (!run->go_on_to(Run::over)) run->step.wait(Run::wakes);
}

// A new thread for each job: an idle thread may not be allowed to raise its priority again, and
// none is kept between jobs.
Result<void> IdlePacker::start(std::unique_ptr<SealWork> work) {
  std::erase_if(runs_, [](const auto& run) { return run->step == Run::over; });
  auto run = std::make_shared<Run>();
  run->work = std::move(work);
  run->wake = wake_;
  run->pack = pack_;
  try {
    std::thread([run] { run->run(); }).detach();
  } catch (const std::system_error& error) {
    return fail(fmt::format("no thread can be had to pack with: {}", error.what()));
  }
  runs_.push_back(std::move(run));
  return {};
}

std::unique_ptr<SealWork> IdlePacker::take() {
  if (runs_.empty() || runs_.back()->step == Run::packs) return nullptr;
  return std::move(runs_.back()->work);
}

}  // namespace fmd::store
