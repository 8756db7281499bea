#include "fmd/advice/say_lists.h"

#include <fmt/format.h>

#include <algorithm>

#include "fmd/advice/part_names.h"
#include "fmd/advice/rule_text.h"
#include "fmd/advice/storage.h"
#include "fmd/base/text.h"
#include "fmd/model/fmri.h"
#include "fmd/model/kept_out.h"
#include "fmd/model/no_spare.h"
#include "fmd/model/scan_noun.h"

namespace fmd {
namespace {

constexpr size_t kLongestDetail = 300;

class Sentences {
 public:
  void add(std::string text) {
    if (text.empty()) return;
    if (!text.starts_with("fmd"))  // a program's name
      text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    if (text.back() != '.') text += '.';
    if (std::find(list_.begin(), list_.end(), text) == list_.end())
      list_.push_back(std::move(text));
  }
  std::vector<std::string> take() { return std::move(list_); }

 private:
  std::vector<std::string> list_;
};

// In the words of the part's kind: a core goes offline, a page of memory out of use.
std::string_view out_words(std::string_view part) {
  const auto fmri = Fmri::parse(part);
  if (fmri && fmri->scheme == "cpu") return "taken offline";
  if (fmri && !fmri->get("page").empty()) return "taken out of use";
  return "taken out of service";
}

std::string_view level_words(const std::string& level, std::string_view part) {
  return level == "degraded" ? "marked degraded" : out_words(part);
}

// Names the part of an action. A disk and its pool member share the case's name, but a retired core
// is not named as its processor, nor a page as its memory module.
std::string part_of(const Action& a, const Situation& s, const Inventory& inventory) {
  const bool its_own =
      s.suspect && (a.part == s.suspect->fru ||
                    (s.is_disk && (a.part == s.suspect->asru || a.part == s.suspect->resource ||
                                   (s.vdev && a.part == s.vdev->fmri))));
  return its_own ? s.name : resource_words(inventory, a.part);
}

// The author of a change that fmd did not make, as the part's plugin reports it: " by ZFS".
std::string by_whom(const Inventory& inventory, const std::string& part) {
  const Resource* r = inventory.find(part);
  if (r && r->is("state_by", "administrator")) return " by an administrator";
  if (r && r->is("state_by", "zfs")) return " by ZFS";
  if (r && r->type == "md-member") return " by md or an administrator";
  return ", but not by fmd";
}

// ZFS or a person took the part out of service. fmd's policy may only have degraded it first.
bool is_out_by_others(const Action& a, const Inventory& inventory) {
  const Resource* r = inventory.find(a.part);
  return a.kind == ActionKind::retire && a.obstacle == Obstacle::not_ours && r &&
         r->is("service", "out-of-service") && !r->is("state_by", "fmd");
}

std::string new_disk_of(const std::string& part) {
  return (part.starts_with("disk ") ? "the new disk for " : "the new disk in ") + part;
}

// The observed change, also if made by someone else, who is then named.
std::string done_words(const Case& c, const Action& a, const Situation& s,
                       const Inventory& inventory) {
  const std::string part = part_of(a, s, inventory);
  const std::string by = a.obstacle == Obstacle::not_ours ? by_whom(inventory, a.part) : "";
  switch (a.kind) {
    case ActionKind::retire:
      return fmt::format(
          "{} was {}{}", part,
          is_out_by_others(a, inventory) ? out_words(a.part) : level_words(c.retire.first, a.part),
          by);
    case ActionKind::out_of_service:
      return fmt::format("{} was {}{}", part, out_words(a.part), by);
    case ActionKind::spare:
      if (s.spare_stays) return fmt::format("the hot spare {} took the place of {}", s.spare, part);
      return s.spare.empty() ? fmt::format("a hot spare was brought in for {}", part)
                             : fmt::format("the hot spare {} was brought in for {}", s.spare, part);
    case ActionKind::replace:
      return fmt::format("{} was taken in", new_disk_of(part));
    case ActionKind::fault_led:
      return fmt::format("the fault LED of {} is on", resource_words(inventory, a.part));
  }
  return {};
}

// The reason in "could not take sdf out of service: no answer in 60s", without the action.
std::string reason_in(const Action& a) {
  std::string reason = display(a.detail, kLongestDetail);
  for (const char* start : {"could not ", "not taken ", "not marked ", "dry run: would "})
    if (reason.starts_with(start))
      if (const size_t colon = reason.find(": ", 9); colon != reason.npos && start[0] != 'd')
        reason.erase(0, colon + 2);
  return reason;
}

std::string purpose_of(const Case& c, const Action& a, const std::string& part) {
  switch (a.kind) {
    case ActionKind::retire:
      return fmt::format("{} is {}", part, level_words(c.retire.first, a.part));
    case ActionKind::out_of_service:
      return fmt::format("{} is {}", part, out_words(a.part));
    case ActionKind::spare:
      return fmt::format("a hot spare is brought in for {}", part);
    case ActionKind::replace:
      return fmt::format("{} is taken in", new_disk_of(part));
    case ActionKind::fault_led:
      return fmt::format("the fault LED of {} is lit", part);
  }
  return {};
}

std::string not_done_words(const Case& c, const Action& a, const std::string& part) {
  switch (a.kind) {
    case ActionKind::retire:
      return fmt::format("{} is not {}", part, level_words(c.retire.first, a.part));
    case ActionKind::out_of_service:
      return fmt::format("{} is not {}", part, out_words(a.part));
    case ActionKind::spare:
      return fmt::format("no hot spare comes in for {}", part);
    case ActionKind::replace:
      return fmt::format("{} is not taken in", new_disk_of(part));
    case ActionKind::fault_led:
      return fmt::format("the fault LED of {} is not lit", part);
  }
  return {};
}

// The disk goes out of service only after a spare is filled.
bool waits_for_spare(const Case& c, const Action& a) {
  return a.kind == ActionKind::out_of_service && a.state == ActionState::planned &&
         c.retire.spare && !c.retire.then.empty();
}

std::string pending_words(const Case& c, const Action& a, const Situation& s,
                          const Inventory& inventory) {
  const std::string part = part_of(a, s, inventory);
  switch (a.state) {
    case ActionState::planned:
    case ActionState::running:
      return purpose_of(c, a, part) +
             (waits_for_spare(c, a) ? " once a spare holds all its data" : "");
    case ActionState::waiting:
      if (a.obstacle == Obstacle::busy && a.kind == ActionKind::out_of_service)
        return fmt::format("{} {}", not_done_words(c, a, part), display(a.detail, kLongestDetail));
      if (a.obstacle == Obstacle::busy) {
        const std::string scan = s.storage ? scan_words(inventory, *s.storage) : "";
        return fmt::format("when the {} has ended{}, {}", busy_noun(s),
                           scan.empty() ? "" : " (" + scan + ")", purpose_of(c, a, part));
      }
      if (a.obstacle == Obstacle::none) return purpose_of(c, a, part);
      [[fallthrough]];
    case ActionState::failed:
    case ActionState::refused: {
      if (a.obstacle == Obstacle::no_spare) {
        const std::string_view detail = a.detail;  // "no spare available", or why none is used
        if (detail.starts_with(kNoSpareBecause))
          return not_done_words(c, a, part) + ": " +
                 display(detail.substr(kNoSpareBecause.size()), kLongestDetail);
        return fmt::format("no hot spare is available for {}; one that is added comes in", part);
      }
      if (a.obstacle == Obstacle::not_accepted) return {};  // what to do about it says it
      const std::string why = reason_in(a);
      const bool tries = a.state != ActionState::refused;
      return not_done_words(c, a, part) + (tries ? " yet" : "") + (why.empty() ? "" : ": " + why);
    }
    case ActionState::lost:
      return fmt::format("the hot spare of {} has left; another comes in if the errors go on",
                         part);
    case ActionState::done:
    case ActionState::resilvering:
    case ActionState::returning:
    case ActionState::returned:
    case ActionState::dry_run:
      break;
  }
  return {};
}

// The action is under way, or starts soon or after a scan.
bool is_ahead(const Action& a) {
  return a.state == ActionState::planned || a.state == ActionState::running ||
         (a.state == ActionState::waiting &&
          (a.obstacle == Obstacle::busy || a.obstacle == Obstacle::none));
}

// While a spare is being filled one sentence says what follows then.
bool is_told_with_spare(const Case& c, const Action& a, const Situation& s, const SayWorld& world) {
  return s.state == SayState::spare_resilvering && !s.spare_stays && !world.dry_run &&
         !c.retire.then.empty() && a.kind == ActionKind::out_of_service && is_ahead(a);
}

// The disk is gone, and that is why it is out of service.
bool went_by_itself(const Action& a, const Inventory& inventory) {
  const bool not_asked = a.kind == ActionKind::out_of_service ||
                         (a.kind == ActionKind::retire && a.obstacle == Obstacle::not_ours);
  const Resource* part = inventory.find(a.part);
  return not_asked && part && (part->is("service", "removed") || part->is("lost", "true"));
}

}  // namespace

std::vector<std::string> done_of(const Case& c, const Situation& s, const SayWorld& world) {
  Sentences out;
  if (s.state == SayState::repaired) return {};
  const auto taken_by_others = [&](const Action& a) {
    const Action* first = c.find_action(ActionKind::retire, a.part);
    return a.kind == ActionKind::out_of_service && first && first->state == ActionState::done &&
           is_out_by_others(*first, world.inventory);
  };
  for (const Action& a : c.actions)
    if (!taken_by_others(a) &&
        (a.state == ActionState::done || a.state == ActionState::resilvering) &&
        !went_by_itself(a, world.inventory))
      out.add(done_words(c, a, s, world.inventory));
  return out.take();
}

namespace {

bool by_fmd_in(const Case& c, const std::string& vdev) {
  return std::any_of(c.actions.begin(), c.actions.end(), [&](const Action& a) {
    return a.part == vdev && (a.kind == ActionKind::retire || a.kind == ActionKind::out_of_service);
  });
}

// fmd puts back only what it took out for this case.
std::string return_words(const Case& c, const Situation& s) {
  const Resource* vdev = s.vdev && s.vdev->type == "zfs-vdev" ? s.vdev : nullptr;
  if (!vdev || vdev->is("service", "in-service") ||
      (vdev->is("state_by", "fmd") && by_fmd_in(c, vdev->fmri)))
    return fmt::format("fmd puts {} back into service and closes the case", s.name);
  const std::string how = vdev->is("state_by", "zfs")
                              ? zfs_keeps_out(*vdev)
                              : "'fmadm actions' and 'zpool history' show who took it out";
  return fmt::format("the case closes when {} is in service again. {}", s.name, how);
}

}  // namespace

std::vector<std::string> next_of(const Case& c, const Situation& s, const SayWorld& world,
                                 bool must_stay) {
  Sentences out;
  if (s.state == SayState::repaired) {
    if (c.state == CaseState::repaired) out.add(return_words(c, s));
    return out.take();
  }
  if (!world.window.empty())
    out.add(fmt::format("messages about it wait until {}; 'fmadm maintenance end {}' ends that",
                        format_time_fma(world.window_until_ns), display(world.window, 20)));
  if (c.acts_at_ns > 0 && !world.dry_run &&
      std::any_of(c.actions.begin(), c.actions.end(), is_ahead))
    out.add(fmt::format("fmd acts on {} at {}, unless other disks fail before", s.name,
                        format_time_fma(c.acts_at_ns)));
  bool rehearsed = false;
  for (const Action& a : c.actions) {
    if (is_told_with_spare(c, a, s, world)) continue;
    if (world.dry_run && (is_ahead(a) || a.obstacle == Obstacle::no_spare)) {
      rehearsed = true;
      out.add("dry run is on: " + not_done_words(c, a, part_of(a, s, world.inventory)));
      continue;
    }
    out.add(pending_words(c, a, s, world.inventory));
    if (a.state != ActionState::dry_run || s.state == SayState::disk_pulled) continue;
    rehearsed = true;
    std::string would = display(a.detail, kLongestDetail);
    if (would.starts_with("dry run: would ")) would.erase(0, 15);
    out.add("dry run is on: fmd would " + would + ", and does not");
  }
  if (world.dry_run && rehearsed) out.add("fmd only watches until dry run is ended");
  const std::string scan = s.storage ? scan_words(world.inventory, *s.storage) : "";
  if (s.state == SayState::spare_resilvering) {
    out.add(fmt::format("the spare {} is being filled{}", s.spare,
                        scan.empty() ? "" : " (" + scan + ")"));
    if (s.spare_stays)
      out.add("the case closes when it holds all data");
    else if (!c.retire.then.empty() && !world.dry_run)
      out.add(fmt::format("{} is taken out of service once the spare holds all its data{}", s.name,
                          c.retire.then_after_ns > 0
                              ? fmt::format(", {} after it was degraded at the soonest",
                                            format_duration(c.retire.then_after_ns))
                              : ""));
  }
  if (s.state == SayState::disk_pulled && !s.spare.empty() && s.vdev->is("spare", "resilvering"))
    out.add(fmt::format("the spare {} is being filled from the other disks{}", s.spare,
                        scan.empty() ? "" : " (" + scan + ")"));
  if (s.state == SayState::resilvering && !s.new_disk_lost)
    out.add(fmt::format("the case closes when the new disk holds all data{}",
                        scan.empty() ? "" : " (" + scan + ")"));
  // The order says "do not pull it yet", without an end that fmd can name.
  const bool stays = must_stay && s.state != SayState::disk_pulled &&
                     s.state != SayState::waiting_scrub && s.state != SayState::spare_resilvering;
  const bool waits_for_disk = (s.replaces && !stays) || s.state == SayState::disk_pulled;
  if (waits_for_disk && s.new_is_taken && !s.only_copy && !world.dry_run &&
      s.state != SayState::resilvering && s.state != SayState::unfit_disk)
    out.add(
        fmt::format("a blank disk put into {} is used automatically, and a message follows at "
                    "the end",
                    s.name));
  if (c.repair_after_ns > 0 && s.state != SayState::informed)
    out.add(fmt::format("the case closes by itself after {} without another error",
                        format_duration(c.repair_after_ns)));
  return out.take();
}

std::string light_of(const Case& c, const Situation& s, const Inventory& inventory) {
  if (!c.led || !s.is_disk || s.state == SayState::repaired) return {};
  const Resource* bay = inventory.find(s.suspect->bay);
  return bay && bay->is("led.fault", "on") ? "Its fault LED is on." : "";
}

std::string busy_noun(const Situation& s) {
  if (!s.vdev) return "scrub";
  const std::string busy = s.vdev->get("busy");
  const bool known = busy == "expand" || busy == "resilver";
  return std::string(scan_noun(s.vdev->fmri, known ? busy : "scrub"));
}

std::string short_id(std::string_view uuid) {
  return std::string(uuid.substr(0, 8));
}

std::vector<std::string> disagree_of(const Case& c, const Situation& s) {
  if (s.state == SayState::repaired || s.state == SayState::informed || !s.suspect) return {};
  RuleText text = read_rule_text(c.action);
  // A command of ZFS undoes nothing once the disk has left or is being replaced.
  const bool has_left = s.state == SayState::disk_pulled || s.state == SayState::unfit_disk ||
                        s.state == SayState::resilvering;
  if (has_left)
    std::erase_if(text.disagree, [](const auto& t) { return t.find("'zpool clear ") != t.npos; });
  const bool acquits = std::any_of(text.disagree.begin(), text.disagree.end(),
                                   [](const auto& t) { return t.find("fmadm acquit") != t.npos; });
  if (acquits || c.state == CaseState::unsolved) return std::move(text.disagree);
  text.disagree.push_back(
      fmt::format("'fmadm acquit {}' declares {} not at fault and closes this case.",
                  short_id(c.uuid), s.name));
  if (!has_left && s.vdev && s.vdev->type == "zfs-vdev" && s.vdev->is("state_by", "zfs"))
    text.disagree.back() += " " + zfs_keeps_out(*s.vdev) + ".";
  return std::move(text.disagree);
}

}  // namespace fmd
