// Packing at idle priority: no one waits for a thread that rarely gets the processor.
#include "fmd/store/idle_packer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include "fmd/store/block.h"
#include "no_threads.h"

namespace fmd::test {
namespace {

using store::IdlePacker;

std::unique_ptr<SealWork> work_of(std::string lines, int level) {
  auto work = std::make_unique<SealWork>();
  work->lines = std::move(lines);
  work->level = level;
  return work;
}

// Stops halfway, like an idle thread on a busy processor.
class Halt {
 public:
  void operator()() {
    std::unique_lock lock(mutex_);
    told_ = true;
    changed_.notify_all();
    changed_.wait_for(lock, std::chrono::seconds(5), [&] { return goes_on_; });
    left = true;
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return told_; });
  }
  void go_on() {
    const std::lock_guard lock(mutex_);
    goes_on_ = true;
    changed_.notify_all();
  }
  std::atomic<bool> left = false;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool told_ = false, goes_on_ = false;
};

TEST(IdlePacker, WhoTakesWhatIsPackedDoesNotWaitForItsThreadToEnd) {
  Halt wake;
  IdlePacker packer([&] { wake(); });
  EXPECT_FALSE(packer.take());
  ASSERT_TRUE(packer.start(work_of("{\"seq\":1}\n", 3)));
  wake.wait();
  const auto work = packer.take();
  EXPECT_FALSE(wake.left) << "it was waited for";
  ASSERT_TRUE(work);
  std::string back;
  EXPECT_TRUE(store::BlockCodec().unpack(work->data, back));
  EXPECT_EQ(back, work->lines);
  EXPECT_FALSE(packer.take()) << "a second time";
  wake.go_on();
}

TEST(IdlePacker, WhatItCallsIsThereUntilItHasCalledIt) {
  Halt wake;
  {
    IdlePacker packer([&] { wake(); });
    ASSERT_TRUE(packer.start(work_of("{\"seq\":1}\n", 3)));
    wake.wait();
    wake.go_on();
  }
  EXPECT_TRUE(wake.left);
}

// A limit on threads, or lack of memory, must cause an error, not a crash.
TEST(IdlePacker, WhereThereIsNoThreadItSaysSo) {
  IdlePacker packer([] {});
  {
    const NoThreads none;
    EXPECT_FALSE(packer.start(work_of("{\"seq\":1}\n", 3)));
    EXPECT_FALSE(packer.take());
  }
  EXPECT_TRUE(packer.start(work_of("{\"seq\":1}\n", 3)));
}

TEST(IdlePacker, TheEndDoesNotWaitForWhatIsBeingPacked) {
  const auto packing = std::make_shared<Halt>();  // the thread outlives the packer
  {
    IdlePacker packer([] { FAIL() << "nobody is there any more"; },
                      [packing](SealWork&) { (*packing)(); });
    ASSERT_TRUE(packer.start(work_of("{\"seq\":1}\n", 3)));
    packing->wait();
  }
  EXPECT_FALSE(packing->left) << "it was waited for";
  packing->go_on();
}

}  // namespace
}  // namespace fmd::test
