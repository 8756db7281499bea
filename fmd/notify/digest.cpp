#include "fmd/notify/digest.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "fmd/base/counted.h"
#include "fmd/base/json.h"
#include "fmd/base/json_members.h"
#include "fmd/base/json_value.h"
#include "fmd/base/text.h"
#include "fmd/model/case.h"
#include "fmd/notify/body.h"
#include "fmd/notify/explain_link.h"
#include "fmd/notify/happening.h"

namespace fmd {
namespace {

constexpr size_t kPartsShown = 10;   // per fault
constexpr size_t kManyTogether = 3;  // new ones in one place: possibly a common cause
constexpr size_t kFaultsShown = 10;
constexpr size_t kHappeningsShown = 30;

using Items = std::vector<const DigestItem*>;

// The value that all items have in common, or "".
template <class Member>
std::string shared(const Items& items, Member member) {
  const std::string& first = items.front()->*member;
  const bool all = std::all_of(items.begin(), items.end(),
                               [&](const DigestItem* item) { return item->*member == first; });
  return all ? first : std::string();
}

// The last item of each case.
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

bool is_over(const DigestItem& item) {
  return item.event == "resolved" || item.event == "repaired";
}

bool is_merged(const DigestItem& item) {
  return item.event == "merged";
}

std::vector<DigestItem> as_they_are_now(const std::vector<DigestItem>& items,
                                        const DigestNow& as_now) {
  std::vector<DigestItem> out;
  for (const DigestItem* then : newest(items)) {
    std::optional<DigestItem> now;
    if (as_now.item && !is_happening(then)) now = as_now.item(*then);
    out.push_back(now ? std::move(*now) : *then);
  }
  return out;
}

// The items of open cases.
std::vector<DigestItem> open_ones(const std::vector<DigestItem>& items) {
  std::vector<DigestItem> out;
  for (const DigestItem& item : items)
    if (!is_happening(&item) && !is_over(item) && !is_merged(item)) out.push_back(item);
  return out;
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

struct GroupStyle {
  bool with_orders = true;
  std::string_view explain_url = {};
};

void write_group(Body& body, std::string_view title, const Items& items, const GroupStyle& style) {
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
    if (const std::string link = explain_link(style.explain_url, of_fault.front()->code);
        !link.empty())
      body.line("About it: " + link, 4);
    for (size_t j = 0; j < of_fault.size() && j < kPartsShown; ++j) {
      const DigestItem& item = *of_fault[j];
      body.item(fmt::format("{}, {}, case {}", item.part, item.severity, item.uuid), 6, "    -");
      if (style.with_orders && !item.do_now.empty()) body.line(item.do_now, 6);
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

// The one case that is graver than all others; nullptr: several are.
const DigestItem* the_gravest(const Items& items) {
  const std::string worst = gravest(items);
  const auto is_worst = [&](const DigestItem* item) { return item->severity == worst; };
  if (std::count_if(items.begin(), items.end(), is_worst) != 1) return nullptr;
  return *std::find_if(items.begin(), items.end(), is_worst);
}

// Counts parts, since a disk may be in several cases.
size_t parts_of(const Items& items) {
  std::set<std::string> parts;
  for (const DigestItem* item : items) parts.insert(item->part.empty() ? item->uuid : item->part);
  return parts.size();
}

// Number of parts in new cases; the others have had individual messages.
size_t newly_found(const Items& items) {
  Items fresh;
  for (const DigestItem* item : items)
    if (item->event == "diagnosed") fresh.push_back(item);
  return parts_of(fresh);
}

// For happenings only.
DigestText compose_happenings(const Items& items, const std::string& host) {
  const std::string place = common_place(items), shown_host = display(host, 64);
  const std::string many =
      fmt::format("{} events{}{}", items.size(), place.empty() ? "" : ", all in ", place);
  DigestText text;
  text.severity = gravest(items);
  text.subject = fmt::format("[fmd] {}: {}", shown_host, many);
  Body body;
  body.line(fmt::format("{} on {}, combined in one message, since {}.", many, shown_host,
                        format_time_fma(items.front()->time_ns)));
  write_happenings(body, items);
  body.heading("More:");
  body.command("fmadm notify events");
  BodyText written = body.take();
  text.body = std::move(written.plain);
  text.sections = std::move(written.sections);
  return text;
}

// The content of subject and first line: open cases, or if there are none, closed ones.
struct Found {
  std::string many;   // "3 faulty parts"
  std::string place;  // "pool tank": common to all; otherwise ""
  std::string order;  // what to do, common to all; otherwise ""
  bool one = false, together = false;
};

Found found_in(const Items& open, const Items& over, const Items& merged) {
  const Items& main = !open.empty() ? open : !over.empty() ? over : merged;
  Found out;
  out.place = common_place(main);
  out.one = main.size() == 1;
  const std::string of_one = fmt::format("{}: {}", main.front()->part, main.front()->title);
  const size_t parts = parts_of(main);
  if (open.empty())
    out.many = fmt::format("{} {}", counted(main.size(), over.empty() ? "case" : "fault"),
                           over.empty() ? "merged" : "resolved");
  else if (parts == 1)
    out.many =
        out.one ? of_one : fmt::format("{}: {}", main.front()->part, counted(main.size(), "fault"));
  else if (const DigestItem* worst = the_gravest(open))
    out.many = fmt::format("{}: {}, and {}", worst->part, worst->title,
                           counted(parts - 1, "more faulty part"));
  else
    out.many = counted(parts, "faulty part");
  if (!open.empty()) out.order = shared(open, &DigestItem::do_now);
  out.together = !out.place.empty() && newly_found(open) >= kManyTogether;
  return out;
}

std::string first_line(const Found& found, const Items& open, const std::string& host) {
  if (open.empty() || found.one) return fmt::format("{} on {}.", found.many, host);
  if (found.together)
    return fmt::format(
        "{} on {}, all in {}. Before you replace one of them look at what they share: cable, "
        "expander, controller, power.",
        found.many, host, found.place);
  if (!found.place.empty())
    return fmt::format("{} on {}, all in {}. 'fmadm faulty' says what to do for each.", found.many,
                       host, found.place);
  return fmt::format(
      "{} on {}, not all in one pool or chassis. Begin with what is Critical: 'fmadm faulty' says "
      "what to do for each.",
      found.many, host);
}

}  // namespace

bool is_urgent(const DigestItem& item) {
  return item.severity == "Critical" && !is_over(item) && !is_merged(item);
}

DigestText compose_digest(const std::vector<DigestItem>& all, const std::string& host,
                          const DigestNow& as_now) {
  const std::vector<DigestItem> current = as_they_are_now(all, as_now);
  Items open, over, merged, happenings;
  for (const DigestItem& item : current)
    (is_happening(&item) ? happenings
     : is_over(item)     ? over
     : is_merged(item)   ? merged
                         : open)
        .push_back(&item);
  if (open.empty() && over.empty() && merged.empty()) return compose_happenings(happenings, host);
  const Items& main = !open.empty() ? open : !over.empty() ? over : merged;
  const std::string shown_host = display(host, 64);
  DigestText text;
  text.severity = gravest(main);
  const Found found = found_in(open, over, merged);
  text.subject =
      fmt::format("[fmd] {}: {}{}{}", shown_host, open.empty() ? "" : text.severity + ": ",
                  found.many, found.place.empty() ? "" : ", all in " + found.place);
  Body body;
  if (!found.order.empty()) body.lead(found.order);
  body.line(first_line(found, open, shown_host));
  if (all.size() > 1)
    body.line(fmt::format("It combines {} messages since {}; each part is shown as it is now.",
                          all.size(), format_time_fma(all.front().time_ns)));
  if (as_now.pull_orders)
    for (const std::string& order : as_now.pull_orders(open_ones(current))) body.line(order);
  const bool with_orders = found.order.empty() && !found.together;
  write_group(body, "Faulty", open, {with_orders, as_now.explain_url});
  write_group(body, "Repaired", over, {true, as_now.explain_url});
  write_group(body, "Part of another case", merged, {true, as_now.explain_url});
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
  members.end();
}

DigestItem digest_item_from_json(const nlohmann::json& doc) {
  return {json_text(doc, "uuid"),    json_text(doc, "event"), json_text(doc, "severity"),
          json_text(doc, "code"),    json_text(doc, "title"), json_text(doc, "part"),
          json_text(doc, "chassis"), json_text(doc, "pool"),  json_int(doc, "time"),
          json_text(doc, "do_now")};
}

}  // namespace fmd
