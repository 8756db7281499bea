// Reports of SCSI and SAS disks, from smartctl's output (fixtures/README.md).
#include <fmt/format.h>

#include "fmd/base/json.h"
#include "plugins/smart/tests/fixture.h"

namespace fmd::smart {
namespace {

using testing::fixture;
using testing::reading;
using testing::report;
using Answer = Report::Answer;

TEST(Report, OfAScsiDiskThatTellsNothing) {
  const Report r = report("scsi.json", 4);
  EXPECT_EQ(r.answer, Answer::refused) << "no health is not health, and 0 degrees is no sensor";
  EXPECT_NE(r.reason.find("no SMART data"), r.reason.npos) << r.reason;
  EXPECT_NE(r.reason.find("'passthrough'"), r.reason.npos) << r.reason;
}

// The same device with a claim or a value added.
TEST(Report, OfADeviceWithoutSmart) {
  auto doc = nlohmann::json::parse(fixture("scsi.json"));
  doc["smart_status"] = {{"passed", true}};
  EXPECT_EQ(parse_report(doc.dump(), 0).answer, Answer::refused) << "smartctl's word, not its own";
  doc["temperature"]["current"] = 31;
  const Report r = parse_report(doc.dump(), 0);
  EXPECT_EQ(r.answer, Answer::observed);
  EXPECT_EQ(reading(r, "temperature_celsius"), 31);
  EXPECT_FALSE(r.passed);
}

// The output of smartctl 7.3 for a MegaRAID volume.
TEST(Report, OfAVolumeOfARaidController) {
  const Report r = parse_report(
      R"({"json_format_version":[1,0],"smartctl":{"version":[7,3],"messages":[{"string":
      "Smartctl open device: /dev/sda failed: DELL or MegaRaid controller, please try adding '-d megaraid,N'",
      "severity":"error"}],"exit_status":2}})",
      2);
  EXPECT_EQ(r.answer, Answer::refused);
  EXPECT_EQ(r.reason,
            "a volume of a RAID controller has no SMART data; if there are disks behind it, name "
            "each in 'passthrough' of /etc/fmd/smart.toml");
}

TEST(Report, ZeroDegreesBesideAnEnvironmentalPageAreNone) {
  auto doc = nlohmann::json::parse(fixture("sas-environment.json"));
  const double known = reading(report("sas-environment.json", 140), "temperature_celsius");
  ASSERT_GT(known, 0);
  doc["temperature"] = {{"current", 0}, {"drive_trip", 65}};
  EXPECT_EQ(reading(parse_report(doc.dump(), 140), "temperature_celsius"), known);
}

TEST(Report, OfAFailingSasDisk) {
  for (const char* name : {"sas-failing.json", "sas-failing-7.3.json"}) {
    SCOPED_TRACE(name);
    const Report r = report(name, 140);
    EXPECT_EQ(r.answer, Answer::observed);
    EXPECT_EQ(r.passed, false);
    EXPECT_EQ(r.model, "SEAGATE ST4000NM0034");
    EXPECT_EQ(r.wwn, "5000c500a0000001");
    EXPECT_EQ(r.rotation_rpm, 7200);
    ASSERT_TRUE(r.exception);
    EXPECT_EQ(r.exception->asc, 0x5d);
    EXPECT_EQ(r.exception->ascq, 0x10);
    EXPECT_EQ(reading(r, "smart.grown_defects"), 37);
    EXPECT_EQ(reading(r, "smart.uncorrected_read"), 5);
    EXPECT_EQ(reading(r, "smart.uncorrected_write"), 0);
    EXPECT_EQ(reading(r, "smart.uncorrected_verify"), 1);
    EXPECT_FALSE(r.readings.contains("wear_percent")) << "a hard disk has no endurance";
    EXPECT_EQ(reading(r, "temperature_celsius"), 41);
    EXPECT_EQ(r.temperature_limit, 65);
    EXPECT_TRUE(r.tests_supported);
    ASSERT_EQ(r.tests.size(), 3u);
    EXPECT_EQ(r.tests[0].result, SelfTest::Result::aborted);
    EXPECT_EQ(r.tests[2].kind, SelfTest::Kind::short_test);
    EXPECT_EQ(r.tests[2].result, SelfTest::Result::passed);
    ASSERT_TRUE(verdict_of(r.tests));
    EXPECT_EQ(verdict_of(r.tests)->result, SelfTest::Result::failed);
    EXPECT_EQ(verdict_of(r.tests)->kind, SelfTest::Kind::long_test);
    EXPECT_EQ(verdict_of(r.tests)->hours, 31000);
  }
}

