#include "plugins/smart/report.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "fmd/base/json.h"
#include "plugins/smart/fields.h"
#include "plugins/smart/protocols.h"

namespace fmd::smart {
namespace {

using nlohmann::json;

constexpr int kBadCall = 1, kNotOpened = 2, kFailing = 8;  // bits of smartctl's exit status
constexpr int kAsleep = 3;                                 // as requested by -n standby,3

// 255, 128 and the like mean "unknown" (no disk responds beyond 100 °C). A limit of a few degrees
// means none: every disk works at room temperature.
constexpr int64_t kColdest = -60, kHottest = 100, kHighestLimit = 150, kLeastLimit = 30;
// A hundred years.
constexpr double kMostHours = 876'600;

bool is_possible_limit(std::optional<int64_t> celsius) {
  return celsius && *celsius >= kLeastLimit && *celsius <= kHighestLimit;
}

std::string messages(const json& doc, bool errors_only) {
  for (const auto& message : array(doc, {"smartctl", "messages"})) {
    const std::string words = smart::text(message, {"string"});
    if (!words.empty() && (!errors_only || smart::text(message, {"severity"}) == "error"))
      return words;
  }
  return {};
}

// Exit status 2 is shared by "cannot open" and, where -n has no status of its own, "is asleep".
bool asleep(const json& doc, int exit_status) {
  if (exit_status == kAsleep) return true;
  if (exit_status != kNotOpened) return false;
  std::string said = messages(doc, false);
  std::transform(said.begin(), said.end(), said.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return said.find("standby") != said.npos || said.find("sleep mode") != said.npos;
}

std::string first_of(const json& doc, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (std::string found = text(doc, {name}); !found.empty()) return found;
  return {};
}

// "5000c500a0000001", as in dev://wwn=.
std::string wwn_of(const json& doc) {
  const auto naa = natural(doc, {"wwn", "naa"}), oui = natural(doc, {"wwn", "oui"}),
             id = natural(doc, {"wwn", "id"});
  if (naa && oui && id && *naa <= 0xf && *oui <= 0xffffff && *id <= 0xfffffffff) {
    char hex[17];
    snprintf(hex, sizeof hex, "%x%06x%09llx", static_cast<unsigned>(*naa),
             static_cast<unsigned>(*oui), static_cast<unsigned long long>(*id));
    return hex;
  }
  std::string unit = text(doc, {"logical_unit_id"});
  if (!unit.starts_with("0x")) return {};
  unit.erase(0, 2);
  const bool hex = !unit.empty() && std::all_of(unit.begin(), unit.end(),
                                                [](unsigned char c) { return std::isxdigit(c); });
  return hex ? unit : std::string();
}

void read_identity(const json& doc, Report& report) {
  report.model = first_of(doc, {"model_name", "scsi_model_name", "scsi_product"});
  report.serial = text(doc, {"serial_number"});
  report.firmware = first_of(doc, {"firmware_version", "scsi_revision"});
  report.wwn = wwn_of(doc);
  const auto rpm = whole(doc, {"rotation_rate"});
  if (rpm && *rpm >= 0) report.rotational = *rpm > 0;
  if (rpm && *rpm > 0) report.rotation_rpm = rpm;
}

void read_common(const json& doc, Report& report) {
  report.passed = truth(doc, {"smart_status", "passed"});
  set(report, "temperature_celsius", "celsius", number(doc, {"temperature", "current"}));
  set(report, "power_on_hours", "hours", number(doc, {"power_on_time", "hours"}));
  set(report, "wear_percent", "percent",
      number(doc, {"endurance_used", "current_percent"}));  // 7.5
  // The highest operating temperature: ATA's recommended maximum (SCT), NVMe's warning threshold
  // (smartctl 7.5 or newer). Preferred to the survival limit and SCSI's trip temperature.
  for (const char* name : {"op_limit_max", "limit_max", "critical_limit_max", "drive_trip"}) {
    const auto limit = whole(doc, {"temperature", name});
    if (is_possible_limit(limit) && !report.temperature_limit) report.temperature_limit = limit;
  }
  // For a device without SMART, "passed" comes from smartctl and not from the device.
  if (truth(doc, {"smart_support", "available"}) == false && report.passed == true)
    report.passed.reset();
}

// Only the warnings of SCSI disks can be switched off; their counters are always reported.
bool switched_off(const json& doc) {
  return truth(doc, {"smart_support", "enabled"}) == false &&
         text(doc, {"device", "protocol"}) == "ATA" && !field(doc, {"smart_status"});
}

// A device without SMART data is a volume of a RAID controller or a virtual disk. smartctl itself
// refuses some of them (os_linux.cpp: "DELL or MegaRaid controller, please try adding '-d
// megaraid,N'").
constexpr const char* kPassthrough =
    "; if there are disks behind it, name each in 'passthrough' of /etc/fmd/smart.toml";

// Product names that controllers give volumes, lower case: Intel, LSI and HP ("Logical Volume",
// "Raid 1 Volume"), Dell (PERC, BOSS), Adaptec, Areca, 3ware, hypervisors.
bool is_named_as_volume(std::string model) {
  std::transform(model.begin(), model.end(), model.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::string_view kWords[] = {
      "logical volume", "logicaldrv",    "raid",         "perc h",  "perc 6",
      "dellboss",       "megasr",        "serveraid",    "mr9",     "amcc 9",
      "virtual disk",   "virtual drive", "lun ",         "smc2108", "smc22",
      "smartarray",     "smart array",   "storage pool", "-vol#",   "persistentdisk"};
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view word) { return model.find(word) != model.npos; });
}

bool has_evidence(const Report& report) {
  return report.exception || !report.tests.empty() || report.failing_now ||
         !report.critical_warnings.empty() || !report.nvme_errors.empty() || report.passed == false;
}

// A volume responds with zeros, if at all. "Passed" is not evidence of a disk: some controllers
// report it for volumes. A disk has error logs, or at least a temperature, a limit or hours.
bool has_no_smart(const json& doc, const Report& report) {
  if (has_evidence(report) ||
      std::any_of(report.readings.begin(), report.readings.end(),
                  [](const auto& reading) { return reading.second.value != 0; }))
    return false;
  if (report.readings.empty() && truth(doc, {"smart_support", "available"}) == false) return true;
  return is_named_as_volume(report.model) ||
         (report.protocol == "scsi" && !report.temperature_limit &&
          !field(doc, {"scsi_error_counter_log"}) && !field(doc, {"scsi_pending_defects"}));
}

// Also for a SCSI disk that is stopped or cannot start: smartctl then prints only its identity.
std::string why_not(const json& doc, std::string_view printed, int exit_status) {
  if (std::string said = message_of(printed); !said.empty())
    return said.find("please try adding '-d") == said.npos
               ? said
               : "a volume of a RAID controller has no SMART data" + std::string(kPassthrough);
  if (crashed(printed)) return "smartctl has crashed on what the disk answered";
  if (doc.empty()) return "smartctl printed no JSON (is it older than 7.0?)";
  if (switched_off(doc))
    return "SMART is switched off on this disk (smartctl -s on switches it on)";
  if (exit_status == kNotOpened && !text(doc, {"scsi_product"}).empty())
    return "the disk is not ready (stopped, or busy)";
  return "smartctl ended with status " + std::to_string(exit_status);
}

void drop_impossible_temperatures(Report& report) {
  const auto now = report.readings.find("temperature_celsius");
  if (now != report.readings.end() &&
      (now->second.value < kColdest || now->second.value > kHottest))
    report.readings.erase(now);
  if (!is_possible_limit(report.temperature_limit)) report.temperature_limit.reset();
}

void drop_impossible_counts(Report& report) {
  for (const char* name :
       {"smart.reallocated", "smart.pending", "smart.uncorrectable", "smart.reported_uncorrectable",
        "smart.crc", "smart.end_to_end", "smart.media_errors", "smart.grown_defects",
        "smart.uncorrected_read", "smart.uncorrected_write", "smart.uncorrected_verify"}) {
    const auto count = report.readings.find(name);
    if (count != report.readings.end() &&
        (count->second.value < 0 || count->second.value >= static_cast<double>(kLeastImpossible)))
      report.readings.erase(count);
  }
}

// Ignores a percentage used above 255, or of spare blocks above 100.
void drop_impossible_percentages(Report& report) {
  const std::pair<const char*, double> most[] = {{"wear_percent", 255},
                                                 {"smart.available_spare", 100},
                                                 {"smart.available_spare_threshold", 100}};
  for (const auto& [name, limit] : most) {
    const auto percent = report.readings.find(name);
    if (percent != report.readings.end() &&
        (percent->second.value < 0 || percent->second.value > limit))
      report.readings.erase(percent);
  }
}

// A bridge that does not know the hours reports 0, although a test was run at 8,000 hours.
void drop_impossible_hours(Report& report) {
  const auto hours = report.readings.find("power_on_hours");
  if (hours == report.readings.end()) return;
  if (hours->second.value < 0 || hours->second.value > kMostHours)
    return void(report.readings.erase(hours));
  if (hours->second.value != 0) return;
  if (std::any_of(report.tests.begin(), report.tests.end(),
                  [](const SelfTest& test) { return test.hours.value_or(0) > 0; }))
    report.readings.erase(hours);
}

}  // namespace

void set(Report& report, const char* name, const char* unit, std::optional<double> value) {
  if (value) report.readings[name] = {*value, unit};
}

const SelfTest* verdict_of(const std::vector<SelfTest>& tests) {
  const SelfTest* newest = nullptr;
  std::set<SelfTest::Kind> passed;
  for (const SelfTest& test : tests) {
    const bool outdated = passed.contains(test.kind) || passed.contains(SelfTest::Kind::long_test);
    if (test.result == SelfTest::Result::failed && !outdated) return &test;
    if (test.result != SelfTest::Result::passed) continue;
    passed.insert(test.kind);
    if (!newest) newest = &test;
  }
  return newest;
}

int64_t hours_between(int64_t then, int64_t now, bool wraps) {
  constexpr int64_t kWrap = 65536;
  const int64_t hours = now - then;
  if (!wraps || then >= kWrap || now < kWrap) return std::max<int64_t>(hours, 0);
  return hours % kWrap;
}

bool is_recent(const SelfTest& test, const Report& report) {
  constexpr int64_t kRecent = 90 * 24;
  const auto now = report.readings.find("power_on_hours");
  if (!test.hours || now == report.readings.end()) return true;
  return hours_between(*test.hours, static_cast<int64_t>(now->second.value),
                       report.protocol == "ata") <= kRecent;
}

bool is_running(const std::vector<SelfTest>& tests) {
  return std::any_of(tests.begin(), tests.end(),
                     [](const SelfTest& test) { return test.result == SelfTest::Result::running; });
}

std::string message_of(std::string_view printed) {
  const json doc = read_document(printed);
  const std::string said = messages(doc, true);
  return said.empty() ? messages(doc, false) : said;
}

bool crashed(std::string_view printed) {
  return printed.find("Smartctl: Exception") != printed.npos && read_document(printed).empty();
}

Report parse_report(std::string_view printed, int exit_status, SectorUnit unit) {
  const json doc = read_document(printed);
  Report report;
  report.sector_unit = unit;
  if (asleep(doc, exit_status)) {
    report.answer = Report::Answer::standby;
    return report;
  }
  if (exit_status & (kBadCall | kNotOpened) || !field(doc, {"smartctl"}) || switched_off(doc)) {
    report.reason = why_not(doc, printed, exit_status);
    return report;
  }
  report.answer = Report::Answer::observed;
  read_identity(doc, report);
  read_common(doc, report);
  const std::string protocol = text(doc, {"device", "protocol"});
  if (protocol == "ATA" || field(doc, {"ata_smart_attributes"})) {
    report.protocol = "ata";
    read_ata(doc, report);
  } else if (protocol == "NVMe" || field(doc, {"nvme_smart_health_information_log"})) {
    report.protocol = "nvme";
    read_nvme(doc, report);
  } else if (protocol == "SCSI") {
    report.protocol = "scsi";
    read_scsi(doc, report);
  }
  drop_impossible_temperatures(report);
  drop_impossible_hours(report);
  drop_impossible_counts(report);
  drop_impossible_percentages(report);
  drop_contradictions(doc, report);
  if (!report.passed && exit_status & kFailing) report.passed = false;
  if (!has_no_smart(doc, report)) return report;
  Report refused;
  refused.reason = "it has no SMART data" + std::string(kPassthrough);
  return refused;
}

}  // namespace fmd::smart
