#include "fmd/notify/message.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "fmd/advice/declared_repaired.h"
#include "fmd/advice/leftover.h"
#include "fmd/advice/old_disk.h"
#include "fmd/advice/part_names.h"
#include "fmd/advice/root_commands.h"
#include "fmd/advice/rule_text.h"
#include "fmd/advice/say.h"
#include "fmd/advice/say_names.h"
#include "fmd/advice/say_orders.h"
#include "fmd/base/counted.h"
#include "fmd/base/duration.h"
#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/base/text.h"
#include "fmd/diagnosis/suspect_text.h"
#include "fmd/model/fmri.h"
#include "fmd/model/part_name.h"
#include "fmd/notify/body.h"
#include "fmd/notify/case_document.h"
#include "fmd/notify/case_event.h"
#include "fmd/notify/explain_link.h"
#include "fmd/notify/phrases.h"
#include "fmd/notify/preferences.h"
#include "fmd/notify/told.h"

namespace fmd {
namespace {

constexpr size_t kTimelineShown = 40;
constexpr size_t kLongestSubject = 160;

// Replaces FMRIs in a text by the names that people know.
using PartNamer = std::function<std::string(const std::string&)>;

// The suspect's pool or md array, or the suspect itself.
struct Group {
  std::string_view kind;  // "pool", "array"; "": neither
  const Resource* resource = nullptr;
  std::string name;
};

Group group_of(const Suspect& suspect, const Inventory& inventory) {
  auto parsed = Fmri::parse(suspect.resource);
  if (!parsed || (parsed->scheme != "zfs" && parsed->scheme != "md")) return {};
  const bool md = parsed->scheme == "md";
  const char* key = md ? "uuid" : "pool";
  Group out{md ? "array" : "pool",
            inventory.find(make_fmri(parsed->scheme, {{key, parsed->get(key)}})),
            {}};
  const Resource* part = inventory.find(suspect.resource);
  if (out.resource)
    out.name = out.resource->get("name");
  else if (part)
    out.name = part->get("pool");
  return out;
}

std::string headline(const Case& c) {
  if (!c.title.empty()) return display(c.title);
  return c.suspects.empty() ? "a fault" : display(c.suspects.front().fault_class);
}

// None of its parts was at fault.
bool is_withdrawn(const Case& c) {
  return !c.suspects.empty() &&
         std::all_of(c.suspects.begin(), c.suspects.end(),
                     [](const Suspect& s) { return s.status == SuspectStatus::acquitted; });
}

std::string subject_word(const Case& c, CaseEvent event) {
  switch (event) {
    case CaseEvent::diagnosed:
      return display(c.severity);
    case CaseEvent::updated:
      return display(c.severity) + " (updated)";
    case CaseEvent::reminder:
      return display(c.severity) + " (still open)";
    case CaseEvent::repaired:
      return is_withdrawn(c) ? "Withdrawn" : "Repaired";
    case CaseEvent::resolved:
      break;
  }
  if (!c.merged_into.empty()) return "Merged";
  return is_withdrawn(c) ? "Withdrawn" : "Resolved";
}

// Converts a sentence to a subject: "replace the disk in SLOT 06 (serial S)".
std::string as_subject(std::string sentence) {
  while (!sentence.empty() && sentence.back() == '.') sentence.pop_back();
  return display(as_clause(std::move(sentence)), kLongestSubject);
}

std::string subject_of(const Case& c, CaseEvent event, const Say& say, const std::string& host) {
  const std::string what =
      fmt::format("{} {}: {}", subject_word(c, event), display(c.code), say.headline);
  if (event == CaseEvent::repaired || event == CaseEvent::resolved)
    return fmt::format("[fmd] {}: {} ({}{})", display(host, 64), what,
                       c.merged_into.empty() ? "was: " : "", as_clause(headline(c)));
  return fmt::format("[fmd] {}: {} ({})", display(host, 64), as_subject(say.do_now), what);
}

void write_suspect(Body& body, const Case& c, const Suspect& s, const Inventory& inventory) {
  body.heading(c.suspects.size() > 1 ? fmt::format("Suspected part ({} %)", s.certainty)
                                     : "Affected part");
  const Resource* fru = s.fru.empty() ? nullptr : inventory.find(s.fru);
  const std::string now = fru && fru->present ? fru->get("path") : std::string();
  body.field("Bay", s.location);
  body.field("Serial", s.serial);
  body.field("Model", s.model);
  if (s.part_number != s.model) body.field("Part number", s.part_number);
  // The name of a disk that is gone may be another disk's by now.
  if (!fru || fru->present) body.field("Device", s.device_path);
  if (!now.empty() && now != s.device_path) body.field("Device now", now);
  const Group group = group_of(s, inventory);
  body.field(group.kind == "array" ? "Array" : "Pool", group.name);
  if (s.fru_path != s.resource) body.field("FRU", s.fru_path);
  body.field("Affects", fmri_words(s.asru.empty() ? s.resource : s.asru));
  body.field("Fault class", s.fault_class);
  if (s.status != SuspectStatus::faulty) body.field("Status", status_name(s.status));
}

// Lists the values that made property rules fire. Events are not listed: fmdump shows them.
void write_observations(Body& body, const Case& c, const Inventory& inventory) {
  if (c.observations.empty()) return;
  body.heading("Observations");
  const std::string& first = c.observations.front().resource;
  const bool of_several = std::any_of(c.observations.begin(), c.observations.end(),
                                      [&](const Observation& o) { return o.resource != first; });
  for (const Observation& o : c.observations)
    body.entry(o.time_ns,
               (of_several ? name_in_place(inventory, o.resource) + ": " : "") + o.text());
}

void write_timeline(Body& body, const Case& c, const PartNamer& named) {
  std::vector<const TimelineEntry*> shown;
  for (const TimelineEntry& e : c.timeline)
    if (e.kind != "notify") shown.push_back(&e);
  if (shown.empty()) return;
  body.heading("Timeline");
  const size_t skipped = shown.size() > kTimelineShown ? shown.size() - kTimelineShown : 0;
  if (skipped > 0) body.line(fmt::format("({} earlier entries: fmadm faulty -v -u)", skipped), 2);
  for (size_t i = skipped; i < shown.size(); ++i)
    body.entry(shown[i]->time_ns, named(shown[i]->text));
}

// How long the case was open, and the result of the resilver or rebuild as ZFS or md reports it.
void write_ending(Body& body, const Case& c, bool resolved, const Inventory& inventory) {
  const int64_t start = c.solved_ns > 0 ? c.solved_ns : c.opened_ns;
  const int64_t end = resolved && c.resolved_ns > 0 ? c.resolved_ns : c.updated_ns;
  body.heading(resolved ? "Outcome" : "Current state");
  body.field(resolved ? "Open for" : "Open so far", spoken_duration(end - start));
  body.field("From", format_time_fma(start));
  body.field("To", format_time_fma(end));
  for (const Suspect& s : c.suspects) {
    const Group group = group_of(s, inventory);
    if (!group.resource) continue;
    const bool array = group.kind == "array";
    body.field(array ? "Rebuild" : "Resilver", group.resource->get("last_scan_text"));
    body.field(array ? "Array health" : "Pool health", group.resource->get("health"));
    break;
  }
}

std::string what_is_left(const Case& c, const Inventory& inventory) {
  const std::string old_disk = old_disk_words(c, inventory);
  const std::string left = leftover_words(c, inventory);
  if (const std::string declared = declared_words(c, inventory); !declared.empty()) {
    const std::string test = test_words(c, inventory);
    return (left.empty() ? "" : left + ". ") + declared + (test.empty() ? "" : "; " + test) +
           ". If it fails again, a new case says so.";
  }
  if (left.empty()) return old_disk.empty() ? "Nothing is left to do." : old_disk;
  return (old_disk.empty() ? "" : old_disk + " ") + left + ".";
}

// It may take back an order to replace the part.
std::string withdrawal(const Case& c, CaseEvent event, const MessageContext& context) {
  const std::string part = suspects_words(context.inventory, c);
  const std::string by = explaining_case(c);
  std::string out = by.empty()
                        ? fmt::format("An administrator has declared {} not at fault (was: {}).",
                                      part, as_clause(headline(c)))
                        : fmt::format("Do not replace {} for this (was: {}): case {} explains it.",
                                      part, as_clause(headline(c)), by);
  if (event == CaseEvent::repaired)
    return out + fmt::format(" {} is not back in full service yet.", part);
  const std::string left = leftover_words(c, context.inventory);
  return left.empty() ? out : out + ' ' + left + '.';
}

std::string what_happened(const Case& c, CaseEvent event, const MessageContext& context) {
  const std::string what = headline(c);
  const std::string host = display(context.host, 64);
  switch (event) {
    case CaseEvent::diagnosed:
      return fmt::format("{}: fmd found a fault on {}.", what, host);
    case CaseEvent::updated:
      return fmt::format("{}: there is news about a fault on {}.", what, host);
    case CaseEvent::reminder:
      return fmt::format(
          "{}: this fault on {} is still open, and nobody has acknowledged it. "
          "'fmadm ack {}' ends these reminders.",
          what, host, display(c.uuid));
    case CaseEvent::repaired:
      if (is_withdrawn(c)) return withdrawal(c, event, context);
      return fmt::format(
          "The fault on {} is repaired (was: {}); the part is not back in full service yet.", host,
          as_clause(what));
    case CaseEvent::resolved:
      break;
  }
  if (!c.merged_into.empty())
    return fmt::format("{}: this case on {} goes on as case {}, which is about the same part.",
                       what, host, display(c.merged_into));
  if (is_withdrawn(c)) return withdrawal(c, event, context);
  return fmt::format("The fault on {} is resolved (was: {}). {}", host, as_clause(what),
                     what_is_left(c, context.inventory));
}

void write_news(Body& body, const Tidings& tidings, CaseEvent event, const PartNamer& named) {
  if (tidings.whats_new.empty()) return;
  const bool changes = event == CaseEvent::updated;  // else sentences about the message itself
  if (changes) body.heading("Changes");
  for (const std::string& sentence : tidings.whats_new)
    changes ? body.item(named(sentence)) : body.line(named(sentence));
}

// Writes steps, safety and redundancy, which belong to the action in the first line.
void write_advice(Body& body, const Say& say) {
  if (!say.steps.empty()) body.heading("Steps");
  for (size_t i = 0; i < say.steps.size(); ++i)
    body.item(say.steps[i], 5, fmt::format("  {}.", i + 1));
  if (say.safe_to_pull.answer != PullSafety::Answer::not_a_part || !say.redundancy.empty())
    body.blank();
  if (say.safe_to_pull.answer != PullSafety::Answer::not_a_part)
    body.field("Safe to pull",
               fmt::format("{} ({})", answer_name(say.safe_to_pull.answer), say.safe_to_pull.why));
  body.field("Redundancy", say.redundancy);
  for (const auto& [title, list] : {std::pair{"Actions taken", &say.done},
                                    {"Next", &say.next},
                                    {"If you disagree", &say.disagree}}) {
    if (list->empty()) continue;
    body.heading(title);
    body.items(*list);
  }
  if (const std::string as_root = root_words(say); !as_root.empty()) {
    body.blank();
    body.line(as_root);
  }
}

// Details, below a rule.
void write_particulars(Body& body, const Case& c, CaseEvent event, const MessageContext& context,
                       const PartNamer& named) {
  const bool over = event == CaseEvent::repaired || event == CaseEvent::resolved;
  const bool merged = event == CaseEvent::resolved && !c.merged_into.empty();
  body.rule();
  body.field("Host", context.host);
  body.field("Severity", c.severity);
  body.field("Message", c.code);
  body.field("Case", c.uuid);
  if (merged) body.field("Goes on as", c.merged_into);
  write_timeline(body, c, named);
  for (const Suspect& s : c.suspects) write_suspect(body, c, s, context.inventory);
  if (!over) write_observations(body, c, context.inventory);
  body.field("About it", explain_link(context.explain_url, c.code));
  body.heading("More:");
  body.command(fmt::format("fmadm explain {}", display(c.code)));
  body.command(fmt::format("fmadm faulty {}-u {}",
                           event == CaseEvent::resolved && !merged ? "-a " : "",
                           display(merged ? c.merged_into : c.uuid)));
}

std::set<std::string> frus_of(const Case& c) {
  std::set<std::string> out;
  for (const Suspect& s : c.suspects) out.insert(s.fru);
  return out;
}

BodyText body_of(const Case& c, CaseEvent event, const Tidings& tidings, const Say& say,
                 const MessageContext& context, const PartNamer& named) {
  Body body;
  const bool over = event == CaseEvent::repaired || event == CaseEvent::resolved;
  const bool merged = event == CaseEvent::resolved && !c.merged_into.empty();
  if (!over) body.lead(say.do_now);
  // Two mails may each call their disk safe to pull, although only one of them may be pulled.
  if (!over && context.pull_orders && say.safe_to_pull.yes())
    for (const std::string& order : context.pull_orders(frus_of(c))) body.line(order);
  body.line(what_happened(c, event, context));
  if (const std::string others = superseded_sentence(c);
      event != CaseEvent::updated && !others.empty())  // else it is among the changes
    body.line(others);
  if (!over && context.dry_run)
    body.line("Dry run is on: fmd only watches. It changes nothing and lights no LED.");
  write_news(body, tidings, event, named);
  if (!over) write_advice(body, say);
  if (over && !merged) write_ending(body, c, event == CaseEvent::resolved, context.inventory);
  body.section("Description", c.description);
  if (!over) body.section("Impact", c.impact);
  write_particulars(body, c, event, context, named);
  return body.take();
}

}  // namespace

OutboxMessage compose_message(const Case& c, const Tidings& tidings,
                              const MessageContext& context) {
  const CaseEvent event = parse_case_event(tidings.news.event).value_or(CaseEvent::updated);
  std::optional<PartIndex> own;
  const PartIndex& index = context.index ? *context.index : own.emplace(context.inventory);
  const SayWorld world = context.world(index);
  OutboxMessage message;
  message.host = context.host;
  const Say say = say_of(c, world);
  message.subject = subject_of(c, event, say, context.host);
  const CaseNames names(c, world);
  const PartNamer named = [&](const std::string& text) { return names.in(text); };
  BodyText body = body_of(c, event, tidings, say, context, named);
  message.body = std::move(body.plain);
  message.sections = std::move(body.sections);
  nlohmann::json document = case_document(c, world);
  if (std::string link = explain_link(context.explain_url, c.code); !link.empty())
    document["explain_url"] = std::move(link);
  message.case_json = dump_json(document);
  return message;
}

std::string spoken_duration(int64_t ns) {
  const int64_t seconds = std::max<int64_t>(ns, 0) / kSecondNs;
  const int64_t days = seconds / 86400, hours = seconds / 3600 % 24, minutes = seconds / 60 % 60;
  if (days > 0) return fmt::format("{} {} h", counted(days, "day"), hours);
  if (hours > 0) return fmt::format("{} h {} min", hours, minutes);
  if (minutes > 0) return fmt::format("{} min {} s", minutes, seconds % 60);
  return fmt::format("{} s", seconds);
}

}  // namespace fmd
