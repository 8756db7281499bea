#include "sums.h"

#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/json.h"

namespace fmd::score {
namespace {

void print_head(const char* first) {
  fmt::print("{:<27} {:>5} {:>9} {:>6} {:>6} {:>8} {:>6} {:>8} {:>7} {:>4} {:>8} {:>7} {:>7}\n",
             first, "plays", "located %", "end%", "class%", "in time%", "done %", "retired*",
             "spares*", "lit*", "messages", "median", "p99 s");
}

void print_row(const std::string& name, const Sum& s) {
  fmt::print(
      "{:<27} {:>5} {:>9.1f} {:>6.1f} {:>6.1f} {:>8.1f} {:>6} {:>8} {:>7} {:>4} {:>8.1f} {:>7.1f} "
      "{:>7.1f}\n",
      name, s.plays, s.percent(s.localised), s.percent(s.in_the_end), s.percent(s.right_class),
      s.percent(s.in_time), s.musts ? fmt::format("{:.1f}", s.percent_done()) : "-", s.retired,
      s.spares, s.lit, s.messages_each(), s.seconds(0.5), s.seconds(0.99));
}

nlohmann::json to_json(const Sum& s) {
  return {{"plays", s.plays},
          {"localised_percent", s.percent(s.localised)},
          {"named_in_the_end_percent", s.percent(s.in_the_end)},
          {"right_class_percent", s.percent(s.right_class)},
          {"in_time_percent", s.percent(s.in_time)},
          {"must_be_done", s.musts},
          {"done_percent", s.percent_done()},
          {"wrongly_retired", s.retired},
          {"spares_wasted", s.spares},
          {"lit_in_vain", s.lit},
          {"messages_per_incident", s.messages_each()},
          {"seconds_to_case", {{"median", s.seconds(0.5)}, {"p99", s.seconds(0.99)}}}};
}

}  // namespace

void Sum::add(const Mark& m) {
  ++plays;
  localised += m.localised;
  in_the_end += m.named_in_the_end;
  right_class += m.right_class;
  in_time += m.in_time;
  musts += m.musts;
  done += m.done;
  retired += m.wrongly_retired;
  spares += m.spares_wasted;
  lit += m.lit_in_vain;
  messages += m.messages;
  incidents += m.incidents;
  if (m.to_case_ns) times_.push_back(*m.to_case_ns);
}

double Sum::messages_each() const {
  return static_cast<double>(messages) / std::max(1, incidents);
}

double Sum::seconds(double quantile) const {
  if (times_.empty()) return 0;
  std::vector<int64_t> sorted = times_;
  std::sort(sorted.begin(), sorted.end());
  const auto at = static_cast<size_t>(quantile * static_cast<double>(sorted.size() - 1));
  return static_cast<double>(sorted[at]) / kSec;
}

void Sums::add(const Scenario& scenario, const Result& result) {
  if (families_.empty() || families_.back().name != scenario.family)
    families_.push_back({scenario.family, {}});
  for (const size_t judge : judges_) {
    families_.back().by[judge].add(result.marks[judge]);
    all_[judge].add(result.marks[judge]);
  }
  if (scenario.wrong.empty()) limited_.add(result.marks[0]);
  other_ += result.other;
}

void Sums::print_judges() const {
  fmt::print("{:<28}", "\nlocated %, retired*");
  for (const size_t judge : judges_) fmt::print(" {:>20}", kJudgeNames[judge]);
  fmt::print("\n");
  for (const Family& family : families_) {
    fmt::print("{:<27}", family.name);
    for (const size_t judge : judges_) {
      const Sum& s = family.by[judge];
      fmt::print(" {:>11.1f} {:>8}", s.percent(s.localised), s.retired + s.spares);
    }
    fmt::print("\n");
  }
}

void Sums::print_known() const {
  const int known = own().plays - limited_.plays;
  if (known == 0) return;
  fmt::print(
      "\n{} plays are of scenarios that are known to go wrong. Without them: located {:.1f} %, "
      "class {:.1f} %,\nin time {:.1f} %, done {:.1f} %, {} wrongly retired, {} spares wasted.\n",
      known, limited_.percent(limited_.localised), limited_.percent(limited_.right_class),
      limited_.percent(limited_.in_time), limited_.percent_done(), limited_.retired,
      limited_.spares);
}

void Sums::print(bool lossy) const {
  print_head("fmd");
  for (const Family& family : families_) print_row(family.name, family.by[0]);
  fmt::print("\n");
  print_head("all families");
  for (const size_t judge : judges_) print_row(kJudgeNames[judge], all_[judge]);
  fmt::print(
      "\n* wrongly retired, spares wasted, lights lit at the wrong bay. End: located in the "
      "end,\nwithout accusations that were withdrawn. In time: named by when the "
      "scenario wants\nit; done: what it says must be done, by when. Messages for each incident; "
      "seconds from the first sign to\nthe case.\n");
  print_known();
  if (judges_.size() > 1) print_judges();
  if (lossy)
    fmt::print("\nOther verdicts than with all events: {} of {}, {:.1f} %\n", other_, own().plays,
               own().percent(other_));
}

nlohmann::json Sums::json(bool lossy) const {
  nlohmann::json doc;
  for (const size_t judge : judges_) {
    nlohmann::json& one = doc[kJudgeNames[judge]];
    one["all"] = to_json(all_[judge]);
    for (const Family& family : families_) one["families"][family.name] = to_json(family.by[judge]);
  }
  if (lossy) doc["other_verdicts_percent"] = own().percent(other_);
  return doc;
}

}  // namespace fmd::score
