#include "fmd/bus/tests/fake_control.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "fmd/model/inventory_around.h"

namespace fmd::test {

using nlohmann::json;

namespace {

std::string uuid_for_tests() {
  return "00000000-0000-4000-8000-000000000000";
}

std::string dumped(const json& doc) {
  return doc.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

FakeControl::FakeControl() : engine_(std::make_shared<RuleSet>(), uuid_for_tests) {}

void FakeControl::put_case(const json& doc, std::string_view event) {
  const std::string uuid = doc.at("uuid");
  cases_[uuid] = doc;
  const auto done = engine_.restore({{"case", uuid, dumped(doc)}});
  if (!done) throw std::runtime_error(done.error().text());
  for (auto* observer : observers_) observer->case_changed(uuid, event);
}

void FakeControl::put_resource(const json& doc) {
  auto resource = Inventory::resource_from_json(doc);
  if (!resource) throw std::runtime_error(resource.error().text());
  const bool known = resources_.contains(resource->fmri);
  const std::string fmri = resource->fmri;
  resources_[fmri] = doc;
  InventoryUpdate update;
  update.source = "test";
  update.resources.push_back(std::move(*resource));
  engine_.on_inventory(update, 1);
  for (auto* observer : observers_) observer->resource_changed(fmri, known ? "changed" : "added");
}

void FakeControl::remove_resource(const std::string& fmri) {
  InventoryUpdate update;
  update.source = "test";
  update.gone.push_back({fmri, "destroyed", ""});
  engine_.on_inventory(update, 1);
  resources_.erase(fmri);
  for (auto* observer : observers_) observer->resource_changed(fmri, "removed");
}

void FakeControl::log_event(json event) {
  event["seq"] = events_.size() + 1;
  events_.push_back(std::move(event));
  for (auto* observer : observers_) observer->events_logged(events_.size());
}

namespace {

bool accuses(const json& doc, const json& part) {
  for (const json& suspect : doc.value("suspects", json::array()))
    for (const char* name : {"fru", "fru_path", "bay", "serial", "location"})
      if (suspect.value(name, json()) == part) return true;
  return false;
}

}  // namespace

Result<std::string> FakeControl::list_cases(std::string_view filter) const {
  const json f = json::parse(filter);
  if (f.contains("uuid_prefix") && !finds_prefixes)
    return fail("\"uuid_prefix\" is unknown in the filter");
  json list = json::array();
  for (const auto& [uuid, doc] : cases_) {
    if (!uuid.starts_with(f.value("uuid_prefix", ""))) continue;
    if (doc["state"] == "RESOLVED" && !f.value("all", false)) continue;
    if (f.contains("uuid") && f["uuid"] != uuid) continue;
    if (f.contains("fru") && !accuses(doc, f["fru"])) continue;
    list.push_back(doc);
    if (f.value("no_evidence", false)) list.back()["evidence"] = json::array();
  }
  cases_sent.push_back(list.size());
  return dumped(list);
}

Result<std::string> FakeControl::get_config() const {
  json doc = config;
  if (dry_run_) doc["dry_run"] = true;
  if (doc.contains("store")) doc["store"].emplace("last_seq", events_.size());
  return dumped(doc);
}

Result<std::string> FakeControl::events(std::string_view query) const {
  const json q = json::parse(query, nullptr, false);
  if (q.is_discarded()) return fail("the query is not JSON");
  const auto after = q.value("after", uint64_t{0}), limit = q.value("limit", uint64_t{2});
  json page = json::array();
  uint64_t next = after;
  bool more = false;
  for (const json& event : events_) {
    if (event["seq"] <= after) continue;
    if (page.size() == limit) {
      more = true;
      break;
    }
    next = event["seq"];
    const std::string name = event["class"];
    std::string glob = q.value("class", "");
    if (glob.ends_with('*')) glob.pop_back();
    if (event["time"] >= q.value("from", INT64_MIN) && event["time"] <= q.value("to", INT64_MAX) &&
        name.starts_with(glob) && q.value("resource", event["resource"]) == event["resource"])
      page.push_back(event);
  }
  return dumped({{"events", page}, {"next", next}, {"more", more}});
}

std::vector<std::string> FakeControl::parts_in(const json& filter) const {
  if (!filter.contains("around_cases")) return filter.value("around", std::vector<std::string>{});
  std::set<std::string> parts;
  for (const auto& [uuid, c] : engine_.cases())
    if (c.open() && !around_cases_is_late) parts.merge(c.parts());
  return {parts.begin(), parts.end()};
}

Result<std::string> FakeControl::list_resources(std::string_view filter) const {
  const json f = json::parse(filter);
  if (f.contains("around_cases") && !knows_around_cases)
    return fail("\"around_cases\" is unknown in the filter");
  const auto wanted = around(engine_.inventory(), parts_in(f));
  json list = json::array();
  for (const auto& [fmri, resource] : engine_.inventory().all()) {
    if ((f.contains("around") || f.contains("around_cases")) && !wanted.contains(fmri)) continue;
    if (f.contains("fmri") && f["fmri"] != fmri) continue;
    if (f.contains("scheme") && !fmri.starts_with(f["scheme"].get<std::string>() + ":")) continue;
    list.push_back(Inventory::to_json(resource));
  }
  return dumped(list);
}

// Short lists come in pages of two items, so that callers must turn pages; long ones do not, since
// the whole list is rebuilt for each page here.
Result<std::string> FakeControl::list_page(std::string_view list, std::string_view filter) const {
  json f = json::parse(filter);
  const std::string after = f.value("after", "");
  f.erase("after");
  const std::map<std::string_view, std::function<Result<std::string>()>> lists = {
      {"cases", [&] { return list_cases(f.dump()); }},
      {"resources", [&] { return list_resources(f.dump()); }},
      {"bay-history", [&] { return list_bay_history(f.dump()); }},
      {"serd", [&] { return list_serd(); }},
      {"outbox", [&] { return list_outbox(); }},
      {"explanations", [&] {
         asked.push_back(f.dump());
         return Result<std::string>(explanations.dump());
       }}};
  const auto whole = lists.at(list)();
  if (!whole) return whole;
  const json all = json::parse(*whole);
  const size_t begin = after.empty() ? 0 : std::stoul(after);
  const size_t end = std::min(all.size(), begin + (all.size() <= 64 ? 2 : 1000));
  json items = json::array();
  for (size_t i = begin; i < end; ++i) items.push_back(all[i]);
  return dumped({{"items", items}, {"next", std::to_string(end)}, {"more", end < all.size()}});
}

// Test data in the daemon's form; "nowhere" is no part.
Result<std::string> FakeControl::list_bay_history(std::string_view filter) const {
  asked.emplace_back(filter);
  const std::string part = json::parse(filter).value("part", "");
  if (part == "nowhere") return fail("no part is known by the name \"nowhere\"; see fmtopo");
  json list = json::array();
  const auto named = [&](const json& one, const char* key) { return one.value(key, "") == part; };
  for (const json& one : bay_history)
    if (part.empty() || named(one, "bay") || named(one, "label") || named(one, "serial") ||
        named(one, "disk"))
      list.push_back(one);
  return dumped(list);
}

Result<std::string> FakeControl::measured(std::string_view query) const {
  asked.emplace_back(query);
  const json q = json::parse(query);
  if (q.value("part", "") == "nowhere")
    return fail("no part is known by the name \"nowhere\"; see fmtopo");
  json doc = readings;
  const json names = q.value("names", json::array());
  doc["series"] = json::array();
  for (json series : readings.value("series", json::array())) {
    if (!names.empty() && std::find(names.begin(), names.end(), series["name"]) == names.end())
      continue;
    if (q.value("points", 0) == 0) series.erase("points");
    doc["series"].push_back(series);
  }
  return dumped(doc);
}

Result<std::vector<std::string>> FakeControl::judge(std::string_view verdict, std::string_view uuid,
                                                    std::string_view part, bool force,
                                                    std::string_view who) {
  changes.push_back("judge " + std::string(verdict) + " [" + std::string(uuid) + "] [" +
                    std::string(part) + "]" + (force ? " forced" : "") + " by " + std::string(who));
  if (part == "nowhere") return fail("no part is called nowhere");
  if (!judge_error.empty() && verdicts++ > 0) return fail(judge_error);
  std::vector<std::string> uuids;
  for (const auto& [id, c] : engine_.cases())
    if (c.open() && (uuid.empty() || uuid == id)) uuids.push_back(id);
  return uuids;
}

Result<void> FakeControl::acknowledge(std::string_view uuid, std::string_view comment,
                                      std::string_view who) {
  changes.push_back("acknowledge [" + std::string(uuid) + "] [" + std::string(comment) + "] by " +
                    std::string(who));
  if (!engine_.find_case(uuid)) return fail("there is no case " + std::string(uuid));
  return {};
}

void FakeControl::light(const std::string& bay, bool on) {
  if (!leds_obey || !resources_.contains(bay)) return;
  json doc = resources_.at(bay);
  if (doc["properties"].value("led.locate", "") != "cannot-drive")
    doc["properties"]["led.locate"] = on ? "on" : "off";
  put_resource(doc);
}

Result<std::string> FakeControl::locate(std::string_view part, bool on, std::string_view who) {
  changes.push_back("locate [" + std::string(part) + "] " + (on ? "on" : "off") + " by " +
                    std::string(who));
  const auto found = engine_.inventory().lookup(part);
  if (found.empty()) return fail("no part has that name");
  const std::string bay = found.front()->fmri;
  light(bay, on);
  return bay;
}

Result<std::string> FakeControl::hold_locate(std::string_view part, std::string_view holder,
                                             std::string_view who) {
  changes.push_back("hold locate [" + std::string(part) + "] by " + std::string(who));
  const auto found = engine_.inventory().lookup(part);
  if (found.empty()) return fail("no part has that name");
  const std::string bay = found.front()->fmri;
  held[bay] = holder;
  light(bay, true);
  return bay;
}

Result<void> FakeControl::release_locate(std::string_view holder) {
  changes.emplace_back("release locate");
  for (auto it = held.begin(); it != held.end();) {
    const auto [bay, by] = *it++;
    if (by != holder) continue;
    held.erase(bay);
    light(bay, false);
  }
  return {};
}

std::set<std::string> FakeControl::locate_holders() const {
  std::set<std::string> all;
  for (const auto& [bay, holder] : held) all.insert(holder);
  return all;
}

void FakeControl::ask_disk(std::string_view part, DiskAsked done) {
  asked_disks_.push_back([this, part = std::string(part), done = std::move(done)] {
    const auto found = engine_.inventory().lookup(part);
    if (found.empty()) return done(fail("no part has that name"));
    if (disk_note.starts_with('!')) return done(fail(disk_note.substr(1)));
    const Resource* disk =
        engine_.inventory().descend(found.front()->fmri, Relation::contains, "dev");
    done(DiskAnswer{disk ? disk->fmri : "", disk_note});
  });
  if (disks_answer) answer_disks();
}

void FakeControl::answer_disks() {
  for (const auto& answer : std::exchange(asked_disks_, {})) answer();
}

void FakeControl::refresh_disk(std::string_view part, std::string_view who, DiskAsked done) {
  changes.push_back("refresh [" + std::string(part) + "] by " + std::string(who));
  ask_disk(part, std::move(done));
}

void FakeControl::self_test(std::string_view part, std::string_view type, bool force,
                            std::string_view who, DiskAsked done) {
  changes.push_back("self-test [" + std::string(part) + "] " + std::string(type) +
                    (force ? " forced" : "") + " by " + std::string(who));
  ask_disk(part, std::move(done));
}

void FakeControl::order(std::string_view part, const std::string& usual, Ordered done) {
  orders_.push_back([this, part = std::string(part), usual, done = std::move(done)] {
    if (engine_.inventory().lookup(part).empty()) return done(fail("no part is called " + part));
    if (order_text.starts_with('!')) return done(fail(order_text.substr(1)));
    done(order_text.empty() ? part + " is " + usual + " now" : order_text);
  });
  if (orders_answer) answer_orders();
}

void FakeControl::answer_orders() {
  for (const auto& answer : std::exchange(orders_, {})) answer();
}

void FakeControl::retire(std::string_view part, std::string_view level, std::string_view who,
                         Ordered done) {
  changes.push_back("retire [" + std::string(part) + "] " + std::string(level) + " by " +
                    std::string(who));
  order(part, std::string(level), std::move(done));
}

void FakeControl::restore(std::string_view part, std::string_view who, Ordered done) {
  changes.push_back("restore [" + std::string(part) + "] by " + std::string(who));
  order(part, "in service", std::move(done));
}

void FakeControl::replace(std::string_view part, std::string_view with, bool force,
                          std::string_view who, Ordered done) {
  changes.push_back("replace [" + std::string(part) + "] [" + std::string(with) + "]" +
                    (force ? " forced" : "") + " by " + std::string(who));
  order(part, "being replaced", std::move(done));
}

Result<std::string> FakeControl::add_maintenance(std::string_view spec, std::string_view who) {
  const auto doc = nlohmann::json::parse(spec, nullptr, false);
  if (doc.value("part", "") == "nowhere") return fail("no part is called nowhere");
  const int64_t minutes =
      (doc.value("until", int64_t{0}) - doc.value("from", int64_t{0})) / 60000000000;
  changes.push_back("maintain [" + doc.value("part", "") + "] " + std::to_string(minutes) +
                    " min [" + doc.value("reason", "") + "] by " + std::string(who));
  return std::string("7");
}

Result<void> FakeControl::end_maintenance(std::string_view id, std::string_view who) {
  if (id != "7") return fail("there is no window " + std::string(id));
  changes.push_back("end of window 7 by " + std::string(who));
  return {};
}

void FakeControl::test_notify(std::string_view channel, std::string_view who, Ordered done) {
  changes.push_back("test [" + std::string(channel) + "] by " + std::string(who));
  nlohmann::json answers = nlohmann::json::array();
  for (const std::string name : {"mail", "snmp"})
    if (channel.empty() || channel == name)
      answers.push_back({{"channel", name},
                         {"status", name == "mail" ? "done" : "failed"},
                         {"reason", name == "mail" ? "250 queued" : "no AgentX master"}});
  done(answers.dump());
}

Result<void> FakeControl::set_dry_run(bool on, std::string_view who) {
  changes.push_back(std::string("dry-run ") + (on ? "on" : "off") + " by " + std::string(who));
  dry_run_ = on;
  for (auto* observer : observers_) observer->dry_run_changed(on);
  return {};
}

std::vector<std::string> FakeControl::reload(std::string_view who) {
  changes.push_back("reload by " + std::string(who));
  return reload_errors;
}

}  // namespace fmd::test
