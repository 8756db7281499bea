#include "fmd/notify/digest.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "fmd/base/counted.h"
#include "fmd/base/json.h"
#include "fmd/base/json_members.h"
#include "fmd/base/json_value.h"
#include "fmd/base/text.h"
#include "fmd/model/case.h"
#include "fmd/notify/body.h"
#include "fmd/notify/happening.h"

namespace fmd {
namespace {

constexpr size_t kPartsShown = 10;   // of a fault
constexpr size_t kManyTogether = 3;  // new ones of one place: they may have a cause in common
constexpr size_t kFaultsShown = 10;
constexpr size_t kHappeningsShown = 30;

using Items = std::vector<const DigestItem*>;

// What all have in common, "" nothing.
template <class Member>
std::string shared(const Items& items, Member member) {
  const std::string& first = items.front()->*member;
  const bool all = std::all_of(items.begin(), items.end(),
                               [&](const DigestItem* item) { return item->*member == first; });
  return all ? first : std::string();
}

// The last word on each case.
Items newest(const std::vector<DigestItem>& items) {
  Items out;
  std::map<std::string, size_t> at;
  for (const DigestItem& item : items) {
    const auto [known, fresh] = at.emplace(item.uuid, out.size());
    if (fresh)
      out.push_back(&item);
    else
      out[known->second] = &item;
  }
  return out;
}

bool is_happening(const DigestItem* item) {
  return parse_happening(item->event).has_value();
}

bool is_over(const DigestItem* item) {
  return item->event == "resolved" || item->event == "repaired";
}

std::string common_place(const Items& items) {
  if (items.size() < 2) return {};
  if (const std::string pool = shared(items, &DigestItem::pool); !pool.empty())
    return "pool " + pool;
  if (const std::string box = shared(items, &DigestItem::chassis); !box.empty())
    return "chassis " + box;
  return {};
}

void write_happenings(Body& body, const Items& items) {
  if (items.empty()) return;
  body.heading("Other events");
  for (size_t i = 0; i < items.size() && i < kHappeningsShown; ++i)
    body.item(fmt::format("{}, event {}", items[i]->title, items[i]->uuid));
  if (items.size() > kHappeningsShown)
    body.item(fmt::format("and {} more", items.size() - kHappeningsShown));
}

// Pools with several disks of which each is safe to pull, but perhaps not one after the other.
void write_pull_order(Body& body, const Items& open) {
  std::map<std::string, int> pullable;
  for (const DigestItem* item : open)
    if (item->pullable && !item->pool.empty()) ++pullable[item->pool];
  for (const auto& [pool, disks] : pullable)
    if (disks > 1)
      body.line(
          fmt::format("Pull one disk of {} at a time: after the first, another may no longer be "
                      "safe to pull. 'fmadm' names the one to begin with.",
                      pool));
}

void write_group(Body& body, std::string_view title, const Items& items, bool with_orders) {
  if (items.empty()) return;
  body.heading(title);
  std::map<std::string, Items> faults;
  for (const DigestItem* item : items)
    faults[item->title + (item->code.empty() ? "" : " (" + item->code + ")")].push_back(item);
  std::vector<std::pair<std::string, Items>> sorted(faults.begin(), faults.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
  for (size_t i = 0; i < sorted.size() && i < kFaultsShown; ++i) {
    const auto& [fault, of_fault] = sorted[i];
    body.line(fmt::format("{}: {}", fault, counted(of_fault.size(), "case")), 2);
    for (size_t j = 0; j < of_fault.size() && j < kPartsShown; ++j) {
      const DigestItem& item = *of_fault[j];
      body.item(fmt::format("{}, {}, case {}", item.part, item.severity, item.uuid), 6, "    -");
      if (with_orders && !item.do_now.empty()) body.line(item.do_now, 6);
    }
    if (of_fault.size() > kPartsShown)
      body.item(fmt::format("and {} more", of_fault.size() - kPartsShown), 6, "    -");
  }
  if (sorted.size() > kFaultsShown)
    body.line(fmt::format("and {} more kinds of faults", sorted.size() - kFaultsShown), 2);
}

std::string gravest(const Items& items) {
  std::string out = "Minor";
  for (const DigestItem* item : items)
    if (severity_rank(item->severity) > severity_rank(out)) out = item->severity;
  return out;
}

// Counts the new ones; the others have had a message of their own.
size_t newly_found(const Items& items) {
  return static_cast<size_t>(std::count_if(items.begin(), items.end(), [](const DigestItem* item) {
    return item->event == "diagnosed";
  }));
}

// Events, none of which is about a case.
DigestText compose_happenings(const Items& items, const std::string& host) {
  const std::string place = common_place(items), shown_host = display(host, 64);
  const std::string many =
      fmt::format("{} events{}{}", items.size(), place.empty() ? "" : ", all in ", place);
  DigestText text;
  text.severity = gravest(items);
  text.subject = fmt::format("[fmd] {}: {}", shown_host, many);
  Body body;
  body.line(
      fmt::format("{} on {}. They came at nearly the same time, so this one message tells of "
                  "all.",
                  many, shown_host));
  write_happenings(body, items);
  body.heading("More:");
  body.command("fmadm notify events");
  BodyText written = body.take();
  text.body = std::move(written.plain);
  text.sections = std::move(written.sections);
  return text;
}

}  // namespace

DigestText compose_digest(const std::vector<DigestItem>& all, const std::string& host) {
  const Items items = newest(all);
  Items open, over, happenings;
  for (const DigestItem* item : items)
    (is_happening(item) ? happenings : is_over(item) ? over : open).push_back(item);
  if (open.empty() && over.empty()) return compose_happenings(items, host);
  const Items& main = open.empty() ? over : open;
  const std::string place = common_place(main);
  const std::string shown_host = display(host, 64);
  DigestText text;
  text.severity = gravest(main);
  const bool one = main.size() == 1;
  const std::string many = open.empty() ? counted(main.size(), "fault") + " resolved"
                           : one ? fmt::format("{}: {}", open.front()->part, open.front()->title)
                                 : counted(main.size(), "faulty part");
  text.subject =
      fmt::format("[fmd] {}: {}{}{}", shown_host, open.empty() ? "" : text.severity + ": ", many,
                  place.empty() ? "" : ", all in " + place);
  const bool together = !place.empty() && newly_found(open) >= kManyTogether;
  Body body;
  const std::string order = open.empty() ? "" : shared(open, &DigestItem::do_now);
  if (!order.empty()) body.lead(order);
  if (open.empty())
    body.line(fmt::format("{} on {} {} resolved.", counted(over.size(), "fault"), shown_host,
                          one ? "is" : "are"));
  else if (one)
    body.line(fmt::format("{} on {}.", many, shown_host));
  else if (together)
    body.line(
        fmt::format("{} on {}, all in {}. Before you replace one of them look at what they share: "
                    "cable, expander, controller, power.",
                    many, shown_host, place));
  else if (!place.empty())
    body.line(fmt::format("{} on {}, all in {}. 'fmadm faulty' tells of each what to do.", many,
                          shown_host, place));
  else
    body.line(
        fmt::format("{} on {}, not all in one pool or chassis. Begin with what is Critical: "
                    "'fmadm faulty' tells of each what to do.",
                    many, shown_host));
  body.line("They came at nearly the same time, so this one message tells of all.");
  write_pull_order(body, open);
  write_group(body, "Faulty", open, order.empty() && !together);
  write_group(body, "Put right", over, false);
  write_happenings(body, happenings);
  body.heading("More:");
  body.command("fmadm faulty -s");
  BodyText written = body.take();
  text.body = std::move(written.plain);
  text.sections = std::move(written.sections);
  return text;
}

void append_json(const DigestItem& item, std::string& out) {
  JsonMembers members(out);
  members.add("uuid", item.uuid);
  members.add("event", item.event);
  members.add("severity", item.severity);
  members.add("code", item.code);
  members.add("title", item.title);
  members.add("part", item.part);
  members.add("pool", item.pool);
  members.add("chassis", item.chassis);
  members.add("time", item.time_ns);
  members.add("do_now", item.do_now);
  members.add("pullable", item.pullable);
  members.end();
}

DigestItem digest_item_from_json(const nlohmann::json& doc) {
  return {json_text(doc, "uuid"),    json_text(doc, "event"),   json_text(doc, "severity"),
          json_text(doc, "code"),    json_text(doc, "title"),   json_text(doc, "part"),
          json_text(doc, "chassis"), json_text(doc, "pool"),    json_int(doc, "time"),
          json_text(doc, "do_now"),  json_bool(doc, "pullable")};
}

}  // namespace fmd
