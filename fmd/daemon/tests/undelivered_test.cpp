// Messages that cannot be delivered: a case after half an hour, given up after a week, said on the way.

#include "fmd/daemon/tests/pipeline_rig.h"

#include "fmd/base/json.h"

namespace fmd::test {
namespace {

constexpr int64_t kMinute = 60 * kSecond;
constexpr const char* kMail = "fmd://channel=mail";

class UndeliveredTest : public PipelineRig {
 protected:
  void open() override {
    PipelineRig::open();
    durable_->outbox.set_expiry(7 * kDay, {"mail"});
  }
  // Each message that is due gets that answer. How many those were.
  size_t answer_all(const std::string& status, const std::string& reason = "") {
    const auto due = durable_->outbox.due(durable_->clock.now(), [](auto) { return true; });
    for (const Delivery& delivery : due) {
      Work work;
      work.apply = [=](Durable& durable, Moment now) {
        durable.outbox.answered(delivery, status, reason, now);
      };
      pipeline_->submit(std::move(work));
    }
    (void)flush();
    return due.size();
  }
  void pass_minutes(int minutes, const std::string& status) {
    for (int i = 0; i < minutes; ++i) {
      pass(kMinute);
      answer_all(status, "connection refused");
    }
  }
  nlohmann::json explained() {
    return durable_->alerts.explain(case_about("dev://serial=A")->uuid, durable_->outbox);
  }
};

TEST_F(UndeliveredTest, AChannelThatFailsForHalfAnHourIsACaseUntilItDelivers) {
  pipeline_->submit(events("ereport.test.broken", 1));
  (void)flush();
  pass(kMinute);
  EXPECT_EQ(answer_all("failed", "connection refused"), 1u);
  pass_minutes(29, "failed");
  EXPECT_EQ(case_about(kMail), nullptr);
  kill_and_restart();
  pass_minutes(2, "failed");
  ASSERT_NE(case_about(kMail), nullptr) << "a restart does not start the half hour anew";
  EXPECT_EQ(case_about(kMail)->state, CaseState::solved);
  pass_minutes(6, "done");
  EXPECT_FALSE(case_about(kMail)->open());
  EXPECT_EQ(explained()[0]["state"], "delivered");
  pipeline_->submit(events("ereport.test.broken", 1, "dev://serial=B"));
  (void)flush();
  pass_minutes(40, "failed");
  size_t about_mail = 0;
  for (const auto& [uuid, c] : engine().cases()) about_mail += c.suspects[0].resource == kMail;
  EXPECT_EQ(about_mail, 2u) << "the second time is a case again";
}

TEST_F(UndeliveredTest, WhatIsGivenUpIsInTheLogTheBookAndOnTheCase) {
  pipeline_->submit(events("ereport.test.broken", 1));
  (void)flush();
  pass(kMinute);
  answer_all("failed", "connection refused");
  pass(7 * kDay - kMinute);
  run();
  ASSERT_EQ(explained()[0]["state"], "expired") << explained();
  EXPECT_EQ(explained()[0]["reason"], "1 try in 7d, the last: connection refused");
  const auto said = [&] {
    return std::count_if(lines_.begin(), lines_.end(), [](const std::string& line) {
      return line.find("was given up: 1 try in 7d") != std::string::npos;
    });
  };
  EXPECT_EQ(said(), 1);
  const auto& timeline = case_about("dev://serial=A")->timeline;
  EXPECT_NE(timeline.back().text.find("mail given up (diagnosed)"), std::string::npos);
  kill_and_restart();
  pass(kDay);
  EXPECT_EQ(explained()[0]["state"], "expired");
  EXPECT_EQ(said(), 1) << "once";
  EXPECT_NE(case_about(kMail), nullptr);
  EXPECT_TRUE(case_about(kMail)->open()) << "giving up mends nothing";
}

}  // namespace
}  // namespace fmd::test
