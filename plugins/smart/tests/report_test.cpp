// What is read from smartctl's output, by recorded and hand-made documents (fixtures/README.md).
#include <fmt/format.h>

#include "plugins/smart/attribute_table.h"
#include "plugins/smart/disk_record.h"
#include "plugins/smart/tests/fixture.h"

namespace fmd::smart {
namespace {

using testing::fixture;
using testing::reading;
using testing::report;
using Answer = Report::Answer;

TEST(Report, OfAHealthySataDisk) {
  const Report r = report("sata.json");
  EXPECT_EQ(r.protocol, "ata");
  EXPECT_EQ(r.passed, true);
  EXPECT_EQ(r.failing, "");
  EXPECT_EQ(reading(r, "temperature_celsius"), 31);
  EXPECT_EQ(reading(r, "smart.attr.190"), 31) << "minimum and maximum are packed above";
  EXPECT_EQ(reading(r, "power_on_hours"), 1);
  EXPECT_EQ(reading(r, "smart.reallocated"), 0);
  EXPECT_EQ(reading(r, "smart.error_log_count"), 0);
  EXPECT_FALSE(r.readings.contains("smart.pending")) << "it has no such attribute";
  EXPECT_FALSE(r.readings.contains("wear_percent"));
  EXPECT_TRUE(r.tests_supported);
  EXPECT_EQ(verdict_of(r.tests), nullptr);
}

TEST(Report, OfAFailingSataDisk) {
  const Report r = report("sata-failing.json", 24);
  EXPECT_EQ(r.answer, Answer::observed) << "bits from 3 on are findings";
  EXPECT_EQ(r.passed, false);
  EXPECT_EQ(r.failing, "5 Reallocated_Sector_Ct");
  EXPECT_EQ(r.wwn, "5000c500a0000001");
  EXPECT_EQ(r.rotation_rpm, 7200);
  EXPECT_EQ(reading(r, "smart.reallocated"), 2008);
  EXPECT_EQ(reading(r, "smart.pending"), 24);
  EXPECT_EQ(reading(r, "smart.uncorrectable"), 24);
  EXPECT_EQ(reading(r, "smart.reported_uncorrectable"), 3);
  EXPECT_EQ(reading(r, "smart.crc"), 57);
  EXPECT_EQ(reading(r, "smart.error_log_count"), 12);
  EXPECT_EQ(reading(r, "wear_percent"), 3);
  EXPECT_EQ(r.temperature_limit, 70) << "the hottest it may be";
  ASSERT_EQ(r.tests.size(), 3u);
  const SelfTest* verdict = verdict_of(r.tests);
  ASSERT_TRUE(verdict) << "the aborted one says nothing";
  EXPECT_EQ(verdict->result, SelfTest::Result::failed);
  EXPECT_EQ(verdict->kind, SelfTest::Kind::long_test);
  EXPECT_EQ(verdict->hours, 19980);
}

TEST(Report, PackedRawValuesOfSeagate) {
  const Report r = report("sata-seagate.json");
  EXPECT_EQ(reading(r, "smart.attr.1"), 2) << "errors above, reads below";
  EXPECT_EQ(reading(r, "smart.attr.7"), 0);
  EXPECT_EQ(reading(r, "smart.attr.195"), 0);
  EXPECT_EQ(reading(r, "smart.attr.188"), 3);
  EXPECT_EQ(reading(r, "smart.attr.9"), 31025);
  EXPECT_EQ(reading(r, "smart.attr.240"), 21034);
  EXPECT_EQ(reading(r, "smart.attr.190"), 37);
  EXPECT_EQ(reading(r, "smart.attr.194"), 37);
  EXPECT_EQ(reading(r, "smart.reallocated"), 8);
  EXPECT_EQ(reading(r, "smart.attr.241"), 123456789012) << "all 48 bits";
}

TEST(AttributeTable, NameAndVendorDecide) {
  EXPECT_EQ(decode_attribute(1, "Raw_Read_Error_Rate", "WDC WD40EFRX", 5).value, 5);
  EXPECT_EQ(decode_attribute(1, "Raw_Read_Error_Rate", "Stec 7", 5ull << 32).value, 5ll << 32);
  EXPECT_EQ(decode_attribute(1, "Raw_Read_Error_Rate", "SEAGATE ST1", 5ull << 32).value, 5);
  EXPECT_STREQ(decode_attribute(197, "Current_Pending_Sector", "", 5).reading, "smart.pending");
  EXPECT_STREQ(decode_attribute(197, "Total_Unfinished_Things", "", 5).reading, "")
      << "another vendor's 197 is another thing";
  EXPECT_EQ(decode_attribute(194, "Temperature_Celsius", "", 0xfb).value, -5);
  EXPECT_EQ(decode_attribute(250, "", "", UINT64_MAX).value, 0xffffffffffff);
}

TEST(Report, OfEachAtaSelfTestResult) {
  using Result = SelfTest::Result;
  using Kind = SelfTest::Kind;
  const auto test_of = [](int type, int status) {
    const Report r = parse_report(
        fmt::format(R"({{"smartctl":{{}},"device":{{"protocol":"ATA"}},"ata_smart_self_test_log":{{
            "standard":{{"table":[{{"type":{{"value":{}}},"status":{{"value":{}}},
            "lifetime_hours":7}}]}}}}}})",
                    type, status),
        0);
    return r.tests.empty() ? SelfTest{Kind::other, Result::running, {}, ""} : r.tests.front();
  };
  for (int result = 0; result < 16; ++result) {
    const Result expected = result == 0                  ? Result::passed
                            : result >= 3 && result <= 8 ? Result::failed
                            : result == 15               ? Result::running  // left out of the log
                                                         : Result::aborted;
    // The lower four bits say how much was left.
    EXPECT_EQ(test_of(1, result << 4 | 9).result, expected) << result;
  }
  for (const int type : {0x01, 0x81}) EXPECT_EQ(test_of(type, 0).kind, Kind::short_test) << type;
  for (const int type : {0x02, 0x82}) EXPECT_EQ(test_of(type, 0).kind, Kind::long_test) << type;
  for (const int type : {0x00, 0x03, 0x04, 0x40, 0x7f, 0x90})
    EXPECT_EQ(test_of(type, 0).kind, Kind::other) << type;
  EXPECT_EQ(test_of(1, 0).hours, 7);
}

