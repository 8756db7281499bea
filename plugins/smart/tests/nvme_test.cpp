// Reports of NVMe drives, from smartctl's output (fixtures/README.md).
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "plugins/smart/protocols.h"
#include "plugins/smart/tests/fixture.h"

namespace fmd::smart {
namespace {

using testing::reading;
using testing::report;
using Answer = Report::Answer;

TEST(Report, OfAHealthyNvmeDrive) {
  const Report r = report("nvme.json");
  EXPECT_EQ(r.answer, Answer::observed);
  EXPECT_EQ(r.protocol, "nvme");
  EXPECT_EQ(r.serial, "NVME0001");
  EXPECT_EQ(r.firmware, "7.2.22");
  EXPECT_EQ(r.passed, true);
  EXPECT_EQ(reading(r, "temperature_celsius"), 50);
  EXPECT_EQ(reading(r, "wear_percent"), 0);
  EXPECT_EQ(reading(r, "smart.media_errors"), 0);
  ASSERT_EQ(r.critical_warnings.size(), 7u);
  for (const auto& [bit, on] : r.critical_warnings) EXPECT_FALSE(on) << bit;
  EXPECT_FALSE(r.temperature_limit) << "smartctl 7.3 does not tell it";
  EXPECT_FALSE(r.has_error_log);
}

TEST(Report, OfEachCriticalWarningBit) {
  const Report r = report("nvme-warning.json", 8);
  EXPECT_EQ(r.passed, false);
  EXPECT_TRUE(r.critical_warnings.at("spare_below_threshold"));
  EXPECT_TRUE(r.critical_warnings.at("reliability_degraded"));
  EXPECT_FALSE(r.critical_warnings.at("media_read_only"));
  EXPECT_FALSE(r.critical_warnings.at("temperature_above_or_below_threshold"));
}

TEST(Report, OfOneCriticalWarningBitAtATime) {
  const std::map<int, std::string> names{{0, "spare_below_threshold"},
                                         {1, "temperature_above_or_below_threshold"},
                                         {2, "reliability_degraded"},
                                         {3, "media_read_only"},
                                         {4, "volatile_memory_backup_failed"},
                                         {5, "persistent_memory_region_unreliable"},
                                         {6, "other"},
                                         {7, "other"}};
  for (const auto& [bit, name] : names) {
    const Report r =
        parse_report(R"({"smartctl":{},"nvme_smart_health_information_log":{"critical_warning":)" +
                         std::to_string(1 << bit) + "}}",
                     8);
    for (const auto& [known, on] : r.critical_warnings) EXPECT_EQ(on, known == name) << known;
  }
  EXPECT_TRUE(parse_report(R"({"smartctl":{},"nvme_smart_health_information_log":{}})", 0)
                  .critical_warnings.empty());
}

TEST(Report, OfTheNvmeErrorLog) {
  const Report r = report("nvme-errors.json");
  EXPECT_TRUE(r.has_error_log);
  const auto is = [&](size_t i, uint64_t count, int type, int code, int64_t queue) {
    const NvmeError& e = r.nvme_errors.at(i);
    EXPECT_EQ(std::tuple(e.count, e.type, e.code, e.queue.value_or(-1)),
              std::tuple(count, type, code, queue));
  };
  ASSERT_EQ(r.nvme_errors.size(), 7u) << "without the hole";
  is(0, 16, 0, 0x02, 0);
  is(1, 15, 2, 0x81, 1);
  is(2, 14, 1, 0x09, 0);
  is(3, 13, 0, 0x06, 0);
  is(4, 12, 1, 0x80, 1);
  is(5, 11, 0, 0x07, 0);
  is(6, 10, 0, 0x00, 0);
  EXPECT_EQ(r.nvme_errors[1].lba, 123456u);
  EXPECT_EQ(r.nvme_errors[1].text, "Unrecovered Read Error");
  EXPECT_FALSE(r.nvme_errors[0].lba);
  EXPECT_EQ(reading(r, "smart.error_log_count"), 16);
  EXPECT_EQ(reading(r, "smart.media_errors"), 1);
  EXPECT_EQ(reading(r, "smart.unsafe_shutdowns"), 3);
  EXPECT_EQ(reading(r, "smart.available_spare"), 100);
  EXPECT_EQ(reading(r, "power_on_hours"), 1234);
  EXPECT_EQ(reading(r, "wear_percent"), 7);
  EXPECT_FALSE(r.temperature_limit) << "smartctl 7.4 does not tell it";
}

TEST(Report, OfTheNvmeSelfTestLog) {
  const Report r = report("nvme-errors.json");
  EXPECT_TRUE(r.tests_supported);
  using Kind = SelfTest::Kind;
  using Result = SelfTest::Result;
  const auto is = [&](size_t i, Kind kind, Result result, int64_t hours) {
    const SelfTest& test = r.tests.at(i);
    EXPECT_EQ(std::tuple(test.kind, test.result, test.hours.value_or(-1)),
              std::tuple(kind, result, hours))
        << i;
  };
  ASSERT_EQ(r.tests.size(), 3u) << "without the hole";
  is(0, Kind::short_test, Result::aborted, 1230);
  is(1, Kind::long_test, Result::failed, 1200);
  is(2, Kind::short_test, Result::passed, 1000);
  EXPECT_EQ(r.tests[1].text, "Completed: failed segments");
  EXPECT_EQ(verdict_of(r.tests), &r.tests[1]);
  const Report running = report("nvme-testing.json");
  ASSERT_EQ(running.tests.size(), 4u);
  EXPECT_TRUE(is_running(running.tests));
  EXPECT_FALSE(is_running(r.tests));
  EXPECT_EQ(verdict_of(running.tests)->hours, 1200) << "not passed until it has";
}

TEST(Report, OfEachNvmeSelfTestResult) {
  for (int result = 0; result < 15; ++result) {
    const Report r = parse_report(
        R"({"smartctl":{},"device":{"protocol":"NVMe"},"nvme_self_test_log":{"table":[
          {"self_test_code":{"value":14},"self_test_result":{"value":)" +
            std::to_string(result) + "}}]}}",
        0);
    ASSERT_EQ(r.tests.size(), 1u);
    EXPECT_EQ(r.tests[0].kind, SelfTest::Kind::other);
    EXPECT_EQ(r.tests[0].result, result == 0                  ? SelfTest::Result::passed
                                 : result >= 5 && result <= 7 ? SelfTest::Result::failed
                                                              : SelfTest::Result::aborted)
        << result;
  }
}

TEST(Report, WornOutAndNothingLostIsWear) {
  const auto by_wear = [](int used, const std::string& more) {
    return parse_report(fmt::format(R"({{"smartctl":{{}},"device":{{"protocol":"NVMe"}},
        "nvme_smart_health_information_log":{{"critical_warning":4,"percentage_used":{}{}}}}})",
                                    used, more),
                        8)
        .reliability_by_wear;
  };
  EXPECT_TRUE(by_wear(100, R"(,"media_errors":0)"));
  EXPECT_TRUE(by_wear(255, R"(,"media_errors":0)"));
  EXPECT_FALSE(by_wear(99, R"(,"media_errors":0)"));
  EXPECT_FALSE(by_wear(100, R"(,"media_errors":1)"));
  EXPECT_FALSE(by_wear(100, "")) << "nobody knows what it has lost";
}

