#include "ui/cli/advice_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "fmd/base/text.h"
#include "ui/cli/advised_action.h"
#include "ui/cli/case_text.h"
#include "ui/cli/layout.h"

namespace fmd::cli {
namespace {

constexpr size_t kShortId = 8;
constexpr size_t kSeverity = 10;  // width of the severity before a headline

size_t screen() {
  return std::min<size_t>(width(), 80);
}

int rank_of_needs(const std::string& needs) {
  return needs == "you" ? 2 : needs == "fmd" ? 1 : 0;
}

std::string severity_cell(const AdvisedCase& one) {
  const std::string word = clean(severity_word(one.c));
  return pad(painted(word, tone_of_severity(word)), kSeverity);
}

// head, the text wrapped beside it, and id at the end of the first line.
std::string with_id(const std::string& head, size_t indent, const std::string& text,
                    const std::string& id) {
  const size_t room = screen() - columns(id) - 2;
  const std::string body = wrapped(head, text, indent, room);
  const size_t end = body.find('\n');
  return pad(body.substr(0, end), screen() - columns(id)) + painted(id, Tone::faint) +
         body.substr(end);
}

std::string problem_line(const AdvisedCase& one) {
  const std::string note = one.c.acknowledged ? " (acknowledged)" : "";
  return with_id("  " + severity_cell(one), kSeverity + 2, clean_prose(one.advice.headline) + note,
                 short_id(one.c.uuid));
}

std::string lines_field(std::string_view name, const std::vector<std::string>& lines) {
  std::string out;
  for (size_t i = 0; i < lines.size(); ++i)
    out += wrapped(i == 0 ? pad(name, 12) + ": " : std::string(14, ' '), clean_prose(lines[i]), 14);
  return out;
}

// The device name of a disk that is not there any more may be another disk's.
bool has_left(const Suspect& s, const Inventory& inventory) {
  const Resource* fru = inventory.find(s.fru);
  return fru && !fru->present;
}

std::string part_fields(const Case& c, const Inventory& inventory) {
  std::string out;
  std::set<std::string> seen;
  for (const Suspect& s : c.suspects) {
    std::string words;
    const auto add = [&words](const std::string& text) {
      if (!text.empty()) words += (words.empty() ? "" : ", ") + clean(text);
    };
    add(s.location);
    if (!s.serial.empty()) add("serial " + s.serial);
    add(s.model);
    if (s.part_number != s.model) add(s.part_number);
    if (!has_left(s, inventory)) add(s.device_path);
    if (c.suspects.size() > 1) words += fmt::format(" ({} %)", s.certainty);
    if (s.status != SuspectStatus::faulty) words += " " + std::string(status_name(s.status));
    if (!words.empty() && seen.insert(words).second)
      out += field(seen.size() == 1 ? "Part" : "or", words);
  }
  return out;
}

std::string host_field(const Surroundings& around) {
  std::string words;
  const auto add = [&words](std::string_view name, const std::string& text) {
    if (!text.empty() && text != "-")
      words += fmt::format("{}{}{}", words.empty() ? "" : ", ", name, clean(text));
  };
  add("", around.host);
  add("", around.platform);
  add("chassis ", around.chassis_id);
  add("serial ", around.product_sn);
  return words.empty() ? "" : field("Host", words);
}

}  // namespace

std::string short_id(std::string_view uuid) {
  return clean(uuid.substr(0, kShortId));
}

std::string safety_sentence(const ui::Advice& advice) {
  if (advice.safe_to_pull != "yes" && advice.safe_to_pull != "no") return {};
  const std::string why = advice.why_safe.empty() ? "" : " (" + clean_prose(advice.why_safe) + ")";
  return "Safe to pull: " + advice.safe_to_pull + why + ".";
}

// "Do not pull it yet" and "safe to pull: no" are one sentence.
std::string order_and_safety(const ui::Advice& advice) {
  std::string text = clean_prose(advice.do_now);
  const std::string safe = safety_sentence(advice);
  if (safe.empty()) return text;
  if (advice.safe_to_pull != "no" || !text.starts_with("Do not pull"))
    return text + (text.empty() ? "" : " ") + safe;
  if (text.ends_with('.')) text.pop_back();
  return text + (advice.why_safe.empty() ? "" : " (" + clean_prose(advice.why_safe) + ")") + '.';
}

bool is_more_urgent(const AdvisedCase& a, const AdvisedCase& b) {
  const int needs = rank_of_needs(a.advice.needs) - rank_of_needs(b.advice.needs);
  if (needs != 0) return needs > 0;
  const int severity = severity_rank(a.c.severity) - severity_rank(b.c.severity);
  if (severity != 0) return severity > 0;
  // The person is still at the machine, and must not pull the other disk first.
  const bool wrong = is_wrong_disk(a.c.fault_class);
  if (wrong != is_wrong_disk(b.c.fault_class)) return wrong;
  return std::tie(a.c.opened_ns, a.advice.headline) < std::tie(b.c.opened_ns, b.advice.headline);
}

void sort_by_urgency(std::vector<AdvisedCase>& cases,
                     const std::vector<std::vector<std::string>>& pull_disks) {
  std::stable_sort(cases.begin(), cases.end(), is_more_urgent);
  for (const std::vector<std::string>& disks : pull_disks) {
    const auto rank = [&](const AdvisedCase& one) {
      size_t first = disks.size();
      for (const Suspect& s : one.c.suspects)
        first =
            std::min<size_t>(first, std::find(disks.begin(), disks.end(), s.fru) - disks.begin());
      return first;
    };
    std::vector<size_t> places;
    std::vector<AdvisedCase> ordered;
    for (size_t i = 0; i < cases.size(); ++i)
      if (cases[i].advice.needs == "you" && rank(cases[i]) < disks.size()) {
        places.push_back(i);
        ordered.push_back(std::move(cases[i]));
      }
    std::stable_sort(ordered.begin(), ordered.end(),
                     [&](const AdvisedCase& a, const AdvisedCase& b) { return rank(a) < rank(b); });
    for (size_t i = 0; i < places.size(); ++i) cases[places[i]] = std::move(ordered[i]);
  }
}

std::string problem_lines(const std::vector<AdvisedCase>& cases, size_t most) {
  std::string out;
  const auto add = [&out](const std::string& text) {
    if (!text.empty())
      out += wrapped(std::string(kSeverity + 2, ' '), text, kSeverity + 2, screen());
  };
  for (const AdvisedCase& one : cases) {
    out += problem_line(one);
    if (cases.size() > most) continue;
    std::string text = order_and_safety(one.advice);
    if (!one.advice.light.empty()) text += " " + clean_prose(one.advice.light);
    add(text);
  }
  // A long list omits the orders, except one that all cases share.
  const bool same = std::all_of(cases.begin(), cases.end(), [&](const AdvisedCase& one) {
    return one.advice.do_now == cases.front().advice.do_now;
  });
  if (same && cases.size() > most) add(clean_prose(cases.front().advice.do_now));
  return out;
}

std::string advice_text(const AdvisedCase& advised, const Surroundings& around) {
  const auto& [c, advice] = advised;
  std::string out = with_id("", 2, painted(clean_prose(advice.headline), Tone::strong),
                            clean(severity_word(c)) + " " + short_id(c.uuid));
  if (!advice.do_now.empty())
    out += wrapped("  ", painted(clean_prose(advice.do_now), Tone::strong), 2);
  for (size_t i = 0; i < advice.steps.size(); ++i)
    out += wrapped(fmt::format("  {}. ", i + 1), clean_prose(advice.steps[i]), 5);
  out += '\n';
  out += safe_to_pull_field(advice);
  if (!advice.redundancy.empty()) out += field("Redundancy", clean_prose(advice.redundancy));
  out += field("State", advice.needs_words());
  out += lines_field("Done", advice.done) + lines_field("Next", advice.next);
  out += acknowledged_field(c);
  out += '\n' + part_fields(c, around.inventory) + host_field(around);
  if (!c.description.empty()) out += field("Description", clean_prose(c.description));
  if (!c.impact.empty()) out += field("Impact", clean_prose(c.impact));
  out += lines_field("Disagree?", advice.disagree);
  const std::string explain =
      c.code.empty() ? "" : fmt::format(" (fmadm explain {})", clean(c.code));
  out += field("Message", (c.code.empty() ? "none" : clean(c.code)) + explain);
  out += field("Case", clean(c.uuid) + ", since " + format_time_fma(c.opened_ns));
  return out;
}

}  // namespace fmd::cli
