// The store on its own thread: jobs in order, results on the owner's thread, and a hanging store.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "fmd/store/store_thread.h"
#include "no_threads.h"

namespace fmd::test {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

class StoreThreadTest : public ::testing::Test {
 protected:
  void SetUp() override {
    dir_ = std::filesystem::temp_directory_path() / ("fmd-thread-" + std::to_string(getpid()));
    std::filesystem::remove_all(dir_);
    start();
  }
  void TearDown() override {
    thread_.reset();
    std::filesystem::remove_all(dir_);
  }
  void start() {
    auto store = Store::open(dir_, kSecond);
    ASSERT_TRUE(store) << store.error().text();
    thread_ = std::make_unique<StoreThread>(std::move(*store), [this] {
      ++woken_;
      woken_.notify_one();
    });
  }
  static Batch row(const std::string& key) { return {{}, {{"case", key, "{}"}}}; }

  std::filesystem::path dir_;
  std::atomic<int> woken_ = 0;
  std::unique_ptr<StoreThread> thread_;
};

TEST_F(StoreThreadTest, JobsAreDoneInOrderAndAnsweredOnTheOwnersThread) {
  std::vector<int> answers;
  const auto here = std::this_thread::get_id();
  for (int i = 0; i < 100; ++i)
    thread_->run([&, i](Store& store) {
      const bool good = store.commit(row(std::to_string(i))).has_value();
      const bool elsewhere = std::this_thread::get_id() != here;
      return [&, i, good, elsewhere] {
        EXPECT_TRUE(good && elsewhere && std::this_thread::get_id() == here);
        answers.push_back(i);
      };
    });
  thread_->collect(20 * kSecond);
  ASSERT_EQ(answers.size(), 100u);
  EXPECT_TRUE(std::is_sorted(answers.begin(), answers.end()));
  EXPECT_GE(woken_, 99) << "the last one comes with the answer";
}

TEST_F(StoreThreadTest, NobodyWaitsLongerForItThanHeHasPatience) {
  std::mutex gate;
  gate.lock();
  bool answered = false;
  thread_->run([&](Store&) {
    const std::lock_guard until_open(gate);
    return [&] { answered = true; };
  });
  thread_->collect(0);
  thread_->collect(kSecond / 100);
  EXPECT_FALSE(answered);
  EXPECT_EQ(thread_->facts().stats.last_seq, 0u) << "facts come from memory";
  gate.unlock();
  thread_->collect(20 * kSecond);
  EXPECT_TRUE(answered);
}

TEST_F(StoreThreadTest, WhatIsWrittenGoesBeforeQuestions) {
  std::mutex gate;
  gate.lock();
  std::vector<std::string> done;
  const auto job = [&](const std::string& name) {
    return [&, name](Store&) { return [&, name] { done.push_back(name); }; };
  };
  thread_->ask([&](Store&) {
    const std::lock_guard until_open(gate);
    return [&] { done.push_back("under way"); };
  });
  for (int i = 0; i < 100; ++i) thread_->ask(job("question"));
  thread_->run(job("first"));
  thread_->run(job("second"));
  gate.unlock();
  size_t met = 0;
  while (done.size() < 103) met += thread_->collect(20 * kSecond);
  EXPECT_EQ(met, 103u);
  // The thread may have been between two jobs when the gate was closed.
  const auto first = std::find(done.begin(), done.end(), "first");
  EXPECT_LE(first - done.begin(), 1);
  EXPECT_EQ(*(first + 1), "second");
}

TEST_F(StoreThreadTest, AnAnswerMayAskAgain) {
  int answers = 0;
  std::function<void()> again = [&] {
    if (++answers < 3) thread_->run([&](Store&) { return again; });
  };
  thread_->run([&](Store&) { return again; });
  thread_->collect(20 * kSecond);
  EXPECT_EQ(answers, 3);
}

TEST_F(StoreThreadTest, WhatIsQueuedAtTheEndIsStillDone) {
  for (int i = 0; i < 20; ++i)
    thread_->run([i](Store& store) {
      (void)store.commit(row(std::to_string(i)));
      return StoreJobs::Done();
    });
  thread_.reset();
  const auto store = Store::open(dir_, kSecond);
  ASSERT_TRUE(store) << store.error().text();
  EXPECT_EQ((*store)->load_state("case")->size(), 20u);
}

TEST_F(StoreThreadTest, SealingIsPackedElsewhereAndPutBack) {
  std::vector<Event> events(1000);
  for (size_t i = 0; i < events.size(); ++i) {
    events[i].seq = i + 1;
    events[i].event_class = "ereport.test";
  }
  thread_->run([&](Store& store) {
    EXPECT_TRUE(store.commit({events, {}}));
    return StoreJobs::Done();
  });
  std::vector<bool> told;
  for (bool more = true; more;) {
    const size_t before = told.size();
    thread_->seal([&](const Result<bool>& outcome) {
      ASSERT_TRUE(outcome.has_value());
      told.push_back(more = *outcome);
    });
    while (told.size() == before) {  // as the loop does: collects when woken
      const int seen = woken_;
      if (thread_->collect(0) == 0) woken_.wait(seen);
    }
  }
  EXPECT_EQ(told, (std::vector<bool>{true, false}));
  StoreStats stats;
  while ((stats = thread_->facts().stats).sealed.bytes_in == 0) thread_->collect(20 * kSecond);
  EXPECT_EQ(stats.events, 1000u);
  EXPECT_EQ(stats.unsealed_blocks, 0u);
  EXPECT_GT(stats.sealed.bytes_in, stats.sealed.bytes_out);
}

TEST_F(StoreThreadTest, SealingWithoutAThreadIsAnError) {
  thread_->run([](Store& store) {
    std::vector<Event> events(1000);
    for (size_t i = 0; i < events.size(); ++i) events[i].seq = i + 1;
    EXPECT_TRUE(store.commit({events, {}}));
    return StoreJobs::Done();
  });
  const NoThreads none;
  bool told = false;
  thread_->seal([&](const Result<bool>& outcome) {
    told = true;
    EXPECT_FALSE(outcome.has_value());
  });
  while (!told) thread_->collect(20 * kSecond);
}

TEST_F(StoreThreadTest, TheEndDoesNotWaitForSealingToBePutBack) {
  thread_->run([](Store& store) {
    std::vector<Event> events(1000);
    for (size_t i = 0; i < events.size(); ++i) events[i].seq = i + 1;
    EXPECT_TRUE(store.commit({events, {}}));
    return StoreJobs::Done();
  });
  thread_->seal([](const Result<bool>&) { FAIL() << "nobody hears of it any more"; });
  thread_->collect(20 * kSecond);
  thread_.reset();
  const auto store = Store::open(dir_, kSecond);
  ASSERT_TRUE(store);
  EXPECT_EQ((*store)->stats().events, 1000u);
}

// Counts may be slightly outdated, the last event's number may not.
TEST_F(StoreThreadTest, TheLastEventIsKnownAfterEachJob) {
  for (uint64_t seq = 7; seq < 12; ++seq) {
    thread_->run([seq](Store& store) {
      Event event;
      event.seq = seq;
      event.event_class = "ereport.test";
      (void)store.commit({{event}, {}});
      return StoreJobs::Done();
    });
    thread_->collect(20 * kSecond);
    EXPECT_EQ(thread_->facts().stats.last_seq, seq);
  }
}

TEST_F(StoreThreadTest, FactsAreThoseAfterTheLastJobOnceAsked) {
  thread_->run([](Store& store) {
    Event event;
    event.seq = 7;
    event.event_class = "ereport.test";
    (void)store.commit({{event}, {}});
    return StoreJobs::Done();
  });
  thread_->collect(20 * kSecond);
  // May be outdated until it is counted.
  while (thread_->facts().stats.last_seq != 7) thread_->collect(20 * kSecond);
  EXPECT_FALSE(thread_->damaged());
}

}  // namespace
}  // namespace fmd::test
