#include "mark.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace fmd::score {
namespace {

const std::vector<Done>& done_of(const Outcome& outcome, Deed deed) {
  switch (deed) {
    case Deed::retire:
      return outcome.retired;
    case Deed::spare:
      return outcome.spared;
    case Deed::light:
      break;
  }
  return outcome.lit;
}

bool names(const Blamed& blamed, const Part& part) {
  return std::any_of(blamed.parts.begin(), blamed.parts.end(),
                     [&](const std::string& fmri) { return part.fmris.contains(fmri); });
}

class Marking {
 public:
  Marking(const Scenario& scenario, const Cast& cast, const Outcome& outcome)
      : scenario_(scenario), cast_(cast), outcome_(outcome) {}

  Mark all() {
    mark_.localised = mark_.named_in_the_end = mark_.right_class = mark_.in_time = true;
    mark_.incidents = 0;
    for (const Truth& truth : scenario_.truths)
      for (const Part& part : parts(truth.role)) look_for(truth, part);
    for (const Blamed& blamed : outcome_.blamed) judge(blamed);
    if (scenario_.quiet && !outcome_.told.empty()) wrong("a message, where all is well");
    for (const Wish& wish : scenario_.must)
      for (const Part& part : parts(wish.role)) must(wish, part);
    mark_.wrongly_retired = beside(Deed::retire, "retired");
    mark_.spares_wasted = beside(Deed::spare, "spared");
    mark_.lit_in_vain = beside(Deed::light, "lit");
    mark_.messages = static_cast<int>(outcome_.told.size());
    mark_.incidents = std::max(1, mark_.incidents);
    mark_.right_class = mark_.right_class && mark_.localised;
    mark_.in_time = mark_.in_time && mark_.localised;
    return std::move(mark_);
  }

 private:
  void say(const std::string& what) {
    if (mark_.why.size() < 300) mark_.why += (mark_.why.empty() ? "" : "; ") + what;
  }
  void wrong(const std::string& what, bool withdrawn = false) {
    mark_.localised = false;
    mark_.named_in_the_end &= withdrawn;
    say(what);
  }

  const std::vector<Part>& parts(const std::string& role) const {
    const auto at = cast_.roles.find(role);
    if (at == cast_.roles.end())
      throw std::logic_error(scenario_.label + ": nothing has the role " + role);
    return at->second;
  }

  void look_for(const Truth& truth, const Part& part) {
    ++mark_.incidents;
    const Blamed* found = nullptr;
    std::optional<int64_t> first;
    for (const Blamed& blamed : outcome_.blamed) {
      if (!names(blamed, part)) continue;
      if (blamed.first) right_.insert(blamed.uuid);
      if (!right_.contains(blamed.uuid)) continue;
      if (!found || (!truth.classes.contains(found->fault_class) &&
                     truth.classes.contains(blamed.fault_class)))
        found = &blamed;
      if (!first) first = blamed.at;
    }
    if (!found) return wrong(fmt::format("nobody named {}", *part.fmris.begin()));
    if (!mark_.to_case_ns || *first - cast_.onset < *mark_.to_case_ns)
      mark_.to_case_ns = *first - cast_.onset;
    if (*first > part.since + truth.within) {
      mark_.in_time = false;
      say(fmt::format("named {:.0f} s after its beginning",
                      static_cast<double>(*first - part.since) / kSec));
    }
    if (truth.classes.contains(found->fault_class)) return;
    mark_.right_class = false;
    say(fmt::format("{} for {}", found->fault_class, *truth.classes.begin()));
  }

  // People look at the first suspect, so the right part further down does not count. A Minor case
  // asks for no replacement.
  void judge(const Blamed& blamed) {
    if (right_.contains(blamed.uuid) || blamed.severity == "Minor") return;
    wrong(fmt::format("{} accuses {}", blamed.fault_class, blamed.parts.front()), blamed.withdrawn);
  }

  void must(const Wish& wish, const Part& part) {
    ++mark_.musts;
    for (const Done& done : done_of(outcome_, wish.deed))
      if (part.fmris.contains(done.fmri) && done.at <= part.since + *wish.time) {
        ++mark_.done;
        return;
      }
    say(fmt::format("did not {} {}", deed_name(wish.deed), *part.fmris.begin()));
  }

  const Part* concerned(const Wish& wish, Deed deed, const std::string& fmri) const {
    if (wish.deed != deed) return nullptr;
    for (const Part& part : parts(wish.role))
      if (part.fmris.contains(fmri)) return &part;
    return nullptr;
  }

  bool is_allowed(Deed deed, const Done& done) const {
    for (const Wish& wish : scenario_.must_not)
      if (const Part* part = concerned(wish, deed, done.fmri))
        if (!wish.time || done.at < part->since + *wish.time) return false;
    for (const auto* wishes : {&scenario_.must, &scenario_.may})
      for (const Wish& wish : *wishes)
        if (concerned(wish, deed, done.fmri)) return true;
    return false;
  }

  // Number of parts to which the action was applied wrongly.
  int beside(Deed deed, const char* what) {
    std::set<std::string> wrong;
    for (const Done& done : done_of(outcome_, deed))
      if (!is_allowed(deed, done)) wrong.insert(done.fmri);
    if (!wrong.empty()) say(fmt::format("{} wrongly {}", wrong.size(), what));
    return static_cast<int>(wrong.size());
  }

  const Scenario& scenario_;
  const Cast& cast_;
  const Outcome& outcome_;
  std::set<std::string> right_;  // cases
  Mark mark_;
};

}  // namespace

Mark mark(const Scenario& scenario, const Cast& cast, const Outcome& outcome) {
  return Marking(scenario, cast, outcome).all();
}

}  // namespace fmd::score
