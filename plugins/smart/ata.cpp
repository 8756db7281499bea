// ATA: attributes, device statistics, self-test log.
#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/json.h"
#include "plugins/smart/ata_meaning.h"
#include "plugins/smart/attribute_table.h"
#include "plugins/smart/fields.h"
#include "plugins/smart/protocols.h"

namespace fmd::smart {
namespace {

using nlohmann::json;

// For an SSD that is not in its database, smartctl only guesses attribute names, so the counts may
// mean anything. 199 is an exception: it blames the connection.
bool is_guessed(const json& doc, const Attribute& attribute) {
  return attribute.reading != std::string_view("smart.crc") &&
         truth(doc, {"in_smartctl_database"}) == false && whole(doc, {"rotation_rate"}) == 0;
}

// ATA8-ACS, attribute flags: bit 3 error rate, bit 4 event count. The raw value of a rate is not a
// number of errors.
bool is_rate(const json& row, const Attribute& attribute) {
  if (!attribute.may_be_rate) return false;
  constexpr int64_t kRate = 0x08, kCount = 0x10;
  const int64_t flags = whole(row, {"flags", "value"}).value_or(kCount);
  return truth(row, {"flags", "error_rate"}).value_or((flags & kRate) != 0) &&
         !truth(row, {"flags", "event_count"}).value_or((flags & kCount) != 0);
}

// False if all bits of the raw value or of its lower half are set: the drive has not filled it in.
bool is_filled_in(uint64_t raw) {
  return raw != 0xffffffff && (raw & 0xffffffffffff) != 0xffffffffffff;
}

// Logical sectors per physical sector if the disk counts logical ones; else 1.
int64_t counted_per_sector(const json& doc, const Report& report) {
  constexpr int64_t kMost = 64;
  const int64_t logical = whole(doc, {"logical_block_size"}).value_or(0),
                physical = whole(doc, {"physical_block_size"}).value_or(0);
  if (report.rotational == false || logical <= 0 || physical % logical != 0) return 1;
  const int64_t ratio = physical / logical;
  return ratio <= kMost && counts_logical_sectors(report.model, text(doc, {"model_family"}))
             ? std::max<int64_t>(ratio, 1)
             : 1;
}

// counts: sector counts by reading name, to be converted once all are known.
void read_attribute(const json& doc, const json& row, int64_t id, Report& report,
                    std::map<std::string, int64_t>& counts) {
  const auto raw = natural(row, {"raw", "value"});
  if (!raw) return;
  const Attribute attribute =
      decode_attribute(static_cast<int>(id), text(row, {"name"}), report.model, *raw);
  report.readings["smart.attr." + std::to_string(id)] = {static_cast<double>(attribute.value),
                                                         attribute.unit};
  if (!*attribute.reading || is_guessed(doc, attribute) || is_rate(row, attribute) ||
      !is_filled_in(*raw))
    return;
  if (attribute.sectors && attribute.value < kLeastImpossible)
    counts[attribute.reading] = attribute.value;
  report.readings[attribute.reading] = {static_cast<double>(attribute.value), attribute.unit};
}

void convert_sectors(const json& doc, const std::map<std::string, int64_t>& counts,
                     Report& report) {
  const int64_t per_sector = counted_per_sector(doc, report);
  if (per_sector == 1) report.sector_unit = SectorUnit::unknown;
  if (per_sector == 1) return;
  std::vector<int64_t> values;
  for (const auto& [name, count] : counts) values.push_back(count);
  if (report.sector_unit == SectorUnit::unknown)
    report.sector_unit = sector_unit(values, per_sector);
  report.counts_logical_sectors = report.sector_unit != SectorUnit::physical;
  for (const auto& [name, count] : counts)
    report.readings[name].value =
        static_cast<double>(physical_sectors(count, per_sector, report.sector_unit));
}

void read_attributes(const json& doc, Report& report) {
  std::map<std::string, int64_t> counts;
  for (const auto& row : array(doc, {"ata_smart_attributes", "table"})) {
    const auto id = whole(row, {"id"});
    if (!id || *id < 1 || *id > 255) continue;
    read_failing(row, *id, report);
    read_attribute(doc, row, *id, report, counts);
    if (const auto level = helium_level(row, *id)) take_least(report, "smart.helium_level", *level);
  }
  convert_sectors(doc, counts, report);
}

// ACS-4 A.5: page 5 temperature.
void read_statistics(const json& doc, Report& report) {
  for (const auto& page : array(doc, {"ata_device_statistics", "pages"}))
    for (const auto& row : array(page, {"table"})) {
      if (truth(row, {"flags", "valid"}) == false) continue;
      const auto value = number(row, {"value"});
      // Takes precedence over the survival limit, which is the only limit some disks report by SCT.
      if (text(row, {"name"}) == "Specified Maximum Operating Temperature" && value && *value > 0 &&
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
    // The log does not update the entry of a running test.
    if (!status || ata_result(*status) == SelfTest::Result::running) continue;
    report.tests.push_back({ata_kind(whole(row, {"type", "value"})), ata_result(*status),
                            whole(row, {"lifetime_hours"}), text(row, {"status", "string"})});
  }
}

}  // namespace

void read_ata(const json& doc, Report& report) {
  read_attributes(doc, report);
  read_statistics(doc, report);
  read_wear(doc, report);
  read_spare(doc, report);
  read_ata_tests(doc, report);
  for (const char* which : {"extended", "summary"})
    if (const auto count = number(doc, {"ata_smart_error_log", which, "count"});
        count && !report.readings.contains("smart.error_log_count"))
      set(report, "smart.error_log_count", "count", count);
}

}  // namespace fmd::smart
