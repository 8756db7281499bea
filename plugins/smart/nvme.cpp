// NVMe: health information (log 02h), error information (01h), device self-test (06h). smartctl
// prints the latter two as JSON since 7.4, the temperature limits and endurance_used (read in
// report.cpp) since 7.5.
#include <algorithm>
#include <iterator>
#include <string>

#include "fmd/base/json.h"
#include "plugins/smart/fields.h"
#include "plugins/smart/protocols.h"

namespace fmd::smart {
namespace {

using nlohmann::json;

// NVM Express base specification, SMART / Health Information, byte 0; smartctl's names.
struct WarningBit {
  int bit;
  const char* name;
};
constexpr WarningBit kWarnings[] = {
    {0, "spare_below_threshold"},         {1, "temperature_above_or_below_threshold"},
    {2, "reliability_degraded"},          {3, "media_read_only"},
    {4, "volatile_memory_backup_failed"}, {5, "persistent_memory_region_unreliable"}};

constexpr int64_t kOnes = 0xff;  // a byte that the drive has not filled in

bool is_not_filled_in(const json& log, Report& report) {
  if (whole(log, {"critical_warning"}) != kOnes || whole(log, {"available_spare"}) != kOnes)
    return false;
  report.contradictions.emplace_back("a health log with all bits set");
  report.readings.clear();
  return true;
}

void read_health(const json& doc, Report& report) {
  const auto* log = field(doc, {"nvme_smart_health_information_log"});
  if (!log || is_not_filled_in(*log, report)) return;
  set(report, "wear_percent", "percent", number(*log, {"percentage_used"}));
  set(report, "smart.available_spare", "percent", number(*log, {"available_spare"}));
  // 0 means that the drive has no threshold.
  if (const auto threshold = number(*log, {"available_spare_threshold"});
      threshold != 0.0 && threshold <= kMostSpareThreshold)
    set(report, "smart.available_spare_threshold", "percent", threshold);
  set(report, "smart.media_errors", "count", number(*log, {"media_errors"}));
  set(report, "smart.error_log_count", "count", number(*log, {"num_err_log_entries"}));
  set(report, "smart.unsafe_shutdowns", "count", number(*log, {"unsafe_shutdowns"}));
  if (!report.readings.contains("power_on_hours"))
    set(report, "power_on_hours", "hours", number(*log, {"power_on_hours"}));
  if (!report.readings.contains("temperature_celsius"))
    set(report, "temperature_celsius", "celsius", number(*log, {"temperature"}));
  auto bits = whole(*log, {"critical_warning"});
  if (!bits) return;
  if (*bits == kOnes) {
    report.contradictions.emplace_back("all warnings at once, also those without a meaning");
    bits = 0;
  }
  for (const WarningBit& warning : kWarnings)
    report.critical_warnings[warning.name] = *bits >> warning.bit & 1;
  report.critical_warnings["other"] = *bits >> std::size(kWarnings) != 0;  // reserved bits
  // 100 means that the estimated endurance has been consumed (same log, from bytes 5 and 160).
  report.reliability_by_wear =
      number(*log, {"percentage_used"}).value_or(0) >= 100 && number(*log, {"media_errors"}) == 0.0;
}

void read_errors(const json& doc, Report& report) {
  report.has_error_log = field(doc, {"nvme_error_information_log"}) != nullptr;
  for (const auto& row : array(doc, {"nvme_error_information_log", "table"})) {
    const auto count = natural(row, {"error_count"});
    if (!count || *count == 0) continue;
    NvmeError error;
    error.count = *count;
    error.queue = whole(row, {"submission_queue_id"});
    // Without the phase bit: 8 bits of code, then 3 of type. Empty if the entry has no status.
    const auto value = whole(row, {"status_field", "value"}).value_or(0);
    error.type = static_cast<int>(
        whole(row, {"status_field", "status_code_type"}).value_or(value >> 8) & 0x7);
    error.code =
        static_cast<int>(whole(row, {"status_field", "status_code"}).value_or(value) & 0xff);
    error.text = text(row, {"status_field", "string"});
    error.lba = natural(row, {"lba", "value"});
    report.nvme_errors.push_back(std::move(error));
  }
  std::stable_sort(report.nvme_errors.begin(), report.nvme_errors.end(),
                   [](const NvmeError& a, const NvmeError& b) { return a.count > b.count; });
}

// Device Self-test log: result 0 passed, 1 to 4, 8 and 9 aborted, 5 to 7 failed.
void read_nvme_tests(const json& doc, Report& report) {
  report.tests_supported = field(doc, {"nvme_self_test_log"}) != nullptr;
  const auto now = whole(doc, {"nvme_self_test_log", "current_self_test_operation", "value"});
  if (now && *now > 0)
    report.tests.push_back(
        {SelfTest::Kind::other, SelfTest::Result::running, std::nullopt,
         text(doc, {"nvme_self_test_log", "current_self_test_operation", "string"})});
  for (const auto& row : array(doc, {"nvme_self_test_log", "table"})) {
    const auto result = whole(row, {"self_test_result", "value"});
    if (!result) continue;
    const auto code = whole(row, {"self_test_code", "value"}).value_or(0);
    report.tests.push_back({code == 1   ? SelfTest::Kind::short_test
                            : code == 2 ? SelfTest::Kind::long_test
                                        : SelfTest::Kind::other,
                            *result == 0                   ? SelfTest::Result::passed
                            : *result >= 5 && *result <= 7 ? SelfTest::Result::failed
                                                           : SelfTest::Result::aborted,
                            whole(row, {"power_on_hours"}),
                            text(row, {"self_test_result", "string"})});
  }
}

}  // namespace

// NVM Express base specification, status codes. Pollers' commands (Identify, Get Log Page, Get
// Features, Device Self-test) go to the admin queue, number 0. A drive refuses those it does not
// support with 0/01h opcode, 0/02h field, 0/0Bh namespace, 1/09h log page, 1/1Dh self-test in
// progress (smartmontools issue 208, nvme-cli issue 1037). Also ignored, in any queue: success (an
// entry without a status looks like that) and 0/08h, aborted because its queue was deleted, which
// happens to pending commands at each reset and shutdown. An abort on request (0/07h) is reported:
// the kernel sends it when a command does not return.
bool made_by_poller(const NvmeError& error) {
  const auto is_among = [code = error.type << 8 | error.code](std::initializer_list<int> codes) {
    return std::find(codes.begin(), codes.end(), code) != codes.end();
  };
  if (is_among({0x000, 0x008})) return true;
  return error.queue.value_or(0) == 0 && is_among({0x001, 0x002, 0x00b, 0x109, 0x11d});
}

void read_nvme(const json& doc, Report& report) {
  read_health(doc, report);
  read_errors(doc, report);
  read_nvme_tests(doc, report);
}

}  // namespace fmd::smart
