#include "ui/cli/case_state.h"

#include <algorithm>

#include "fmd/model/only_copy.h"
#include "ui/cli/daemon.h"
#include "ui/cli/layout.h"

namespace fmd::cli {
namespace {

bool any_action(const Case& c, ActionKind kind, ActionState state) {
  return std::any_of(c.actions.begin(), c.actions.end(),
                     [&](const Action& a) { return a.kind == kind && a.state == state; });
}

// For an open case with a suspect that is still faulty.
std::string waited_for(const Case& c, const Inventory& inventory) {
  const auto accused = std::find_if(c.suspects.begin(), c.suspects.end(), [](const Suspect& s) {
    return s.status == SuspectStatus::faulty;
  });
  if (accused == c.suspects.end()) return "";
  const Resource* asru = inventory.find(accused->asru);
  if (asru && spare_taking_over(inventory, *asru)) return "the spare to hold all data";
  if (asru && !asru->get("replacing").empty()) return "the new disk to hold all data";
  if (any_action(c, ActionKind::replace, ActionState::waiting)) return "a disk that can be taken";
  const std::string& part = !accused->fru.empty()    ? accused->fru
                            : !accused->asru.empty() ? accused->asru
                                                     : accused->resource;
  std::string who = "somebody to repair " + part_words(inventory, part);
  if (asru && asru->is("spare", "resilvering")) return "the spare to hold all data, and for " + who;
  return who;
}

}  // namespace

std::string case_state_text(const Case& c, const Inventory& inventory) {
  const std::string name(state_name(c.state));
  switch (c.state) {
    case CaseState::unsolved:
      return name + (c.explained_by.empty() ? ", waiting for more evidence"
                                            : ", explained by case " + clean(c.explained_by));
    case CaseState::resolved:
      return name;
    case CaseState::repaired:
      return name + (c.owed > 0 ? ", waiting for fmd to undo what it did" : ", being closed");
    default:
      break;
  }
  const std::string who = waited_for(c, inventory);
  return who.empty() ? name : name + ", waiting for " + who;
}

std::string_view case_state_word(const Case& c) {
  if (c.state == CaseState::resolved) return "resolved";
  if (c.state == CaseState::unsolved) return "undecided";
  return c.state == CaseState::repaired ? "repaired" : "open";
}

}  // namespace fmd::cli
