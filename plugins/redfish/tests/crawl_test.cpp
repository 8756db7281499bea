// The documents that a poll reads.
#include "plugins/redfish/crawl.h"

#include <gtest/gtest.h>

namespace fmd::redfish {
namespace {

using nlohmann::json;

json to(const std::string& uri) {
  return {{"@odata.id", uri}};
}

class CrawlTest : public ::testing::Test {
 protected:
  CrawlTest() {
    crawl_.get = [this](const std::string& uri) -> const json* {
      asked_.push_back(uri);
      const auto found = service_.find(uri);
      return found == service_.end() ? nullptr : &found->second;
    };
    crawl_.stop = [this] { return asked_.size() >= most_; };
    service_["/redfish/v1/"] = {{"Chassis", to("/redfish/v1/Chassis")}};
    service_["/redfish/v1/Chassis"] = {{"Members", {to("/redfish/v1/Chassis/1")}}};
    service_["/redfish/v1/Chassis/1"] = json::object();
  }
  std::map<std::string, json> service_;
  std::vector<std::string> asked_;
  size_t most_ = 10000;
  Crawl crawl_;
};

TEST_F(CrawlTest, TodaysSubsystemsGoBeforeTheOlderOnes) {
  service_["/redfish/v1/Chassis/1"] = {{"Power", to("/redfish/v1/P")},
                                       {"PowerSubsystem", to("/redfish/v1/PS")},
                                       {"Thermal", to("/redfish/v1/T")}};
  service_["/redfish/v1/PS"] = {{"PowerSupplies", to("/redfish/v1/PS/S")}};
  service_["/redfish/v1/PS/S"] = {{"Members", {to("/redfish/v1/PS/S/1")}}};
  service_["/redfish/v1/PS/S/1"] = service_["/redfish/v1/T"] = json::object();
  crawl_.run();
  EXPECT_TRUE(crawl_.whole);
  EXPECT_EQ(asked_,
            (std::vector<std::string>{"/redfish/v1/", "/redfish/v1/Chassis",
                                      "/redfish/v1/Chassis/1", "/redfish/v1/PS", "/redfish/v1/PS/S",
                                      "/redfish/v1/PS/S/1", "/redfish/v1/T"}));
}

TEST_F(CrawlTest, ASubsystemWithoutMembers) {
  for (const bool older_exists : {true, false}) {
    service_["/redfish/v1/Chassis/1"] = {{"Thermal", to("/redfish/v1/T")},
                                         {"ThermalSubsystem", to("/redfish/v1/TS")},
                                         {"Power", to("/redfish/v1/P")},
                                         {"PowerSubsystem", to("/redfish/v1/PS")}};
    service_["/redfish/v1/PS"] = {{"PowerSupplies", to("/redfish/v1/PS/S")}};
    service_["/redfish/v1/PS/S"] = {{"Members", json::array()}};
    service_["/redfish/v1/TS"] = json::object();
    service_["/redfish/v1/T"] = service_["/redfish/v1/P"] = json::object();
    if (!older_exists) service_.erase("/redfish/v1/P");
    asked_.clear();
    Crawl crawl;
    crawl.get = crawl_.get;
    crawl.stop = crawl_.stop;
    crawl.run();
    EXPECT_TRUE(crawl.whole);
    for (const char* uri : {"/redfish/v1/P", "/redfish/v1/T"})
      EXPECT_EQ(std::count(asked_.begin(), asked_.end(), uri), 1) << uri;
  }
}

TEST_F(CrawlTest, CirclesPagesAndLinksToElsewhereEnd) {
  service_["/redfish/v1/Chassis"] = {{"Members",
                                      {to("/redfish/v1/Chassis/1"), to("/redfish/v1/Chassis"),
                                       to("https://evil/redfish/v1/"), to("/etc/passwd")}},
                                     {"Members@odata.nextLink", "/redfish/v1/Chassis?2"}};
  service_["/redfish/v1/Chassis?2"] = {{"Members", {to("/redfish/v1/")}},
                                       {"Members@odata.nextLink", "/redfish/v1/Chassis"}};
  crawl_.run();
  EXPECT_EQ(asked_, (std::vector<std::string>{"/redfish/v1/", "/redfish/v1/Chassis",
                                              "/redfish/v1/Chassis/1", "/redfish/v1/Chassis?2"}));
}

TEST_F(CrawlTest, WhatIsMissingIsSaid) {
  service_.erase("/redfish/v1/Chassis/1");
  crawl_.run();
  EXPECT_FALSE(crawl_.whole);
}

TEST_F(CrawlTest, TheTimeUpEndsIt) {
  most_ = 2;
  crawl_.run();
  EXPECT_EQ(asked_.size(), 2U);
  EXPECT_FALSE(crawl_.whole);
}

TEST_F(CrawlTest, LogsByPageAndByLink) {
  service_["/redfish/v1/Chassis/1"] = {{"LogServices", to("/redfish/v1/L")}};
  service_["/redfish/v1/L"] = {
      {"Members", {to("/redfish/v1/L/1"), to("/redfish/v1/L/2"), to("/redfish/v1/L/3")}}};
  service_["/redfish/v1/L/1"] = {{"Entries", to("/redfish/v1/L/1/E")}};
  service_["/redfish/v1/L/2"] = {{"Entries", to("/redfish/v1/L/2/E")}};
  service_["/redfish/v1/L/3"] = {{"Entries", to("/redfish/v1/L/3/E")}, {"ServiceEnabled", false}};
  service_["/redfish/v1/L/1/E"] = {
      {"Members", {{{"@odata.id", "/redfish/v1/L/1/E/1"}, {"Id", "1"}}}},
      {"Members@odata.nextLink", "/redfish/v1/L/1/E?skip=1"}};
  service_["/redfish/v1/L/1/E?skip=1"] = {{"Members", json::array()}};
  service_["/redfish/v1/L/2/E"] = {{"Members", {to("/redfish/v1/L/2/E/7")}}};
  service_["/redfish/v1/L/2/E/7"] = {{"Id", "7"}};
  crawl_.run();
  EXPECT_EQ(crawl_.logs, (std::set<std::string>{"/redfish/v1/L/1/E", "/redfish/v1/L/1/E?skip=1",
                                                "/redfish/v1/L/2/E"}));
  EXPECT_EQ(std::count(asked_.begin(), asked_.end(), "/redfish/v1/L/1/E/1"), 0)
      << "it stands in the page";
  EXPECT_EQ(std::count(asked_.begin(), asked_.end(), "/redfish/v1/L/2/E/7"), 1);
}

TEST_F(CrawlTest, WhereEventsAreStreamed) {
  service_["/redfish/v1/"]["EventService"] = to("/redfish/v1/EventService");
  crawl_.run();
  EXPECT_EQ(crawl_.events, "");
  EXPECT_TRUE(crawl_.whole) << "no service of events is nothing missing";
  for (const auto& [offered, taken] : {std::pair("/redfish/v1/SSE", "/redfish/v1/SSE"),
                                       std::pair("https://evil/redfish/v1/SSE", "")}) {
    service_["/redfish/v1/EventService"] = {{"ServerSentEventUri", offered}};
    Crawl again;
    again.get = crawl_.get;
    again.stop = crawl_.stop;
    again.run();
    EXPECT_EQ(again.events, taken);
    service_["/redfish/v1/EventService"]["ServiceEnabled"] = false;
    Crawl disabled;
    disabled.get = crawl_.get;
    disabled.stop = crawl_.stop;
    disabled.run();
    EXPECT_EQ(disabled.events, "");
  }
}

}  // namespace
}  // namespace fmd::redfish
