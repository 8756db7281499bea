#include "fmd/notify/told.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "fmd/advice/say_lists.h"
#include "fmd/base/counted.h"
#include "fmd/base/json.h"
#include "fmd/base/json_members.h"
#include "fmd/base/json_value.h"
#include "fmd/base/text.h"
#include "fmd/diagnosis/suspect_text.h"
#include "fmd/notify/phrases.h"

namespace fmd {
namespace {

constexpr size_t kMostObservations = 3;
constexpr size_t kMostParts = 8;  // in a sentence

class News {  // each sentence once
 public:
  void add(std::string sentence) {
    if (sentence.empty()) return;
    if (std::find(sentences_.begin(), sentences_.end(), sentence) == sentences_.end())
      sentences_.push_back(std::move(sentence));
  }
  std::vector<std::string> take() { return std::move(sentences_); }

 private:
  std::vector<std::string> sentences_;
};

bool faulty(const Suspect& s) {
  return s.status == SuspectStatus::faulty;
}

// The same physical part: a disk may be suspected both as a disk and as a vdev.
bool same_thing(const Suspect& s, std::string_view part, std::string_view serial) {
  return part_key(s) == part || (!s.serial.empty() && s.serial == serial);
}

// Changes of place or identity since the last message.
std::string place_news(const Told::Part& told, const Suspect& s) {
  const std::string name = part_name(s);
  const std::string serial = display(s.serial, 60);
  const std::string thing =
      fmt::format("the {}{}{}", part_noun(s), serial.empty() ? "" : " with serial ", serial);
  if (!told.serial.empty() && s.serial != told.serial)
    return fmt::format("the part to replace is {} now, not the one with serial {}", name,
                       display(told.serial, 60));
  if (s.location == told.location) {
    if (s.serial == told.serial) return {};
    if (s.location.empty()) return fmt::format("the part to replace is {}", name);
    return fmt::format("the {} in {} has serial {}", part_noun(s), bay_in_words(s.location),
                       serial);
  }
  if (s.location.empty())
    return fmt::format("{} is in no bay that fmd knows of now; it was in {}", thing,
                       bay_in_words(told.location));
  if (told.location.empty())
    return told.serial.empty() ? fmt::format("the part to replace is {}", name)
                               : fmt::format("{} is in {}", thing, bay_in_words(s.location));
  return fmt::format("{} is in {} now; it was in {}", thing, bay_in_words(s.location),
                     bay_in_words(told.location));
}

std::string found_news(const Told& told, const Case& c, const Suspect& s) {
  const std::string name = part_name(s);
  const bool known = std::any_of(told.parts.begin(), told.parts.end(), [&](const Told::Part& p) {
    return same_thing(s, p.part, p.serial);
  });
  if (!known) return fmt::format("{} is suspected too", name);
  if (s.fault_class == c.fault_class && !c.title.empty())
    return fmt::format("also found on {}: {} ({})", name, display(c.title), display(c.code));
  return fmt::format("a further fault was found on {}: see \"Description\"", name);
}

std::string status_news(const Case& c, const Suspect& s) {
  const std::string name = part_name(s);
  if (faulty(s)) return name + " is faulty again";
  const bool another = std::any_of(c.suspects.begin(), c.suspects.end(), [&](const Suspect& other) {
    return faulty(other) && same_thing(other, part_key(s), s.serial);
  });
  if (another) return fmt::format("one fault of {} is resolved, another remains", name);
  switch (s.status) {
    case SuspectStatus::replaced:
      return name + " was replaced";
    case SuspectStatus::repaired:
      return name + " is repaired";
    default:
      return name + " is not suspected any more";
  }
}

void add_parts(News& news, const Told& told, const Case& c) {
  for (const Suspect& s : c.suspects) {
    const auto known = std::find_if(told.parts.begin(), told.parts.end(), [&](const Told::Part& p) {
      return p.fault_class == s.fault_class && p.part == part_key(s);
    });
    if (known == told.parts.end()) {
      if (faulty(s) && !s.facts.contains(kAsAsked)) news.add(as_sentence(found_news(told, c, s)));
    } else if (known->status != s.status) {
      news.add(as_sentence(status_news(c, s)));
    } else if (faulty(s)) {
      news.add(as_sentence(place_news(*known, s)));
    }
  }
}

// Names the part if the case is about another one, which it shares with others.
std::string observation_words(const Case& c, const Observation& o) {
  const bool of_suspect = std::any_of(c.suspects.begin(), c.suspects.end(), [&](const Suspect& s) {
    return o.resource == s.resource || o.resource == s.asru || o.resource == s.fru;
  });
  return of_suspect || o.resource.empty() ? o.text()
                                          : fmt::format("found at {}: {}", o.resource, o.text());
}

void add_observations(News& news, const Told& told, const Case& c) {
  const auto last = std::find_if(c.observations.rbegin(), c.observations.rend(),
                                 [&](const Observation& o) { return o.text() == told.observed; });
  auto fresh = static_cast<size_t>(last - c.observations.rbegin());
  fresh = std::min(fresh, kMostObservations);
  for (size_t i = c.observations.size() - fresh; i < c.observations.size(); ++i)
    news.add(as_sentence(observation_words(c, c.observations[i])));
}

// How many parts fail together, of a case about what they share: "6 of 7".
std::string failing_in(const Case& c) {
  for (const Suspect& s : c.suspects)
    if (const auto at = s.facts.find("failing"); faulty(s) && at != s.facts.end())
      return at->second;
  return {};
}

std::string failing_news(const Told& told, const Case& c) {
  const std::string now = failing_in(c);
  if (now.empty() || told.failing.empty() || now == told.failing) return {};
  return fmt::format("{} fail together now; the last message said {}.", display(now, 60),
                     display(told.failing, 60));
}

// The part that a spare has replaced, or nullptr. Other actions are not required: one that fails or
// is refused may never be done.
const Suspect* relieved_part(const Case& c) {
  const bool full = std::any_of(c.actions.begin(), c.actions.end(), [](const Action& a) {
    return a.kind == ActionKind::spare && a.state == ActionState::done;
  });
  if (!full) return nullptr;
  const auto at = std::find_if(c.suspects.begin(), c.suspects.end(), faulty);
  return at == c.suspects.end() ? nullptr : &*at;
}

}  // namespace

Standing Told::standing(const PromiseKey& key) const {
  const auto at = promises.find(key);
  return at == promises.end() ? Standing::coming : at->second.standing;
}

bool Told::differs(const Promise& promise) const {
  const auto at = promises.find(promise.key);
  const Stand known = at == promises.end() ? Stand{} : at->second;
  if (promise.standing == Standing::none) return false;
  if (!is_broken(promise.standing) && !is_broken(known.standing)) return false;
  // Another scrub has begun. Once it has ended, the dry run is as it was reported.
  if (promise.waits && known.standing == Standing::rehearsed) return false;
  // Another disk that is not accepted either is news to the person who inserted it.
  return promise.standing != known.standing ||
         (promise.standing == Standing::not_accepted && promise.detail != known.detail);
}

void Told::update(const Case& c, const std::vector<Promise>& now) {
  parts.clear();
  for (const Suspect& s : c.suspects)
    parts.push_back({s.fault_class, part_key(s), s.status, s.serial, s.location});
  for (const Promise& promise : now)
    if (differs(promise)) promises[promise.key] = {promise.standing, promise.detail};
  severity = c.severity;
  undecided = is_doubted(c);
  relieved = relieved_part(c) != nullptr;  // a second spare is news again
  failing = failing_in(c);
  for (const Superseded& one : c.supersedes) superseded.insert(one.uuid);
  observed = c.observations.empty() ? std::string() : c.observations.back().text();
}

std::vector<std::string> whats_new(const Told& told, const Case& c,
                                   const std::vector<Promise>& promises, bool grown) {
  News news;
  add_parts(news, told, c);
  if (told.severity != c.severity)
    news.add(as_sentence(fmt::format("the severity is {} now; it was {}", display(c.severity),
                                     display(told.severity))));
  news.add(superseded_sentence(c, told.superseded));
  news.add(doubt_sentence(told, c));
  if (!told.relieved) news.add(relief_sentence(c));
  if (grown) news.add(failing_news(told, c));
  if (grown) add_observations(news, told, c);
  PromisePhrases phrases(c);
  for (const Promise& promise : promises)
    if (told.differs(promise)) news.add(phrases.say(promise));
  return news.take();
}

std::string relief_sentence(const Case& c) {
  const Suspect* part = relieved_part(c);
  if (!part) return {};
  return fmt::format("You can pull {} now: the spare holds all its data.", part_name(*part));
}

std::string superseded_sentence(const Case& c, const std::set<std::string, std::less<>>& except) {
  std::vector<std::string> parts;
  for (const Superseded& one : c.supersedes)
    if (!except.contains(one.uuid))
      parts.push_back(fmt::format("{} (case {})", display(one.part, 100), short_id(one.uuid)));
  if (parts.empty()) return {};
  const size_t more = parts.size() > kMostParts ? parts.size() - kMostParts : 0;
  parts.resize(parts.size() - more);
  if (more > 0) parts.push_back(fmt::format("{} more", more));
  return fmt::format("Do not replace {} for earlier messages: this case explains their errors.",
                     listed(parts));
}

bool is_doubted(const Case& c) {
  return !c.undecided().empty() && !c.is_being_compared();
}

std::string doubt_sentence(const Told& told, const Case& c) {
  const auto part = std::find_if(c.suspects.begin(), c.suspects.end(), faulty);
  if (part == c.suspects.end() || told.undecided == is_doubted(c)) return {};
  const std::string name = part_name(*part);
  return told.undecided ? as_sentence(fmt::format("it is decided: {} itself is at fault", name))
                        : fmt::format("fmd is no longer certain that {} is at fault: {}.", name,
                                      display(c.undecided(), 500));
}

void append_json(const Told& told, std::string& out) {
  JsonMembers members(out);
  members.add_list("parts", told.parts, [](const Told::Part& p, std::string& to) {
    JsonMembers of(to);
    of.add("class", p.fault_class);
    of.add("part", p.part);
    of.add("status", status_name(p.status));
    of.add("serial", p.serial);
    of.add("location", p.location);
    of.end();
  });
  members.add_list("promises", told.promises, [](const auto& one, std::string& to) {
    JsonMembers of(to);
    of.add("kind", action_name(one.first.kind));
    of.add("part", one.first.part);
    of.add("standing", standing_name(one.second.standing));
    of.add("detail", one.second.detail);
    of.end();
  });
  members.add("severity", told.severity);
  members.add("observed", told.observed);
  if (!told.failing.empty()) members.add("failing", told.failing);
  if (told.undecided) members.add("undecided", true);
  if (!told.superseded.empty()) members.add_texts("superseded", told.superseded);
  members.add("relieved", told.relieved);
  members.end();
}

Told told_from_json(const nlohmann::json& doc) {
  Told told;
  told.severity = json_text(doc, "severity");
  told.observed = json_text(doc, "observed");
  told.failing = json_text(doc, "failing");
  told.undecided = json_bool(doc, "undecided");
  for (const auto& uuid : doc.value("superseded", nlohmann::json::array()))
    if (uuid.is_string()) told.superseded.insert(uuid.get<std::string>());
  told.relieved = json_bool(doc, "relieved", true);  // for rows older than this message
  for (const auto& p : doc.value("parts", nlohmann::json::array()))
    if (const auto status = parse_status(json_text(p, "status")))
      told.parts.push_back({json_text(p, "class"), json_text(p, "part"), *status,
                            json_text(p, "serial"), json_text(p, "location")});
  for (const auto& p : doc.value("promises", nlohmann::json::array())) {
    const auto kind = parse_action_kind(json_text(p, "kind"));
    const auto standing = parse_standing(json_text(p, "standing"));
    if (kind && standing)
      told.promises[{*kind, json_text(p, "part")}] = {*standing, json_text(p, "detail")};
  }
  return told;
}

}  // namespace fmd
