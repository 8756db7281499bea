#include "ui/cli/case_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "fmd/model/only_copy.h"
#include "ui/cli/daemon.h"
#include "ui/cli/layout.h"

namespace fmd::cli {
namespace {

bool any_action(const Case& c, ActionKind kind, ActionState state) {
  return std::any_of(c.actions.begin(), c.actions.end(),
                     [&](const Action& a) { return a.kind == kind && a.state == state; });
}

// "SLOT 06 (serial Z1Y0DD06)"; "expander or cable" where the evidence does not decide.
std::string accused_parts(const Case& c, const Inventory& inventory) {
  std::vector<std::string> names;
  for (const Suspect& s : c.suspects) {
    if (s.status != SuspectStatus::faulty) continue;
    const std::string& part = !s.fru.empty() ? s.fru : !s.asru.empty() ? s.asru : s.resource;
    std::string name = part_words(inventory, part);
    // A part that the inventory does not have is named by where it is.
    if (!inventory.find(part) && !s.location.empty()) name = clean(s.location);
    if (std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(std::move(name));
  }
  if (names.size() == 2) return names[0] + " or " + names[1];
  return names.size() > 2 ? fmt::format("{} or {} more", names[0], names.size() - 1) : names[0];
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
  const std::string repair = "the repair of " + accused_parts(c, inventory);
  if (asru && asru->is("spare", "resilvering"))
    return "the spare to hold all data, and for " + repair;
  return repair;
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
  if (c.information && c.faulty()) return name + ", no action is needed";
  const std::string who = waited_for(c, inventory);
  return who.empty() ? name : name + ", waiting for " + who;
}

std::string_view case_state_word(const Case& c) {
  if (c.state == CaseState::resolved) return "resolved";
  if (c.state == CaseState::unsolved) return "suspected";
  return c.state == CaseState::repaired ? "repaired" : "open";
}

}  // namespace fmd::cli
