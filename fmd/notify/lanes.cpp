#include "fmd/notify/lanes.h"

#include <fmt/format.h>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/base/moment.h"
#include "fmd/base/text.h"

namespace fmd {

bool Lanes::goes_alone(const Lane& lane, const DigestItem& item, const DigestLimits& limits,
                       int64_t now_ns) {
  std::map<std::string, int64_t>& recent = lanes_[lane].recent;
  std::erase_if(recent, [&](const auto& told) {
    return told.second <= add_times(now_ns, -limits.within_ns);
  });
  const size_t most = limits.after + (is_urgent(item) ? limits.critical : 0);
  if (recent.size() >= most && recent.count(item.uuid) == 0) return false;
  recent[item.uuid] = now_ns;
  dirty_.insert(lane);
  return true;
}

void Lanes::digest_closed(const Lane& lane, int64_t now_ns) {
  lanes_[lane].last_digest_ns = now_ns;
  dirty_.insert(lane);
}

std::optional<int64_t> Lanes::last_digest_ns(const Lane& lane) const {
  const auto at = lanes_.find(lane);
  return at == lanes_.end() ? std::nullopt : at->second.last_digest_ns;
}

StateRow Lanes::row_of(const Lane& lane, const Traffic& traffic) {
  std::string key = lane.first;
  for (const std::string& to : lane.second) key += " " + to;
  nlohmann::json doc = {
      {"channel", lane.first}, {"recipients", lane.second}, {"recent", traffic.recent}};
  if (traffic.last_digest_ns) doc["last_digest"] = *traffic.last_digest_ns;
  return {"lane", std::move(key), dump_json(doc)};
}

std::vector<StateRow> Lanes::take_changes() {
  std::vector<StateRow> rows;
  for (const Lane& lane : dirty_) rows.push_back(row_of(lane, lanes_[lane]));
  dirty_.clear();
  return rows;
}

std::vector<StateRow> Lanes::all_rows() const {
  std::vector<StateRow> rows;
  for (const auto& [lane, traffic] : lanes_) rows.push_back(row_of(lane, traffic));
  return rows;
}

Result<void> Lanes::restore(const std::vector<StateRow>& rows) {
  Result<void> outcome;
  for (const StateRow& row : rows) {
    if (row.kind != "lane") continue;
    const auto doc = nlohmann::json::parse(row.doc, nullptr, false);
    try {
      Traffic traffic;
      traffic.recent = doc.at("recent").get<std::map<std::string, int64_t>>();
      if (doc.contains("last_digest")) traffic.last_digest_ns = json_int(doc, "last_digest");
      lanes_[{doc.at("channel").get<std::string>(), doc.at("recipients").get<Recipients>()}] =
          std::move(traffic);
    } catch (const nlohmann::json::exception& error) {
      outcome = fail(fmt::format("stored traffic {} cannot be read and is left out: {}",
                                 display(row.key), error.what()));
    }
  }
  return outcome;
}

}  // namespace fmd
