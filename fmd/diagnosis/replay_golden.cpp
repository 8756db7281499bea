// The golden form of a replay, and how it is compared.
#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/diagnosis/replay.h"

namespace fmd {
namespace {

using nlohmann::json;

void compare(const json& expected, const json& given, const std::string& path,
             std::vector<std::string>& out) {
  if (expected.is_object() && given.is_object()) {
    for (const auto& [key, value] : expected.items()) {
      const std::string below = path.empty() ? key : path + "." + key;
      if (given.contains(key))
        compare(value, given[key], below, out);
      else
        out.push_back(fmt::format("{}: there is no such member", below));
    }
    return;
  }
  if (expected.is_array() && given.is_array()) {
    if (expected.size() != given.size())
      out.push_back(fmt::format("{}: {} expected, {} found: {}", path, expected.size(),
                                given.size(), dump_json(given)));
    for (size_t i = 0; i < std::min(expected.size(), given.size()); ++i)
      compare(expected[i], given[i], fmt::format("{}[{}]", path, i), out);
    return;
  }
  if (expected != given)
    out.push_back(
        fmt::format("{}: {} expected, {} found", path, dump_json(expected), dump_json(given)));
}

}  // namespace

json replay_summary(const ReplayResult& result) {
  json cases = json::array();
  for (const Case& c : result.cases) {
    json doc = to_json(c);
    // Counted in whole lists, these would make each expectation as long as its recording.
    doc["evidence"] = doc["evidence"].size();
    json kinds = json::array();
    for (const TimelineEntry& entry : c.timeline) kinds.push_back(entry.kind);
    doc["timeline"] = std::move(kinds);
    cases.push_back(std::move(doc));
  }
  json news = json::array();
  for (const CaseNews& n : result.news)
    news.push_back({{"event", n.event}, {"uuid", n.uuid}, {"time", n.time_ns}});
  json rejected = json::array();
  for (const Error& e : result.rejected)
    rejected.push_back({{"line", e.line}, {"reason", e.message}});
  return {
      {"cases", std::move(cases)}, {"news", std::move(news)}, {"rejected", std::move(rejected)}};
}

Result<std::vector<std::string>> replay_differences(const ReplayResult& result,
                                                    std::string_view expected, std::string file) {
  const json doc = json::parse(expected, nullptr, false);
  if (doc.is_discarded() || !doc.is_object()) return fail("not a JSON object", std::move(file));
  std::vector<std::string> out;
  for (const auto& [key, value] : doc.items())
    if (key != "cases" && key != "news" && key != "rejected" && key != "comment")
      return fail(
          fmt::format("unknown member \"{}\"; there are cases, news, rejected, comment", key),
          std::move(file));
  json summary = replay_summary(result);
  if (doc.contains("comment")) summary["comment"] = doc["comment"];
  compare(doc, summary, "", out);
  if (!doc.contains("rejected"))
    for (const Error& e : result.rejected)
      out.push_back(fmt::format("rejected, unexpectedly: {}", e.text()));
  return out;
}

}  // namespace fmd
