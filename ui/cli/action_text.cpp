#include "ui/cli/action_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "ui/cli/daemon.h"
#include "ui/cli/layout.h"

namespace fmd::cli {
namespace {

// The state into which the action puts the part.
std::string what_words(const Action& action, const Case& c, const Inventory& inventory) {
  const std::string part = part_words(inventory, action.part);
  switch (action.kind) {
    case ActionKind::retire:
      return part + (c.retire.first == "degraded" ? " degraded" : " out of service");
    case ActionKind::out_of_service:
      return part + " out of service";
    case ActionKind::spare:
      return "hot spare for " + part;
    case ActionKind::replace:
      return "new disk for " + part;
    case ActionKind::fault_led:
      return "fault LED of " + part;
  }
  return part;
}

// The heading of the action; "" if it needs none.
std::string_view head_of(const Action& action, const Case& c, bool verbose) {
  switch (action.state) {
    case ActionState::planned:
      return "Planned";
    case ActionState::waiting:
      return "Waiting";
    case ActionState::running:
      return "Under way";
    case ActionState::refused:
      return "Refused";
    case ActionState::failed:
      return "Failed";
    case ActionState::lost:
      return "Lost";
    case ActionState::returning:
      return c.faulty() ? "Being undone" : "Still to undo";
    case ActionState::dry_run:
      return "Dry run";
    case ActionState::returned:
      if (action.obstacle == Obstacle::not_ours) return "Not undone";
      return verbose && c.open() ? "Undone" : "";  // later shown only in its log
    case ActionState::resilvering:                 // shown under "Progress"
      return verbose ? "Under way" : "";
    case ActionState::done:
      break;
  }
  return verbose ? "Action taken" : "";
}

// Used if fmd gives no reason of its own.
std::string_view meaning_of(Obstacle obstacle) {
  switch (obstacle) {
    case Obstacle::busy:
      return "a scrub, resilver or rebuild runs";
    case Obstacle::no_spare:
      return "no spare is available";
    case Obstacle::no_plugin:
      return "no plugin that can do it is connected";
    case Obstacle::not_accepted:
      return "the new disk is not blank, too small, or in use";
    case Obstacle::last_copy:
      return "data would go with it";
    case Obstacle::blast_radius:
      return "too many parts of its group are out already";
    case Obstacle::undecided:
      return "it may be what several disks hang on";
    case Obstacle::person:
      return "an administrator's order keeps it in service";
    case Obstacle::contested:
      return "somebody else puts it back into service again and again";
    case Obstacle::not_ours:
      return "somebody else has changed it since";
    case Obstacle::disputed:
      return "its disk cannot be identified for certain";
    case Obstacle::error:
      return "its plugin could not";
    case Obstacle::none:
      break;
  }
  return "";
}

// An argument for a command line that is safe to copy: the bay's label, else the FMRI.
std::string argument_of(std::string_view fmri, const Inventory& inventory) {
  constexpr std::string_view plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 ._:/=,+-";
  const std::string label = inventory.location(disk_of(inventory, fmri));
  for (const std::string_view name : {std::string_view(label), fmri})
    if (!name.empty() && name.front() != '-' && name.find_first_not_of(plain) == name.npos)
      return name.find(' ') == name.npos ? std::string(name) : fmt::format("\"{}\"", name);
  return "PART";
}

// Advice to the administrator, printed after the reason.
std::string advice_for(const Action& action, const Inventory& inventory) {
  const std::string part = argument_of(action.part, inventory);
  switch (action.obstacle) {
    case Obstacle::busy:
      return "automatic, after that";
    case Obstacle::no_spare:
      return "give the pool a spare, or replace the disk soon";
    case Obstacle::no_plugin:
      return "see: fmadm config";
    case Obstacle::not_accepted:  // usually fmd's reason already says what helps
      return action.detail.find("fmadm replace") != std::string::npos ||
                     action.detail.find("Put ") != std::string::npos
                 ? ""
                 : "put a blank one in that is at least as large";
    case Obstacle::last_copy:
      return "bring its redundancy back, or copy the data off, first";
    case Obstacle::blast_radius:
      return "look at them first; 'fmadm retire " + part + "' does it by hand";
    case Obstacle::undecided:
      return "look at the cable and the controller first; 'fmadm retire " + part +
             "' does it by hand";
    case Obstacle::person:
      return "'fmadm retire " + part + "' takes it out anyway";
    case Obstacle::contested:
      return "find out who; 'fmadm retire " + part + "' takes it out by hand";
    case Obstacle::disputed:
      return "look at the label on the disk first; 'fmadm retire " + part + "' does it by hand";
    case Obstacle::not_ours:
      return "fmd does not undo it; 'fmadm restore " + part + "' does it by hand";
    case Obstacle::error:
    case Obstacle::none:
      break;
  }
  return "";
}

std::string action_text(const Action& action, const Case& c, const Inventory& inventory) {
  std::string text = what_words(action, c, inventory);
  const std::string detail = clean_prose(action.detail);
  const std::string reason = detail.empty() ? std::string(meaning_of(action.obstacle)) : detail;
  if (!reason.empty()) text += ": " + reason;
  if (const std::string advice = advice_for(action, inventory); !advice.empty())
    text += "; " + advice;
  if (action.attempts > 1) text += fmt::format(" ({} attempts)", action.attempts);
  return text;
}

}  // namespace

std::string action_fields(const Case& c, const Inventory& inventory, bool verbose) {
  std::string out;
  for (const Action& action : c.actions)
    if (const std::string_view head = head_of(action, c, verbose); !head.empty())
      out += field(head, action_text(action, c, inventory));
  const bool told = std::any_of(c.actions.begin(), c.actions.end(),
                                [](const Action& a) { return a.state == ActionState::returning; });
  if (c.owed > 0 && !c.faulty() && !told)
    out += field("Still to undo", fmt::format("{} of what fmd did; see: fmadm actions", c.owed));
  if (!c.merged_into.empty()) out += field("Goes on as", "case " + clean(c.merged_into));
  return out;
}

}  // namespace fmd::cli
