// Data from the network: a BMC's Redfish documents and event stream, and an SMTP server's answers.
#include <algorithm>

#include "corpus.h"
#include "fmd/base/bounded_json.h"
#include "fmd/base/json.h"
#include "plugins/mail/dialogue.h"
#include "plugins/redfish/crawl.h"
#include "plugins/redfish/event_stream.h"
#include "plugins/redfish/log.h"
#include "plugins/redfish/parts.h"
#include "plugins/redfish/tests/documents_fixture.h"
#include "plugins/sdk/messages.h"
#include "targets.h"

namespace fmd::fuzz {
namespace {

using nlohmann::json;

constexpr const char* kEntries = "/redfish/v1/Managers/1/LogServices/1/Entries";

// All documents of a service as one: {uri: document}.
std::string service() {
  json all = json::object();
  for (const auto& [uri, document] : redfish::testing::small_server()) all[uri] = document.body;
  const auto link = [](const std::string& to) { return json{{"@odata.id", to}}; };
  all["/redfish/v1/"] = {{"Chassis", link("/redfish/v1/Chassis")},
                         {"Managers", link("/redfish/v1/Managers")},
                         {"EventService", link("/redfish/v1/EventService")}};
  all["/redfish/v1/EventService"] = {{"ServerSentEventUri", "/redfish/v1/SSE"}};
  all["/redfish/v1/Chassis"] = {{"Members", {link(redfish::testing::kChassis)}}};
  all["/redfish/v1/Managers"] = {{"Members", {link("/redfish/v1/Managers/1")}}};
  all["/redfish/v1/Managers/1"] = {{"LogServices", link("/redfish/v1/Managers/1/LogServices")}};
  all["/redfish/v1/Managers/1/LogServices"] = {
      {"Members", {link("/redfish/v1/Managers/1/LogServices/1")}}};
  all["/redfish/v1/Managers/1/LogServices/1"] = {{"Entries", link(kEntries)}};
  all[kEntries] = {{"Members",
                    {{{"@odata.id", std::string(kEntries) + "/1"},
                      {"Id", "1"},
                      {"Severity", "Critical"},
                      {"Message", "m"},
                      {"Created", "2026-11-23T01:02:03+00:00"},
                      {"Links", {{"OriginOfCondition", link(redfish::testing::kFan)}}}}}},
                   {"Members@odata.nextLink", kEntries}};
  return all.dump();
}

// One poll as in fmd-redfish, with the same limit on the cost of JSON.
void read_service(std::string_view text) {
  const auto all = parse_bounded_json(text);
  if (!all || !all->is_object()) return;
  redfish::Documents documents;
  for (const auto& [uri, body] : all->items()) documents[uri].body = body;
  redfish::Crawl crawl;
  size_t asked = 0;
  crawl.get = [&](const std::string& uri) -> const json* {
    must(redfish::is_uri(uri), "an address of somewhere else is asked");
    must(++asked <= redfish::Crawl::kMostDocuments, "a crawl without an end");
    const auto found = documents.find(uri);
    return found == documents.end() ? nullptr : &found->second.body;
  };
  crawl.stop = [] { return false; };
  crawl.run();
  redfish::Service service;
  service.system = "host";
  const auto told = redfish::describe(service, documents);
  for (const auto& [fmri, resource] : told.resources)
    (void)resource.dump(-1, ' ', false, json::error_handler_t::strict);
  redfish::Log log, again;
  (void)log.take(documents, {}, true, service, told, 1);  // reports no old entries
  for (const auto& event : log.take(documents, crawl.logs, crawl.whole, service, told, 2))
    (void)event.payload.dump(-1, ' ', false, json::error_handler_t::strict);
  again.restore(log.cursor());
  must(again.cursor() == log.cursor(), "a cursor comes back otherwise");
}

// Splits the stream into pieces whose length is the first byte: the events must not depend on that.
void read_stream(std::string_view bytes) {
  if (bytes.empty()) return;
  const size_t step = 1 + static_cast<uint8_t>(bytes[0]);
  bytes.remove_prefix(1);
  redfish::EventStream whole, cut;
  const size_t events = whole.take(bytes);
  size_t in_pieces = 0;
  for (size_t at = 0; at < bytes.size(); at += step) in_pieces += cut.take(bytes.substr(at, step));
  must(events == in_pieces && whole.trouble() == cut.trouble(),
       "cut otherwise it is another stream");
}

void read_dialogue(std::string_view text) {
  mail::Dialogue dialogue;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n') + (text.find('\n') != text.npos));
    text.remove_prefix(line.empty() ? text.size() : line.size());
    if (line.starts_with("C: "))
      dialogue.sent(line.substr(3, line.find_last_not_of("\r\n") - 2));
    else
      dialogue.received(line);
  }
  for (const bool good : {true, false}) {
    const auto outcome = dialogue.outcome(good, text);
    must(outcome.reason.find('\n') == std::string::npos, "a reason of several lines");
  }
}

constexpr const char* kDialogue =
    "220 mx ESMTP\r\nC: EHLO host\r\n250-mx\r\n250 SIZE 100\r\nC: MAIL FROM:<a@b>\r\n250 ok\r\n"
    "C: RCPT TO:<c@d>\r\n250 ok\r\nC: RCPT TO:<e@f>\r\n451 4.7.1 later\r\nC: DATA\r\n354 go\r\n"
    "C: .\r\n550-no\r\n550 no\r\n";

}  // namespace

std::vector<Target> network_targets() {
  return {{"redfish", "a Redfish service's documents", {service()}, read_service},
          {"redfish-stream",
           "its stream of events",
           {"\1: stay\r\n\r\nid: 1\r\ndata: {\"Events\": [{\"EventId\": \"1\"}]}\r\n\r\n",
            "\7event: x\ndata:{\ndata: \"Events\": [1]}\n\nretry: 10\r\rdata: {}\n\n"},
           read_stream},
          {"smtp", "an SMTP server's answers", {kDialogue}, read_dialogue}};
}

}  // namespace fmd::fuzz