TEST(Report, OfAtaAttributesThatFailedOnce) {
  const Report r = parse_report(
      R"({"smartctl":{},"ata_smart_attributes":{"table":[
        {"id":5,"name":"A","when_failed":"past","raw":{"value":1}},
        {"id":10,"name":"B","when_failed":"","raw":{"value":1}},
        {"id":7,"name":"C","when_failed":"now","raw":{"value":1}},
        {"id":1,"name":"D","when_failed":"now"}]}})",
      0);
  EXPECT_EQ(r.failing, "7 C, 1 D");
}

TEST(Report, OfAtaDeviceStatisticsAndErrorLogs) {
  const auto doc = [](const std::string& more) {
    return parse_report(R"({"smartctl":{},"device":{"protocol":"ATA"},)" + more + "}", 0);
  };
  const auto statistic = [&](const std::string& name, const std::string& flags) {
    return doc(R"("ata_device_statistics":{"pages":[{"table":[{"name":")" + name +
               R"(","value":60)" + flags + "}]}]}");
  };
  EXPECT_EQ(statistic("Specified Maximum Operating Temperature", "").temperature_limit, 60);
  EXPECT_FALSE(statistic("Specified Minimum Operating Temperature", "").temperature_limit);
  EXPECT_FALSE(statistic("Specified Maximum Operating Temperature", R"(,"flags":{"valid":false})")
                   .temperature_limit);
  EXPECT_EQ(reading(statistic("Percentage Used Endurance Indicator", R"(,"flags":{"valid":true})"),
                    "wear_percent"),
            60);
  EXPECT_EQ(reading(doc(R"("ata_smart_error_log":{"summary":{"count":2},"extended":{"count":3}})"),
                    "smart.error_log_count"),
            3)
      << "the longer log counts more";
  EXPECT_EQ(
      reading(doc(R"("ata_smart_error_log":{"summary":{"count":2}})"), "smart.error_log_count"), 2);
}

