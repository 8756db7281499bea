#include "plugins/redfish/redfish_plugin.h"

#include <fmt/format.h>
#include <syslog.h>
#include <time.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "plugins/hardware/smbios.h"
#include "plugins/hardware/system_id.h"
#include "plugins/redfish/client.h"
#include "plugins/redfish/crawl.h"
#include "plugins/sdk/messages.h"

namespace fmd::redfish {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr size_t kSilentAfter = 2;  // consecutive polls without an answer
constexpr size_t kEventsAtMost = 8000;
constexpr size_t kLongestReport = 40 << 20;  // below Host::Limits::own_work
constexpr const char* kHangs = "an earlier request still hangs";
constexpr milliseconds kGoodbye{3000};     // to end a running poll, and for the logout
constexpr milliseconds kBetweenTwo{2000};  // for a child to end by itself before it is killed

int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

std::string dump(const json& doc) {
  return doc.dump(-1, ' ', true, json::error_handler_t::replace);
}

// In a child: a whole poll. Returns only documents that have changed.
std::string crawl_all(const Options& options, const Documents& known, const std::string& session) {
  const auto until = std::chrono::steady_clock::now() + options.deadline;
  Client client(options, known, session);
  Crawl crawl;
  crawl.get = [&](const std::string& uri) { return client.get(uri); };
  crawl.stop = [&] {
    return client.lost() || client.spent() || Client::end_announced(session) ||
           std::chrono::steady_clock::now() > until;
  };
  crawl.run();
  std::string documents, limit = client.limit();
  bool whole = crawl.whole && !client.lost();
  json same = json::array();
  for (const auto& [uri, doc] : client.documents()) {
    const auto before = known.find(uri);
    if (before != known.end() && !doc.etag.empty() && before->second.etag == doc.etag) {
      same.push_back(uri);
      continue;
    }
    // Numbers and characters may take more room here than in the response: "1e9".
    const std::string one =
        dump(uri) + ":" +
        dump(
            {{"body", doc.body}, {"etag", doc.etag}, {"bytes", doc.bytes}, {"values", doc.values}});
    if (documents.size() + one.size() > kLongestReport) {
      whole = false;
      limit = Budget{0, 0}.complaint();
      break;
    }
    documents += (documents.empty() ? "" : ",") + one;
  }
  if (crawl.too_many && limit.empty())
    limit = fmt::format("more than {} documents are linked; the rest was not read",
                        Crawl::kMostDocuments);
  std::string report = dump({{"same", std::move(same)},
                             {"logs", crawl.logs},
                             {"events", crawl.events},
                             {"whole", whole},
                             {"limit", limit},
                             {"lost", client.lost()},
                             {"refused", client.refused()},
                             {"requests", client.requests()},
                             {"trouble", client.trouble()}});
  report.back() = ',';
  return report + "\"documents\":{" + documents + "}}";
}

// In a child: switches a drive's locate LED and reads it back.
std::string switch_light(const Options& options, const std::string& session, const std::string& uri,
                         bool on) {
  Client client(options, {}, session);
  const auto changed = client.patch(uri, {{"LocationIndicatorActive", on}});
  if (!changed) return dump({{"reason", changed.error().message}});
  const json* now = client.get(uri);
  const json shown = now ? at(*now, "LocationIndicatorActive") : json();
  if (!shown.is_boolean()) return dump({{"reason", "it does not say what the light shows"}});
  return dump(
      {{"shown", shown}, {"reason", shown == on ? "" : "it says that nothing has changed"}});
}

}  // namespace

