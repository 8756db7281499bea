// StoreThread: the store on a separate thread, so that an fsync of a dying disk, which may take a
// minute, does not block the daemon.
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
  // wake: called on the store's thread when collect() has work.
  StoreThread(std::unique_ptr<Store> store, std::function<void()> wake);
  ~StoreThread() override;  // waits for the jobs; drops their results

  void run(Job job) override;
  void ask(Job question) override;
  // Packs on a thread of lowest priority; collect() then puts the result back. One at a time.
  void seal(Sealed told) override;
  size_t collect(int64_t patience_ns) override;
  StoreFacts facts() override;
  bool damaged() override;

 private:
  void add(std::deque<Job>& to, Job job);
  void work();
  void put_back();  // packed work
  void look();      // updates facts_

  std::unique_ptr<Store> store_;  // used by the thread only
  std::function<void()> wake_;
  Sealed told_;       // used by the owner's thread only
  std::mutex mutex_;  // for everything below
  std::condition_variable has_job_, has_done_;
  std::deque<Job> jobs_, questions_;
  std::vector<Done> done_;
  StoreFacts facts_;
  bool damaged_ = false;
  int64_t counted_ns_ = 0;
  bool writing_ = false, ends_ = false;
  bool stale_ = false, count_ = false;  // facts_.stats is outdated; count it at once
  store::IdlePacker packer_;            // used by the owner's thread only
  std::thread thread_;                  // last: it uses all of the above
};

}  // namespace fmd
