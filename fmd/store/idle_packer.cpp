#include "fmd/store/idle_packer.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <system_error>
#include <thread>
#include <utility>

namespace fmd::store {

// One packing: its thread's and ours, whoever ends last.
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
    (void)pthread_setschedparam(pthread_self(), SCHED_IDLE, &none);  // else as the others run
    pack(*work);
    if (!go_on_to(wakes)) return;
    wake();
    step = over;
    step.notify_all();
  }
};

IdlePacker::IdlePacker(std::function<void()> wake, Pack pack)
    : wake_(std::move(wake)), pack_(std::move(pack)) {}

// Only what is called at the end is waited for: its owner may be gone then.
IdlePacker::~IdlePacker() {
  for (const auto& run : runs_)
    if (!run->go_on_to(Run::over)) run->step.wait(Run::wakes);
}

// A thread for each: one that has become idle may not become anything else again, and none is kept
// while nothing is to be packed.
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