RedfishPlugin::RedfishPlugin(sd_event* loop, sdk::Host& host, const std::string& socket,
                             Options options)
    : host_(host),
      options_(std::move(options)),
      plugin_(loop,
              {"redfish",
               {"ereport.ipmi.*", "sysevent.ipmi.*"},
               {"refresh", "set_led"},
               {"hc://chassis=" + hardware::system_id(host) + "/bay=redfish-", "redfish://"}},
              socket),
      inventory_(plugin_),
      watcher_(sdk::Watcher::Clock::of(loop), {options_.interval, {}, sdk::kNeverCalm, 0, true},
               {[this](bool asked) { look(asked); },
                [this] { return std::string(stuck_ ? kHangs : ""); }}),
      listener_(host, options_,
                [this] {
                  heard_ = true;
                  if (!busy_) hasten();
                }),
      folder_(options_.folder),
      parts_(options_.state_file) {
  if (auto known = parts_.load(); !known)
    sdk::log(LOG_WARNING, known.error().text() + ": starting without it");
  service_.parts = &parts_;
  service_.system = hardware::system_id(host);
  service_.bays = options_.bays;
  service_.failed_fan = &failed_fan_;
  if (const auto table = host.read("/sys/firmware/dmi/tables/DMI")) {
    const hardware::Smbios smbios = hardware::parse_smbios(*table);
    service_.dimms = hardware::DimmNames(smbios.modules);
    service_.processors = smbios.processors;
  }
  if (folder_.empty())
    if (const char* given = getenv("RUNTIME_DIRECTORY")) folder_ = given;
  if (folder_.empty()) {
    std::string made = (std::filesystem::temp_directory_path() / "fmd-redfish-XXXXXX").string();
    if (mkdtemp(made.data())) folder_ = made;
    own_folder_ = !folder_.empty();
  }
  Client::announce_end(session_file(), false);
  plugin_.on_connected([this](const std::string& cursor) { connected(cursor); });
  plugin_.on_command([this](const sdk::CommandRequest& request, const sdk::Plugin::Reply& reply) {
    command(request, reply);
  });
}

// Blocks briefly: a session left open counts against the service's low limit.
RedfishPlugin::~RedfishPlugin() {
  listener_.stop();
  if (!options_.service.empty()) {
    Options hasty = options_;
    hasty.request = std::min(hasty.request, kGoodbye);
    Client::announce_end(session_file(), true);
    Client::wait_until_free(session_file(), kGoodbye);
    Client(hasty, {}, session_file()).end_session();
  }
  std::error_code ignored;
  if (own_folder_) std::filesystem::remove_all(folder_, ignored);
}

void RedfishPlugin::connected(const std::string& cursor) {
  if (!std::exchange(started_, true)) log_.restore(cursor);
  watcher_.connected();
  publish();
}

void RedfishPlugin::run(std::function<std::string()> work, milliseconds deadline,
                        std::function<void(const sdk::CommandOutput&)> done) {
  busy_ = true;
  auto late = std::make_shared<bool>(false);
  auto said = std::make_shared<std::optional<sdk::CommandOutput>>();
  host_.run_apart(
      std::move(work), deadline,
      [this, late, said, done](const sdk::CommandOutput& output) {
        if (output.end != sdk::CommandOutput::End::deadline) {
          *said = output;
          return;
        }
        *late = stuck_ = true;
        done(output);
        if (watcher_.looking()) watcher_.over(kHangs);  // the poll waited for an order
      },
      [this, late, said, done] {
        busy_ = stuck_ = false;
        if (!*late && *said) done(**said);
        carry_out();
        if (busy_) return;
        if (watcher_.looking()) return crawl();
        hasten();
      });
}

// An event arrived: polls sooner, but not immediately after the last poll, and with growing delays
// while events bring no changes.
void RedfishPlugin::hasten() {
  if (!std::exchange(heard_, false) || failures_ > 0 || looks_ == 0) return;
  const auto pace = std::min<milliseconds>(
      options_.interval, options_.confirm * (1LL << std::min<size_t>(in_vain_, 10)));
  const auto wait = std::max(milliseconds(0),
                             std::chrono::ceil<milliseconds>(looked_ + pace - steady_clock::now()));
  hastened_ |= watcher_.hint(wait);
}

// While an order uses the child, its end calls crawl().
void RedfishPlugin::look(bool asked) {
  if (options_.service.empty()) {
    plugin_.send_status("not-observed", "redfish.toml names no service");
    return watcher_.over("redfish.toml names no service");
  }
  const auto left = std::chrono::ceil<milliseconds>(refused_until_ - steady_clock::now());
  if (!asked && left > milliseconds(0)) return watcher_.over(service_.reason, left);
  if (!busy_) crawl();
}