TEST(Report, OfANewerSmartctl) {
  const Report r = report("nvme-7.5.json");
  EXPECT_EQ(r.temperature_limit, 70) << "at which it warns, not the critical 100";
  EXPECT_EQ(reading(r, "temperature_celsius"), 50);
  EXPECT_EQ(reading(r, "wear_percent"), 7);
  EXPECT_EQ(r.nvme_errors.size(), 7u);
  EXPECT_EQ(r.tests.size(), 3u);
}

TEST(Report, WhichNvmeErrorsAPollerMakes) {
  const auto made = [](int type, int code, std::optional<int64_t> queue) {
    return made_by_poller({1, type, code, queue, "", {}});
  };
  std::set<int> asking, any;
  for (int type = 0; type < 8; ++type)
    for (int code = 0; code < 256; ++code) {
      EXPECT_EQ(made(type, code, 0), made(type, code, std::nullopt)) << type << "/" << code;
      if (made(type, code, 1)) any.insert(type << 8 | code);
      if (made(type, code, 0)) asking.insert(type << 8 | code);
    }
  EXPECT_EQ(any, (std::set{0x000, 0x008})) << "success; its queue was deleted";
  EXPECT_EQ(asking, (std::set{0x000, 0x001, 0x002, 0x008, 0x00b, 0x109, 0x11d}));
}

TEST(Report, StatusFieldWithoutItsParts) {
  const Report r = parse_report(
      R"({"smartctl":{},"device":{"protocol":"NVMe"},"nvme_error_information_log":{"table":[
        {"error_count":3,"status_field":{"value":8194}},{"error_count":7,"status_field":{"value":641}},
        {"error_count":0},{"error_count":-1},"x",{"error_count":4,"status_field":[]}]}})",
      0);
  ASSERT_EQ(r.nvme_errors.size(), 3u);
  EXPECT_EQ(r.nvme_errors[0].count, 7u) << "newest first, whatever the order";
  EXPECT_EQ(r.nvme_errors[0].type, 2);
  EXPECT_EQ(r.nvme_errors[0].code, 0x81);
  EXPECT_EQ(r.nvme_errors[2].type, 0);
  EXPECT_EQ(r.nvme_errors[2].code, 0x02) << "0x2002: invalid field, and more about it elsewhere";
}

}  // namespace
}  // namespace fmd::smart
