// Reports of any disk, from smartctl's output: sleeping disks, failed queries, implausible values
// (fixtures/README.md). ata_test, scsi_test and nvme_test cover the command sets.
#include <fmt/format.h>

#include "fmd/base/json.h"
#include "plugins/smart/fields.h"
#include "plugins/smart/tests/fixture.h"

namespace fmd::smart {
namespace {

using testing::fixture;
using testing::reading;
using testing::report;
using Answer = Report::Answer;

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
  EXPECT_EQ(report("sas-standby-7.3.json", 3).answer, Answer::standby);
  const Report stopped = report("sas-stopped-7.3.json", 2);
  EXPECT_EQ(stopped.answer, Answer::refused);
  EXPECT_EQ(stopped.reason, "the disk is not ready (stopped, or busy)");
  EXPECT_FALSE(crashed(fixture("truncated.json")));
}

// It then reports nothing: its last values stay, and it does not count as healthy.
TEST(Report, OfADiskWhoseSmartIsSwitchedOff) {
  for (const int status : {0, 2, 4}) {
    const Report r = report("sata-disabled.json", status);
    EXPECT_EQ(r.answer, Answer::refused) << status;
    EXPECT_EQ(r.reason, "SMART is switched off on this disk (smartctl -s on switches it on)");
  }
  EXPECT_EQ(parse_report(R"({"smartctl":{},"device":{"protocol":"SCSI"},
                             "smart_support":{"available":true,"enabled":false},
                             "temperature":{"current":31}})",
                         0)
                .answer,
            Answer::observed)
      << "of SCSI only the warnings are off";
  EXPECT_EQ(parse_report(R"({"smartctl":{},"device":{"protocol":"ATA"},
                             "smart_support":{"enabled":false},"smart_status":{"passed":true}})",
                         0)
                .answer,
            Answer::observed)
      << "a bridge that is wrong about it";
}

TEST(Report, OfImpossibleTemperatures) {
  const auto of = [](int now, int limit) {
    return parse_report(fmt::format(R"({{"smartctl":{{}},"device":{{"protocol":"ATA"}},
                                        "temperature":{{"current":{},"limit_max":{}}}}})",
                                    now, limit),
                        0);
  };
  for (const int now : {-60, 0, 31, 100})
    EXPECT_EQ(reading(of(now, 70), "temperature_celsius"), now);
  for (const int now : {-128, -61, 101, 110, 127, 128, 255})
    EXPECT_FALSE(of(now, 70).readings.contains("temperature_celsius")) << now;
  for (const int limit : {30, 70, 150}) EXPECT_EQ(of(31, limit).temperature_limit, limit);
  for (const int limit : {-1, 0, 29, 151, 255})
    EXPECT_FALSE(of(31, limit).temperature_limit) << limit;
}

TEST(Report, OfTheTemperatureAtWhichItMayWork) {
  const auto limit = [](const std::string& temperature) {
    return parse_report(
               R"({"smartctl":{},"device":{"protocol":"ATA"},"temperature":{"current":31,)" +
                   temperature + R"(},"ata_device_statistics":{"pages":[{"table":[
          {"name":"Specified Maximum Operating Temperature","value":65}]}]}})",
               0)
        .temperature_limit;
  };
  EXPECT_EQ(limit(R"("op_limit_max":60,"limit_max":85)"), 60);
  EXPECT_EQ(limit(R"("limit_max":85)"), 65) << "what it survives is the last to be asked";
  EXPECT_EQ(limit(R"("op_limit_max":5,"limit_max":85)"), 85) << "5 degrees are no limit";
}

TEST(Report, NoHoursAreNotZeroHours) {
  const auto doc = [](int now, int tested) {
    return parse_report(
        fmt::format(
            R"({{"smartctl":{{}},"device":{{"protocol":"ATA"}},"power_on_time":{{"hours":{}}},
            "ata_smart_self_test_log":{{"standard":{{"table":[{{"type":{{"value":1}},
            "status":{{"value":0}},"lifetime_hours":{}}}]}}}}}})",
            now, tested),
        0);
  };
  EXPECT_FALSE(doc(0, 8000).readings.contains("power_on_hours"));
  EXPECT_EQ(reading(doc(0, 0), "power_on_hours"), 0);
  EXPECT_EQ(reading(doc(9, 8000), "power_on_hours"), 9) << "16 bits wide, it may have wrapped";
}

// A short test does not read where a long one failed.
TEST(Report, WhatTheSelfTestsComeTo) {
  using Kind = SelfTest::Kind;
  using Result = SelfTest::Result;
  const auto verdict = [](std::vector<std::pair<Kind, Result>> newest_first) {
    std::vector<SelfTest> tests;
    for (const auto& [kind, result] : newest_first) tests.push_back({kind, result, {}, ""});
    const SelfTest* found = verdict_of(tests);
    return found ? found - tests.data() : -1;
  };
  const std::pair short_passed{Kind::short_test, Result::passed},
      long_passed{Kind::long_test, Result::passed}, short_failed{Kind::short_test, Result::failed},
      long_failed{Kind::long_test, Result::failed}, other_passed{Kind::other, Result::passed},
      other_failed{Kind::other, Result::failed}, aborted{Kind::long_test, Result::aborted},
      running{Kind::long_test, Result::running};
  EXPECT_EQ(verdict({}), -1);
  EXPECT_EQ(verdict({aborted, running}), -1);
  EXPECT_EQ(verdict({aborted, short_passed, long_passed}), 1);
  EXPECT_EQ(verdict({short_passed, long_failed}), 1) << "not outdated";
  EXPECT_EQ(verdict({short_passed, short_passed, other_passed, long_failed}), 3);
  EXPECT_EQ(verdict({short_passed, short_failed}), 0);
  EXPECT_EQ(verdict({long_passed, short_failed, long_failed}), 0);
  EXPECT_EQ(verdict({long_passed, other_failed}), 0);
  EXPECT_EQ(verdict({other_passed, other_failed}), 0);
  EXPECT_EQ(verdict({other_passed, short_failed}), 1);
  EXPECT_EQ(verdict({short_failed, long_passed}), 0);
  EXPECT_EQ(verdict({running, short_passed, long_failed, long_passed}), 2);
}