void RedfishPlugin::crawl() {
  run([options = options_, known = documents_,
       session = session_file()] { return crawl_all(options, known, session); },
      options_.deadline + options_.request + kBetweenTwo,
      [this](const sdk::CommandOutput& output) { looked(output); });
}

void RedfishPlugin::looked(const sdk::CommandOutput& output) {
  json report = json::parse(output.out, nullptr, false);
  if (!output.ok() || !report.is_object())
    return not_answered(output.end == sdk::CommandOutput::End::deadline
                            ? "it did not answer in time"
                            : output.explain("the look at " + options_.service),
                        false);
  const bool lost = truth(report, "lost"),
             root = !at(report, "documents").empty() || !at(report, "same").empty();
  if (lost || !root) return not_answered(text(report, "trouble"), truth(report, "refused"));
  failures_ = 0;
  service_.state = "observed";
  service_.reason.clear();
  take(std::move(report));
}

// A refused password is not retried soon: that would lock the account.
void RedfishPlugin::not_answered(const std::string& why, bool refused) {
  service_.reason = why.empty() ? "it did not answer" : why;
  if (++failures_ >= kSilentAfter || refused) {
    if (service_.state != "silent")
      sdk::log(LOG_WARNING, options_.service + " is silent: " + service_.reason);
    service_.state = "silent";
    plugin_.send_status("degraded", options_.service + ": " + service_.reason);
    looks_ = 0;
    service_.now = std::chrono::steady_clock::now();
    Told told = describe(service_, documents_);
    last_ = confirmed_ = std::move(told.resources);
    readings_ = json::array();
    publish();
  }
  const auto factor =
      1LL << std::min<size_t>(failures_ > kSilentAfter ? failures_ - kSilentAfter : 0, 20);
  const auto wait = refused ? options_.at_most
                    : failures_ < kSilentAfter
                        ? options_.confirm
                        : std::min<milliseconds>(options_.interval * factor, options_.at_most);
  if (refused) refused_until_ = steady_clock::now() + wait;
  watcher_.over(service_.reason, wait);
}

void RedfishPlugin::take(json report) {
  Documents now;
  Budget budget;
  for (const json& uri : at(report, "same"))
    if (const auto before = documents_.find(uri.get<std::string>()); before != documents_.end())
      now[before->first] = before->second;
  for (auto& [uri, doc] : report["documents"].items())
    now[uri] = {std::move(doc["body"]), text(doc, "etag"), doc.value("bytes", size_t{0}),
                doc.value("values", size_t{0})};
  const bool whole = truth(report, "whole");
  for (const auto& [uri, doc] : now) budget.take(doc.bytes, doc.values);
  // Documents that could not be read this time are kept: a slow service is not a machine without
  // fans. They count toward the limits, against a service that returns new documents each time.
  if (!whole)
    for (const auto& [uri, doc] : documents_) {
      if (now.size() >= 2 * Crawl::kMostDocuments) break;
      if (!now.contains(uri) && budget.take(doc.bytes, doc.values)) now.emplace(uri, doc);
    }
  documents_ = std::move(now);
  service_.streamed = listener_.listening();
  service_.now = std::chrono::steady_clock::now();
  Told told = describe(service_, documents_);
  std::string limit = text(report, "limit");
  if (limit.empty() && told.too_many)
    limit =
        fmt::format("more than {} parts are described; the rest is not shown", Told::kMostParts);
  plugin_.send_status(limit.empty() ? "ok" : "degraded",
                      limit.empty() ? "" : options_.service + ": " + limit);
  std::set<std::string> pages;
  for (const json& uri : at(report, "logs")) pages.insert(uri.get<std::string>());
  const bool first = log_.first_look();
  if (plugin_.unacked_events() < kEventsAtMost)
    for (sdk::OutEvent& event : log_.take(documents_, pages, whole, service_, told, now_ns()))
      events_.push_back(std::move(event));
  readings_ = told.readings;
  drives_ = told.drive_of;
  ++looks_;
  const bool news = confirm(std::move(told)) || (!first && !events_.empty());
  const bool hastened = std::exchange(hastened_, false);
  if (hastened) in_vain_ = news ? 0 : in_vain_ + 1;
  publish();
  looked_ = steady_clock::now();
  // The event may precede the change in the documents.
  const bool soon = news || (hastened && in_vain_ == 1);
  watcher_.over("",
                soon ? std::optional(std::min(options_.confirm, options_.interval)) : std::nullopt);
  if (const std::string events = text(report, "events"); whole || !events.empty())
    listener_.offered(events, session_file());
}

