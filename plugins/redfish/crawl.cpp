#include "plugins/redfish/crawl.h"

namespace fmd::redfish {

using nlohmann::json;

const json* Crawl::take(const std::string& uri) {
  if (uri.empty() || !taken_.insert(uri).second) return nullptr;
  too_many |= taken_.size() > kMostDocuments;
  if (too_many || stop()) {
    whole = false;
    return nullptr;
  }
  const json* doc = get(uri);
  if (!doc) whole = false;
  return doc;
}

void Crawl::members(const std::string& collection, const std::function<void(const json&)>& each) {
  std::string page = collection;
  for (size_t pages = 0; !page.empty() && pages < kMostPages; ++pages) {
    const json* doc = take(page);
    if (!doc) return;
    for (const std::string& uri : links(*doc, "Members"))
      if (const json* member = take(uri)) each(*member);
    page = text(*doc, "Members@odata.nextLink");
    if (!is_uri(page)) page.clear();
  }
}

// PowerSubsystem and ThermalSubsystem supersede the older Power and Thermal. Some services have the
// former without members, and the parts only in the latter.
void Crawl::chassis(const json& doc) {
  const auto nothing_more = [](const json&) {};
  const auto parts = [&](const char* subsystem, const char* collection, const char* older) {
    const std::string uri = link(doc, subsystem);
    bool any = false;
    if (const json* found = take(uri))
      members(link(*found, collection), [&any](const json&) { any = true; });
    if (any) return;
    const bool was_whole = whole;
    take(link(doc, older));
    // Beside a subsystem without members, the link may lead nowhere.
    if (!uri.empty() && !too_many && !stop()) whole = was_whole;
  };
  parts("PowerSubsystem", "PowerSupplies", "Power");
  parts("ThermalSubsystem", "Fans", "Thermal");
  members(link(doc, "Sensors"), nothing_more);
  members(link(doc, "Drives"), nothing_more);
  for (const std::string& uri : links(doc, "Links/Drives")) take(uri);
  log_services(doc);
}

void Crawl::system(const json& doc) {
  const auto nothing_more = [](const json&) {};
  members(link(doc, "Memory"), nothing_more);
  members(link(doc, "Processors"), nothing_more);
  members(link(doc, "Storage"), [this](const json& storage) {
    for (const std::string& uri : links(storage, "Drives")) take(uri);
  });
  log_services(doc);
}

void Crawl::log_services(const json& doc) {
  members(link(doc, "LogServices"), [this](const json& service) {
    if (at(service, "ServiceEnabled") == false) return;
    entries(link(service, "Entries"));
  });
}

// Many services have no event service: its absence does not make the crawl incomplete.
void Crawl::event_service(const json& doc) {
  const std::string uri = link(doc, "EventService");
  if (uri.empty() || !taken_.insert(uri).second || stop()) return;
  const json* found = get(uri);
  if (!found || at(*found, "ServiceEnabled") == false) return;
  const std::string offered = text(*found, "ServerSentEventUri");
  if (is_uri(offered)) events = offered;
}

void Crawl::entries(std::string uri) {
  for (size_t pages = 0; !uri.empty() && pages < kMostPages; ++pages) {
    const json* doc = take(uri);
    if (!doc) return;
    logs.insert(uri);
    // Some services return links instead of the entries.
    for (const std::string& member : links(*doc, "Members"))
      if (const json& first = at(*doc, "Members").front(); first.size() == 1) take(member);
    uri = text(*doc, "Members@odata.nextLink");
    if (!is_uri(uri)) uri.clear();
  }
}

void Crawl::run() {
  const json* root = take("/redfish/v1/");
  if (!root) return;
  members(link(*root, "Chassis"), [this](const json& doc) { chassis(doc); });
  members(link(*root, "Systems"), [this](const json& doc) { system(doc); });
  members(link(*root, "Managers"), [this](const json& doc) { log_services(doc); });
  event_service(*root);
}

}  // namespace fmd::redfish
