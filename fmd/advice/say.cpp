#include "fmd/advice/say.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "fmd/advice/absent_disk.h"
#include "fmd/advice/btrfs_disk.h"
#include "fmd/advice/declared_repaired.h"
#include "fmd/advice/part_names.h"
#include "fmd/advice/rule_text.h"
#include "fmd/advice/say_lists.h"
#include "fmd/advice/say_names.h"
#include "fmd/advice/say_orders.h"
#include "fmd/advice/say_promises.h"
#include "fmd/advice/say_safety.h"
#include "fmd/advice/situation.h"
#include "fmd/advice/storage.h"
#include "fmd/advice/storages_behind.h"
#include "fmd/base/json.h"
#include "fmd/base/text.h"
#include "fmd/model/only_copy.h"
#include "fmd/model/scan_noun.h"

namespace fmd {
namespace {

using Answer = PullSafety::Answer;

constexpr size_t kLongestHeadline = 60;

// The case asks for another disk, and this one may hold the only copy: no order may say so now.
bool must_come_back(const Case& c, const Situation& s) {
  const bool over = s.state == SayState::repaired || s.state == SayState::informed ||
                    c.state == CaseState::unsolved;
  return s.only_copy && !over && (s.replaces || c.retire.replace_same_bay);
}

// Its part was detached, or the pool destroyed: nothing was repaired.
bool left_pool(const Case& c) {
  return std::any_of(c.suspects.begin(), c.suspects.end(),
                     [](const Suspect& s) { return s.facts.contains(kLeftPool); });
}

std::string matter_of(const Case& c, const Situation& s, const Inventory& inventory) {
  if (must_come_back(c, s)) return as_clause(display(c.title.empty() ? c.fault_class : c.title));
  switch (s.state) {
    case SayState::repaired:
      if (!c.merged_into.empty()) return "goes on as another case";
      if (std::string by = explaining_case(c); !by.empty()) return "explained by case " + by;
      if (was_acquitted(c)) return "acquitted";
      if (left_pool(c)) return "no longer in use";
      return declared_words(c, inventory).empty() ? "repaired" : "counts as repaired, not tested";
    case SayState::resilvering:
      return s.new_disk_lost ? "its replacement is lost" : "its replacement is being filled";
    case SayState::disk_pulled:
      return s.newcomer ? "disk replaced, the new one is not in use yet"
                        : "disk pulled, a new one is awaited";
    case SayState::unfit_disk:
      return "its replacement cannot be used";
    default:
      break;
  }
  if (c.state == CaseState::unsolved) return "suspected, not judged yet";
  return as_clause(display(c.title.empty() ? c.fault_class : c.title));
}

std::string headline_of(const Case& c, const Situation& s, const SayWorld& world) {
  std::string text = fmt::format("{}: {}", s.name, matter_of(c, s, world.inventory));
  if (c.state == CaseState::unsolved && !world.held_until.empty())
    text = fmt::format("{}: suspected, decided by {}", s.name, world.held_until);
  if (text.size() <= kLongestHeadline) return text;
  // The first half of "Several disks fail together: the part that they share is at fault" is
  // enough.
  const size_t colon = text.find(": ", s.name.size() + 2);
  return colon == text.npos ? text : text.substr(0, colon);
}

// The disk's data has no other copy, or fmd cannot see that it has.
bool must_stay(const Situation& s, const PullSafety& safe) {
  return s.is_disk && s.vdev && safe.answer == Answer::no;
}

std::string redundancy_of(const Case& c, const Situation& s, const Inventory& inventory) {
  std::set<std::string> said;
  for (const Suspect& suspect : c.suspects)
    if (const Resource* storage = storage_of(inventory, suspect.resource);
        storage && storage != s.storage)
      said.insert(redundancy_words(inventory, *storage));
  if (s.storage) said.insert(redundancy_words(inventory, *s.storage));
  if (!s.storage && s.suspect)
    for (const Resource* storage : storages_behind(inventory, s.suspect->resource))
      said.insert(redundancy_words(inventory, *storage));
  std::string out;
  for (const std::string& one : said)
    if (!one.empty()) out += (out.empty() ? "" : "; ") + one;
  return out;
}

std::string exchange_sentence(const Case& c, const Situation& s, const PullSafety& safe,
                              const Inventory& inventory) {
  const std::string disk = the_disk(s);
  switch (s.state) {
    case SayState::waiting_scrub:
      if (s.storage && !is_current(inventory, *s.storage)) break;  // its scan may have ended
      if (!safe.yes())
        return fmt::format("Do not pull {} until the {} has ended", disk, busy_noun(s));
      return fmt::format("Get a blank disk for {}, and replace it when {}", disk_named(s),
                         s.spare_follows ? "fmd reports that a spare holds its data"
                                         : fmt::format("the {} ends", busy_noun(s)));
    case SayState::spare_resilvering:
      if (safe.yes()) break;  // the disk no longer answers
      return fmt::format(
          "Get a blank disk for {}, and replace it when fmd reports that its spare holds the data",
          disk_named(s));
    case SayState::diagnosed:
    case SayState::spare_holds_all:
    case SayState::out_of_service:
      // Another disk of it is being filled, such as one that was pulled by mistake and is back.
      if (safe.yes() && waits_for_others(s, inventory))
        return fmt::format("Get a blank disk for {}, and replace it when the {} of {} has ended",
                           disk_named(s), scan_noun(s.storage->fmri, "resilver"),
                           storage_name(*s.storage));
      if (s.state == SayState::diagnosed) break;
      if (safe.yes() && s.superseded)
        return fmt::format("Take the old disk out of {}: a hot spare has its place and all data",
                           disk_named(s));
      if (safe.yes())
        return fmt::format("Replace {} now, with a blank one at least as large", disk);
      break;
    default:
      break;
  }
  // The reason is in `safe`, which is shown beside it.
  if (s.btrfs && s.present)
    return fmt::format("Have btrfs copy {} to a blank disk before you pull it", disk);
  if (must_stay(s, safe)) return fmt::format("Do not pull {} yet", disk);
  if (!s.vdev && s.present && safe.answer == Answer::no)
    return fmt::format("Copy off what {} holds before you replace it", disk);
  const std::string when = c.urgency.empty() ? "" : " " + c.urgency + ",";
  return fmt::format("Replace {}{} with a blank one at least as large", disk, when);
}

// The disk is a hot spare that waits.
std::string spare_step(const Situation& s) {
  const std::string pool = display(s.idle_spare->get("pool"), 60);
  const std::string disk = display(s.idle_spare->get("name"), 60);
  if (s.idle_spare->type == "md-member")
    return fmt::format(
        "It is a hot spare of array {0}: run 'mdadm --manage /dev/{0} --remove {1}' before, and "
        "'mdadm --manage /dev/{0} --add NEW-DEVICE' after you replace it.",
        pool, disk);
  return fmt::format(
      "It is a hot spare of pool {0}: run 'zpool remove {0} {1}' before, and 'zpool add {0} spare "
      "NEW-DEVICE' after you replace it.",
      pool, disk);
}

// How to replace the disk, besides the rule's own steps.
void exchange_steps(const Case& c, const Situation& s, const SayWorld& world,
                    const PullSafety& safe, const RuleText& text, Orders& out) {
  const std::string name = command_name(world.inventory, world.index, *s.suspect);
  if (must_stay(s, safe) && s.storage) {
    out.steps.push_back("Make sure that there is a backup of " + storage_name(*s.storage) + ".");
    if (s.state == SayState::diagnosed || s.state == SayState::out_of_service)
      out.steps.push_back(fmt::format(
          "Put a blank disk into another bay and run {}; pull {} when 'fmadm resilver' shows the "
          "end.",
          replace_command(s, world), s.name));
  }
  if (has_bay(s)) out.steps.push_back(locate_step(s, world));
  if (s.vdev && s.storage && s.storage->type == "zfs-pool")
    out.steps.push_back(fmt::format(
        "Replace one disk of {} at a time: the next when 'fmadm resilver' shows the end.",
        storage_name(*s.storage)));
  if (s.btrfs && s.present)
    btrfs_exchange_steps(s, out);
  else if ((s.spare_stays || s.superseded) && s.storage)
    out.steps.push_back(
        fmt::format("Then run 'mdadm --manage /dev/{} --add NEW-DEVICE': it is the next hot spare.",
                    display(s.storage->get("name"), 60)));
  else if (!must_stay(s, safe) && s.vdev && !s.new_is_taken)
    out.steps.push_back(fmt::format("Then run {}.", replace_command(s, world)));
  unfit_steps(c, out);
  out.steps.insert(out.steps.end(), text.steps.begin(), text.steps.end());
  if (s.idle_spare)
    out.steps.push_back(spare_step(s));
  else if (!s.vdev && (s.btrfs || !s.storage))
    out.steps.push_back(fmt::format(
        "If the case does not close by itself after that, run 'fmadm replaced {}'.", name));
}

// A rule's text does not know whether the pool can be without the disk.
void keep_in_place(const Situation& s, Orders& out) {
  static constexpr std::array<std::string_view, 3> kPulling{"Reseat the disk", "Pull the disk",
                                                            "Put the disk into another bay"};
  if (std::none_of(kPulling.begin(), kPulling.end(),
                   [&](std::string_view start) { return out.do_now.starts_with(start); }))
    return;
  out.steps.insert(out.steps.begin(), "Once it is safe to pull: " + std::move(out.do_now));
  out.do_now = fmt::format("Do not pull {} yet", the_disk(s));
}

Orders undecided_orders(const Case& c, const Situation& s, const RuleText& text) {
  Orders out;
  out.do_now =
      fmt::format("Check the cable and the controller of {} before you replace a disk", s.name);
  out.steps.push_back(
      fmt::format("fmd has not decided which part it is: {}.", display(c.undecided(), 300)));
  out.steps.insert(out.steps.end(), text.steps.begin(), text.steps.end());
  return out;
}

void share_orders(const Situation& s, Orders& out) {
  out.steps.insert(
      out.steps.begin(),
      fmt::format("{} disks of {} are degraded or out of use. If they share a cable, a "
                  "controller or a power supply, that part is more likely the cause.",
                  s.ailing, storage_name(*s.storage)));
  out.do_now = fmt::format(
      "Check the cables, the controller and the power of the disks of {} before you replace one",
      storage_name(*s.storage));
}

// md fills no new member until the reshape of its array ends, and may need the old ones.
bool waits_for_reshape(const Case& c, const Situation& s) {
  if (!s.vdev || !s.storage || !is_reshaped(*s.storage) || is_idle_spare(*s.vdev)) return false;
  return (s.replaces || c.retire.replace_same_bay) && c.state != CaseState::unsolved &&
         s.state != SayState::repaired && s.state != SayState::informed;
}

Orders reshape_orders(const Situation& s) {
  const std::string storage = storage_name(*s.storage);
  Orders out{fmt::format("Wait until the reshape of {} has ended", storage), {}};
  if (s.present) out.do_now += fmt::format(": do not pull {} yet", the_disk(s));
  out.steps.push_back(fmt::format("Make sure that there is a backup of {}.", storage));
  out.steps.push_back(
      fmt::format("Pull no disk of {} until then, and do not stop it: a failed disk may be needed "
                  "to recover it.",
                  storage));
  out.steps.push_back(fmt::format(
      "'cat /proc/mdstat' shows the progress. If there is none, 'mdadm --grow --continue /dev/{}' "
      "resumes the reshape, with the --backup-file that it was started with, if any.",
      display(s.storage->get("name"), 60)));
  out.steps.push_back(
      fmt::format("When it has ended, this case says how to replace {}.", the_disk(s)));
  return out;
}

// It is repaired, and ZFS itself keeps it out of service.
bool waits_for_clear(const Case& c, const Situation& s) {
  return c.state == CaseState::repaired && s.vdev && s.vdev->type == "zfs-vdev" &&
         s.vdev->is("state_by", "zfs") && !s.vdev->is("service", "in-service");
}

Orders orders_of(const Case& c, const Situation& s, const SayWorld& world, const PullSafety& safe) {
  RuleText text = read_rule_text(c.action);
  if (must_come_back(c, s)) return bring_back_orders(s);
  if (waits_for_reshape(c, s)) return reshape_orders(s);
  switch (s.state) {
    case SayState::repaired:
      if (waits_for_clear(c, s))
        return {fmt::format("Run 'zpool clear {} {}'", display(s.vdev->get("pool"), 60),
                            display(s.vdev->get("name"), 60)),
                {}};
      return repaired_orders(c, world);
    case SayState::informed:
      return {"Do nothing: this is for information", std::move(text.steps)};
    case SayState::resilvering:
      return resilvering_orders(s, world);
    case SayState::disk_pulled: {
      Orders out = pulled_orders(c, s, world);
      if (s.vdev && !s.vdev->is("spare", "active")) out.steps.push_back(other_disks_step(s));
      return out;
    }
    case SayState::unfit_disk:
      return unfit_orders(c, s, world);
    default:
      break;
  }
  if (waits_for_mount(s) && !s.replaces) return btrfs_mount_orders(s);
  if (c.state == CaseState::unsolved)
    return {fmt::format("Wait: fmd has not judged {} yet{}", s.name,
                        world.held_until.empty() ? "" : "; it decides by " + world.held_until),
            {}};
  if (!c.undecided().empty()) return undecided_orders(c, s, text);
  if (!s.replaces) {
    if (text.do_now.empty()) text.do_now = fmt::format("Look at {}", s.name);
    Orders out{std::move(text.do_now), std::move(text.steps)};
    unfit_steps(c, out);
    if (must_stay(s, safe)) keep_in_place(s, out);
    return out;
  }
  if (is_let_go(world.inventory, *s.suspect)) return let_go_orders(c, s, world);
  Orders out;
  out.do_now = exchange_sentence(c, s, safe, world.inventory);
  exchange_steps(c, s, world, safe, text, out);
  if (const auto absent = absent_disk_of(s, world)) order_its_return(*absent, s, out);
  if (may_share_cause(c, s)) share_orders(s, out);
  return out;
}

Needs needs_of(const Case& c, const Situation& s, bool dry_run) {
  if (must_come_back(c, s) || may_share_cause(c, s)) return Needs::you;
  // Only a person can resume a reshape that has stopped.
  if (waits_for_reshape(c, s)) return s.storage->is("stopped", "reshape") ? Needs::you : Needs::fmd;
  switch (s.state) {
    case SayState::repaired:
      if (waits_for_clear(c, s)) return Needs::you;
      return c.state == CaseState::repaired ? Needs::fmd : Needs::nobody;
    case SayState::informed:
      return Needs::nobody;
    case SayState::waiting_scrub:
      return dry_run ? Needs::you : Needs::fmd;
    case SayState::spare_resilvering:
      return Needs::fmd;
    case SayState::resilvering:
      return s.new_disk_lost ? Needs::you : Needs::fmd;
    case SayState::disk_pulled:
      return s.newcomer && s.automatic && !dry_run ? Needs::fmd : Needs::you;
    default:
      return c.state == CaseState::unsolved ? Needs::fmd : Needs::you;
  }
}

// Dry run and maintenance replace the state, unless the case is over.
SayState shown_state(const Case& c, const Situation& s, const SayWorld& world) {
  if (s.state == SayState::repaired || s.state == SayState::informed) return s.state;
  if (!world.window.empty()) return SayState::maintenance;
  const bool rehearsed =
      world.dry_run && std::any_of(c.actions.begin(), c.actions.end(),
                                   [](const Action& a) { return a.state == ActionState::dry_run; });
  return rehearsed && s.state != SayState::disk_pulled && s.state != SayState::unfit_disk
             ? SayState::dry_run
             : s.state;
}

}  // namespace

std::string_view say_state_name(SayState state) {
  static constexpr std::array<std::string_view, 12> kNames{
      "diagnosed",      "waiting_scrub", "spare_resilvering", "spare_holds_all",
      "out_of_service", "disk_pulled",   "unfit_disk",        "resilvering",
      "repaired",       "dry_run",       "maintenance",       "informed"};
  return kNames[static_cast<size_t>(state)];
}

std::string_view needs_name(Needs needs) {
  return needs == Needs::you ? "you" : needs == Needs::fmd ? "fmd" : "nobody";
}

Say say_of(const Case& c, const SayWorld& world) {
  Situation s = situation_of(c, world);
  if (c.suspects.empty() && !world.held_part.empty()) s.name = world.held_part;
  Say say;
  say.state = shown_state(c, s, world);
  say.needs = needs_of(c, s, world.dry_run);
  say.headline = headline_of(c, s, world);
  const PullSafety proven = proven_safety(s, world);
  say.safe_to_pull = advised_safety(s, world, proven);
  Orders orders = orders_of(c, s, world, proven);
  say.do_now = std::move(orders.do_now);
  if (!say.do_now.empty() && say.do_now.back() != '.' && say.do_now.back() != '?')
    say.do_now += '.';
  // A rule's order to wait, such as for a new disk that ZFS fills, asks for no disk to be pulled.
  if (say.safe_to_pull.yes() && say.do_now.starts_with("Wait")) say.safe_to_pull = {};
  say.safe_to_pull = with_caution(s, world.inventory, std::move(say.safe_to_pull));
  say.steps = std::move(orders.steps);
  say.light = light_of(c, s, world.inventory);
  if (s.state != SayState::repaired) say.redundancy = redundancy_of(c, s, world.inventory);
  say.done = done_of(c, s, world);
  say.next = next_of(c, s, world, must_stay(s, proven));
  say.disagree = disagree_of(c, s);
  if (s.is_disk && (world.dry_run || !takes_from_bay(s, world)))
    say_by_hand(s, replace_command(s, world), say);
  if (world.dry_run) say_dry_run(s, say);
  explain_new_device(s, say.do_now, say.steps);
  explain_no_label(say.do_now, say.steps);
  if (s.suspect && !s.storage)
    name_storages_behind(world.inventory, s.suspect->resource, say.steps);
  name_the_parts(s, world, say);
  acquit_by_case(c, s, world, say);
  return say;
}

nlohmann::json to_json(const Say& say) {
  nlohmann::json doc = {
      {"state", say_state_name(say.state)},
      {"needs", needs_name(say.needs)},
      {"headline", say.headline},
      {"do_now", say.do_now},
      {"steps", say.steps},
      {"safe_to_pull",
       {{"answer", answer_name(say.safe_to_pull.answer)}, {"why", say.safe_to_pull.why}}},
      {"done", say.done},
      {"next", say.next},
      {"disagree", say.disagree}};
  if (!say.redundancy.empty()) doc["redundancy"] = say.redundancy;
  if (!say.light.empty()) doc["light"] = say.light;
  return doc;
}

}  // namespace fmd