TEST(Report, TheExitStatusSpeaksWhereTheDocumentDoesNot) {
  EXPECT_EQ(parse_report(R"({"smartctl":{}})", 8).passed, false);
  EXPECT_EQ(parse_report(R"({"smartctl":{}})", 0).passed, std::nullopt);
  EXPECT_EQ(parse_report(R"({"smartctl":{},"smart_status":{"passed":true}})", 64).passed, true);
}

TEST(Report, HostileDocuments) {
  const std::string deep = std::string(100000, '[');
  EXPECT_EQ(parse_report(deep, 0).answer, Answer::refused);
  // A valid report, except for a member that smartctl never prints.
  const std::string good = fixture("sas-standby-7.3.json");
  const auto with = [&](const std::string& member) {
    return "{\"more\":" + member + "," + good.substr(good.find('{') + 1);
  };
  EXPECT_TRUE(read_document(with("[0]")).contains("more"));
  std::string values = "[0";
  for (int i = 0; i < 150'000; ++i) values += ",0";
  EXPECT_FALSE(read_document(with(values + "]")).contains("more"));
  const std::string nested = std::string(14, '[') + std::string(14, ']');
  EXPECT_FALSE(read_document(with(nested)).contains("more"));
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

// smartctl 7.1 prints a label of the pending defects list before its document.
TEST(Report, OfADocumentAmongText) {
  const std::string
      disk =
          R"({"smartctl":{"exit_status":0},"device":{"protocol":"SCSI"},"scsi_grown_defect_list":4,
          "note":"a brace \" } in a string"})",
      failed = R"({"smartctl":{"exit_status":2,"messages":[{"string":"no {device}"}]}})",
      other = R"({"unit":{"name":"other"}})";
  for (const std::string& printed :
       {disk, "  Pending defect count:" + disk, "{not JSON} {" + disk, disk + "\nWarning: late\n",
        failed + "\n" + disk, disk + failed, other + disk + other}) {
    const Report r = parse_report(printed, 0);
    EXPECT_EQ(r.answer, Answer::observed) << printed;
    EXPECT_EQ(reading(r, "smart.grown_defects"), 4) << printed;
  }
  EXPECT_EQ(message_of("text " + failed), "no {device}");
  for (const std::string& printed :
       {other, "text " + other, "{" + std::string(100'000, '{'), std::string("{\"smartctl\":{")})
    EXPECT_EQ(parse_report(printed, 0).answer, Answer::refused);
  EXPECT_TRUE(crashed("  Pending defect count:Smartctl: Exception [x]"));
  EXPECT_FALSE(crashed(disk + "Smartctl: Exception [x]")) << "it had printed all";
}

// Such a volume is not a disk to watch, whatever smartctl prints.
TEST(Report, OfTheVolumeOfARaidController) {
  const auto of = [](const std::string& model, const std::string& more) {
    return parse_report(R"({"smartctl":{"version":[7,0]},"device":{"protocol":"SCSI"},
        "rotation_rate":7200,"model_name":")" +
                            model + "\"" + more + "}",
                        4);
  };
  const std::string zeros = R"(,"temperature":{"current":0,"drive_trip":0})",
                    passed =
                        R"(,"smart_support":{"available":true},"smart_status":{"passed":true})";
  for (const Report& volume :
       {of("Intel Raid 5 Volume", zeros), of("LSI MR9361-8i", ""), of("EXAMPLE X", zeros),
        of("HP LOGICAL VOLUME", passed), of("LSI Logical Volume", passed + zeros),
        of("DELL PERC H730 Mini", passed + R"(,"scsi_grown_defect_list":0)"),
        of("EXAMPLE X", R"(,"smart_support":{"available":false})"), of("EXAMPLE X", passed),
        of("EXAMPLE X", passed + zeros + R"(,"scsi_grown_defect_list":0)")}) {
    EXPECT_EQ(volume.answer, Answer::refused);
    EXPECT_NE(volume.reason.find("passthrough"), std::string::npos) << volume.reason;
  }
  for (const Report& disk : {of("EXAMPLE X", R"(,"scsi_error_counter_log":{})"),
                             of("EXAMPLE X", R"(,"scsi_pending_defects":{"count":0})"),
                             of("EXAMPLE X", R"(,"temperature":{"current":31,"drive_trip":60})"),
                             of("WD RAID EDITION", R"(,"power_on_time":{"hours":9})")})
    EXPECT_EQ(disk.answer, Answer::observed);
}

}  // namespace
}  // namespace fmd::smart
