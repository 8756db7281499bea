#include "plugins/sdk/watcher.h"

#include <gtest/gtest.h>

#include <systemd/sd-event.h>

#include "plugins/sdk/tests/support.h"

namespace fmd::sdk {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

// A source with a simulated clock: each look, wake-up and answer is a line of the story.
class WatcherTest : public ::testing::Test {
 protected:
  Watcher::Time now_{1000h};
  std::optional<Watcher::Time> due_;
  bool lazily_ = false;
  std::function<void()> wake_;
  std::string hangs_;
  std::vector<std::string> story_;
  std::function<void()> during_look_;
  Watcher::Pace pace_{30s, 100ms};
  std::optional<Watcher> watcher_;

  Watcher& start() {
    watcher_.emplace(
        Watcher::Clock{[this] { return now_; },
                       [this](milliseconds in, bool lazily, std::function<void()> wake) {
                         due_ = now_ + in;
                         lazily_ = lazily;
                         wake_ = std::move(wake);
                       }},
        pace_,
        Watcher::Source{[this](bool asked) {
                          due_.reset();
                          story_.push_back(asked ? "look, asked" : "look");
                          if (during_look_) during_look_();
                        },
                        [this] { return hangs_; }});
    return *watcher_;
  }
  Watcher::Answer answer(const std::string& name) {
    return [this, name](const std::string& trouble) {
      story_.push_back(name + (trouble.empty() ? " done" : " failed: " + trouble));
    };
  }
  // Advances the clock and runs what is due.
  void pass(milliseconds time) {
    const Watcher::Time until = now_ + time;
    while (due_ && *due_ <= until) {
      now_ = *due_;
      due_.reset();
      std::exchange(wake_, nullptr)();
    }
    now_ = until;
  }
  std::optional<milliseconds> due_in() const {
    if (!due_) return {};
    return std::chrono::duration_cast<milliseconds>(*due_ - now_);
  }
  std::string story() {
    std::string out;
    for (const auto& line : std::exchange(story_, {})) out += (out.empty() ? "" : "; ") + line;
    return out;
  }
};

TEST_F(WatcherTest, LooksFromTimeToTimeFromTheEndOfTheLastLook) {
  Watcher& watcher = start();
  watcher.look();
  EXPECT_EQ(story(), "look");
  EXPECT_TRUE(watcher.looking());
  pass(5min);
  EXPECT_EQ(story(), "") << "one at a time";
  watcher.over("");
  EXPECT_EQ(due_in(), 30s);
  EXPECT_TRUE(lazily_);
  pass(29s);
  EXPECT_EQ(story(), "");
  pass(1s);
  EXPECT_EQ(story(), "look");
}

TEST_F(WatcherTest, ManyHintsAreOneLook) {
  Watcher& watcher = start();
  watcher.look();
  watcher.over("");
  story();
  watcher.hint();
  EXPECT_FALSE(lazily_);
  pass(60ms);
  watcher.hint();
  pass(39ms);
  EXPECT_EQ(story(), "");
  pass(1ms);
  EXPECT_EQ(story(), "look") << "later hints do not put it off";
  watcher.over("");
  EXPECT_EQ(due_in(), 30s);
}

TEST_F(WatcherTest, AHintDuringALookIsAnotherLook) {
  Watcher& watcher = start();
  watcher.look();
  pass(1s);
  watcher.hint();
  pass(20ms);
  EXPECT_EQ(story(), "look");
  watcher.over("");
  EXPECT_EQ(due_in(), 80ms);
  pass(80ms);
  EXPECT_EQ(story(), "look");
  watcher.hint();
  pass(10s);
  watcher.over("");
  EXPECT_EQ(due_in(), 0ms) << "the hint is older than it may get";
  pass(0ms);
  EXPECT_EQ(story(), "look");
  watcher.over("");
  EXPECT_EQ(due_in(), 30s) << "no hint came during this one";
}

TEST_F(WatcherTest, AHintMayHaveATimeOfItsOwn) {
  Watcher& watcher = start();
  watcher.look();
  EXPECT_FALSE(watcher.hint(0ms)) << "what comes next is known at the look's end";
  watcher.over("");
  pass(0ms);
  watcher.over("");
  story();
  EXPECT_FALSE(watcher.hint(31s)) << "the clock is sooner";
  EXPECT_EQ(due_in(), 30s);
  EXPECT_TRUE(watcher.hint(20s));
  EXPECT_TRUE(watcher.hint(25s));
  EXPECT_EQ(due_in(), 20s) << "the earliest counts";
  EXPECT_FALSE(lazily_);
  pass(20s);
  EXPECT_EQ(story(), "look");
}

TEST_F(WatcherTest, RefreshesDuringALookAreAnsweredByTheNext) {
  Watcher& watcher = start();
  watcher.look();
  watcher.refresh(answer("a"));
  watcher.refresh(answer("b"));
  EXPECT_EQ(story(), "look");
  watcher.over("");
  EXPECT_EQ(story(), "") << "that look began before they were asked";
  pass(0ms);
  EXPECT_EQ(story(), "look, asked");
  watcher.refresh(answer("c"));
  watcher.over("");
  EXPECT_EQ(story(), "a done; b done");
  pass(0ms);
  watcher.over("");
  EXPECT_EQ(story(), "look, asked; c done");
  EXPECT_EQ(due_in(), 30s);
}

TEST_F(WatcherTest, ARefreshAtRestLooksAtOnce) {
  Watcher& watcher = start();
  watcher.refresh(answer("a"));
  EXPECT_EQ(story(), "look, asked");
  watcher.over("");
  EXPECT_EQ(story(), "a done");
}

TEST_F(WatcherTest, ALookThatFailsFailsItsRefreshesAndIsRepeated) {
  Watcher& watcher = start();
  watcher.refresh(answer("a"));
  watcher.over("no such folder");
  EXPECT_EQ(story(), "look, asked; a failed: no such folder");
  EXPECT_EQ(due_in(), 30s);
}

TEST_F(WatcherTest, WhileAChildHangsNoLookBeginsAndRefreshesFailAtOnce) {
  Watcher& watcher = start();
  watcher.refresh(answer("a"));
  watcher.refresh(answer("b"));
  pass(60s);  // its deadline
  hangs_ = "it hangs";
  watcher.over("it hangs");
  EXPECT_EQ(story(), "look, asked; a failed: it hangs");
  pass(0ms);
  EXPECT_EQ(story(), "b failed: it hangs");
  watcher.refresh(answer("c"));
  EXPECT_EQ(story(), "c failed: it hangs");
  watcher.hint();
  pass(100ms);
  EXPECT_EQ(story(), "");
  EXPECT_EQ(due_in(), 30s) << "it tries again";
  hangs_.clear();
  pass(30s);
  EXPECT_EQ(story(), "look");
}

TEST_F(WatcherTest, AReconnectDuringALookIsAnotherLookAndACompleteInventory) {
  Watcher& watcher = start();
  EXPECT_FALSE(watcher.complete_due());
  watcher.look();
  watcher.connected();
  EXPECT_EQ(story(), "look");
  EXPECT_TRUE(watcher.complete_due());
  watcher.over("no answer");
  EXPECT_TRUE(watcher.complete_due()) << "nothing was sent";
  pass(0ms);
  EXPECT_EQ(story(), "look");
  watcher.complete_sent();
  watcher.over("");
  EXPECT_FALSE(watcher.complete_due());
  EXPECT_EQ(due_in(), 30s);
}

TEST_F(WatcherTest, CalmComesAfterQuietLooksAndEndsWithNews) {
  pace_.calm = Calm{3, 2};
  pace_.punctual = true;
  Watcher& watcher = start();
  watcher.look();
  watcher.news();
  watcher.over("");
  for (int quiet = 0; quiet < 3; ++quiet) {
    EXPECT_EQ(due_in(), 30s);
    EXPECT_FALSE(lazily_);
    pass(30s);
    watcher.over("");
  }
  EXPECT_EQ(due_in(), 60s);
  EXPECT_TRUE(lazily_);
  pass(20s);
  watcher.news();
  EXPECT_EQ(due_in(), 10s) << "the look that was put off is due sooner";
  EXPECT_FALSE(lazily_);
  pass(10s);
  watcher.over("");
  EXPECT_EQ(due_in(), 30s);
  pass(30s);
  watcher.over("");
  pass(30s);
  watcher.news();
  watcher.over("");
  EXPECT_EQ(due_in(), 30s) << "the third quiet one was none";
}

TEST_F(WatcherTest, APauseOfTheSourcesOwnIsForOnePause) {
  pace_.calm = Calm{1, 2};
  Watcher& watcher = start();
  watcher.look();
  watcher.over("", 5s);
  EXPECT_EQ(due_in(), 5s) << "calm or not";
  EXPECT_FALSE(lazily_);
  pass(5s);
  watcher.over("");
  EXPECT_EQ(due_in(), 60s);
}

TEST_F(WatcherTest, ASlowSourceRests) {
  pace_.rest = 5;
  Watcher& watcher = start();
  watcher.look();
  pass(20s);
  watcher.over("");
  EXPECT_EQ(due_in(), 100s);
  pass(100s);
  pass(2s);
  watcher.over("");
  EXPECT_EQ(due_in(), 30s);
}

// No device, so there is nothing to wait for.
TEST_F(WatcherTest, ALookMayEndAtOnce) {
  during_look_ = [this] { watcher_->over(""); };
  Watcher& watcher = start();
  watcher.refresh([&](const std::string&) {
    story_.push_back("a done");
    watcher.refresh(answer("b"));
  });
  EXPECT_EQ(story(), "look, asked; a done; look, asked; b done");
  EXPECT_EQ(due_in(), 30s);
}

TEST_F(WatcherTest, AnAnswerMayBeginTheNextLook) {
  Watcher& watcher = start();
  watcher.refresh([&](const std::string&) { watcher.refresh(answer("b")); });
  watcher.over("");
  EXPECT_EQ(story(), "look, asked; look, asked");
  EXPECT_FALSE(due_in()) << "no wake-up while it looks";
  watcher.over("");
  EXPECT_EQ(story(), "b done");
}

TEST(WatcherClock, WakesOnTheLoop) {
  testing::Loop loop;
  int looks = 0;
  std::unique_ptr<Watcher> watcher;
  watcher = std::make_unique<Watcher>(Watcher::Clock::of(loop), Watcher::Pace{1h, 1ms},
                                      Watcher::Source{[&](bool) {
                                        ++looks;
                                        watcher->over("");
                                      }});
  watcher->hint();
  ASSERT_TRUE(loop.until([&] { return looks == 1; }));
  watcher->hint();
  watcher.reset();
  int64_t turns = 0;
  Timer later(loop);
  later.start(20ms, [&] { ++turns; });
  ASSERT_TRUE(loop.until([&] { return turns == 1; }));
  EXPECT_EQ(looks, 1) << "nothing wakes it once it is gone";
}

}  // namespace
}  // namespace fmd::sdk
