#include "fmd/notify/case_telling.h"

#include <algorithm>

#include "fmd/base/json.h"
#include "fmd/base/json_members.h"
#include "fmd/base/json_value.h"
#include "fmd/base/moment.h"
#include "fmd/notify/phrases.h"

namespace fmd {
namespace {

void earliest(std::optional<int64_t>& next, int64_t at) {
  next = next ? std::min(*next, at) : at;
}

std::optional<int64_t> time_in(const nlohmann::json& doc, const char* name) {
  if (!doc.contains(name)) return {};
  return json_int(doc, name);
}

}  // namespace

CaseTelling CaseTelling::of_told(const Case& c) {
  CaseTelling telling;
  telling.told_.update(c, {});
  return telling;
}

CaseTelling CaseTelling::of_verdict(const Case& c, int64_t news_wall_ns, int64_t now_ns) {
  CaseTelling telling;
  telling.first_ = true;
  telling.first_by_ns_ = add_times(std::min(c.solved_steady_ns, now_ns), kFirstWaitNs);
  telling.news_wall_ns_ = news_wall_ns;
  return telling;
}

void CaseTelling::ends(CaseEvent how, const Case& c, int64_t news_wall_ns, int64_t now_ns) {
  ending_ = std::max(how, ending_.value_or(how));
  ending_by_ns_ = c.owed > 0 ? add_times(now_ns, kGiveBackNs) : now_ns;
  news_wall_ns_ = news_wall_ns;
}

bool CaseTelling::ending_waits(const Case& c, int64_t now_ns) const {
  return ending_ == CaseEvent::repaired && c.state == CaseState::repaired && c.owed > 0 &&
         now_ns < ending_by_ns_;
}

// Trouble may pass, and an action that is announced again may be refused again at once.
bool CaseTelling::needs_patience(const PromiseKey& key, const Watch& watch) const {
  if (watch.standing == Standing::coming) return is_broken(told_.standing(key));
  if (watch.standing == Standing::failed && watch.attempts >= kPatienceAttempts) return false;
  return is_trouble(watch.standing);
}

void CaseTelling::watch(const std::vector<Promise>& promises, int64_t now_ns) {
  std::map<PromiseKey, Watch> before;
  before.swap(watches_);
  for (const Promise& p : promises) {
    Watch watch{p.standing, p.detail, p.attempts, now_ns, false};
    if (const auto known = before.find(p.key); known != before.end()) {
      const Watch& old = known->second;
      // While it is retried, the last message remains valid.
      const bool told_broken = is_broken(old.standing) && is_broken(told_.standing(p.key));
      if (p.running && (is_trouble(old.standing) || told_broken)) watch = old;
      const bool lasts = watch.standing == old.standing ||
                         (is_trouble(watch.standing) && is_trouble(old.standing));
      if (lasts) watch.since_ns = std::min(old.since_ns, now_ns);
      watch.ripe = lasts && old.ripe;
    }
    if (!needs_patience(p.key, watch) || now_ns >= add_times(watch.since_ns, kPatienceNs))
      watch.ripe = true;
    watches_.emplace(p.key, std::move(watch));
  }
}

std::vector<Promise> CaseTelling::as_watched(const Case& c) const {
  std::vector<Promise> out;
  for (Promise& p : promises_of(c)) {
    const auto seen = watches_.find(p.key);
    if (seen == watches_.end()) continue;
    if (!seen->second.ripe && !is_broken(told_.standing(p.key))) continue;
    p.standing = seen->second.standing;
    p.detail = seen->second.detail;
    // As in the last message, until the change is certain.
    if (const auto known = told_.promises.find(p.key);
        known != told_.promises.end() && !seen->second.ripe && is_broken(known->second.standing)) {
      p.standing = known->second.standing;
      p.detail = known->second.detail;
    }
    out.push_back(std::move(p));
  }
  return out;
}

std::vector<Promise> CaseTelling::ripe_promises(const Case& c) const {
  std::vector<Promise> out = as_watched(c);
  std::erase_if(out, [&](const Promise& p) { return !watches_.at(p.key).ripe; });
  return out;
}

void CaseTelling::look(const Case& c, int64_t now_ns) {
  if (!c.faulty()) {  // promises are void; the message about the end includes pending news
    watches_.clear();
    relief_is_new_ = correction_is_new_ = false;
    return;
  }
  watch(promises_of(c), now_ns);
  if (first_) return;
  relief_is_new_ = !told_.relieved && !relief_sentence(c).empty();
  correction_is_new_ =
      (!told_.undecided && is_doubted(c)) || !superseded_sentence(c, told_.superseded).empty();
  whats_new_ = fmd::whats_new(told_, c, ripe_promises(c), grown_);
  if (whats_new_.empty()) {
    differs_since_ns_.reset();
    grown_ = false;
  } else if (!differs_since_ns_) {
    differs_since_ns_ = now_ns;
  }
}

int64_t CaseTelling::between_updates_ns() const {
  if (relief_is_new_ && !relief_failed_) return 0;
  if (correction_is_new_) return 0;
  const bool refused = std::any_of(watches_.begin(), watches_.end(), [&](const auto& one) {
    const auto& [key, watch] = one;
    return watch.ripe && watch.standing == Standing::not_accepted &&
           told_.differs({key, nullptr, watch.standing, false, watch.attempts, watch.detail});
  });
  return refused ? kBetweenRefusedDisksNs : kBetweenUpdatesNs;
}

bool CaseTelling::update_is_due(int64_t now_ns) const {
  return differs_since_ns_ && now_ns >= add_times(*differs_since_ns_, kSettleNs) &&
         (!updated_ns_ || now_ns >= add_times(*updated_ns_, between_updates_ns()));
}

std::vector<std::string> CaseTelling::not_done(const Case& c) const {
  std::vector<std::string> out;
  PromisePhrases phrases(c);
  for (const Promise& p : as_watched(c)) {
    if (!is_broken(p.standing)) continue;
    std::string sentence = phrases.say(p);
    if (std::find(out.begin(), out.end(), sentence) == out.end())
      out.push_back(std::move(sentence));
  }
  return out;
}

void CaseTelling::told(const Case& c, CaseEvent event, int64_t now_ns) {
  if (!c.faulty()) told_.promises.clear();
  told_.update(c, c.faulty() ? ripe_promises(c) : std::vector<Promise>{});
  if (event == CaseEvent::updated) updated_ns_ = now_ns;
  first_ = grown_ = correction_is_new_ = relief_is_new_ = relief_failed_ = false;
  ending_.reset();
  differs_since_ns_.reset();
  whats_new_.clear();
}

void CaseTelling::relief_not_sent(const Case& c, int64_t now_ns) {
  told_.relieved = false;
  relief_failed_ = true;
  look(c, now_ns);
}

std::optional<int64_t> CaseTelling::deadline_ns() const {
  if (ending_) return ending_by_ns_;
  if (first_) return acts_waited_ ? first_by_ns_ : first_acts_by_ns();
  std::optional<int64_t> next;
  if (differs_since_ns_) {
    const int64_t settled = add_times(*differs_since_ns_, kSettleNs);
    earliest(next, updated_ns_ ? std::max(settled, add_times(*updated_ns_, between_updates_ns()))
                               : settled);
  }
  for (const auto& [key, watch] : watches_)
    if (!watch.ripe && needs_patience(key, watch))
      earliest(next, add_times(watch.since_ns, kPatienceNs));
  return next;
}

std::string CaseTelling::to_json_text() const {
  std::string out;
  JsonMembers members(out);
  append_json(told_, members.named("told"));
  members.add_list("watches", watches_, [](const auto& one, std::string& to) {
    const auto& [key, watch] = one;
    JsonMembers of(to);
    of.add("kind", action_name(key.kind));
    of.add("part", key.part);
    of.add("standing", standing_name(watch.standing));
    of.add("detail", watch.detail);
    of.add("attempts", watch.attempts);
    of.add("since", watch.since_ns);
    of.add("ripe", watch.ripe);
    of.end();
  });
  members.add_texts("whats_new", whats_new_);
  members.add("news_time", news_wall_ns_);
  members.add("grown", grown_);
  if (relief_is_new_) members.add("relief_is_new", true);
  if (correction_is_new_) members.add("correction_is_new", true);
  if (relief_failed_) members.add("relief_failed", true);
  if (first_) members.add("first_by", first_by_ns_);
  if (first_ && acts_waited_) members.add("acts_waited", true);
  if (ending_) {
    members.add("ending", case_event_name(*ending_));
    members.add("ending_by", ending_by_ns_);
  }
  if (differs_since_ns_) members.add("differs_since", *differs_since_ns_);
  if (updated_ns_) members.add("last_update", *updated_ns_);
  members.end();
  return out;
}

Result<CaseTelling> CaseTelling::from_json(const nlohmann::json& doc) {
  if (!doc.is_object() || !doc.contains("told") || !doc["told"].is_object())
    return fail("what people were told is not an object");
  CaseTelling telling;
  telling.told_ = told_from_json(doc["told"]);
  for (const auto& w : doc.value("watches", nlohmann::json::array())) {
    const auto kind = parse_action_kind(json_text(w, "kind"));
    const auto standing = parse_standing(json_text(w, "standing"));
    if (!kind || !standing) continue;
    telling.watches_[{*kind, json_text(w, "part")}] = {*standing, json_text(w, "detail"),
                                                       static_cast<int>(json_int(w, "attempts")),
                                                       json_int(w, "since"), json_bool(w, "ripe")};
  }
  for (const auto& sentence : doc.value("whats_new", nlohmann::json::array()))
    if (sentence.is_string()) telling.whats_new_.push_back(sentence.get<std::string>());
  telling.news_wall_ns_ = json_int(doc, "news_time");
  telling.grown_ = json_bool(doc, "grown");
  telling.relief_is_new_ = json_bool(doc, "relief_is_new");
  telling.correction_is_new_ = json_bool(doc, "correction_is_new");
  telling.relief_failed_ = json_bool(doc, "relief_failed");
  telling.first_ = doc.contains("first_by");
  telling.first_by_ns_ = json_int(doc, "first_by");
  telling.acts_waited_ = json_bool(doc, "acts_waited");
  telling.ending_ = parse_case_event(json_text(doc, "ending"));
  telling.ending_by_ns_ = json_int(doc, "ending_by");
  telling.differs_since_ns_ = time_in(doc, "differs_since");
  telling.updated_ns_ = time_in(doc, "last_update");
  return telling;
}

}  // namespace fmd
