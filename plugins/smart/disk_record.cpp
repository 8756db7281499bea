#include "plugins/smart/disk_record.h"

#include <cmath>

#include "fmd/base/json.h"

namespace fmd::smart {
namespace {

using nlohmann::json;

json as_number(double value) {
  constexpr double kExact = 9e15;
  if (value == std::floor(value) && std::fabs(value) < kExact) return static_cast<int64_t>(value);
  return value;
}

const char* word(DiskRecord::State state) {
  switch (state) {
    case DiskRecord::State::observed:
      return "observed";
    case DiskRecord::State::standby:
      return "standby";
    case DiskRecord::State::hung:
      return "hung";
    case DiskRecord::State::refused:
    case DiskRecord::State::unknown:
      break;
  }
  return "not-observed";
}

const char* self_test_of(const Report& report) {
  const SelfTest* verdict = verdict_of(report.tests);
  if (verdict && verdict->result == SelfTest::Result::failed)
    return is_recent(*verdict, report) ? "failed" : "failed-before";
  if (is_running(report.tests)) return "running";
  return verdict ? "passed" : "none";
}

void set_text(json& properties, const char* name, const std::string& text) {
  if (!text.empty()) properties[name] = text;
}

// Two hex digits each, as SPC-5 writes them: "5d/10".
std::string code_of(const Report::Exception& exception) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  for (const int byte : {exception.asc, exception.ascq}) {
    if (!text.empty()) text += '/';
    text += kHex[byte >> 4 & 0xf];
    text += kHex[byte & 0xf];
  }
  return text;
}

// SPC-5, additional sense codes: 5Dh failure prediction threshold exceeded (FFh: a test), 0Bh
// warnings, of which 0Eh to 11h are about humidity.
const char* exception_kind(const std::optional<Report::Exception>& exception) {
  if (!exception) return "none";
  if (exception->refuted) return "contradicted";
  if (exception->asc == 0x5d) return exception->ascq == 0xff ? "test" : "failure-predicted";
  if (exception->is_temperature()) return "temperature";
  return exception->asc == 0x0b ? "warning" : "other";
}

// Separate values, as the rules compare the attribute with the disk's temperature, if known.
const char* word(Report::Failing failing, bool temperature_known) {
  switch (failing) {
    case Report::Failing::none:
      return "none";
    case Report::Failing::temperature:
      return temperature_known ? "temperature" : "temperature-unknown";
    case Report::Failing::usage:
      return "usage";
    case Report::Failing::cache_backup:
      return "cache-backup";
    case Report::Failing::pre_failure:
      break;
  }
  return "pre-failure";
}

void add_report(json& properties, const Report& report) {
  for (const auto& [name, reading] : report.readings) properties[name] = as_number(reading.value);
  properties["smart.status"] = !report.passed ? "unknown" : *report.passed ? "passed" : "failed";
  set_text(properties, "smart.protocol", report.protocol);
  set_text(properties, "smart.failing", report.failing);
  if (report.failing_now)
    properties["smart.failing_now"] =
        word(*report.failing_now, report.readings.contains("temperature_celsius"));
  if (report.rotational || report.protocol == "nvme")
    properties["smart.medium"] = report.rotational == true ? "rotating" : "solid-state";
  if (report.counts_logical_sectors) properties["smart.counts_logical_sectors"] = true;
  if (report.protocol == "nvme")
    properties["smart.reliability_by_wear"] = report.reliability_by_wear;
  properties["smart.self_test"] = self_test_of(report);
  for (const auto& [bit, on] : report.critical_warnings)
    properties["smart.critical_warning." + bit] = on;
  // A missing value is known only after the disk was queried.
  if (report.protocol == "scsi" && (report.passed || report.exception))
    properties["smart.exception"] = exception_kind(report.exception);
  if (report.exception) {
    properties["smart.exception_code"] = code_of(*report.exception);
    set_text(properties, "smart.exception_text", report.exception->text);
  }
  std::string contradictions;
  for (const std::string& one : report.contradictions)
    contradictions += (contradictions.empty() ? "" : "; ") + one;
  set_text(properties, "smart.contradictions", contradictions);
  if (report.temperature_limit) properties["temperature_limit_celsius"] = *report.temperature_limit;
  if (report.rotation_rpm) properties["rotation_rpm"] = *report.rotation_rpm;
  set_text(properties, "firmware", report.firmware);
}

}  // namespace

void DiskRecord::observed(const Report& report) {
  state_ = State::observed;
  ever_observed_ = true;
  skips_ = 0;
  reason_.clear();
  last_ = report;
}

void DiskRecord::standby(int64_t skips) {
  state_ = State::standby;
  skips_ = skips;
  reason_.clear();
}

void DiskRecord::hung() {
  state_ = State::hung;
  reason_ = "smartctl did not answer by its deadline";
}

void DiskRecord::refused(const std::string& reason) {
  state_ = State::refused;
  reason_ = reason;
}

bool DiskRecord::test_running() const {
  return is_running(last_.tests);
}

json DiskRecord::resource(const std::string& fmri, bool own) const {
  json properties{{"smart.state", word(state_)}};
  if (state_ == State::standby) properties["smart.skips"] = skips_;
  set_text(properties, "smart.reason", reason_);
  if (ever_observed_) add_report(properties, last_);
  if (own) {
    set_text(properties, "serial", last_.serial);
    set_text(properties, "model", last_.model);
    set_text(properties, "wwn", last_.wwn);
    if (last_.rotational || last_.protocol == "nvme")
      properties["rotational"] = last_.rotational.value_or(false);
  }
  // fmd-disk decides whether a disk is present: this message must not keep a pulled disk present.
  const bool present = own && state_ != State::refused;
  return {{"fmri", fmri},
          {"type", "disk"},
          {"properties", std::move(properties)},
          {"edges", json::array()},
          {"present", present}};
}

size_t DiskRecord::beside_readings(json resource, const Report& report) {
  for (const auto& [name, reading] : report.readings) resource["properties"][name] = nullptr;
  return std::hash<json>()(resource);
}

json DiskRecord::readings(const std::string& fmri, int64_t now_ns) const {
  json list = json::array();
  for (const auto& [name, reading] : last_.readings)
    list.push_back({{"resource", fmri},
                    {"name", name},
                    {"value", as_number(reading.value)},
                    {"unit", reading.unit},
                    {"time", now_ns}});
  return list;
}

}  // namespace fmd::smart
