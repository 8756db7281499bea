#include "fmd/model/case.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "fmd/base/text.h"
#include "fmd/model/event_schema.h"

namespace fmd {
namespace {

constexpr std::array<std::string_view, 6> kStates{"UNSOLVED", "SOLVED",   "CLOSE_WAIT",
                                                  "CLOSED",   "REPAIRED", "RESOLVED"};
constexpr std::array<std::string_view, 5> kStatus{"faulty", "repaired", "replaced", "acquitted",
                                                  "merged"};

constexpr std::array<std::string_view, 5> kActions{"retire", "out-of-service", "spare", "replace",
                                                   "fault-led"};
constexpr std::array<std::string_view, 11> kActionStates{
    "planned",     "waiting", "running",   "done",     "refused", "failed",
    "resilvering", "lost",    "returning", "returned", "dry-run"};
constexpr std::array<std::string_view, 13> kObstacles{
    "",          "busy",   "no-spare",  "no-plugin", "not-accepted", "last-copy", "blast-radius",
    "undecided", "person", "contested", "not-ours",  "disputed",     "error"};

template <class Enum, size_t N>
std::optional<Enum> find_name(const std::array<std::string_view, N>& names, std::string_view name) {
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) return {};
  return static_cast<Enum>(at - names.begin());
}

constexpr ptrdiff_t kFirstEntries = 50, kLastEntries = 250;
constexpr ptrdiff_t kFirstObservations = 16, kLastObservations = 16;

// Both as text: what a rule compares are numbers.
std::string_view beside(std::string_view value, std::string_view limit) {
  const auto number = [](std::string_view text) {
    double out = 0;
    std::from_chars(text.data(), text.data() + text.size(), out);
    return out;
  };
  const double v = number(value), l = number(limit);
  return v < l ? "less than" : v > l ? "more than" : "at";
}

// Keeps the first and the last: what began it and how it is now.
template <class T>
void trim(std::vector<T>& list, ptrdiff_t first, ptrdiff_t last) {
  if (static_cast<ptrdiff_t>(list.size()) > first + last) list.erase(list.begin() + first);
}

}  // namespace

std::string explained_words(std::string_view uuid) {
  return fmt::format("case {} explains it: others fail together with it", uuid);
}

bool RepairOn::is_met_by(const Event& event) const {
  return std::any_of(classes.begin(), classes.end(),
                     [&](const std::string& c) { return class_matches(c, event.event_class); }) &&
         std::all_of(where.begin(), where.end(), [&](const auto& condition) {
           return is_among(event.payload, condition.first, condition.second);
         });
}

std::string_view state_name(CaseState state) {
  return kStates[static_cast<size_t>(state)];
}

Result<CaseState> parse_state(std::string_view name) {
  const auto at = std::find(kStates.begin(), kStates.end(), name);
  if (at == kStates.end())
    return fail(fmt::format("unknown case state \"{}\"; it is one of {}", display(name),
                            fmt::join(kStates, ", ")));
  return static_cast<CaseState>(at - kStates.begin());
}

std::string_view status_name(SuspectStatus status) {
  return kStatus[static_cast<size_t>(status)];
}

Result<SuspectStatus> parse_status(std::string_view name) {
  const auto at = std::find(kStatus.begin(), kStatus.end(), name);
  if (at == kStatus.end())
    return fail(fmt::format("unknown suspect status \"{}\"; it is one of {}", display(name),
                            fmt::join(kStatus, ", ")));
  return static_cast<SuspectStatus>(at - kStatus.begin());
}

std::string_view action_name(ActionKind kind) {
  return kActions[static_cast<size_t>(kind)];
}
std::string_view action_state_name(ActionState state) {
  return kActionStates[static_cast<size_t>(state)];
}
std::string_view obstacle_name(Obstacle obstacle) {
  return kObstacles[static_cast<size_t>(obstacle)];
}
std::optional<ActionKind> parse_action_kind(std::string_view name) {
  return find_name<ActionKind>(kActions, name);
}
std::optional<ActionState> parse_action_state(std::string_view name) {
  return find_name<ActionState>(kActionStates, name);
}
std::optional<Obstacle> parse_obstacle(std::string_view name) {
  return find_name<Obstacle>(kObstacles, name);
}

const Action* Case::find_action(ActionKind kind, std::string_view part) const {
  const auto at = std::find_if(actions.begin(), actions.end(),
                               [&](const Action& a) { return a.kind == kind && a.part == part; });
  return at == actions.end() ? nullptr : &*at;
}

void Case::set_action(Action next) {
  const auto at = std::find_if(actions.begin(), actions.end(), [&](const Action& a) {
    return a.kind == next.kind && a.part == next.part;
  });
  if (at == actions.end())
    actions.push_back(std::move(next));
  else
    *at = std::move(next);
}

void Case::drop_action(ActionKind kind, std::string_view part) {
  std::erase_if(actions, [&](const Action& a) { return a.kind == kind && a.part == part; });
}

bool Case::faulty() const {
  return std::any_of(suspects.begin(), suspects.end(),
                     [](const Suspect& s) { return s.status == SuspectStatus::faulty; });
}

std::set<std::string> Case::parts() const {
  std::set<std::string> named;
  for (const Suspect& s : suspects) named.insert({s.resource, s.asru, s.fru, s.bay});
  for (const Action& a : actions) named.insert(a.part);
  named.erase("");
  return named;
}

const std::string& Case::undecided() const {
  static const std::string kDecided;
  const auto at = std::find_if(suspects.begin(), suspects.end(), [](const Suspect& s) {
    return s.status == SuspectStatus::faulty && !s.undecided.empty();
  });
  return at == suspects.end() ? kDecided : at->undecided;
}

bool Case::add_evidence(const Evidence& e) {
  if (newest_evidence == 0)
    for (const Evidence& known : evidence) newest_evidence = std::max(newest_evidence, known.seq);
  if (e.seq != 0 && e.seq <= newest_evidence &&
      std::any_of(evidence.begin(), evidence.end(),
                  [&](const Evidence& known) { return known.seq == e.seq; }))
    return false;
  newest_evidence = std::max(newest_evidence, e.seq);
  evidence.push_back(e);
  ++evidence_count;
  return true;
}

std::string Observation::text() const {
  std::string out = fmt::format("{} is {}", display(property), display(value));
  if (!baseline.empty())
    out += ", grown from " + display(baseline);
  else if (!limit.empty())
    out += fmt::format(", {} {}", beside(value, limit), display(limit));
  if (since_ns > 0 && since_ns < time_ns) out += ", since " + format_time_fma(since_ns);
  return out + fmt::format(" (rule {})", display(rule));
}

void Case::add_observation(Observation o) {
  observations.push_back(std::move(o));
  trim(observations, kFirstObservations, kLastObservations);
}

void Case::add_timeline(int64_t time_ns, std::string_view kind, std::string_view text) {
  if (!timeline.empty() && timeline.back().kind == kind && timeline.back().text == text) return;
  timeline.push_back({time_ns, std::string(kind), std::string(text)});
  trim(timeline, kFirstEntries, kLastEntries);
}

}  // namespace fmd
