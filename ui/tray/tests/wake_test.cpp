#include "ui/tray/wake.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace fmd::tray {
namespace {

using Clock = std::chrono::steady_clock;
std::atomic<int> handled;

TEST(Wake, RestsAndIsCutShortByARing) {
  Wake wake;
  EXPECT_FALSE(wake.rang());
  EXPECT_TRUE(wake.rest(1));
  wake.ring();
  EXPECT_TRUE(wake.rang());
  EXPECT_FALSE(wake.rest(60'000));
}

// Qt handles SIGCHLD on whichever thread it arrives; a session must not mistake it for a ring.
TEST(Wake, ASignalIsNoRing) {
  struct sigaction counting {};
  struct sigaction before {};
  counting.sa_handler = [](int) { ++handled; };
  ASSERT_EQ(sigaction(SIGUSR1, &counting, &before), 0);
  Wake wake;
  std::atomic<bool> resting = true;
  bool whole = false;
  const auto begun = Clock::now();
  std::thread sleeper([&] {
    whole = wake.rest(200);
    resting = false;
  });
  while (resting) {
    pthread_kill(sleeper.native_handle(), SIGUSR1);
    std::this_thread::yield();
  }
  sleeper.join();
  EXPECT_TRUE(whole);
  EXPECT_GE(Clock::now() - begun, std::chrono::milliseconds(200));
  EXPECT_GT(handled, 0);
  EXPECT_FALSE(wake.rang());
  sigaction(SIGUSR1, &before, nullptr);
}

}  // namespace
}  // namespace fmd::tray
