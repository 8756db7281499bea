#include "plugins/alertmanager/alerts.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/base/lower_case.h"
#include "fmd/base/text.h"
#include "plugins/sdk/notice.h"
#include "plugins/sdk/whole_file.h"

namespace fmd::alertmanager {
namespace {

using nlohmann::json;

constexpr size_t kLongest = 2000;  // characters of a text

using Texts = std::map<std::string, std::string>;

void put(Texts& object, const char* name, const std::string& value) {
  if (!value.empty()) object[name] = display(value, kLongest);
}

Texts texts_in(const json& object, const char* name) {
  Texts out;
  if (const auto found = object.find(name); found != object.end() && found->is_object())
    for (const auto& [key, value] : found->items())
      if (value.is_string()) out[key] = value.get<std::string>();
  return out;
}

bool is_over(const std::string& event) {
  return event == "repaired" || event == "resolved";
}

}  // namespace

std::string rfc3339(int64_t time_ns) {
  const auto seconds = static_cast<time_t>(time_ns / 1000000000);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(seconds), time_ns / 1000000 % 1000);
}

Result<Alerts> Alerts::load(const std::string& folder) {
  Alerts out(folder + "/alerts.json");
  std::ifstream in(out.file_, std::ios::binary);
  if (!in) return out;
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const json doc = json::parse(text, nullptr, false);
  if (!doc.is_object())
    return fail(
        "what is open cannot be read; without the file fmd-alertmanager starts again, and open "
        "alerts end by "
        "themselves",
        out.file_);
  for (const auto& [uuid, one] : doc.items())
    out.alerts_[uuid] = {texts_in(one, "labels"), texts_in(one, "annotations"),
                         json_int(one, "starts")};
  return out;
}

Result<void> Alerts::save() const {
  json doc = json::object();
  for (const auto& [uuid, alert] : alerts_)
    doc[uuid] = {
        {"labels", alert.labels}, {"annotations", alert.annotations}, {"starts", alert.starts_ns}};
  return sdk::write_whole(file_, dump_json(doc));
}

Alerts::Alert Alerts::alert_of(const sdk::Notice& notice) {
  Alert alert;
  const std::string title = notice.of_case("title");
  put(alert.labels, "alertname", title.empty() ? "fmd " + notice.event : title);
  put(alert.labels, "host", notice.host);
  put(alert.labels, "severity", lower_case(notice.of_case("severity")));
  put(alert.labels, "class", notice.of_suspect("class"));
  put(alert.labels, "fru", notice.of_suspect("fru_path"));
  put(alert.labels, "bay", notice.of_suspect("location"));
  put(alert.labels, "code", notice.of_case("code"));
  put(alert.labels, "case", notice.of_case("uuid"));
  put(alert.annotations, "summary", notice.subject);
  for (const char* name : {"description", "impact"})
    put(alert.annotations, name, notice.of_case(name));
  put(alert.annotations, "headline", notice.of_say("headline"));
  put(alert.annotations, "action", notice.of_say("do_now"));
  put(alert.annotations, "serial", notice.of_suspect("serial"));
  put(alert.annotations, "runbook_url", notice.of_case("explain_url"));  // the usual name of a link
  alert.starts_ns = notice.time_ns;
  return alert;
}

json Alerts::body_of(const Alert& alert, int64_t ends_ns) {
  return {{"labels", alert.labels},
          {"annotations", alert.annotations},
          {"startsAt", rfc3339(alert.starts_ns)},
          {"endsAt", rfc3339(std::max(ends_ns, alert.starts_ns))}};
}

json Alerts::take(const sdk::Notice& notice, int64_t now_ns, std::chrono::milliseconds lasts) {
  const int64_t until = now_ns + std::chrono::nanoseconds(lasts).count();
  Alert alert = alert_of(notice);
  const std::string uuid = notice.of_case("uuid");
  if (uuid.empty()) return json::array({body_of(alert, until)});  // a test
  json out = json::array();
  const auto known = alerts_.find(uuid);
  if (known != alerts_.end()) {
    alert.starts_ns = known->second.starts_ns;
    if (is_over(notice.event)) alert.labels = known->second.labels;
    if (known->second.labels != alert.labels) out.push_back(body_of(known->second, now_ns));
  }
  if (is_over(notice.event)) {
    out.push_back(body_of(alert, std::min(now_ns, notice.time_ns)));
    alerts_.erase(uuid);
    return out;
  }
  out.push_back(body_of(alert, until));
  alerts_[uuid] = std::move(alert);
  return out;
}

json Alerts::open(int64_t now_ns, std::chrono::milliseconds lasts) const {
  json out = json::array();
  for (const auto& [uuid, alert] : alerts_)
    out.push_back(body_of(alert, now_ns + std::chrono::nanoseconds(lasts).count()));
  return out;
}

}  // namespace fmd::alertmanager
