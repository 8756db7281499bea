// Alerts sent to Alertmanager: one per case, ended at the repair, replaced when its labels change.
#include "plugins/alertmanager/alerts.h"
#include "plugins/sdk/notice.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace fmd::alertmanager {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

constexpr int64_t kSecond = 1000000000, kStart = 1795229321 * kSecond;

sdk::Notice notice(const std::string& event, const std::string& severity = "Major",
                   int64_t time_ns = kStart) {
  return *sdk::Notice::from_args(
      {{"key", "u1:" + event},
       {"event", event},
       {"host", "storage1"},
       {"subject", "replace it"},
       {"time", time_ns},
       {"case",
        {{"uuid", "u1"},
         {"title", "Disk returns wrong data"},
         {"code", "ZFS-8000-GH"},
         {"severity", severity},
         {"action", "The rule's text."},
         {"explain_url", "https://w.example/ZFS-8000-GH"},
         {"say", {{"headline", "SLOT 04: disk returns wrong data"}, {"do_now", "Replace it."}}},
         {"suspects",
          {{{"class", "fault.x"}, {"fru_path", "hc://c/bay=4"}, {"location", "SLOT\n04"}}}}}}});
}

class AlertsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("fmd-am-" + std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

TEST_F(AlertsTest, LabelsSayWhatFleetsRouteBy) {
  auto alerts = Alerts::load(folder_);
  ASSERT_TRUE(alerts);
  const json body = alerts->take(notice("diagnosed"), kStart + kSecond, 240s);
  ASSERT_EQ(body.size(), 1u);
  EXPECT_EQ(
      body[0]["labels"],
      json::parse(R"({"alertname":"Disk returns wrong data","host":"storage1","severity":"major",
      "class":"fault.x","fru":"hc://c/bay=4","bay":"SLOT\\x0a04","code":"ZFS-8000-GH","case":"u1"})"));
  EXPECT_EQ(body[0]["annotations"]["summary"], "replace it");
  EXPECT_EQ(body[0]["annotations"]["headline"], "SLOT 04: disk returns wrong data");
  EXPECT_EQ(body[0]["annotations"]["action"], "Replace it.");
  EXPECT_EQ(body[0]["annotations"]["runbook_url"], "https://w.example/ZFS-8000-GH");
  EXPECT_EQ(body[0]["startsAt"], "2026-11-21T02:48:41.000Z");
  EXPECT_EQ(body[0]["endsAt"], "2026-11-21T02:52:42.000Z") << "unless it is told again";
}

TEST_F(AlertsTest, EndsAtTheRepairAndIsToldNoMore) {
  auto alerts = Alerts::load(folder_);
  (void)alerts->take(notice("diagnosed"), kStart, 240s);
  EXPECT_EQ(alerts->open(kStart + 60 * kSecond, 240s).size(), 1u);
  const json body = alerts->take(notice("repaired", "Major", kStart + 100 * kSecond),
                                 kStart + 105 * kSecond, 240s);
  ASSERT_EQ(body.size(), 1u);
  EXPECT_EQ(body[0]["endsAt"], "2026-11-21T02:50:21.000Z");
  EXPECT_EQ(body[0]["startsAt"], "2026-11-21T02:48:41.000Z");
  EXPECT_TRUE(alerts->empty());
  const json again = alerts->take(notice("resolved", "Major", kStart + 200 * kSecond),
                                  kStart + 200 * kSecond, 240s);
  EXPECT_EQ(again.size(), 1u) << "an end without a beginning does no harm";
  EXPECT_TRUE(alerts->empty());
}

TEST_F(AlertsTest, OtherLabelsAreAnotherAlertAndTheOldOneEnds) {
  auto alerts = Alerts::load(folder_);
  (void)alerts->take(notice("diagnosed"), kStart, 240s);
  const json body = alerts->take(notice("updated", "Critical", kStart + 50 * kSecond),
                                 kStart + 50 * kSecond, 240s);
  ASSERT_EQ(body.size(), 2u);
  EXPECT_EQ(body[0]["labels"]["severity"], "major");
  EXPECT_EQ(body[0]["endsAt"], "2026-11-21T02:49:31.000Z");
  EXPECT_EQ(body[1]["labels"]["severity"], "critical");
  EXPECT_EQ(body[1]["startsAt"], body[0]["startsAt"]);
  // The case's final state does not matter: the open alert is ended.
  const json end =
      alerts->take(notice("resolved", "Minor", kStart + 60 * kSecond), kStart + 60 * kSecond, 240s);
  ASSERT_EQ(end.size(), 1u);
  EXPECT_EQ(end[0]["labels"]["severity"], "critical");
}

TEST_F(AlertsTest, ARestartGoesOn) {
  auto before = Alerts::load(folder_);
  (void)before->take(notice("diagnosed"), kStart, 240s);
  ASSERT_TRUE(before->save());
  const auto after = Alerts::load(folder_);
  ASSERT_TRUE(after);
  EXPECT_EQ(after->open(kStart, 240s), before->open(kStart, 240s));
  std::ofstream(folder_ / "alerts.json") << "{";
  const auto broken = Alerts::load(folder_);
  ASSERT_FALSE(broken);
  EXPECT_NE(broken.error().text().find("alerts.json"), std::string::npos);
}

}  // namespace
}  // namespace fmd::alertmanager
