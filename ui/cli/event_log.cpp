#include "ui/cli/event_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <iterator>
#include <utility>

#include "fmd/base/json.h"
#include "fmd/base/text.h"
#include "ui/cli/about_part.h"
#include "ui/cli/commands.h"
#include "ui/cli/daemon.h"
#include "ui/cli/layout.h"
#include "ui/client/documents.h"

namespace fmd::cli {
namespace {

std::string member_text(const nlohmann::json& value) {
  if (value.is_string()) return clean(value.get_ref<const std::string&>());
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string event_head() {
  return "TIME                 CLASS\n";
}

std::string event_text(const nlohmann::json& event, int verbosity) {
  std::string out = format_time_fma(event.value("time", int64_t{0}));
  out = pad(out, 20) + ' ' + clean(event.value("class", ""));
  if (verbosity == 0) return out + '\n';
  out += fmt::format("\n    resource  {}\n    source    {}", clean(event.value("resource", "")),
                     clean(event.value("source", "")));
  if (const uint64_t ena = event.value("ena", uint64_t{0}))
    out += fmt::format("\n    ena       {:#018x}", ena);
  out += '\n';
  if (verbosity < 2) return out;
  out += fmt::format("    seq       {}\n    received  {}\n", event.value("seq", uint64_t{0}),
                     format_time_iso(event.value("received", int64_t{0})));
  if (const auto payload = event.find("payload"); payload != event.end() && payload->is_object())
    for (const auto& [name, value] : payload->items())
      out += fmt::format("    {} = {}\n", pad(clean(name), 24), member_text(value));
  return out + '\n';
}

nlohmann::json query_of(const DumpOptions& options, uint64_t after) {
  nlohmann::json query{{"after", after}};
  if (options.from_ns) query["from"] = *options.from_ns;
  if (options.to_ns) query["to"] = *options.to_ns;
  if (!options.class_glob.empty()) query["class"] = options.class_glob;
  if (!options.resource.empty()) query["resource"] = options.resource;
  if (!options.uuid.empty()) query["uuid"] = options.uuid;
  return query;
}

using EventSink = std::function<Result<void>(const nlohmann::json&)>;

// Fetches every event after `after` and up to `last` in pages; `after` becomes the last one seen.
// on_page: called for each answer, before its events.
Result<void> each_event(Client& client, const DumpOptions& options, uint64_t& after,
                        const EventSink& on_page, const EventSink& on_event,
                        uint64_t last = UINT64_MAX) {
  for (;;) {
    const auto page = client.query("ListEvents", query_of(options, after));
    if (!page) return tl::unexpected(page.error());
    if (auto done = on_page(*page); !done) return done;
    for (const nlohmann::json& event : page->at("events")) {
      if (event.value("seq", uint64_t{0}) > last) break;
      if (auto done = on_event(event); !done) return done;
    }
    const uint64_t next = page->value("next", after);
    const bool more = page->value("more", false) && next > after && next < last;
    after = std::max(after, next);
    if (!more) return {};
  }
}

// The newest options.max events up to `last`, oldest first. Reads backwards in ranges that double,
// since the log may have millions.
Result<std::deque<nlohmann::json>> newest_events(Client& client, const DumpOptions& options,
                                                 uint64_t last, const EventSink& on_page) {
  std::deque<nlohmann::json> newest;
  Result<void> trouble;  // in one part of the log; earlier parts may be readable
  uint64_t stretch = std::max<uint64_t>(options.max, 1000);
  do {
    const uint64_t before = last - std::min(last, stretch);
    std::deque<nlohmann::json> found;
    const auto keep = [&](const nlohmann::json& event) -> Result<void> {
      found.push_back(event);
      if (newest.size() + found.size() > options.max) found.pop_front();
      return {};
    };
    uint64_t after = before;
    if (auto done = each_event(client, options, after, on_page, keep, last); !done) {
      if (client.away()) return tl::unexpected(done.error());
      trouble = done;
    }
    newest.insert(newest.begin(), std::make_move_iterator(found.begin()),
                  std::make_move_iterator(found.end()));
    last = before;
    stretch *= 2;
  } while (last > 0 && newest.size() < options.max);
  if (!trouble && newest.empty()) return tl::unexpected(trouble.error());
  if (!trouble) fmt::print(stderr, "fmdump: {}\n", clean_prose(trouble.error().text()));
  return newest;
}

// said: the last message; the pages of a list may all report the same damage.
void say_damage(const nlohmann::json& page, std::string& said) {
  const auto damage = page.find("damage");
  if (damage == page.end()) return;
  const std::string text = clean_prose(member_text(*damage));
  if (text != said) fmt::print(stderr, "fmdump: {}\n", text);
  said = text;
}

// Reports a mistyped resource, which otherwise looks like one without events. A part that is no longer
// in the inventory may still have events.
Result<void> check_resource(Client& client, const DumpOptions& options) {
  if (options.resource.empty()) return {};
  const auto inventory = fetch_inventory(client);
  if (!inventory) return tl::unexpected(inventory.error());
  if (inventory->find(options.resource)) return {};
  std::string meant;
  for (const std::string& fmri : names_of_part(*inventory, options.resource))
    if (inventory->find(fmri)) meant += (meant.empty() ? "" : " or ") + clean(fmri);
  if (!meant.empty())
    return fail(fmt::format("-r needs an FMRI; {} is {}", clean(options.resource), meant));
  DumpOptions of_resource;
  of_resource.resource = options.resource;
  bool found = false;
  uint64_t after = 0;
  const auto page = [](const nlohmann::json&) { return Result<void>(); };
  const auto event = [&](const nlohmann::json&) -> Result<void> {
    found = true;
    return fail("");  // one is enough
  };
  if (auto all = each_event(client, of_resource, after, page, event); !all && !found) return all;
  if (found) return {};
  std::vector<std::string> known;
  for (const auto& [fmri, resource] : inventory->all()) known.push_back(fmri);
  const auto near = nearest(options.resource, known);
  return fail(fmt::format("nothing is known as {}, and no event is about it; {}",
                          clean(options.resource),
                          near ? "is " + clean(*near) + " meant?" : "fmtopo lists all parts"));
}

}  // namespace

Result<void> collect_events(Client& client, const DumpOptions& options,
                            std::vector<nlohmann::json>& events) {
  std::string said;
  const auto damage = [&](const nlohmann::json& page) -> Result<void> {
    say_damage(page, said);
    return {};
  };
  const auto keep = [&](const nlohmann::json& event) -> Result<void> {
    events.push_back(event);
    return {};
  };
  uint64_t after = 0;
  return each_event(client, options, after, damage, keep);
}

Result<void> dump_events(Client& client, const DumpOptions& options) {
  if (auto known = check_resource(client, options); !known) return known;
  // Subscribe before the first query, so that no event is missed in between.
  if (options.follow)
    if (auto done = client.subscribe(); !done) return done;
  bool headed = options.json;
  std::string said;
  auto head = [&](const nlohmann::json& page) -> Result<void> {
    say_damage(page, said);
    return std::exchange(headed, true) ? Result<void>{} : print(event_head());
  };
  auto show = [&](const nlohmann::json& event) {
    return print(options.json ? json_line(event) : event_text(event, options.verbosity));
  };
  uint64_t after = 0;
  if (options.max > 0) {
    const auto last = ui::fetch_last_seq(client);
    if (!last) return tl::unexpected(last.error());
    const auto newest = newest_events(client, options, *last, head);
    if (!newest) return tl::unexpected(newest.error());
    for (const nlohmann::json& event : *newest)
      if (auto shown = show(event); !shown) return shown;
    after = *last;
  } else if (auto all = each_event(client, options, after, head, show); !all) {
    return all;
  }
  while (options.follow) {
    auto news = client.wait(60000);
    if (!news) return tl::unexpected(news.error());
    if (news->signal != "EventsLogged") continue;
    if (auto done = each_event(client, options, after, head, show); !done) return done;
  }
  return {};
}

}  // namespace fmd::cli
