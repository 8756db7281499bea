#include "fmd/store/store_thread.h"

#include <chrono>
#include <utility>

namespace fmd {
namespace {

using Clock = std::chrono::steady_clock;

// Counting takes a millisecond with millions of events.
constexpr int64_t kCountEachNs = 1'000'000'000;

int64_t steady_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch())
      .count();
}

}  // namespace

StoreThread::StoreThread(std::unique_ptr<Store> store, std::function<void()> wake)
    : store_(std::move(store)), wake_(std::move(wake)), packer_(wake_) {
  look();
  thread_ = std::thread([this] { work(); });
}

StoreThread::~StoreThread() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  has_job_.notify_one();
  thread_.join();
}

void StoreThread::run(Job job) {
  add(jobs_, std::move(job));
}

void StoreThread::ask(Job question) {
  add(questions_, std::move(question));
}

void StoreThread::seal(Sealed told) {
  told_ = std::move(told);
  run([this](Store& store) -> Done {
    auto step = store.begin_sealing();
    if (!step) return [this, error = step.error()] { told_(tl::unexpected(error)); };
    if (!step->work) return [this, more = step->more] { told_(more); };
    return [this, work = std::make_shared<std::unique_ptr<SealWork>>(std::move(step->work))] {
      if (auto started = packer_.start(std::move(*work)); !started)
        told_(tl::unexpected(started.error()));
    };
  });
}

void StoreThread::put_back() {
  const std::shared_ptr<SealWork> work = packer_.take();
  if (!work) return;
  run([this, work](Store& store) -> Done {
    Result<bool> more = true;
    if (auto done = store.end_sealing(*work); !done) more = tl::unexpected(done.error());
    return [this, more] { told_(more); };
  });
}

void StoreThread::add(std::deque<Job>& to, Job job) {
  {
    const std::lock_guard lock(mutex_);
    to.push_back(std::move(job));
  }
  has_job_.notify_one();
}

size_t StoreThread::collect(int64_t patience_ns) {
  const auto until = Clock::now() + std::chrono::nanoseconds(patience_ns);
  put_back();
  std::unique_lock lock(mutex_);
  const auto idle = [this] { return jobs_.empty() && !writing_; };
  size_t met = 0;
  for (;;) {
    const std::vector<Done> finished = std::exchange(done_, {});
    met += finished.size();
    lock.unlock();
    for (const Done& done : finished)
      if (done) done();
    lock.lock();
    if (!done_.empty()) continue;
    if (patience_ns <= 0 || idle()) return met;
    if (!has_done_.wait_until(lock, until, [&] { return !done_.empty() || idle(); })) return met;
  }
}

StoreFacts StoreThread::facts() {
  StoreFacts facts;
  bool behind = false;
  {
    const std::lock_guard lock(mutex_);
    facts = facts_;
    behind = stale_ && !std::exchange(count_, stale_);
  }
  if (behind) ask([](Store&) { return Done(); });
  return facts;
}

bool StoreThread::damaged() {
  const std::lock_guard lock(mutex_);
  return damaged_;
}

void StoreThread::look() {
  StoreFacts now;
  now.moved_aside = store_->moved_aside();
  now.full = store_->is_full();
  const bool damaged = store_->is_damaged();
  bool count = false;
  {
    const std::lock_guard lock(mutex_);
    now.stats = facts_.stats;
    count = std::exchange(count_, false) || steady_ns() >= counted_ns_ + kCountEachNs;
  }
  if (count) now.stats = store_->stats();
  now.stats.last_seq = store_->last_seq();  // always current: readers of new events rely on it
  const std::lock_guard lock(mutex_);
  facts_ = std::move(now);
  damaged_ = damaged;
  stale_ = !count;
  if (count) counted_ns_ = steady_ns();
}

void StoreThread::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    has_job_.wait(lock, [this] { return ends_ || !jobs_.empty() || !questions_.empty(); });
    if (jobs_.empty() && (ends_ || questions_.empty())) return;
    writing_ = !jobs_.empty();
    std::deque<Job>& next = writing_ ? jobs_ : questions_;
    Job job = std::move(next.front());
    next.pop_front();
    lock.unlock();
    Done done = job(*store_);
    job = nullptr;
    look();
    lock.lock();
    writing_ = false;
    done_.push_back(std::move(done));
    lock.unlock();
    has_done_.notify_one();
    wake_();
    lock.lock();
  }
}

}  // namespace fmd