// Words above what counts must not be counted; a number without its name means something else.
TEST(AttributeTable, EachRow) {
  struct Expected {
    int id;
    const char *name, *model;
    int64_t value;
    const char* reading;
  };
  constexpr uint64_t kRaw = 0x0003'0102'0011;  // three words: 3, 258, 17
  constexpr int64_t kWhole = kRaw, kHours = 0x02'0011;
  for (const Expected& row : std::initializer_list<Expected>{
           {1, "Raw_Read_Error_Rate", "ST4000", 3, ""},
           {7, "Seek_Error_Rate", "ST4000", 3, ""},
           {195, "Hardware_ECC_Recovered", "ST4000", 3, ""},
           {188, "Command_Timeout", "ST4000", 17, ""},
           {9, "Power_On_Hours", "ST4000", kHours, ""},
           {9, "Power_On_Hours", "WDC WD40", kHours, ""},
           {9, "Power_On_Minutes", "WDC WD40", kWhole, ""},
           {240, "Head_Flying_Hours", "ST4000", kHours, ""},
           {240, "Head_Flying_Hours", "WDC WD40", kHours, ""},
           {240, "Something_Else", "WDC WD40", kWhole, ""},
           {3, "Spin_Up_Time", "WDC WD40", 17, ""},
           {5, "Reallocated_Sector_Ct", "WDC WD40", 17, "smart.reallocated"},
           {5, "Retired_Block_Count", "INTEL SSD", kWhole, ""},
           {196, "Reallocated_Event_Count", "WDC WD40", 17, ""},
           {187, "Reported_Uncorrect", "WDC WD40", kWhole, "smart.reported_uncorrectable"},
           {190, "Airflow_Temperature_Cel", "WDC WD40", 17, ""},
           {194, "Temperature_Celsius", "WDC WD40", 17, ""},
           {197, "Current_Pending_Sector", "WDC WD40", kWhole, "smart.pending"},
           {198, "Offline_Uncorrectable", "WDC WD40", kWhole, "smart.uncorrectable"},
           {199, "UDMA_CRC_Error_Count", "WDC WD40", kWhole, "smart.crc"},
           {1, "Raw_Read_Error_Rate", "WDC WD40", kWhole, ""},
           {188, "Command_Timeout", "WDC WD40", kWhole, ""}}) {
    const Attribute found = decode_attribute(row.id, row.name, row.model, kRaw);
    EXPECT_EQ(found.value, row.value) << row.id << ' ' << row.name << ' ' << row.model;
    EXPECT_STREQ(found.reading, row.reading) << row.id << ' ' << row.name;
  }
  // Where smartctl's drive database takes one byte more, it counts errors as well.
  EXPECT_EQ(decode_attribute(1, "Raw_Read_Error_Rate", "ST4000", 0x7f05'0003'0000'0011).value,
            0x050003);
}

TEST(Report, OfASelfTestUnderWay) {
  const Report r = report("sata-self-test-running.json");
  EXPECT_TRUE(is_running(r.tests));
  ASSERT_EQ(r.tests.size(), 2u) << "the log's entry of it is not counted twice";
  EXPECT_EQ(r.tests[1].result, SelfTest::Result::passed);
}

TEST(Report, OfAScsiDiskThatTellsNothing) {
  const Report r = report("scsi.json", 4);
  EXPECT_EQ(r.answer, Answer::observed);
  EXPECT_EQ(r.protocol, "scsi");
  EXPECT_FALSE(r.passed) << "no health is not health, and no fault";
  EXPECT_EQ(r.wwn, "5000c500a0000001");
  EXPECT_EQ(r.firmware, "2.5+");
  EXPECT_TRUE(r.readings.empty()) << "0 degrees is how a missing sensor looks";
  EXPECT_FALSE(r.tests_supported);
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
    EXPECT_EQ(reading(r, "wear_percent"), 12);
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
  EXPECT_EQ(reading(less, "wear_percent"), 12);
  EXPECT_EQ(verdict_of(less.tests)->result, SelfTest::Result::failed);
  EXPECT_FALSE(less.readings.contains("smart.pending"));
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

TEST(Report, WhoSleepsAndWhoCannotBeAsked) {
  EXPECT_EQ(report("standby.json", 3).answer, Answer::standby);
  EXPECT_EQ(report("standby-2.json", 2).answer, Answer::standby);
  const Report bridge = report("usb-unknown.json", 1);
  EXPECT_EQ(bridge.answer, Answer::refused);
  EXPECT_EQ(bridge.reason, "/dev/sda: Unknown USB bridge [0x152d:0x0578 (0x209)]");
  const Report missing = report("open-failed.json", 2);
  EXPECT_EQ(missing.answer, Answer::refused);
  EXPECT_NE(missing.reason.find("No such device"), std::string::npos);
  const Report cut = report("truncated.json", 0);
  EXPECT_EQ(cut.answer, Answer::refused);
  EXPECT_NE(cut.reason.find("no JSON"), std::string::npos);
  EXPECT_EQ(parse_report("", 127).answer, Answer::refused);
  EXPECT_FALSE(crashed(fixture("truncated.json")));
}

TEST(Report, TheExitStatusSpeaksWhereTheDocumentDoesNot) {
  EXPECT_EQ(parse_report(R"({"smartctl":{}})", 8).passed, false);
  EXPECT_EQ(parse_report(R"({"smartctl":{}})", 0).passed, std::nullopt);
  EXPECT_EQ(parse_report(R"({"smartctl":{},"smart_status":{"passed":true}})", 64).passed, true);
}

TEST(Report, HostileDocuments) {
  const std::string deep = std::string(100000, '[');
  EXPECT_EQ(parse_report(deep, 0).answer, Answer::refused);
  const Report odd = parse_report(
      R"({"smartctl":[],"device":{"protocol":"ATA"},"smart_status":{"passed":"yes"},"serial_number":7,
      "temperature":{"current":"hot","limit_max":1e300},"ata_smart_attributes":{"table":[7,{"id":999},
      {"id":5,"raw":{"value":-4}},{"id":197,"name":["x"],"raw":{"value":1e10}}]},
      "power_on_time":{"hours":null},"ata_smart_self_test_log":{"standard":{"table":{"a":1}}}})",
      0);
  EXPECT_EQ(odd.answer, Answer::observed);
  EXPECT_FALSE(odd.passed);
  EXPECT_TRUE(odd.readings.empty());
  EXPECT_FALSE(odd.temperature_limit);
}

