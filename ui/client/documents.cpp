#include "ui/client/documents.h"

#include "fmd/base/json.h"

namespace fmd::ui {
namespace {

using nlohmann::json;

// A member of another type counts as missing.
std::string text_in(const json& doc, const char* key) {
  const auto it = doc.find(key);
  return it != doc.end() && it->is_string() ? it->get<std::string>() : std::string();
}
template <typename T>
T number_in(const json& doc, const char* key) {
  const auto it = doc.find(key);
  return it != doc.end() && it->is_number() ? it->get<T>() : T{};
}
bool flag_in(const json& doc, const char* key) {
  const auto it = doc.find(key);
  return it != doc.end() && it->is_boolean() && it->get<bool>();
}
const json& list_in(const json& doc, const char* key) {
  static const json none = json::array();
  const auto it = doc.find(key);
  return it != doc.end() && it->is_array() ? *it : none;
}

Series series_of(const json& doc) {
  Series s;
  s.name = text_in(doc, "name");
  s.unit = text_in(doc, "unit");
  s.last = number_in<double>(doc, "last");
  s.least = number_in<double>(doc, "min");
  s.greatest = number_in<double>(doc, "max");
  s.mean = number_in<double>(doc, "mean");
  for (const json& p : list_in(doc, "points"))
    s.points.push_back({number_in<int64_t>(p, "time"), number_in<double>(p, "value"),
                        number_in<double>(p, "min"), number_in<double>(p, "max")});
  return s;
}

LoggedEvent event_of(const json& doc) {
  LoggedEvent e;
  e.seq = number_in<uint64_t>(doc, "seq");
  e.time_ns = number_in<int64_t>(doc, "time");
  e.event_class = text_in(doc, "class");
  e.resource = text_in(doc, "resource");
  e.source = text_in(doc, "source");
  if (const auto payload = doc.find("payload"); payload != doc.end() && !payload->empty())
    e.payload = payload->dump(2, ' ', false, json::error_handler_t::replace);
  return e;
}

}  // namespace

std::vector<Stay> stays_in(const json& list) {
  std::vector<Stay> stays;
  for (const json& doc : list)
    stays.push_back({text_in(doc, "bay"), text_in(doc, "label"), text_in(doc, "disk"),
                     text_in(doc, "serial"), text_in(doc, "model"), number_in<int64_t>(doc, "from"),
                     number_in<int64_t>(doc, "to"), flag_in(doc, "from_exact"),
                     flag_in(doc, "to_exact")});
  return stays;
}

Readings readings_in(const json& document) {
  Readings readings{text_in(document, "resource"),      text_in(document, "label"),
                    text_in(document, "serial"),        number_in<int64_t>(document, "from"),
                    number_in<int64_t>(document, "to"), {},
                    text_in(document, "damage")};
  for (const json& series : list_in(document, "series"))
    readings.series.push_back(series_of(series));
  return readings;
}

Result<std::vector<Case>> fetch_cases(Client& client, const json& filter, AdviceByCase* advice) {
  auto docs = client.query("ListCases", filter);
  if (!docs) return tl::unexpected(docs.error());
  std::vector<Case> cases;
  for (const json& doc : *docs) {
    auto c = case_from_json(doc);
    if (!c) return tl::unexpected(c.error());
    if (auto said = advice ? advice_in(doc) : std::nullopt)
      advice->insert_or_assign(c->uuid, std::move(*said));
    cases.push_back(std::move(*c));
  }
  return cases;
}

Result<std::vector<Stay>> fetch_stays(Client& client, const std::string& part) {
  json filter = json::object();
  if (!part.empty()) filter["part"] = part;
  auto docs = client.query("ListBayHistory", filter);
  if (!docs) return tl::unexpected(docs.error());
  return stays_in(*docs);
}

Result<Readings> fetch_readings(Client& client, const ReadingsQuery& query) {
  json filter{{"part", query.part}, {"points", query.points}};
  if (!query.names.empty()) filter["names"] = query.names;
  if (query.from_ns > 0) filter["from"] = query.from_ns;
  if (query.to_ns > 0) filter["to"] = query.to_ns;
  auto doc = client.query("ListReadings", filter);
  if (!doc) return tl::unexpected(doc.error());
  return readings_in(*doc);
}

Result<EventsPage> fetch_events(Client& client, const EventsQuery& query) {
  json filter{{"after", query.after}, {"limit", query.limit}};
  if (!query.class_glob.empty()) filter["class"] = query.class_glob;
  if (!query.uuid.empty()) filter["uuid"] = query.uuid;
  if (query.from_ns > 0) filter["from"] = query.from_ns;
  if (query.to_ns > 0) filter["to"] = query.to_ns;
  auto doc = client.query("ListEvents", filter);
  if (!doc) return tl::unexpected(doc.error());
  EventsPage page;
  for (const json& event : list_in(*doc, "events")) page.events.push_back(event_of(event));
  page.next = number_in<uint64_t>(*doc, "next");
  page.more = flag_in(*doc, "more");
  page.damage = text_in(*doc, "damage");
  return page;
}

Result<uint64_t> fetch_last_seq(Client& client) {
  const auto config = client.query("GetConfig");
  if (!config) return tl::unexpected(config.error());
  const auto store = config->find("store");
  return store == config->end() ? 0 : number_in<uint64_t>(*store, "last_seq");
}

}  // namespace fmd::ui