TEST(Report, OfEachScsiSelfTestResult) {
  for (int result = 0; result < 16; ++result)
    for (int code = 0; code < 8; ++code) {
      const Report r = parse_report(fmt::format(R"({{"smartctl":{{}},"device":{{"protocol":"SCSI"}},
              "scsi_self_test_19":{{"code":{{"value":{}}},"result":{{"value":{}}}}}}})",
                                                code, result),
                                    0);
      ASSERT_EQ(r.tests.size(), 1u);
      EXPECT_EQ(r.tests[0].kind, code == 1 || code == 5   ? SelfTest::Kind::short_test
                                 : code == 2 || code == 6 ? SelfTest::Kind::long_test
                                                          : SelfTest::Kind::other)
          << code;
      EXPECT_EQ(r.tests[0].result, result == 0                  ? SelfTest::Result::passed
                                   : result >= 3 && result <= 7 ? SelfTest::Result::failed
                                   : result == 15               ? SelfTest::Result::running
                                                                : SelfTest::Result::aborted)
          << result;
    }
}

TEST(Report, OfASasDiskWithEnvironmentalReports) {
  const Report r = report("sas-environment.json", 140);
  EXPECT_EQ(reading(r, "temperature_celsius"), 43);
  EXPECT_FALSE(r.temperature_limit) << "smartctl -x does not ask it for its limit";
}

TEST(Report, OfASasDiskWithPendingDefects) {
  EXPECT_EQ(reading(report("sas-pending.json", 140), "smart.pending"), 2);
  const Report fallen = report("sas-pending-7.3.txt", 1);
  EXPECT_EQ(fallen.answer, Answer::refused);
  EXPECT_EQ(fallen.reason, "smartctl has crashed on what the disk answered");
  EXPECT_TRUE(crashed(fixture("sas-pending-7.3.txt")));
  const Report less = report("sas-pending-less-7.3.json", 136);
  EXPECT_EQ(less.passed, false);
  EXPECT_EQ(reading(less, "smart.grown_defects"), 37);
  EXPECT_EQ(reading(less, "temperature_celsius"), 41);
  EXPECT_EQ(verdict_of(less.tests)->result, SelfTest::Result::failed);
  EXPECT_FALSE(less.readings.contains("smart.pending"));
  const Report all = parse_report(with_error_counters(fixture("sas-pending-less-7.3.json"),
                                                      fixture("sas-pending-errors-7.3.txt")),
                                  136);
  EXPECT_EQ(reading(all, "smart.pending"), 2);
  EXPECT_EQ(reading(all, "smart.uncorrected_read"), 5);
  EXPECT_EQ(reading(all, "smart.uncorrected_write"), 0);
  EXPECT_EQ(reading(all, "smart.uncorrected_verify"), 1);
  EXPECT_EQ(reading(all, "smart.grown_defects"), 37);
}

TEST(Report, OfErrorCountersAsText) {
  const auto of = [](const std::string& printed) {
    return parse_report(
        with_error_counters(R"({"smartctl":{},"device":{"protocol":"SCSI"}})", printed), 0);
  };
  EXPECT_TRUE(of("").readings.empty());
  EXPECT_EQ(reading(of("write: 1 2 3 4 5 6.000 4294967294"), "smart.uncorrected_write"),
            4294967294.0);
  for (const char* impossible : {"4294967295", "18446744073709551615"})
    EXPECT_TRUE(of("write: 1 2 3 4 5 6.000 " + std::string(impossible)).readings.empty())
        << impossible;
  for (const char* odd : {"read: 1 2 3 4 5 6.0", "read: 1 2 3 4 5 6.0 7 8", "read 1 2 3 4 5 6.0 7",
                          "reads: 1 2 3 4 5 6.0 7", "read: 1 2 3 4 5 6.0 -",
                          "Pending defect count:", "Pending defect count: many", "\n\n\r\n"})
    EXPECT_TRUE(of(odd).readings.empty()) << odd;
  EXPECT_EQ(reading(of("Pending defect count: 0\n"), "smart.pending"), 0);
  EXPECT_EQ(with_error_counters("nonsense", "read: 1 2 3 4 5 6 7"), "nonsense");
}

TEST(Report, OfOlderSmartctls) {
  const auto doc = [](const std::string& version) {
    return parse_report(R"({"smartctl":{"version":)" + version +
                            R"(},"device":{"protocol":"SCSI"},"scsi_grown_defect_list":240,
                              "scsi_temperature":{"drive_trip":65},"temperature":{"current":0}})",
                        0);
  };
  EXPECT_FALSE(doc("[7,2]").readings.contains("smart.grown_defects")) << "bytes";
  for (const char* version : {"[7,3]", "[8,0]", "null", "[7]", R"(["7",1])"})
    EXPECT_EQ(reading(doc(version), "smart.grown_defects"), 240) << version;
  EXPECT_EQ(doc("[7,3]").temperature_limit, 65);
  EXPECT_EQ(reading(doc("[7,3]"), "temperature_celsius"), 0) << "it has a sensor";
}

}  // namespace
}  // namespace fmd::smart
