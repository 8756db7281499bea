#include "plugins/smart/news.h"

#include <algorithm>

#include "fmd/base/json.h"
#include "plugins/sdk/messages.h"
#include "plugins/smart/fields.h"
#include "plugins/smart/protocols.h"

namespace fmd::smart {
namespace {

using nlohmann::json;

constexpr size_t kMostEntries = 64;  // entries of an error log, reported at once
constexpr const char *kLogical = "logical", *kPhysical = "physical";

const char* word(SectorUnit unit) {
  return unit == SectorUnit::logical ? kLogical : kPhysical;
}

struct Condition {
  std::string event_class;  // below ereport.disk.smart.
  json payload;
};

// By name. A condition under a new name is reported again.
std::map<std::string, Condition> conditions(const Report& report) {
  std::map<std::string, Condition> found;
  // The health of an NVMe drive only summarizes its warning bits; that of a SCSI disk, its
  // exception.
  if (report.passed == false && report.protocol != "nvme" && !report.exception)
    found["failed"] = {"failed", {{"protocol", report.protocol}, {"failing", report.failing}}};
  for (const auto& [bit, on] : report.critical_warnings)
    if (on) found["warning " + bit] = {"critical_warning", {{"warning", bit}}};
  if (report.exception && !report.exception->refuted) {
    const auto& [asc, ascq, text, refuted] = *report.exception;
    found["exception " + std::to_string(asc) + "/" + std::to_string(ascq)] = {
        "exception", {{"asc", asc}, {"ascq", ascq}, {"text", text}}};
  }
  if (!report.contradictions.empty())
    found["contradiction"] = {"contradiction", {{"text", report.contradictions.front()}}};
  if (const SelfTest* test = verdict_of(report.tests);
      test && test->result == SelfTest::Result::failed && is_recent(*test, report)) {
    json payload{{"text", test->text},
                 {"test", test->kind == SelfTest::Kind::short_test  ? "short"
                          : test->kind == SelfTest::Kind::long_test ? "long"
                                                                    : "other"}};
    if (test->hours) payload["hours"] = *test->hours;
    found["self-test " + std::to_string(test->hours.value_or(0))] = {"self_test_failed",
                                                                     std::move(payload)};
  }
  return found;
}

sdk::OutEvent event(std::string event_class, const std::string& fmri, int64_t now_ns,
                    json payload) {
  return {std::move(event_class), fmri, now_ns, 0, std::move(payload)};
}

sdk::OutEvent cleared(const std::string& fmri, const std::string& condition, int64_t now_ns) {
  return event("sysevent.disk.smart.cleared", fmri, now_ns, {{"condition", condition}});
}

}  // namespace

void News::restore(const std::string& cursor) {
  const json doc = json::parse(cursor, nullptr, false);
  number_ = natural(doc, {"n"}).value_or(0);
  const auto* told = field(doc, {"told"});
  if (!told || !told->is_object()) return;
  for (const auto& [fmri, one] : told->items()) {
    Told& entry = told_[fmri];
    for (const auto& condition : array(one, {"is"}))
      if (condition.is_string()) entry.conditions.insert(condition.get<std::string>());
    if (const std::string unit = text(one, {"sectors"}); !unit.empty())
      entry.sectors = unit == kLogical ? SectorUnit::logical : SectorUnit::physical;
    if (const auto errors = natural(one, {"errors"})) {
      entry.errors = *errors;
      entry.log_known = true;
    }
  }
}

std::string News::cursor() const {
  json told = json::object();
  for (const auto& [fmri, one] : told_) {
    json entry = json::object();
    if (!one.conditions.empty()) entry["is"] = one.conditions;
    if (one.log_known) entry["errors"] = one.errors;
    if (one.sectors != SectorUnit::unknown) entry["sectors"] = word(one.sectors);
    if (!entry.empty()) told[fmri] = std::move(entry);
  }
  return json{{"n", number_}, {"told", std::move(told)}}.dump(-1, ' ', false,
                                                              json::error_handler_t::replace);
}

void News::of_error_log(Told& told, const std::string& fmri, const Report& report, int64_t now_ns,
                        std::vector<sdk::OutEvent>& events) {
  const uint64_t since = told.errors;
  const uint64_t newest = report.nvme_errors.empty() ? since : report.nvme_errors.front().count;
  const bool known = told.log_known;
  told.errors = newest;
  told.log_known = true;
  if (!known) {
    events.push_back(event("sysevent.disk.smart.known", fmri, now_ns, {{"errors", newest}}));
    return;
  }
  size_t count = 0;
  for (const NvmeError& error : report.nvme_errors) {
    if (error.count <= since || ++count > kMostEntries) break;
    if (made_by_poller(error)) continue;
    json payload{{"status_code_type", error.type},
                 {"status_code", error.code},
                 {"text", error.text},
                 {"error_count", error.count}};
    if (error.lba) payload["lba"] = *error.lba;
    events.push_back(event("ereport.disk.smart.nvme_error", fmri, now_ns, std::move(payload)));
  }
}

std::vector<sdk::OutEvent> News::of_report(const std::string& fmri, const Report& report,
                                           int64_t now_ns) {
  std::vector<sdk::OutEvent> events;
  if (report.answer == Report::Answer::refused) return events;
  Told& told = told_[fmri];
  auto now = conditions(report);
  std::set<std::string> holding;
  for (auto& [name, condition] : now) {
    holding.insert(name);
    if (!told.conditions.contains(name))
      events.push_back(event("ereport.disk.smart." + condition.event_class, fmri, now_ns,
                             std::move(condition.payload)));
  }
  // A sleeping disk reports only that it responds.
  const bool observed = report.answer == Report::Answer::observed;
  for (const std::string& name : told.conditions) {
    if (holding.contains(name)) continue;
    if (observed || name == "hung")
      events.push_back(cleared(fmri, name, now_ns));
    else
      holding.insert(name);
  }
  told.conditions = std::move(holding);
  if (told.sectors == SectorUnit::unknown && report.sector_unit != SectorUnit::unknown) {
    told.sectors = report.sector_unit;
    events.push_back(
        event("sysevent.disk.smart.known", fmri, now_ns, {{"sectors", word(told.sectors)}}));
  }
  if (report.has_error_log) of_error_log(told, fmri, report, now_ns, events);
  if (!events.empty()) ++number_;
  return events;
}

SectorUnit News::sector_unit(const std::string& fmri) const {
  const auto told = told_.find(fmri);
  return told == told_.end() ? SectorUnit::unknown : told->second.sectors;
}

std::vector<sdk::OutEvent> News::of_hang(const std::string& fmri, double seconds, int64_t now_ns) {
  if (!told_[fmri].conditions.insert("hung").second) return {};
  ++number_;
  return {event("ereport.disk.smart.hung", fmri, now_ns, {{"seconds", seconds}})};
}

}  // namespace fmd::smart
