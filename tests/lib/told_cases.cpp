#include "tests/lib/told_cases.h"

#include <time.h>

#include <algorithm>
#include <stdexcept>

#include "fmd/base/json.h"
#include "tests/lib/shipped_rules.h"

namespace fmd {
namespace {

using nlohmann::json;

constexpr int64_t kHour = 3'600'000'000'000;

void checked(const Result<void>& taken) {
  if (!taken) throw std::runtime_error(taken.error().text());
}

}  // namespace

ToldCases::ToldCases()
    : schema_(shipped_schema()), replay_(shipped_rules(), schema_, "what was sent") {}

void ToldCases::hear(std::string_view plugin, const json& message, int64_t at_ns) {
  const std::string method = message.value("method", "");
  if (method != "inventory" && method != "events" && method != "readings") return;
  now_ns_ = std::max(now_ns_, at_ns);
  const json line{
      {"at", now_ns_}, {"plugin", plugin}, {"method", method}, {"params", message["params"]}};
  checked(replay_.line(line.dump()));
}

void ToldCases::wait(int64_t hours) {
  for (int64_t i = 0; i < hours; ++i) {
    now_ns_ += kHour;
    checked(replay_.line(json{{"at", now_ns_}, {"method", "time"}}.dump()));
  }
}

std::vector<std::string> ToldCases::cases() {
  result_ = replay_.finish();
  if (!result_.rejected.empty()) throw std::runtime_error(result_.rejected.front().text());
  std::vector<std::string> found;
  for (const Case& one : result_.cases) {
    if (one.state == CaseState::unsolved) continue;
    const std::string resource = one.suspects.empty() ? "" : one.suspects.front().resource;
    found.push_back(one.severity + " " + one.fault_class + " " + resource);
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::string> cases_after_two_hours(std::string_view plugin,
                                               const std::vector<json>& messages) {
  ToldCases told;
  const int64_t now_ns = (time(nullptr) + 1) * 1'000'000'000;
  for (const json& message : messages) told.hear(plugin, message, now_ns);
  told.wait(2);
  return told.cases();
}

}  // namespace fmd