TEST(DiskRecord, LastWordsStayWhileItSleeps) {
  DiskRecord record;
  record.observed(report("sata-failing.json", 24));
  record.standby(3);
  const auto properties = record.resource("dev://wwn=1", false)["properties"];
  EXPECT_EQ(properties["smart.state"], "standby");
  EXPECT_EQ(properties["smart.skips"], 3);
  EXPECT_EQ(properties["smart.status"], "failed");
  EXPECT_EQ(properties["smart.self_test"], "failed");
  EXPECT_EQ(properties["smart.reallocated"], 2008);
  EXPECT_EQ(properties["temperature_limit_celsius"], 70);
}

// Or a disk that was pulled would stay, and what it was replaced by would replace nothing.
TEST(DiskRecord, NeverSaysThatADiskIsThere) {
  DiskRecord record;
  const auto present = [&] { return record.resource("dev://wwn=1", false)["present"]; };
  EXPECT_FALSE(present());
  record.observed(report("sata.json"));
  EXPECT_FALSE(present());
  record.standby(1);
  EXPECT_FALSE(present());
  record.hung();
  EXPECT_FALSE(present());
  record.refused("no");
  EXPECT_FALSE(present());
}

TEST(DiskRecord, ATestThatRunsTakesNothingBack) {
  using Result = SelfTest::Result;
  const auto word = [](std::vector<Result> results) -> std::string {
    Report r;
    for (const Result result : results)
      r.tests.push_back({.result = result, .hours = {}, .text = ""});
    DiskRecord record;
    record.observed(r);
    EXPECT_EQ(record.test_running(), !results.empty() && results[0] == Result::running);
    return record.resource("dev://wwn=1", false)["properties"]["smart.self_test"];
  };
  EXPECT_EQ(word({}), "none");
  EXPECT_EQ(word({Result::aborted}), "none");
  EXPECT_EQ(word({Result::running}), "running");
  EXPECT_EQ(word({Result::running, Result::passed, Result::failed}), "running");
  EXPECT_EQ(word({Result::running, Result::aborted, Result::failed}), "failed");
  EXPECT_EQ(word({Result::passed, Result::failed}), "passed");
}

TEST(DiskRecord, EachExceptionHasItsKind) {
  const auto kind = [](int asc, int ascq) -> std::string {
    Report r;
    r.protocol = "scsi";
    r.exception = {asc, ascq, ""};
    DiskRecord record;
    record.observed(r);
    return record.resource("dev://wwn=1", false)["properties"]["smart.exception"];
  };
  for (const int ascq : {0x00, 0x10, 0x73, 0xfe}) EXPECT_EQ(kind(0x5d, ascq), "failure-predicted");
  EXPECT_EQ(kind(0x5d, 0xff), "test");
  for (const int ascq : {0x01, 0x0a, 0x0b, 0x0c, 0x0d}) EXPECT_EQ(kind(0x0b, ascq), "temperature");
  for (const int ascq : {0x00, 0x02, 0x03, 0x09, 0x0e, 0x11, 0x12})
    EXPECT_EQ(kind(0x0b, ascq), "warning");
  EXPECT_EQ(kind(0x0c, 0x01), "other");
}

TEST(DiskRecord, ExceptionsByTheirKind) {
  const auto kind = [](const Report& r) {
    DiskRecord record;
    record.observed(r);
    return record.resource("dev://wwn=1", false)["properties"];
  };
  EXPECT_EQ(kind(report("sas-failing.json", 8))["smart.exception"], "failure-predicted");
  EXPECT_EQ(kind(report("sas-failing.json", 8))["smart.exception_code"], "5d/10");
  EXPECT_EQ(kind(report("sas-hot.json", 8))["smart.exception"], "temperature");
  EXPECT_EQ(kind(report("sas-environment.json", 140))["smart.exception"], "temperature");
  EXPECT_EQ(kind(report("sas-environment.json", 140))["smart.exception_code"], "0b/0c");
  EXPECT_EQ(kind(report("scsi.json", 4))["smart.exception"], "none");
  EXPECT_EQ(kind(report("scsi.json", 4))["smart.status"], "unknown");
  EXPECT_FALSE(kind(report("sata.json")).contains("smart.exception"));
}

}  // namespace
}  // namespace fmd::smart
