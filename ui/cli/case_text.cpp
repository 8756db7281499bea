#include "ui/cli/case_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "fmd/base/counted.h"
#include "fmd/base/text.h"
#include "fmd/model/fmri.h"
#include "fmd/model/only_copy.h"
#include "fmd/model/scan_noun.h"
#include "ui/cli/action_text.h"
#include "ui/cli/advised_action.h"
#include "ui/cli/case_state.h"
#include "ui/cli/layout.h"

namespace fmd::cli {
namespace {

std::string row(std::string_view time, std::string_view id, std::string_view code,
                std::string_view severity) {
  return trimmed(pad(time, 15) + ' ' + pad(id, 37) + ' ' + pad(code, 14) + ' ' + pad(severity, 9)) +
         '\n';
}

std::string or_dash(std::string_view text) {
  return text.empty() ? "-" : clean(text);
}

// "Name        : first line", and further lines indented below it.
std::string block(std::string_view name, const std::vector<std::string>& lines) {
  std::string out;
  for (size_t i = 0; i < lines.size(); ++i)
    out += (i == 0 ? pad(name, 12) + ": " : std::string(14, ' ')) + lines[i] + '\n';
  return out;
}

std::string status_line(std::string_view words) {
  return std::string(18, ' ') + std::string(words) + '\n';
}

std::string host_block(const Surroundings& around) {
  std::string out = "Host        : " + around.host + '\n';
  const bool platform = around.platform != "-", chassis = around.chassis_id != "-";
  if (platform) out += "Platform    : " + around.platform + (chassis ? "\t" : "\n");
  if (chassis) out += "Chassis_id  : " + around.chassis_id + '\n';
  if (around.product_sn != "-") out += "Product_sn  : " + around.product_sn + '\n';
  return out;
}

std::string class_block(const Case& c) {
  std::map<std::string, int> certainty;  // class → total percentage
  std::vector<std::string> order;
  for (const Suspect& s : c.suspects) {
    if (!certainty.contains(s.fault_class)) order.push_back(s.fault_class);
    certainty[s.fault_class] += s.certainty;
  }
  std::vector<std::string> lines;
  for (const std::string& name : order)
    lines.push_back(clean(name) +
                    (order.size() > 1 ? fmt::format(" {}%", std::min(certainty[name], 100)) : ""));
  return block("Fault class", lines);
}

std::string affects_block(const Case& c, const Inventory& inventory) {
  std::string out;
  std::set<std::string> seen;
  for (const Suspect& s : c.suspects) {
    const std::string& what = s.asru.empty() ? s.resource : s.asru;
    if (what.empty() || !seen.insert(what).second) continue;
    out += (out.empty() ? "Affects     : " : std::string(14, ' ')) + clean(fmri_words(what)) + '\n';
    out += status_line(asru_words(s, inventory));
  }
  return out;
}

std::string fru_block(const Case& c, const Inventory& inventory) {
  std::string out;
  std::set<std::string> seen;
  for (const Suspect& s : c.suspects) {
    const std::string words = fru_words(s);
    if (words.empty() || !seen.insert(words).second) continue;
    // Label and path share a line if both fit.
    const size_t path = words.find("\" (") == std::string::npos ? 0 : words.rfind("\" (") + 2;
    if (columns(words) + 14 > width() && path > 0)
      out += block("FRU", {words.substr(0, path - 1), words.substr(path)});
    else
      out += block("FRU", {words});
    out += status_line(fru_status_words(s, inventory));
    for (const auto& [name, value] : {std::pair{"Serial", &s.serial},
                                      {"Model", &s.model},
                                      {"Part number", &s.part_number},
                                      {"Device", &s.device_path}})
      if (!value->empty() && (value != &s.part_number || s.part_number != s.model))
        out += block(name, {clean(*value)});
  }
  return out;
}

// The progress of the replacement and the spare, from the inventory.
std::vector<std::string> progress_lines(const Case& c, const Inventory& inventory) {
  std::vector<std::string> lines;
  std::set<std::string> seen;
  for (const Suspect& s : c.suspects) {
    const Resource* asru = inventory.find(s.asru);
    if (!asru || !seen.insert(s.asru).second) continue;
    const Resource* pool = pool_of(inventory, s.asru);
    const std::string filling(filling_word(s.asru));
    const std::string scan =
        pool && pool->is("scan", "resilver") ? ": " + scan_of(*pool).progress() : "";
    if (const std::string by = asru->get("replacing"); !by.empty())
      lines.push_back((spare_taking_over(inventory, *asru) ? "spare in " : "replacement in ") +
                      part_words(inventory, by) + " " + filling + scan);
    const std::string spare = asru->get("spare"), by = asru->get("spare_by");
    const std::string what = "spare" + (by.empty() ? "" : " in " + part_words(inventory, by));
    if (spare == "resilvering") lines.push_back(what + " " + filling + scan);
    if (spare == "active") lines.push_back(what + " in use, holds all the data");
  }
  return lines;
}

std::string evidence_counts(const Case& c) {
  std::string out;
  const auto add = [&](uint64_t count, std::string_view what) {
    if (count == 0) return;
    out += (out.empty() ? "" : ", ") + counted(count, what);
  };
  add(c.evidence_count, "event");
  add(c.observations.size(), "observation");
  return out.empty() ? "none recorded" : out;
}

// The evidence from at to before end, all of one class.
std::string evidence_line(const EvidenceList& all, size_t at, size_t end) {
  const std::string first = format_time_fma(all[at].time_ns), name = clean(all[at].event_class);
  if (end == at + 1) return first + "  " + name;
  return fmt::format("{} × {} from {} to {}", end - at, name, first,
                     format_time_fma(all[end - 1].time_ns));
}

// Events, and the values that rules about properties have met.
std::string evidence_text(const Case& c) {
  std::string out = "\nEvidence    : " + evidence_counts(c) + '\n';
  for (size_t at = 0; at < c.evidence.size();) {
    // Only the first and last entries are known; those between are counted.
    const size_t middle = c.evidence.size() / 2;
    const bool gap = at == middle && at > 0 && c.evidence.size() < c.evidence_count;
    if (gap) out += fmt::format("              ({} more)\n", c.evidence_count - c.evidence.size());
    size_t end = at + 1;
    while (end < c.evidence.size() && c.evidence[end].event_class == c.evidence[at].event_class &&
           (end != middle || c.evidence.size() == c.evidence_count))
      ++end;
    out += std::string(14, ' ') + evidence_line(c.evidence, at, end) + '\n';
    at = end;
  }
  for (const Observation& o : c.observations)
    out += wrapped(std::string(14, ' ') + format_time_fma(o.time_ns) + "  ", o.text(), 31);
  return out;
}

std::string timeline_text(const Case& c) {
  std::string out = "\nTimeline    :\n";
  for (size_t at = 0; at < c.timeline.size();) {
    const TimelineEntry& entry = c.timeline[at];
    size_t end = at + 1;
    while (end < c.timeline.size() && c.timeline[end].kind == entry.kind &&
           c.timeline[end].text == entry.text)
      ++end;
    const std::string again = end == at + 1
                                  ? ""
                                  : fmt::format(" ({} times, last {})", end - at,
                                                format_time_fma(c.timeline[end - 1].time_ns));
    out += wrapped("  " + format_time_fma(entry.time_ns) + "  " + pad(clean(entry.kind), 12) + " ",
                   clean_prose(entry.text) + again, 32);
    at = end;
  }
  return out;
}

}  // namespace

std::string case_header() {
  const std::string dashes =
      "--------------- ------------------------------------  -------------- ---------\n";
  return dashes + row("TIME", "EVENT-ID", "MSG-ID", "SEVERITY") + dashes;
}

std::string case_row(const Case& c) {
  const std::string severity(severity_word(c));
  const Tone tone = c.open() ? tone_of_severity(severity) : Tone::plain;
  const std::string since = format_time_fma(c.solved_ns > 0 ? c.solved_ns : c.opened_ns);
  // Without a verdict it has no message.
  if (c.code.empty() && c.severity.empty())
    return row(since, clean(c.uuid), case_state_word(c), "");
  return row(since, clean(c.uuid), or_dash(c.code), painted(or_dash(severity), tone));
}

std::string case_title(const Case& c, const Inventory& inventory, bool with_state) {
  std::string text = clean_prose(c.title);
  if (text.empty()) text = clean_prose(c.description);
  if (!c.suspects.empty()) {
    const Suspect& s = c.suspects.front();
    const std::string& part = !s.fru.empty() ? s.fru : !s.asru.empty() ? s.asru : s.resource;
    if (!part.empty()) text = part_words(inventory, part) + (text.empty() ? "" : ": " + text);
  }
  if (with_state) text = std::string(case_state_word(c)) + (text.empty() ? "" : "; " + text);
  return text.empty() ? "" : wrapped(std::string(16, ' '), text, 16, width());
}

std::string asru_words(const Suspect& suspect, const Inventory& inventory) {
  const Resource* asru = inventory.find(suspect.asru.empty() ? suspect.resource : suspect.asru);
  const std::string service = asru ? asru->get("service") : "";
  if (suspect.status != SuspectStatus::faulty) {
    const std::string status(status_name(suspect.status));
    if (!asru || !asru->present) return status + ", not present";
    if (service == "out-of-service" || service == "removed")
      return status + ", still out of service";
    if (service == "degraded") return status + ", still degraded";
    return status + " and in service";
  }
  if (asru && !asru->present) return "faulted, not present";
  if (service == "out-of-service") return "faulted and taken out of service";
  if (service == "degraded") return "degraded but still in service";
  if (service == "removed") return "faulted and removed";
  if (service == "unknown") return "faulted, service state unknown";
  return "faulted but still in service";
}

std::string fru_words(const Suspect& suspect) {
  const std::string path = clean(suspect.fru_path.empty() ? suspect.fru : suspect.fru_path);
  if (suspect.location.empty()) return path;
  const std::string label = "\"" + clean(suspect.location) + "\"";
  return path.empty() ? label : label + " (" + path + ")";
}

std::string acknowledged_field(const Case& c) {
  if (!c.acknowledged) return {};
  const std::string since =
      c.evidence_count > c.acknowledged_count
          ? fmt::format("; {} more events since then", c.evidence_count - c.acknowledged_count)
          : "";
  // The timeline also has the comment: "acknowledged by root: ordered one".
  std::string said = "by " + or_dash(c.acknowledged_by);
  for (const TimelineEntry& entry : c.timeline)
    if (const size_t by = entry.text.find("by ");
        entry.kind == "acknowledged" && by != entry.text.npos)
      said = clean_prose(entry.text.substr(by)) + " (" + format_time_fma(entry.time_ns) + ")";
  return field("Acknowledged", said + since);
}

std::string case_history(const Case& c) {
  return evidence_text(c) + timeline_text(c);
}

std::string fru_status_words(const Suspect& suspect, const Inventory& inventory) {
  const Resource* fru = inventory.find(suspect.fru);
  const std::string status(status_name(suspect.status));
  return fru && !fru->present ? status + ", not present" : status;
}

std::string case_text(const Case& c, const Surroundings& around, bool verbose,
                      const ui::Advice* advice) {
  std::string out = case_header() + case_row(c) + '\n' + host_block(around) + '\n';
  out += class_block(c) + affects_block(c, around.inventory) + fru_block(c, around.inventory);
  out += field("State", case_state_text(c, around.inventory));
  if (c.resolved_ns > 0) out += block("Resolved", {format_time_fma(c.resolved_ns)});
  for (const std::string& line : progress_lines(c, around.inventory))
    out += field("Progress", line);
  out += action_fields(c, around.inventory, verbose) + acknowledged_field(c) + '\n';
  for (const auto& [name, text] :
       {std::pair{"Description", &c.description}, {"Response", &c.response}, {"Impact", &c.impact}})
    if (!text->empty()) out += field(name, clean_prose(*text));
  out += action_field(c, advice);
  if (verbose) out += case_history(c);
  return out;
}

namespace {

using Lines = std::vector<std::pair<std::string, std::vector<std::string>>>;  // part → its cases

void add_line(Lines& lines, const std::string& part, const std::string& line) {
  auto it =
      std::find_if(lines.begin(), lines.end(), [&](const auto& l) { return l.first == part; });
  if (it == lines.end()) it = lines.insert(lines.end(), {part, {}});
  if (std::find(it->second.begin(), it->second.end(), line) == it->second.end())
    it->second.push_back(line);
}

std::string grouped(const Lines& lines) {
  std::string out;
  for (const auto& [part, cases] : lines) {
    out += (out.empty() ? "" : "\n") + part + '\n';
    for (const std::string& line : cases) out += line;
  }
  return out;
}

std::string case_line(const Case& c, const Suspect& s, const std::string& status) {
  return fmt::format("    {}\n    {}  {} {} {}%\n", status, clean(c.uuid), pad(or_dash(c.code), 14),
                     pad(or_dash(std::string(severity_word(c))), 8), s.certainty);
}

}  // namespace

std::string cases_by_resource(const std::vector<Case>& cases, const Surroundings& around) {
  Lines lines;
  for (const Case& c : cases)
    for (const Suspect& s : c.suspects)
      add_line(lines, or_dash(fmri_words(s.asru.empty() ? s.resource : s.asru)),
               case_line(c, s, asru_words(s, around.inventory)));
  return grouped(lines);
}

std::string cases_by_fru(const std::vector<Case>& cases, const Surroundings& around) {
  Lines lines;
  for (const Case& c : cases)
    for (const Suspect& s : c.suspects)
      add_line(lines, fru_words(s).empty() ? "-" : fru_words(s),
               case_line(c, s, fru_status_words(s, around.inventory)));
  return grouped(lines);
}

}  // namespace fmd::cli
