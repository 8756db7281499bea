#include "fmd/notify/alerts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fmd/advice/say_lists.h"
#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/base/text.h"
#include "fmd/notify/case_event.h"

namespace fmd {

void Alerts::set_preferences(Preferences preferences) {
  preferences_ = std::move(preferences);
  reminders.set_escalations(preferences_.escalations);
}

void Alerts::tell(const Tidings& tidings, const Case& c, const Inventory& inventory, Moment now,
                  Outbox& outbox, const Composer& compose) {
  tell(tidings, facts_of(c, tidings.news.event, inventory), now, outbox, compose);
}

void Alerts::tell(const Tidings& tidings, const AlertFacts& facts, Moment now, Outbox& outbox,
                  const Composer& compose) {
  const CaseNews& news = tidings.news;
  if (!tidings.unsent.empty()) return unsent(news.uuid, news.event, {"", tidings.unsent}, now);
  if (!tidings.only_to.channel.empty())
    return tell_targets(tidings, {tidings.only_to}, now, outbox, compose);
  Decision decision = decide(preferences_, facts, now.wall_ns, told(news.uuid));
  if (!tidings.covered_by.empty())
    leave_out_covered(tidings.covered_by, facts, now, outbox, decision);
  tell_targets(tidings, std::move(decision.targets), now, outbox, compose);
  for (const Unsent& why : decision.unsent) unsent(news.uuid, news.event, why, now);
}

// Only for people, and only if they get the cause's updates: programs keep account of each case.
void Alerts::leave_out_covered(const std::string& by, AlertFacts facts, Moment now,
                               const Outbox& outbox, Decision& decision) {
  const auto told_of_it = told(by);
  facts.event = case_event_name(CaseEvent::updated);
  for (const Target& updates : decide(preferences_, facts, now.wall_ns, told_of_it).targets) {
    if (!outbox.is_for_people(updates.channel)) continue;
    const auto target =
        std::find_if(decision.targets.begin(), decision.targets.end(),
                     [&](const Target& one) { return one.channel == updates.channel; });
    if (target == decision.targets.end()) continue;
    const size_t left_out = std::erase_if(target->recipients, [&](const std::string& to) {
      return updates.recipients.contains(to) && told_of_it.contains({updates.channel, to});
    });
    if (left_out == 0) continue;
    decision.unsent.push_back(
        {updates.channel, fmt::format("the message about case {} says so", short_id(by))});
    if (target->recipients.empty()) decision.targets.erase(target);
  }
}

void Alerts::tell_targets(const Tidings& tidings, std::vector<Target> targets, Moment now,
                          Outbox& outbox, const Composer& compose) {
  if (targets.empty()) return;
  std::vector<std::string> keys = outbox.add(tidings, targets, compose, now);
  for (size_t i = 0; i < targets.size(); ++i) {
    Target& target = targets[i];
    write(tidings.news.uuid,
          {now.wall_ns, 0, tidings.news.event, std::move(target.channel), std::move(keys[i]),
           std::move(target.recipients), std::move(target.why)});
  }
}

void Alerts::withheld(const Case& c, std::string_view event, const Inventory& inventory,
                      Moment now) {
  withheld(c.uuid, event, maintenance.covering(c, inventory, now.wall_ns), now);
}

void Alerts::withheld(const std::string& uuid, std::string_view event,
                      const MaintenanceWindow* window, Moment now) {
  const std::string why = "it waits for the end of " + (window ? window->words() : "maintenance");
  // Suppresses the repetition after a restart during the window.
  const Book& book = books_[uuid];
  if (!book.empty() && book.back().key.empty() && book.back().event == event &&
      book.back().why == why)
    return;
  unsent(uuid, event, {"", why}, now);
}

void Alerts::unsent(const std::string& uuid, std::string_view event, const Unsent& unsent,
                    Moment now) {
  const std::string to = unsent.channel.empty() ? "" : " to " + unsent.channel;
  const bool of_case = parse_case_event(event).has_value();
  // Happenings without a rule are not logged: most have none, and the log has each happening.
  if (of_case || unsent.channel.empty())
    said_.push_back(fmt::format("{} {}: \"{}\" was not sent{}: {}", of_case ? "case" : "event",
                                uuid, event, to, unsent.why));
  write(uuid, {now.wall_ns, 0, std::string(event), unsent.channel, "", {}, unsent.why});
}

void Alerts::write(const std::string& uuid, Record record) {
  Book& book = books_[uuid];
  book.push_back(std::move(record));
  if (book.size() > kMostRecords) book.erase(book.begin() + kMostRecords / 2);
  dirty_.insert(uuid);
}

void Alerts::delivered(std::string_view uuid, std::string_view key, std::string_view channel,
                       Moment now) {
  const auto book = books_.find(uuid);
  if (book == books_.end()) return;
  for (Record& record : book->second)
    if (record.key == key && record.channel == channel) record.delivered_ns = now.wall_ns;
  dirty_.insert(book->first);
}

void Alerts::gave_up(std::string_view uuid, std::string_view key, std::string_view channel,
                     std::string_view why, Moment now) {
  said_.push_back(fmt::format("message {} by {} was given up: {}", key, channel, why));
  const auto book = books_.find(uuid);
  if (book == books_.end()) return;
  for (Record& record : book->second) {
    if (record.key != key || record.channel != channel) continue;
    record.gave_up_ns = now.wall_ns;
    record.reason = why;
  }
  dirty_.insert(book->first);
}

std::set<std::pair<std::string, std::string>> Alerts::told(const std::string& uuid) const {
  std::set<std::pair<std::string, std::string>> out;
  if (const auto book = books_.find(uuid); book != books_.end())
    for (const Record& record : book->second)
      if (!record.key.empty())
        for (const std::string& to : record.recipients) out.emplace(record.channel, to);
  return out;
}

nlohmann::json Alerts::explain(std::string_view uuid, const Outbox& outbox) const {
  nlohmann::json out = nlohmann::json::array();
  const auto book = books_.find(uuid);
  if (book == books_.end()) return out;
  for (const Record& record : book->second) {
    nlohmann::json doc = to_json(record);
    if (record.key.empty())
      doc["state"] = "not-sent";
    else if (record.delivered_ns != 0)
      doc["state"] = "delivered";
    else if (record.gave_up_ns != 0)
      doc["state"] = "expired";
    else
      doc.update(outbox.standing(record.key, record.channel));
    out.push_back(std::move(doc));
  }
  return out;
}

std::vector<std::string> Alerts::take_said() {
  return std::exchange(said_, {});
}

void Alerts::forget_case(std::string_view uuid) {
  reminders.forget_case(uuid);
  const auto book = books_.find(uuid);
  if (book == books_.end()) return;
  dirty_.insert(book->first);
  books_.erase(book);
}

nlohmann::json Alerts::to_json(const Record& record) {
  nlohmann::json doc = {
      {"time", record.time_ns},          {"event", record.event}, {"channel", record.channel},
      {"recipients", record.recipients}, {"key", record.key},     {"why", record.why},
      {"delivered", record.delivered_ns}};
  if (record.gave_up_ns == 0) return doc;
  doc["expired"] = record.gave_up_ns;
  doc["reason"] = record.reason;
  return doc;
}

std::vector<StateRow> Alerts::take_changes() {
  std::vector<StateRow> rows = maintenance.take_changes();
  for (StateRow& row : reminders.take_changes()) rows.push_back(std::move(row));
  for (const std::string& uuid : std::exchange(dirty_, {})) {
    const auto book = books_.find(uuid);
    nlohmann::json doc = nlohmann::json::array();
    if (book != books_.end())
      for (const Record& record : book->second) doc.push_back(to_json(record));
    rows.push_back({"notice", uuid, book == books_.end() ? std::string() : dump_json(doc)});
  }
  return rows;
}

void Alerts::mark_all_changed() {
  maintenance.mark_all_changed();
  reminders.mark_all_changed();
  for (const auto& [uuid, book] : books_) dirty_.insert(uuid);
}

Result<void> Alerts::restore(const std::vector<StateRow>& rows) {
  Result<void> outcome = maintenance.restore(rows);
  if (auto restored = reminders.restore(rows); !restored) outcome = restored;
  for (const StateRow& row : rows) {
    if (row.kind != "notice") continue;
    const auto doc = nlohmann::json::parse(row.doc, nullptr, false);
    if (!doc.is_array()) {
      outcome = fail(fmt::format("who was told of case {} cannot be read", display(row.key)));
      continue;
    }
    Book& book = books_[row.key];
    for (const auto& one : doc) {
      Record record{
          json_int(one, "time"),     json_int(one, "delivered"), json_text(one, "event"),
          json_text(one, "channel"), json_text(one, "key"),      {},
          json_text(one, "why"),     json_int(one, "expired"),   json_text(one, "reason")};
      if (one.is_object() && one.contains("recipients"))
        for (const auto& to : one["recipients"])
          if (to.is_string()) record.recipients.insert(to.get<std::string>());
      book.push_back(std::move(record));
    }
  }
  return outcome;
}

}  // namespace fmd
