// Reports of ATA disks, from smartctl's output (fixtures/README.md).
#include <fmt/format.h>

#include "plugins/smart/attribute_table.h"
#include "plugins/smart/tests/fixture.h"

namespace fmd::smart {
namespace {

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
  EXPECT_FALSE(r.readings.contains("wear_percent")) << "a hard disk has no endurance";
  EXPECT_EQ(r.temperature_limit, 60) << "at which it may work, not the 70 that it survives";
  EXPECT_EQ(r.failing_now, Report::Failing::pre_failure);
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
    // The lower four bits give the remaining part.
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

// The status is still "passed"; the kind of attribute decides the severity.
TEST(Report, OfAttributesThatFailNow) {
  using Failing = Report::Failing;
  const auto failing = [](const std::string& rows) {
    return parse_report(R"({"smartctl":{},"smart_status":{"passed":true},
        "ata_smart_attributes":{"table":[)" +
                            rows + "]}}",
                        0)
        .failing_now;
  };
  const std::string
      well = R"({"id":9,"name":"A","when_failed":"","flags":{"prefailure":true}})",
      hot = R"(,{"id":190,"name":"T","when_failed":"now"})",
      old = R"(,{"id":184,"name":"E","when_failed":"now","flags":{"prefailure":false}})",
      bad = R"(,{"id":5,"name":"R","when_failed":"now","flags":{"prefailure":true}})";
  EXPECT_FALSE(failing("")) << "it told of none";
  EXPECT_EQ(failing(well), Failing::none);
  EXPECT_EQ(failing(well + hot), Failing::temperature);
  EXPECT_EQ(failing(well + old + hot), Failing::usage);
  EXPECT_EQ(failing(well + bad + old), Failing::pre_failure);
}

// smartctl gives attributes of unknown SSDs the names that hard disks use.
TEST(Report, ANameThatIsOnlyGuessedIsNone) {
  const auto of = [](const std::string& head) {
    return parse_report(R"({"smartctl":{},"device":{"protocol":"ATA"},)" + head +
                            R"("ata_smart_attributes":{"table":[
        {"id":5,"name":"Reallocated_Sector_Ct","raw":{"value":3}},
        {"id":197,"name":"Current_Pending_Sector","raw":{"value":7}},
        {"id":198,"name":"Offline_Uncorrectable","raw":{"value":70000}}]}})",
                        0);
  };
  const Report guessed = of(R"("in_smartctl_database":false,"rotation_rate":0,)");
  EXPECT_FALSE(guessed.readings.contains("smart.pending"));
  EXPECT_FALSE(guessed.readings.contains("smart.uncorrectable"));
  EXPECT_EQ(reading(guessed, "smart.attr.198"), 70000);
  EXPECT_FALSE(guessed.readings.contains("smart.reallocated"));
  for (const char* head : {"", R"("in_smartctl_database":true,"rotation_rate":0,)",
                           R"("in_smartctl_database":false,"rotation_rate":7200,)"})
    EXPECT_EQ(reading(of(head), "smart.pending"), 7) << head;
}

TEST(Report, WearThatNobodyFilledInIsUnknown) {
  const auto wear = [](int value, const std::string& flags) {
    const Report r = parse_report(
        fmt::format(R"({{"smartctl":{{}},"device":{{"protocol":"ATA"}},"rotation_rate":0,
            "endurance_used":{{"current_percent":{}}},"ata_device_statistics":{{"pages":[{{"table":[
            {{"name":"Percentage Used Endurance Indicator","value":{},"flags":{}}}]}}]}}}})",
                    value, value, flags),
        0);
    const auto found = r.readings.find("wear_percent");
    return found == r.readings.end() ? -1 : found->second.value;
  };
  EXPECT_EQ(wear(255, R"({"value":192,"valid":true,"normalized":false})"), -1);
  EXPECT_EQ(wear(255, R"({"value":192,"valid":true})"), -1);
  EXPECT_EQ(wear(255, R"({"value":224,"valid":true,"normalized":true})"), 255);
  EXPECT_EQ(wear(255, R"({"value":224,"valid":true})"), 255);
  EXPECT_EQ(wear(7, R"({"value":192,"valid":true})"), 7);
}

TEST(Report, OfAtaDeviceStatisticsAndErrorLogs) {
  const auto doc = [](const std::string& more) {
    return parse_report(R"({"smartctl":{},"device":{"protocol":"ATA"},)" + more + "}", 0);
  };
  const auto statistic = [&](const std::string& name, const std::string& flags) {
    return doc(R"("rotation_rate":0,"ata_device_statistics":{"pages":[{"table":[{"name":")" + name +
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

// Words above the count must be ignored; a number without its name has another meaning.
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
           {5, "Retired_Block_Count", "INTEL SSD", 17, "smart.reallocated"},
           {5, "Reallocate_NAND_Blk_Cnt", "Micron_1100", 17, "smart.reallocated"},
           {5, "New_Bad_Blk_Cnt", "SAMSUNG", 17, "smart.reallocated"},
           {5, "Later_Bad_Block", "TS128", 17, "smart.reallocated"},
           {5, "Runtime_Bad_Block", "SSD", 17, "smart.reallocated"},
           {5, "Retried_Blk_Ct", "SSD", 17, "smart.reallocated"},
           {5, "Something_Else", "SSD", kWhole, ""},
           {198, "Uncorrectable_Sector_Ct", "KINGSTON", kHours, "smart.uncorrectable"},
           {196, "Reallocated_Event_Count", "WDC WD40", 17, ""},
           {187, "Reported_Uncorrect", "WDC WD40", 17, "smart.reported_uncorrectable"},
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
  // One number if possible: a disk with 8955 in 187, and one with more than 16 bits.
  for (const uint64_t raw : {8955ull, 0x1'2345ull})
    EXPECT_EQ(decode_attribute(187, "Reported_Uncorrect", "ST4000", raw).value,
              static_cast<int64_t>(raw));
  // If smartctl's drive database uses one more byte, it also counts errors.
  EXPECT_EQ(decode_attribute(1, "Raw_Read_Error_Rate", "ST4000", 0x7f05'0003'0000'0011).value,
            0x050003);
}

TEST(Report, OfASelfTestUnderWay) {
  const Report r = report("sata-self-test-running.json");
  EXPECT_TRUE(is_running(r.tests));
  ASSERT_EQ(r.tests.size(), 2u) << "the log's entry of it is not counted twice";
  EXPECT_EQ(r.tests[1].result, SelfTest::Result::passed);
}

}  // namespace
}  // namespace fmd::smart
