#include "smart_text.h"

#include <fstream>
#include <map>
#include <stdexcept>

#include "fmd/model/inventory.h"
#include "plugins/smart/disk_record.h"
#include "plugins/smart/report.h"

namespace fmd::score {
namespace {

using nlohmann::json;
using Protocol = SmartText::Protocol;
using Edits = std::map<std::string, json>;  // by JSON pointer

constexpr int kFailing = 8;  // bit of smartctl's exit status

struct Counter {
  Protocol protocol;
  std::string_view property;
  const char* place;
};
constexpr Counter kCounters[] = {
    {Protocol::nvme, "wear_percent", "/nvme_smart_health_information_log/percentage_used"},
    {Protocol::nvme, "smart.media_errors", "/nvme_smart_health_information_log/media_errors"},
    {Protocol::scsi, "wear_percent", "/scsi_percentage_used_endurance_indicator"},
    {Protocol::scsi, "smart.grown_defects", "/scsi_grown_defect_list"}};

struct Warning {
  std::string_view property;
  int bit;
};
constexpr Warning kWarnings[] = {{"smart.critical_warning.spare_below_threshold", 0},
                                 {"smart.critical_warning.reliability_degraded", 2},
                                 {"smart.critical_warning.media_read_only", 3}};

json as_json(const Value& value) {
  return std::visit(
      [](const auto& is) -> json {
        if constexpr (std::is_same_v<std::decay_t<decltype(is)>, std::monostate>)
          return nullptr;
        else
          return is;
      },
      value);
}

bool is_text(const Value& value, std::string_view text) {
  const auto* is = std::get_if<std::string>(&value);
  return is && *is == text;
}

// smartctl prints the bits twice, and the health status that follows from them.
Edits warning(int bit, bool on) {
  const int bits = on ? 1 << bit : 0;
  Edits out{{"/nvme_smart_health_information_log/critical_warning", bits},
            {"/smart_status/nvme/value", bits},
            {"/smart_status/passed", !on}};
  if (on && bit == 0) {  // fmd-smart ignores a bit that other values contradict
    out["/nvme_smart_health_information_log/available_spare"] = 5;
    out["/nvme_smart_health_information_log/available_spare_threshold"] = 10;
  }
  return out;
}

// The last long test. In the recorded output it failed.
Edits self_test(Protocol protocol, bool passed) {
  if (protocol == Protocol::nvme)
    return {{"/nvme_self_test_log/table/1/self_test_result/value", passed ? 0 : 7}};
  return {{"/scsi_self_test_1/result/value", passed ? 0 : 5}};
}

std::optional<Edits> edits(Protocol protocol, std::string_view property, const Value& value) {
  for (const Counter& counter : kCounters)
    if (counter.protocol == protocol && counter.property == property) {
      Edits changed{{counter.place, as_json(value)}};
      // The recorded disk is a hard disk, which reports no wear.
      if (protocol == Protocol::scsi && property == "wear_percent") changed["/rotation_rate"] = 0;
      return changed;
    }
  if (const bool* on = std::get_if<bool>(&value); on && protocol == Protocol::nvme)
    for (const Warning& one : kWarnings)
      if (one.property == property) return warning(one.bit, *on);
  const bool passed = is_text(value, "passed");
  if (passed || is_text(value, "failed")) {
    if (property == "smart.status") return Edits{{"/smart_status/passed", passed}};
    if (property == "smart.self_test") return self_test(protocol, passed);
  }
  if (protocol == Protocol::scsi && property == "smart.exception" &&
      is_text(value, "failure-predicted"))
    return Edits{{"/smart_status/scsi/asc", 0x5d},
                 {"/smart_status/scsi/ascq", 0x10},
                 {"/smart_status/passed", false}};
  return {};
}

json loaded(const std::string& file) {
  std::ifstream in(file);
  json doc = json::parse(in, nullptr, false);
  if (!doc.is_object()) throw std::runtime_error(file + ": not what smartctl prints");
  return doc;
}

int exit_status(const json& doc) {
  return doc.at("smartctl").at("exit_status").get<int>();
}

}  // namespace

SmartText::SmartText(const std::string& nvme, const std::string& scsi)
    : printed_{loaded(nvme), loaded(scsi)} {}

const SmartText& SmartText::recorded() {
  static const SmartText text(FMD_TREE "/plugins/smart/tests/fixtures/nvme-errors.json",
                              FMD_TREE "/plugins/smart/tests/fixtures/sas-failing.json");
  return text;
}

std::optional<Value> SmartText::told(Protocol protocol, std::string_view property,
                                     const Value& value) const {
  const auto changed = edits(protocol, property, value);
  if (!changed) return {};
  const std::string name(property);
  json doc = of(protocol);
  for (const auto& [place, is] : *changed) {
    const json::json_pointer at(place);
    if (!doc.contains(at)) throw std::logic_error(name + ": no " + place + " in the recording");
    doc[at] = is;
  }
  const bool failing = doc["smart_status"]["passed"] == false;
  doc["smartctl"]["exit_status"] = (exit_status(doc) & ~kFailing) | (failing ? kFailing : 0);
  const smart::Report report = smart::parse_report(doc.dump(2), exit_status(doc));
  smart::DiskRecord record;
  if (report.answer == smart::Report::Answer::observed) record.observed(report);
  const auto read = Inventory::resource_from_json(record.resource("dev://wwn=0", false));
  if (!read || !read->properties.contains(name))
    throw std::logic_error(name + ": cannot be read as " + to_text(value));
  return read->properties.at(name);
}

}  // namespace fmd::score
