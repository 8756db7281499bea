// StoreThread: the store on a separate thread. An fsync of a dying disk may take a minute; the
// daemon continues meanwhile.
#pragma once
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "fmd/store/idle_packer.h"
#include "fmd/store/store_jobs.h"

namespace fmd {

class StoreThread : public StoreJobs {
 public:
  // wake: called on the store's thread when collect() has something to do.
  StoreThread(std::unique_ptr<Store> store, std::function<void()> wake);
  ~StoreThread() override;  // once the jobs are done; nobody hears of them any more

  void run(Job job) override;
  void ask(Job question) override;
  // Packed on a thread of lowest priority; put back when collect() has met that. One at a time.
  void seal(Sealed told) override;
  size_t collect(int64_t patience_ns) override;
  StoreFacts facts() override;
  bool damaged() override;

 private:
  void add(std::deque<Job>& to, Job job);
  void work();
  void put_back();  // what was packed
  void look();      // at the store, for facts()

  std::unique_ptr<Store> store_;  // the thread's alone
  std::function<void()> wake_;
  Sealed told_;       // the owner's thread's alone
  std::mutex mutex_;  // of all below
  std::condition_variable has_job_, has_done_;
  std::deque<Job> jobs_, questions_;
  std::vector<Done> done_;
  StoreFacts facts_;
  bool damaged_ = false;
  int64_t counted_ns_ = 0;
  bool writing_ = false, ends_ = false;
  bool stale_ = false, count_ = false;  // facts_.stats: behind; to be counted now
  store::IdlePacker packer_;            // the owner's thread's alone
  std::thread thread_;                  // last: it uses all of these
};

}  // namespace fmd
