// Log entries as events, each reported once.
#include "plugins/redfish/log.h"

#include <gtest/gtest.h>

#include "plugins/redfish/tests/documents_fixture.h"
#include "plugins/sdk/messages.h"

namespace fmd::redfish {
namespace {

using nlohmann::json;
using namespace testing;

const std::string kPage = "/redfish/v1/L/E";

class RedfishLog : public ::testing::Test {
 protected:
  RedfishLog() {
    service_.system = "host";
    documents_[kPage].body = {{"Members", json::array()}};
  }
  json& add(const std::string& id, const std::string& severity, const std::string& origin = "",
            const std::string& created = "2026-11-23T01:02:03Z") {
    json entry{{"@odata.id", kPage + "/" + id},
               {"Id", id},
               {"Severity", severity},
               {"Message", "m" + id},
               {"Created", created}};
    if (!origin.empty()) entry["Links"] = {{"OriginOfCondition", {{"@odata.id", origin}}}};
    documents_[kPage].body["Members"].push_back(entry);
    return documents_[kPage].body["Members"].back();
  }
  std::vector<std::string> news(bool whole = true) {
    std::vector<std::string> out;
    for (const auto& event :
         log_.take(documents_, {kPage}, whole, service_, describe(service_, documents_), kNow))
      out.push_back(event.event_class + " " + event.resource);
    return out;
  }
  static constexpr int64_t kNow = 1'800'000'000'000'000'000;
  const std::string bmc_ = bmc_fmri("host");
  Service service_;
  Documents documents_ = small_server();
  Log log_;
};

using News = std::vector<std::string>;

TEST_F(RedfishLog, WhatStoodThereIsNoNewsAndEachEntryIsOneOnce) {
  add("1", "Critical");
  EXPECT_EQ(news(), News{"sysevent.ipmi.known " + bmc_});
  EXPECT_EQ(news(), News{});
  add("2", "Critical");
  EXPECT_EQ(news(), News{"ereport.ipmi.state " + bmc_});
  EXPECT_EQ(news(), News{});
  Log after;
  after.restore(log_.cursor());
  log_ = after;
  EXPECT_EQ(news(), News{}) << "after a restart";
}

TEST_F(RedfishLog, AClearedLogThatCountsFromOneAgain) {
  add("1", "OK");
  news();
  documents_[kPage].body["Members"] = json::array();
  EXPECT_EQ(news(), News{});
  add("1", "Critical", "", "2026-11-23T02:00:00Z");
  EXPECT_EQ(news(), News{"ereport.ipmi.state " + bmc_});
}

TEST_F(RedfishLog, AnUnfinishedLookForgetsNothing) {
  add("1", "OK");
  news();
  const json all = documents_[kPage].body;
  documents_[kPage].body["Members"] = json::array();
  EXPECT_EQ(news(false), News{});
  documents_[kPage].body = all;
  EXPECT_EQ(news(), News{}) << "it was known";
}

TEST_F(RedfishLog, AnUnfinishedFirstLookIsNone) {
  add("1", "Critical");
  EXPECT_EQ(news(false), News{});
  EXPECT_TRUE(log_.first_look());
  EXPECT_EQ(news(), News{"sysevent.ipmi.known " + bmc_});
}

TEST_F(RedfishLog, WhatHasAHealthIsJudgedByIt) {
  news();
  add("1", "Critical", kSupply1);
  const std::string supply = describe(service_, documents_).part_of.at(kSupply1);
  EXPECT_EQ(news(), News{"sysevent.ipmi.entry " + supply});
}

TEST_F(RedfishLog, MemoryAndProcessorsHaveConditions) {
  news();
  hardware::MemoryModule module;
  module.locator = "DIMM_A1";
  service_.dimms = hardware::DimmNames({module});
  add("1", "Critical", kModule)["SensorType"] = "Memory";
  add("2", "Warning", kModule)["SensorType"] = "Memory";
  add("3", "Critical")["SensorType"] = "Processor";
  add("4", "Critical")["SensorType"] = "Watchdog2";
  EXPECT_EQ(news(), (News{"ereport.ipmi.memory.uncorrected mem://dimm=DIMM_A1",
                          "ereport.ipmi.memory.corrected mem://dimm=DIMM_A1",
                          "ereport.ipmi.processor.uncorrectable " + bmc_,
                          "ereport.ipmi.watchdog.reset " + bmc_}));
}

TEST_F(RedfishLog, ResolvedTakesItBackOnce) {
  news();
  add("1", "Critical");
  news();
  documents_[kPage].body["Members"][0]["Resolved"] = true;
  EXPECT_EQ(news(), News{"sysevent.ipmi.cleared " + bmc_});
  EXPECT_EQ(news(), News{});
  add("2", "Critical")["Resolved"] = true;
  EXPECT_EQ(news(), News{"sysevent.ipmi.entry " + bmc_}) << "it was over when we came";
}

TEST_F(RedfishLog, EntriesThatAreLinkedTo) {
  news();
  documents_[kPage].body["Members"] = {{{"@odata.id", kPage + "/9"}}};
  documents_[kPage + "/9"].body = {
      {"@odata.id", kPage + "/9"}, {"Id", "9"}, {"Severity", "Critical"}, {"Message", "x"}};
  EXPECT_EQ(news(), News{"ereport.ipmi.state " + bmc_});
}

// fmd's lines have 1 MiB, for the cursor and up to 512 KiB of events.
TEST_F(RedfishLog, TheCursorOfALargeLogIsSmall) {
  const std::string origin = "/redfish/v1/" + std::string(400, 'o');
  news();
  for (int i = 0; i < 30000; ++i) add(std::to_string(i), "Critical", origin);
  news(false);
  for (int i = 30000; i < 60000; ++i) add(std::to_string(i), "Critical", origin);
  news(false);
  EXPECT_LT(json(log_.cursor()).dump().size(), 450u << 10);
}

TEST_F(RedfishLog, ACursorWithWholeKeysIsUnderstood) {
  add("1", "Critical");
  log_.restore(
      json{{"seen", {kPage + "/1|1|2026-11-23T01:02:03Z"}}, {"open", json::object()}}.dump());
  EXPECT_EQ(news(), News{});
}

TEST_F(RedfishLog, GarbageIsNoEntry) {
  news();
  documents_[kPage].body["Members"] = {nullptr, 7, "x", json::object(), {{"Id", 7}}};
  EXPECT_EQ(news(), News{});
  documents_[kPage].body = "x";
  EXPECT_EQ(news(), News{});
  log_.restore("not JSON");
  EXPECT_TRUE(log_.first_look());
}

TEST(RedfishTime, OfTheSpecificationsForms) {
  EXPECT_EQ(time_of("1970-01-01T00:00:01Z"), std::nullopt) << "a clock that was never set";
  EXPECT_EQ(time_of("2020-01-01T00:00:00Z"), 1577836800'000'000'000);
  EXPECT_EQ(time_of("2020-01-01T02:30:00.123+02:30"), 1577836800'000'000'000);
  EXPECT_EQ(time_of("2019-12-31T23:00:00-01:00"), 1577836800'000'000'000);
  EXPECT_EQ(time_of("yesterday"), std::nullopt);
}

}  // namespace
}  // namespace fmd::redfish
