#include "fmd/notify/message.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "fmd/base/duration.h"
#include "fmd/base/text.h"
#include "fmd/model/fmri.h"
#include "fmd/notify/case_document.h"
#include "fmd/notify/case_event.h"
#include "fmd/notify/wrap.h"

namespace fmd {
namespace {

constexpr size_t kTimelineShown = 40;

std::string pool_of(const Suspect& suspect, const Inventory& inventory) {
  auto parsed = Fmri::parse(suspect.resource);
  if (!parsed || parsed->scheme != "zfs") return {};
  const Resource* pool = inventory.find(make_fmri("zfs", {{"pool", parsed->get("pool")}}));
  if (pool) return pool->get("name");
  const Resource* vdev = inventory.find(suspect.resource);
  return vdev ? vdev->get("pool") : std::string();
}

std::string headline(const Case& c) {
  if (!c.title.empty()) return display(c.title);
  return c.suspects.empty() ? "a fault" : display(c.suspects.front().fault_class);
}

std::string subject_word(const Case& c, CaseEvent event) {
  switch (event) {
    case CaseEvent::diagnosed:
      return display(c.severity);
    case CaseEvent::updated:
      return display(c.severity) + " (updated)";
    case CaseEvent::repaired:
      return "Repaired";
    case CaseEvent::resolved:
      break;
  }
  return c.merged_into.empty() ? "Resolved" : "Merged";
}

std::string subject_of(const Case& c, CaseEvent event, const MessageContext& context) {
  std::string out = fmt::format("[fmd] {}: {} {}: {}", display(context.host, 64),
                                subject_word(c, event), display(c.code), headline(c));
  if (c.suspects.empty()) return out;
  const Suspect& suspect = c.suspects.front();
  std::string part;
  if (!suspect.location.empty()) part += " bay " + display(suspect.location, 40);
  if (!suspect.serial.empty()) part += " serial " + display(suspect.serial, 60);
  if (!part.empty()) out += "," + part;
  if (c.suspects.size() > 1) out += fmt::format(" or {} more", c.suspects.size() - 1);
  const std::string pool = pool_of(suspect, context.inventory);
  if (!pool.empty()) out += fmt::format(" (pool {})", display(pool, 60));
  return out;
}

// Builds the body section by section.
class Body {
 public:
  void line(std::string_view text, size_t indent = 0) { out_ += wrap(text, indent); }
  void blank() { out_ += "\n"; }
  void section(std::string_view title, std::string_view text) {
    if (text.empty()) return;
    heading(title);
    std::string flowing(text);  // a rule file's text may be written over several lines
    std::replace(flowing.begin(), flowing.end(), '\n', ' ');
    out_ += wrap(display(flowing, 4000), 2);
  }
  void heading(std::string_view title) {
    blank();
    line(title);
  }
  void field(std::string_view name, std::string_view value) {
    if (!value.empty()) out_ += wrap(display(value), 14, fmt::format("  {}", name));
  }
  void items(const std::vector<std::string>& sentences) {  // each made for display already
    for (const std::string& sentence : sentences) out_ += wrap(sentence, 4, "  -");
  }
  void command(std::string_view text) { out_ += fmt::format("  {}\n", text); }
  void entry(const TimelineEntry& e) {
    out_ += wrap(display(e.text, 1000), 19, fmt::format("  {}", format_time_fma(e.time_ns)));
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

void write_suspect(Body& body, const Case& c, const Suspect& s, const Inventory& inventory) {
  body.heading(c.suspects.size() > 1 ? fmt::format("Which part, {} % sure", s.certainty)
                                     : "Which part");
  const Resource* fru = s.fru.empty() ? nullptr : inventory.find(s.fru);
  const std::string now = fru && fru->present ? fru->get("path") : std::string();
  body.field("Bay", s.location);
  body.field("Serial", s.serial);
  body.field("Model", s.model);
  body.field("Part number", s.part_number);
  body.field("Device", s.device_path);
  if (!now.empty() && now != s.device_path) body.field("Device now", now);
  const std::string pool = pool_of(s, inventory);
  body.field("Pool", pool);
  if (s.fru_path != s.resource) body.field("FRU", s.fru_path);
  body.field("Affects", s.asru.empty() ? s.resource : s.asru);
  body.field("Fault class", s.fault_class);
  if (s.status != SuspectStatus::faulty) body.field("Status", status_name(s.status));
}

// What rules about properties have seen; events are for fmdump.
void write_observations(Body& body, const Case& c) {
  if (c.observations.empty()) return;
  body.heading("What was seen");
  for (const Observation& o : c.observations) body.entry({o.time_ns, "", o.text()});
}

void write_timeline(Body& body, const Case& c) {
  std::vector<const TimelineEntry*> shown;
  for (const TimelineEntry& e : c.timeline)
    if (e.kind != "notify") shown.push_back(&e);
  if (shown.empty()) return;
  body.heading("What fmd did");
  const size_t skipped = shown.size() > kTimelineShown ? shown.size() - kTimelineShown : 0;
  if (skipped > 0) body.line(fmt::format("({} earlier entries: fmadm faulty -v -u)", skipped), 2);
  for (size_t i = skipped; i < shown.size(); ++i) body.entry(*shown[i]);
}

// How it ended: how long it was open, and what ZFS says of the resilver that put it right.
void write_ending(Body& body, const Case& c, bool resolved, const Inventory& inventory) {
  const int64_t start = c.solved_ns > 0 ? c.solved_ns : c.opened_ns;
  const int64_t end = resolved && c.resolved_ns > 0 ? c.resolved_ns : c.updated_ns;
  body.heading(resolved ? "How it ended" : "Where it stands");
  body.field(resolved ? "Open for" : "Open so far", spoken_duration(end - start));
  body.field("From", format_time_fma(start));
  body.field("To", format_time_fma(end));
  for (const Suspect& s : c.suspects) {
    auto parsed = Fmri::parse(s.resource);
    if (!parsed || parsed->scheme != "zfs") continue;
    const Resource* pool = inventory.find(make_fmri("zfs", {{"pool", parsed->get("pool")}}));
    if (!pool) continue;
    body.field("Resilver", pool->get("last_scan_text"));
    body.field("Pool health", pool->get("health"));
    break;
  }
}

std::string first_sentence(const Case& c, CaseEvent event, const MessageContext& context) {
  const std::string what = headline(c);
  const std::string host = display(context.host, 64);
  switch (event) {
    case CaseEvent::diagnosed:
      return fmt::format("{}: fmd found a fault on {}.", what, host);
    case CaseEvent::updated:
      return fmt::format("{}: there is news about a fault on {}.", what, host);
    case CaseEvent::repaired:
      return fmt::format("{}: repaired on {}; the part is not back in full service yet.", what,
                         host);
    case CaseEvent::resolved:
      break;
  }
  if (!c.merged_into.empty())
    return fmt::format("{}: this case on {} goes on as case {}, which is about the same part.",
                       what, host, display(c.merged_into));
  return fmt::format("{}: the fault on {} is put right. Nothing is left to do.", what, host);
}

void write_news(Body& body, const Tidings& tidings, CaseEvent event) {
  if (tidings.whats_new.empty()) return;
  body.heading(event == CaseEvent::updated ? "What is new" : "What had come up before that");
  body.items(tidings.whats_new);
}

void write_response(Body& body, const Case& c, const Tidings& tidings) {
  body.section("What fmd does about it", c.response);
  if (tidings.not_done.empty()) return;
  if (c.response.empty()) body.heading("What fmd does about it");
  body.line("As things stand, not all of this is done:", 2);
  body.items(tidings.not_done);
}

std::string body_of(const Case& c, CaseEvent event, const Tidings& tidings,
                    const MessageContext& context) {
  Body body;
  const bool over = event == CaseEvent::repaired || event == CaseEvent::resolved;
  const bool merged = event == CaseEvent::resolved && !c.merged_into.empty();
  body.line(first_sentence(c, event, context));
  write_news(body, tidings, event);
  body.blank();
  body.field("Host", context.host);
  body.field("Severity", c.severity);
  body.field("Message", c.code);
  body.field("Case", c.uuid);
  if (merged) body.field("Goes on as", c.merged_into);
  if (over && !merged) write_ending(body, c, event == CaseEvent::resolved, context.inventory);
  body.section("What happened", c.description);
  if (!over) write_observations(body, c);
  for (const Suspect& s : c.suspects) write_suspect(body, c, s, context.inventory);
  if (!over) body.section("What it means", c.impact);
  if (!over) write_response(body, c, tidings);
  write_timeline(body, c);
  if (!over) body.section("What to do", c.action);
  body.blank();
  body.line("More:");
  body.command(fmt::format("fmadm faulty {}-u {}",
                           event == CaseEvent::resolved && !merged ? "-a " : "",
                           display(merged ? c.merged_into : c.uuid)));
  return body.take();
}

}  // namespace

OutboxMessage compose_message(const Case& c, const Tidings& tidings,
                              const MessageContext& context) {
  const CaseEvent event = parse_case_event(tidings.news.event).value_or(CaseEvent::updated);
  OutboxMessage message;
  message.host = context.host;
  message.subject = subject_of(c, event, context);
  message.body = body_of(c, event, tidings, context);
  message.case_json = case_document(c, context.inventory)
                          .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return message;
}

std::string spoken_duration(int64_t ns) {
  const int64_t seconds = std::max<int64_t>(ns, 0) / kSecondNs;
  const int64_t days = seconds / 86400, hours = seconds / 3600 % 24, minutes = seconds / 60 % 60;
  if (days > 0) return fmt::format("{} day{} {} h", days, days == 1 ? "" : "s", hours);
  if (hours > 0) return fmt::format("{} h {} min", hours, minutes);
  if (minutes > 0) return fmt::format("{} min {} s", minutes, seconds % 60);
  return fmt::format("{} s", seconds);
}

}  // namespace fmd
