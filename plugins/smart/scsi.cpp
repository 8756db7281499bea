// SCSI and SAS: error counters, grown defects, informational exceptions, self-test results.
#include <string>

#include "fmd/base/json.h"
#include "plugins/smart/fields.h"
#include "plugins/smart/protocols.h"

namespace fmd::smart {
namespace {

using nlohmann::json;

constexpr int kTestResults = 20;  // of log page 10h

// SPC-5, log page 10h: results 1 and 2 aborted, 3 to 7 failed, 15 running. Codes 1 and 5 short, 2
// and 6 extended (background, foreground).
void read_scsi_tests(const json& doc, Report& report) {
  for (int i = 0; i < kTestResults; ++i) {
    const auto* entry = field(doc, {("scsi_self_test_" + std::to_string(i)).c_str()});
    const auto result = entry ? whole(*entry, {"result", "value"}) : std::nullopt;
    if (!result) continue;
    SelfTest test;
    const auto code = whole(*entry, {"code", "value"}).value_or(0);
    test.kind = code == 1 || code == 5   ? SelfTest::Kind::short_test
                : code == 2 || code == 6 ? SelfTest::Kind::long_test
                                         : SelfTest::Kind::other;
    test.result = *result == 0                   ? SelfTest::Result::passed
                  : *result >= 3 && *result <= 7 ? SelfTest::Result::failed
                  : *result == 15                ? SelfTest::Result::running
                                                 : SelfTest::Result::aborted;
    test.hours = whole(*entry, {"power_on_time", "hours"});
    test.text = text(*entry, {"result", "string"});
    report.tests_supported = true;
    report.tests.push_back(std::move(test));
  }
}

// smartctl before 7.3 printed the list's length in bytes (smartctl_exporter issue 118).
bool counts_defects(const json& doc) {
  const json& version = array(doc, {"smartctl", "version"});
  if (version.size() < 2 || !version[0].is_number() || !version[1].is_number()) return true;
  return std::pair(version[0].get<double>(), version[1].get<double>()) >= std::pair(7.0, 3.0);
}

// SBC-4, log page 15h/01h lists logical blocks. An unreadable physical block appears as all of its
// logical blocks.
std::optional<double> pending_sectors(const json& doc) {
  const auto count = whole(doc, {"scsi_pending_defects", "count"});
  if (!count) return std::nullopt;
  const int64_t logical = whole(doc, {"logical_block_size"}).value_or(0),
                physical = whole(doc, {"physical_block_size"}).value_or(0);
  if (logical <= 0 || physical <= logical || physical % logical != 0)
    return static_cast<double>(*count);
  return static_cast<double>(physical_sectors(*count, physical / logical, SectorUnit::logical));
}

void read_scsi_temperature(const json& doc, Report& report) {
  // With -x, smartctl queries only the environmental reports page (0Dh/01h) of a disk that has it.
  // That page has no limit; a 0 from another page is then not a limit either.
  const auto known = report.readings.find("temperature_celsius");
  if (known == report.readings.end() || known->second.value == 0)
    set(report, "temperature_celsius", "celsius",
        number(doc, {"scsi_environmental_reports", "temperature_1", "current"}));
  // smartctl 7.3, if the disk has no temperature page but an informational exceptions page.
  const auto trip = whole(doc, {"scsi_temperature", "drive_trip"});
  if (trip && *trip > 0 && !report.temperature_limit) report.temperature_limit = trip;
  // A disk without a sensor reports 0 for both.
  const auto temperature = report.readings.find("temperature_celsius");
  if (temperature != report.readings.end() && temperature->second.value == 0 &&
      !report.temperature_limit)
    report.readings.erase(temperature);
}

}  // namespace

void read_scsi(const json& doc, Report& report) {
  if (counts_defects(doc))
    set(report, "smart.grown_defects", "count", number(doc, {"scsi_grown_defect_list"}));
  set(report, "smart.pending", "count", pending_sectors(doc));
  if (const auto used = number(doc, {"scsi_percentage_used_endurance_indicator"}))
    set(report, "wear_percent", "percent", used);
  // Log page 11h (SBC-4) is about solid state media. It is ignored unless the drive reports that it does
  // not rotate (VPD page B1h), which a bridge may hide.
  if (report.rotational != false) report.readings.erase("wear_percent");
  const auto uncorrected = [&](const char* what) {
    return number(doc, {"scsi_error_counter_log", what, "total_uncorrected_errors"});
  };
  set(report, "smart.uncorrected_read", "count", uncorrected("read"));
  set(report, "smart.uncorrected_write", "count", uncorrected("write"));
  set(report, "smart.uncorrected_verify", "count", uncorrected("verify"));
  read_scsi_temperature(doc, report);
  const auto asc = whole(doc, {"smart_status", "scsi", "asc"});
  const auto ascq = whole(doc, {"smart_status", "scsi", "ascq"});
  if (asc && *asc > 0 && *asc <= 255)
    report.exception = {static_cast<int>(*asc), static_cast<int>(ascq.value_or(0) & 0xff),
                        text(doc, {"smart_status", "scsi", "ie_string"})};
  // A disk that was never tested has an empty log, but may support self-tests.
  report.tests_supported = truth(doc, {"smart_support", "available"}).value_or(false);
  read_scsi_tests(doc, report);
}

}  // namespace fmd::smart