// Accepts what two consecutive polls have shown. True: something is new, so poll again soon.
bool RedfishPlugin::confirm(Told told) {
  bool news = false;
  Resources agreed;
  for (const auto& [fmri, one] : told.resources) {
    const auto before = last_.find(fmri);
    const auto so_far = confirmed_.find(fmri);
    if (before != last_.end() && before->second == one)
      agreed[fmri] = one;
    else if (so_far != confirmed_.end())
      agreed[fmri] = so_far->second;
    news = news || before == last_.end() || before->second != one;
  }
  // An LED needs no second reading: its state does not flap.
  for (auto& [fmri, one] : agreed)
    if (told.drive_of.contains(fmri) && told.resources[fmri]["properties"].contains("led.locate"))
      one["properties"]["led.locate"] = told.resources[fmri]["properties"]["led.locate"];
  for (const auto& [fmri, one] : confirmed_)  // absent in one poll only
    if (!told.resources.contains(fmri) && last_.contains(fmri)) {
      agreed[fmri] = one;
      news = true;
    }
  last_ = std::move(told.resources);
  confirmed_ = std::move(agreed);
  return news;
}

// Inventory first: rules read a part's properties when its events arrive.
void RedfishPlugin::publish() {
  if (!started_) return;
  if (looks_ >= 2 || service_.state == "silent") {
    const bool complete = watcher_.complete_due() && looks_ >= 2 && plugin_.connected();
    inventory_.send(confirmed_, complete);
    parts_.save();
    if (complete) watcher_.complete_sent();
    json readings = json::array();
    const int64_t now = now_ns();
    for (json one : readings_)
      if (confirmed_.contains(one["resource"].get<std::string>())) {
        one["time"] = now;
        readings.push_back(std::move(one));
      }
    if (!readings.empty()) plugin_.send_readings(std::move(readings));
  }
  if (!events_.empty()) plugin_.send_events(std::exchange(events_, {}), log_.cursor());
}

void RedfishPlugin::command(const sdk::CommandRequest& request, const sdk::Plugin::Reply& reply) {
  if (request.name == "refresh")
    return watcher_.refresh([reply](const std::string& trouble) {
      reply({trouble.empty() ? "done" : "failed", trouble, json::object()});
    });
  const json indication = request.args.value("indication", json()),
             on = request.args.value("on", json());
  if (!drives_.contains(request.resource))
    return reply({"failed", "Redfish knows no light of " + request.resource, json::object()});
  if (indication != "locate" || !on.is_boolean())
    return reply({"refused", "Redfish has a locate light only: on or off", json::object()});
  orders_.push_back({request.resource, on.get<bool>(), reply});
  carry_out();
}

void RedfishPlugin::carry_out() {
  if (busy_ || orders_.empty()) return;
  const Order order = orders_.front();
  orders_.erase(orders_.begin());
  const std::string uri = drives_[order.bay];
  run([options = options_, session = session_file(), uri,
       on = order.on] { return switch_light(options, session, uri, on); },
      4 * options_.request + kBetweenTwo,
      [this, order, uri](const sdk::CommandOutput& output) { carried_out(order, uri, output); });
}

void RedfishPlugin::carried_out(const Order& order, const std::string& uri,
                                const sdk::CommandOutput& output) {
  const json said = json::parse(output.out, nullptr, false);
  const std::string reason = !said.is_object() ? output.explain("the order") : text(said, "reason");
  if (const json& shown = said.is_object() ? at(said, "shown") : json(); shown.is_boolean()) {
    for (Resources* where : {&last_, &confirmed_})
      if (const auto bay = where->find(order.bay); bay != where->end())
        bay->second["properties"]["led.locate"] = shown.get<bool>() ? "on" : "off";
    documents_.erase(uri);  // its ETag is outdated
    publish();
  }
  order.reply({reason.empty() ? "done" : "failed", reason, json::object()});
}

}  // namespace fmd::redfish
