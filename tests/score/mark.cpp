#include "mark.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace fmd::score {
namespace {

bool names(const Blamed& blamed, const Truth& truth) {
  return std::any_of(blamed.parts.begin(), blamed.parts.end(),
                     [&](const std::string& part) { return truth.parts.contains(part); });
}

int not_in(const std::vector<std::string>& done, const std::set<std::string>& may) {
  const std::set<std::string> parts(done.begin(), done.end());
  return static_cast<int>(std::count_if(
      parts.begin(), parts.end(), [&](const std::string& part) { return !may.contains(part); }));
}

class Marking {
 public:
  Marking(const Host& host, const Scenario& scenario, const Outcome& outcome)
      : host_(host), scenario_(scenario), outcome_(outcome) {}

  Mark all() {
    mark_.localised = mark_.right_class = true;
    for (const Truth& truth : scenario_.broken) look_for(truth);
    for (const Blamed& blamed : outcome_.blamed) judge(blamed);
    mark_.wrongly_retired = not_in(outcome_.retired, scenario_.may_go);
    mark_.spares_wasted = not_in(outcome_.spared, scenario_.may_go);
    if (mark_.wrongly_retired) say(fmt::format("{} wrongly retired", mark_.wrongly_retired));
    lights();
    mark_.messages = static_cast<int>(outcome_.told.size());
    mark_.incidents = std::max<int>(1, static_cast<int>(scenario_.broken.size()));
    mark_.right_class = mark_.right_class && mark_.localised;
    return std::move(mark_);
  }

 private:
  void say(const std::string& what) {
    if (mark_.why.size() < 300) mark_.why += (mark_.why.empty() ? "" : "; ") + what;
  }

  void look_for(const Truth& truth) {
    const Blamed* found = nullptr;
    for (const Blamed& blamed : outcome_.blamed) {
      if (!names(blamed, truth)) continue;
      if (blamed.first) right_.insert(blamed.uuid);
      if (!right_.contains(blamed.uuid)) continue;
      if (!found || (!truth.classes.contains(found->fault_class) &&
                     truth.classes.contains(blamed.fault_class)))
        found = &blamed;
      if (!mark_.to_case_ns || blamed.at - scenario_.onset < *mark_.to_case_ns)
        mark_.to_case_ns = blamed.at - scenario_.onset;
    }
    if (!found) {
      mark_.localised = false;
      return say(fmt::format("nobody named {}", *truth.parts.begin()));
    }
    if (truth.classes.contains(found->fault_class)) return;
    mark_.right_class = false;
    say(fmt::format("{} for {}", found->fault_class, *truth.classes.begin()));
  }

  // The first suspect is where people look: further down the list the right part is no help. What is Minor
  // asks for nothing to be replaced, but is a message.
  void judge(const Blamed& blamed) {
    if (right_.contains(blamed.uuid) || blamed.severity == "Minor") return;
    mark_.localised = false;
    say(fmt::format("{} accuses {}", blamed.fault_class, blamed.parts.front()));
  }

  void lights() {
    std::set<std::string> may;
    for (const Disk& d : host_.disks)
      for (const Truth& truth : scenario_.broken)
        if (truth.parts.contains(d.bay)) may.insert(d.bay);
    mark_.lit_in_vain = not_in(outcome_.lit, may);
  }

  const Host& host_;
  const Scenario& scenario_;
  const Outcome& outcome_;
  std::set<std::string> right_;  // cases
  Mark mark_;
};

}  // namespace

Mark mark(const Host& host, const Scenario& scenario, const Outcome& outcome) {
  return Marking(host, scenario, outcome).all();
}

}  // namespace fmd::score
