#include "fmd/diagnosis/growth.h"

#include <algorithm>
#include <cmath>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"

namespace fmd {
namespace {

constexpr int64_t kSteps = 32;  // resolution of the time `within`; bounds the memory

std::optional<double> number(const nlohmann::json& doc, const char* key) {
  const auto at = doc.find(key);
  if (at == doc.end() || !at->is_number()) return {};
  const double value = at->get<double>();
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace

void Growth::take(double value, int64_t now_ns, int64_t within_ns) {
  // The clock was set back: intervals that are over end now.
  for (Past& past : past_) past.until_ns = std::min(past.until_ns, now_ns);
  if (value < value_) {
    std::erase_if(past_, [&](const Past& past) { return past.value >= value; });
  } else {
    const int64_t step = std::max<int64_t>(1, within_ns / kSteps);
    const bool same_step =
        !past_.empty() && (within_ns == 0 || past_.back().until_ns / step == now_ns / step);
    if (same_step)
      past_.back().until_ns = now_ns;  // the lower value counts for both
    else
      past_.push_back({value_, now_ns});
  }
  value_ = value;
  if (within_ns > 0)
    std::erase_if(past_, [&](const Past& past) {
      const uint64_t ago = static_cast<uint64_t>(now_ns) - static_cast<uint64_t>(past.until_ns);
      return ago >= static_cast<uint64_t>(within_ns);
    });
}

Growth::Change Growth::look(const GrowthPolicy& policy, double value, int64_t now_ns) {
  if (started_ && value == value_) return Change::none;
  const Change change = !started_ ? Change::first : value > value_ ? Change::risen : Change::fallen;
  if (change == Change::first) {
    started_ = true;
    value_ = value;
    first_ = policy.first_above && value > *policy.first_above;
    if (first_) limit_ = policy.first_above;
    return change;
  }
  if (is_settling(now_ns)) {
    value_ = value;
    pin();
    return change;
  }
  rebased_ns_.reset();
  take(value, now_ns, policy.within_ns);
  if (known_ && !known_->is_met_by(value)) known_.reset();
  if (limit_ && Limit{*limit_, first_}.is_met_by(value)) return change;
  limit_.reset();
  first_ = false;
  const double baseline = past_.empty() ? value_ : past_.front().value;
  if (value < baseline + policy.by) return change;
  limit_ = baseline + policy.by;
  from_ = baseline;
  return change;
}

void Growth::pin() {
  past_.clear();
  limit_.reset();
  first_ = false;
  known_.reset();
}

void Growth::rebase(int64_t now_ns) {
  pin();
  rebased_ns_ = now_ns;
}

// False if the clock was set back.
bool Growth::is_settling(int64_t now_ns) const {
  return rebased_ns_ && now_ns >= *rebased_ns_ &&
         static_cast<uint64_t>(now_ns) - static_cast<uint64_t>(*rebased_ns_) < kSettleNs;
}

// Acknowledged twice, after more growth: well is what is below the first limit.
void Growth::acknowledge() {
  const std::optional<Limit> known =
      known_ || !limit_ ? known_ : std::optional(Limit{*limit_, first_});
  pin();
  known_ = known;
}

double Growth::lowest() const {
  return limit_ && !first_ ? from_ : past_.empty() ? value_ : past_.front().value;
}

std::optional<double> Growth::baseline() const {
  return limit_ && !first_ ? std::optional(from_) : std::nullopt;
}

nlohmann::json Growth::to_json() const {
  nlohmann::json doc{{"value", value_}};
  nlohmann::json& past = doc["past"] = nlohmann::json::array();
  for (const Past& p : past_) past.push_back({p.value, p.until_ns});
  if (known_) doc["known"] = {{"limit", known_->value}, {"exceed", known_->exceed}};
  if (rebased_ns_) doc["rebased"] = *rebased_ns_;
  if (!limit_) return doc;
  doc["limit"] = *limit_;
  if (!first_) doc["from"] = from_;
  return doc;
}

Growth Growth::from_json(const nlohmann::json& doc) {
  Growth growth;
  const auto value = doc.is_object() ? number(doc, "value") : std::nullopt;
  if (!value) return growth;
  growth.started_ = true;
  growth.value_ = *value;
  for (const nlohmann::json& p : doc.value("past", nlohmann::json::array()))
    if (p.is_array() && p.size() == 2 && p[0].is_number() && p[1].is_number_integer())
      growth.past_.push_back({p[0].get<double>(), p[1].get<int64_t>()});
  if (const auto at = doc.find("rebased"); at != doc.end() && at->is_number_integer())
    growth.rebased_ns_ = at->get<int64_t>();
  growth.limit_ = number(doc, "limit");
  const auto from = number(doc, "from");
  growth.from_ = from.value_or(0);
  growth.first_ = growth.limit_ && !from;
  if (const auto known = doc.find("known"); known != doc.end() && known->is_object())
    if (const auto limit = number(*known, "limit"))
      growth.known_ = Limit{*limit, json_bool(*known, "exceed")};
  return growth;
}

}  // namespace fmd
