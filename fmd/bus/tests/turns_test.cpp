#include "fmd/bus/turns.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fmd::bus {
namespace {

class TurnsTest : public testing::Test {
 protected:
  bool add(uint32_t uid, const std::string& name, bool privileged = false) {
    return turns_.add(uid, privileged, [this, name](Turns::Answered answered) {
      asked_.push_back(name);
      under_way_.push_back(std::move(answered));
    });
  }
  void answer_all() {
    while (!under_way_.empty()) {
      const Turns::Answered answered = std::move(under_way_.back());
      under_way_.pop_back();
      answered();
    }
  }
  void all() {
    while (turns_.next()) answer_all();
    answer_all();
  }

  int woken_ = 0;
  Turns turns_{2, [this] { ++woken_; }};
  std::vector<std::string> asked_;
  std::vector<Turns::Answered> under_way_;
};

TEST_F(TurnsTest, UsersTakeTurnsAndThePrivilegedGoFirst) {
  for (const char* name : {"a1", "a2", "a3"}) EXPECT_TRUE(add(1000, name));
  EXPECT_TRUE(add(1001, "b1"));
  EXPECT_TRUE(add(1002, "c1"));
  EXPECT_TRUE(add(0, "root", true));
  all();
  EXPECT_EQ(asked_, (std::vector<std::string>{"root", "a1", "b1", "c1", "a2", "a3"}));
}

TEST_F(TurnsTest, OnlySoManyAreUnderWayAndThePrivilegedAreNotCounted) {
  for (int i = 0; i < 5; ++i) add(1000, "a");
  EXPECT_TRUE(turns_.next());
  EXPECT_FALSE(turns_.next()) << "two are under way";
  EXPECT_FALSE(turns_.next());
  EXPECT_EQ(asked_.size(), 2u);
  add(0, "root", true);
  turns_.next();
  EXPECT_EQ(asked_.back(), "root");
  woken_ = 0;
  answer_all();
  EXPECT_GT(woken_, 0) << "there is room again";
  EXPECT_TRUE(turns_.next());
}

TEST_F(TurnsTest, OneUserFillsHisOwnRowAndAllTogetherHaveALimitToo) {
  for (size_t i = 0; i < Turns::kMostOfUser; ++i) EXPECT_TRUE(add(1000, "a"));
  EXPECT_FALSE(add(1000, "a"));
  EXPECT_TRUE(add(1001, "b"));
  for (uint32_t uid = 2000; uid < 2000 + Turns::kMost; ++uid) add(uid, "c");
  EXPECT_FALSE(add(1002, "d"));
  EXPECT_TRUE(add(0, "root", true));
}

TEST_F(TurnsTest, AnswersOfALostConnectionCountNoMore) {
  for (int i = 0; i < 4; ++i) add(1000, "a");
  turns_.next();
  turns_.next();
  turns_.forget_all();
  answer_all();
  for (int i = 0; i < 5; ++i) add(1000, "b");
  EXPECT_TRUE(turns_.next());
  EXPECT_FALSE(turns_.next()) << "two, not four";
}

}  // namespace
}  // namespace fmd::bus
