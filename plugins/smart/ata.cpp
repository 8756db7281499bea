// ATA: attributes, device statistics, self-test log.
#include <algorithm>
#include <string>

#include "fmd/base/json.h"
#include "plugins/smart/attribute_table.h"
#include "plugins/smart/fields.h"
#include "plugins/smart/protocols.h"

namespace fmd::smart {
namespace {

using nlohmann::json;

// Names of attributes that smartctl only guesses: those of a hard disk, for an SSD that is not in
// its database. There 197 and 198 may count anything.
bool is_guessed(const json& doc, const Attribute& attribute) {
  const std::string_view reading = attribute.reading;
  return (reading == "smart.pending" || reading == "smart.uncorrectable") &&
         truth(doc, {"in_smartctl_database"}) == false && whole(doc, {"rotation_rate"}) == 0;
}

void read_failing(const json& row, int64_t id, const std::string& name, Report& report) {
  using Failing = Report::Failing;
  if (!report.failing_now) report.failing_now = Failing::none;
  if (text(row, {"when_failed"}) != "now") return;
  report.failing += (report.failing.empty() ? "" : ", ") + std::to_string(id) + " " + name;
  const Failing what = id == 190 || id == 194                        ? Failing::temperature
                       : truth(row, {"flags", "prefailure"}) == true ? Failing::pre_failure
                                                                     : Failing::usage;
  report.failing_now = std::max(*report.failing_now, what);
}

void read_attributes(const json& doc, Report& report) {
  for (const auto& row : array(doc, {"ata_smart_attributes", "table"})) {
    const auto id = whole(row, {"id"});
    const auto raw = natural(row, {"raw", "value"});
    if (!id || *id < 1 || *id > 255) continue;
    const std::string name = text(row, {"name"});
    read_failing(row, *id, name, report);
    if (!raw) continue;
    const Attribute attribute = decode_attribute(static_cast<int>(*id), name, report.model, *raw);
    const Reading reading{static_cast<double>(attribute.value), attribute.unit};
    report.readings["smart.attr." + std::to_string(*id)] = reading;
    if (*attribute.reading && !is_guessed(doc, attribute))
      report.readings[attribute.reading] = reading;
  }
}

// ACS-4, Device Statistics log: bit 5 of a statistic's flags says that it is normalized.
bool is_normalized(const json& row) {
  constexpr int64_t kNormalized = 0x20;
  return truth(row, {"flags", "normalized"})
      .value_or((whole(row, {"flags", "value"}).value_or(0) & kNormalized) != 0);
}

// 255 is as much as the byte holds. Normalized, it is a drive far beyond its rating; else a drive
// that has not filled the field in: of 163 such SSDs 142 were nearly new.
void take_wear(const json& row, Report& report) {
  constexpr double kMost = 255;
  const auto value = number(row, {"value"});
  if (value == kMost && !is_normalized(row))
    report.readings.erase("wear_percent");  // smartctl 7.5's own word is the same byte
  else
    set(report, "wear_percent", "percent", value);
}

// ACS-4 A.5: page 5 temperature, page 7 solid state.
void read_statistics(const json& doc, Report& report) {
  for (const auto& page : array(doc, {"ata_device_statistics", "pages"}))
    for (const auto& row : array(page, {"table"})) {
      if (truth(row, {"flags", "valid"}) == false) continue;
      const std::string name = text(row, {"name"});
      const auto value = number(row, {"value"});
      if (name == "Percentage Used Endurance Indicator") take_wear(row, report);
      // Before the limit that it survives, which is all that some tell by SCT.
      if (name == "Specified Maximum Operating Temperature" && value && *value > 0 &&
          !field(doc, {"temperature", "op_limit_max"}))
        report.temperature_limit = whole(row, {"value"});
    }
}

// ATA8-ACS, SMART self-test execution status: the upper four bits.
SelfTest::Result ata_result(int64_t status) {
  switch (status >> 4 & 0xf) {
    case 0:
      return SelfTest::Result::passed;
    case 3:  // could not be completed
    case 4:
    case 5:
    case 6:
    case 7:
    case 8:
      return SelfTest::Result::failed;
    case 15:
      return SelfTest::Result::running;
    default:
      return SelfTest::Result::aborted;
  }
}

// 01h, 02h, and 81h, 82h in captive mode.
SelfTest::Kind ata_kind(std::optional<int64_t> type) {
  if (!type) return SelfTest::Kind::other;
  if ((*type & 0x7f) == 1) return SelfTest::Kind::short_test;
  return (*type & 0x7f) == 2 ? SelfTest::Kind::long_test : SelfTest::Kind::other;
}

void read_ata_tests(const json& doc, Report& report) {
  report.tests_supported =
      truth(doc, {"ata_smart_data", "capabilities", "self_tests_supported"}).value_or(false);
  const auto now = whole(doc, {"ata_smart_data", "self_test", "status", "value"});
  if (now && ata_result(*now) == SelfTest::Result::running)
    report.tests.push_back({SelfTest::Kind::other, SelfTest::Result::running, std::nullopt,
                            text(doc, {"ata_smart_data", "self_test", "status", "string"})});
  const json& extended = array(doc, {"ata_smart_self_test_log", "extended", "table"});
  const json& log =
      extended.empty() ? array(doc, {"ata_smart_self_test_log", "standard", "table"}) : extended;
  for (const auto& row : log) {
    const auto status = whole(row, {"status", "value"});
    // The log's own entry of a test under way is not kept up to date.
    if (!status || ata_result(*status) == SelfTest::Result::running) continue;
    report.tests.push_back({ata_kind(whole(row, {"type", "value"})), ata_result(*status),
                            whole(row, {"lifetime_hours"}), text(row, {"status", "string"})});
  }
}

}  // namespace

void read_ata(const json& doc, Report& report) {
  read_attributes(doc, report);
  read_statistics(doc, report);
  read_ata_tests(doc, report);
  for (const char* which : {"extended", "summary"})
    if (const auto count = number(doc, {"ata_smart_error_log", which, "count"});
        count && !report.readings.contains("smart.error_log_count"))
      set(report, "smart.error_log_count", "count", count);
}

}  // namespace fmd::smart
