#include "fmd/advice/say_orders.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "fmd/advice/btrfs_disk.h"
#include "fmd/advice/declared_repaired.h"
#include "fmd/advice/leftover.h"
#include "fmd/advice/old_disk.h"
#include "fmd/advice/part_names.h"
#include "fmd/advice/rule_text.h"
#include "fmd/advice/say_lists.h"
#include "fmd/advice/say_safety.h"
#include "fmd/advice/storage.h"
#include "fmd/base/text.h"

namespace fmd {
namespace {

constexpr const char* kNewPartition = "NEW-PARTITION";
constexpr const char* kNewMapping = "NEW-MAPPING";

// zpool takes a disk without a label only with -f, which also overrides its other checks: only for
// a disk that fmd has read and found blank.
const char* force_of(const Resource* newcomer) {
  const bool blank = newcomer && !newcomer->get("path").empty() && newcomer->is("content", "blank");
  return blank ? "-f " : "";
}

// The device that this command gives to a pool without -f: the last word of
// "'zpool replace tank sd4 NEW-DEVICE'". "" if there is none.
std::string_view unforced_device(std::string_view text) {
  for (const std::string_view verb : {"'zpool replace ", "'zpool add ", "'zpool attach "}) {
    const size_t at = text.find(verb);
    const size_t end = at == text.npos ? at : text.find('\'', at + 1);
    if (end == text.npos) continue;
    const std::string_view words = text.substr(at + verb.size(), end - at - verb.size());
    const std::string_view device = words.substr(words.rfind(' ') + 1);
    if (!words.starts_with("-f ") && device != kNewPartition && device != kNewMapping)
      return device;
  }
  return {};
}

// Where a disk goes: "SLOT 04".
std::string bay_named(const Situation& s) {
  return has_bay(s) ? s.name : "its bay";
}

// The action of a new disk that is not used; nullptr: none.
const Action* refusal_of(const Case& c) {
  for (const Action& a : c.actions)
    if (a.kind == ActionKind::replace && a.obstacle == Obstacle::not_accepted) return &a;
  return nullptr;
}

std::string as_step(std::string sentence) {
  sentence[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence[0])));
  if (sentence.back() != '.') sentence += '.';
  return sentence;
}

// "'fmadm replace … --force' uses it anyway." without what the order says as well.
void add_allowing_step(const Action& refusal, Orders& out) {
  const std::string& text = refusal.detail;
  if (const size_t command = text.find("'fmadm replace "); command != text.npos)
    out.steps.push_back(as_step(display(text.substr(command))));
}

// "is not blank: it holds ext4": "it holds ext4"
std::string what_is_on_it(const Action& refusal) {
  const size_t colon = refusal.unfit_why.find(": ");
  return colon == std::string::npos ? "" : display(refusal.unfit_why.substr(colon));
}

// Asks for another disk, or for a decision about the new one in that bay.
std::string another_disk(const Action& refusal, const std::string& bay) {
  const std::string why = display(refusal.unfit_why);
  switch (refusal.unfit) {
    case Unfit::in_use:
      break;  // unfit_orders()
    case Unfit::not_blank:
      return fmt::format("Put a blank disk into {}, or allow the new one: it is not blank", bay);
    case Unfit::too_small:
      return fmt::format("Put a larger disk into {}: the new one {}", bay, why);
    case Unfit::larger_blocks:
      return fmt::format("Put a disk with smaller sectors into {}: the new one {}", bay, why);
    case Unfit::sector_size:
      return fmt::format("Put a disk with smaller sectors into {}, or allow the new one: it {}",
                         bay, why);
    case Unfit::other_kind:
      return fmt::format("Put an SSD into {}, or allow the new one: it is a hard disk", bay);
    case Unfit::disputed:
      return fmt::format("Look at the label on the new disk in {}, which {}", bay, why);
    case Unfit::unread:
      return fmt::format("Put another disk into {}: the new one {}", bay, why);
    case Unfit::none:
      break;
  }
  return fmt::format("Put another disk into {}, or allow the new one", bay);
}

// The member is taken out of the array first where it still works.
std::string mdadm_command(const Situation& s, const std::string& by) {
  const std::string array = s.storage ? display(s.storage->get("name"), 60) : "ARRAY";
  const std::string old = display(s.vdev->get("path"), 60);
  if (s.out || !s.present || old.empty())
    return fmt::format("'mdadm --manage /dev/{} --add {}'", array, by);
  return fmt::format("'mdadm --manage /dev/{} --add {} --replace {} --with {}'", array, by, old,
                     by);
}

// The machine may boot from the disk's other partitions.
std::string partition_command(const Situation& s) {
  constexpr const char* kNew = kNewPartition;
  const std::string command =
      s.vdev->type == "md-member"
          ? mdadm_command(s, kNew)
          : fmt::format("'zpool replace {} {} {}'", display(s.vdev->get("pool"), 60),
                        display(s.vdev->get("name"), 60), kNew);
  return command +
         " once the new disk has the partitions of the old one, and its boot loader if the machine "
         "boots from it";
}

// On the new disk itself, the data would not be encrypted.
std::string mapping_command(const Situation& s) {
  const std::string command =
      s.vdev->type == "md-member"
          ? mdadm_command(s, kNewMapping)
          : fmt::format("'zpool replace {} {} {}'", display(s.vdev->get("pool"), 60),
                        display(s.vdev->get("name"), 60), kNewMapping);
  return command + " once the new disk has the encryption (LUKS) or the volume of the old one";
}

}  // namespace

bool was_acquitted(const Case& c) {
  return std::any_of(c.suspects.begin(), c.suspects.end(), [](const Suspect& suspect) {
    return suspect.status == SuspectStatus::acquitted;
  });
}

std::string explaining_case(const Case& c) {
  return was_acquitted(c) ? display(short_id(c.superseded_by)) : std::string();
}

std::string other_disks_step(const Situation& s) {
  return fmt::format(
      "Meanwhile pull no other disk of {}, unless its own case says that it is safe.",
      s.storage ? storage_name(*s.storage) : "the pool");
}

std::string disk_named(const Situation& s) {
  const std::string serial = display(s.suspect->serial, 60);
  if (s.suspect->location.empty() || serial.empty()) return s.name;
  return fmt::format("{} (serial {})", s.name, serial);
}

std::string the_disk(const Situation& s) {
  if (has_bay(s)) return "the disk in " + disk_named(s);
  return s.name.starts_with("disk ") ? s.name : "the disk " + s.name;
}

std::string locate_step(const Situation& s, const SayWorld& world) {
  return fmt::format("'fmadm locate on {}' lights the locate LED of {}.",
                     command_name(world.inventory, world.index, *s.suspect), s.name);
}

bool has_bay(const Situation& s) {
  return s.suspect && !s.suspect->location.empty();
}

std::string replace_command(const Situation& s, const SayWorld& world, const Resource* newcomer) {
  if (s.btrfs) return btrfs_replace_command(*s.btrfs, newcomer);
  const std::string path = newcomer ? newcomer->get("path") : "";
  const std::string by = path.empty() ? kNewDevice : display(path);
  if (s.vdev && s.vdev->is("partition", "true")) return partition_command(s);
  if (s.vdev && s.vdev->is("mapped", "true")) return mapping_command(s);
  // ZFS replaces no cache device.
  if (s.vdev && s.vdev->is("role", "cache")) {
    const std::string pool = display(s.vdev->get("pool"), 60);
    return fmt::format("'zpool remove {} {}' and 'zpool add {}{} cache {}'", pool,
                       display(s.vdev->get("name"), 60), force_of(newcomer), pool, by);
  }
  if (s.vdev && (world.dry_run || !acts_on(world.inventory, *s.vdev))) {
    if (s.vdev->type == "md-member") return mdadm_command(s, by);
    return fmt::format("'zpool replace {}{} {} {}'", force_of(newcomer),
                       display(s.vdev->get("pool"), 60), display(s.vdev->get("name"), 60), by);
  }
  return fmt::format("'fmadm replace {} {}'",
                     command_name(world.inventory, world.index, *s.suspect),
                     newcomer ? newcomer->fmri : "NEW-DISK");
}

void explain_new_device(const Situation& s, const std::string& do_now,
                        std::vector<std::string>& steps) {
  const auto names_it = [](const std::string& text) { return text.find(kNewDevice) != text.npos; };
  const auto first = std::find_if(steps.begin(), steps.end(), names_it);
  if (first == steps.end() && !names_it(do_now)) return;
  steps.insert(first == steps.end() ? steps.begin() : first + 1,
               fmt::format("{} is the device of the new disk: '{}' prints it.", kNewDevice,
                           has_bay(s) ? "fmtopo BAY" : "lsblk -o PATH,SERIAL"));
}

void explain_no_label(const std::string& do_now, std::vector<std::string>& steps) {
  std::string device(unforced_device(do_now));
  auto place = steps.begin();
  if (device.empty()) {
    place = std::find_if(steps.begin(), steps.end(),
                         [](const std::string& step) { return !unforced_device(step).empty(); });
    if (place == steps.end()) return;
    device = unforced_device(*place++);
  }
  if (place != steps.end() && place->starts_with(kNewDevice)) ++place;
  steps.insert(place, fmt::format("If zpool answers 'does not contain an EFI label', compare the "
                                  "disk's serial number, and see that 'wipefs {}' prints nothing; "
                                  "then the disk is blank, and the command needs -f.",
                                  device));
}

void unfit_steps(const Case& c, Orders& out) {
  const Action* refusal = refusal_of(c);
  if (!refusal) return;
  std::vector<std::string> sentences = sentences_of(refusal->detail);
  if (sentences.size() < 2) return;  // nothing to do about it
  std::string& news = sentences.front();
  if (news.back() == '.') news.pop_back();
  out.steps.push_back(as_step(news + ": " + sentences[1]));
}

Orders pulled_orders(const Case& c, const Situation& s, const SayWorld& world) {
  Orders out;
  const std::string name = command_name(world.inventory, world.index, *s.suspect);
  const bool automatic = s.automatic && !world.dry_run;
  if (!s.newcomer) {
    const Action* refusal = refusal_of(c);
    out.do_now = fmt::format("Put a blank disk at least as large into {}", bay_named(s));
    if (refusal && refusal->unfit == Unfit::none && !refusal->unfit_why.empty()) {
      out.do_now += fmt::format(", or allow the new one: it {}", display(refusal->unfit_why));
      add_allowing_step(*refusal, out);
    } else {
      unfit_steps(c, out);
    }
    if (automatic && !out.steps.empty()) return out;
    if (s.btrfs || (s.vdev && !automatic))
      out.steps.push_back(fmt::format("Then run {}.", replace_command(s, world)));
    else if (s.vdev)
      out.steps.push_back(
          fmt::format("If it sits in another bay, run {}.", replace_command(s, world)));
    return out;
  }
  if (automatic) {
    out.do_now = fmt::format("Wait until fmd has taken in the new disk in {}", bay_named(s));
    return out;
  }
  if ((s.vdev || s.btrfs) && s.newcomer->is("content", "used")) {
    out.do_now = fmt::format("Put a blank disk into {}: the one there is not blank", bay_named(s));
    out.steps.push_back(fmt::format("Then run {}.", replace_command(s, world)));
    return out;
  }
  if (s.vdev && *force_of(s.newcomer) != '\0')
    out.steps.push_back(
        fmt::format("fmd has found the disk (serial {}) blank; -f lets zpool take it without a "
                    "label.",
                    display(s.newcomer->get("serial"), 60)));
  out.do_now = s.vdev || s.btrfs
                   ? fmt::format("Run {} for the new disk in {}",
                                 replace_command(s, world, s.newcomer), bay_named(s))
                   : fmt::format("Run 'fmadm replaced {}': the disk has been replaced", name);
  return out;
}

Orders unfit_orders(const Case& c, const Situation& s, const SayWorld& world) {
  Orders out;
  const std::string bay = newcomer_bay(s, world);
  const Action* refusal = refusal_of(c);
  if (!refusal || is_used(world.inventory, *s.newcomer)) {
    const bool says = refusal && refusal->unfit == Unfit::in_use;
    out.do_now = fmt::format("Put a blank disk into another bay: the one in {} {}", bay,
                             says ? display(refusal->unfit_why) : "is in use");
    out.steps.push_back(fmt::format("Then run {}.", replace_command(s, world)));
    return out;
  }
  out.do_now = another_disk(*refusal, bay);
  const std::string path = display(s.newcomer->get("path"));
  if (refusal->unfit == Unfit::not_blank && !path.empty()) {
    const std::string content = what_is_on_it(*refusal);
    out.steps.push_back(fmt::format("'wipefs {}' lists what is on the new disk (serial {}){}.",
                                    path, display(s.newcomer->get("serial"), 60),
                                    content.empty() ? "" : content));
  }
  add_allowing_step(*refusal, out);
  return out;
}

Orders bring_back_orders(const Situation& s) {
  Orders out;
  const std::string storage = storage_name(*s.storage);
  out.do_now = s.out ? fmt::format("Bring {} back: check its cable, its power and its enclosure",
                                   the_disk(s))
                     : fmt::format("Do not pull {}", the_disk(s));
  const std::string name = display(s.storage->get("name"), 60);
  if (s.vdev && !lacks_copies(*s.storage)) {
    out.steps.push_back(
        fmt::format("Put no other disk in its place: it may hold the only copy of some data of {}, "
                    "because other disks of its group are still being filled.",
                    storage));
    out.steps.push_back(fmt::format("If it does not rejoin {} by itself, run 'zpool {} {} {}'.",
                                    storage, s.vdev->is("state", "FAULTED") ? "clear" : "online",
                                    name, display(s.vdev->get("name"), 60)));
    return out;
  }
  out.steps.push_back(
      fmt::format("Put no other disk in its place: each missing disk of {} may hold the only copy "
                  "of its data.",
                  storage));
  if (s.btrfs) {
    out.steps.push_back(fmt::format(
        "When the disks are back, unmount {} and mount it again: btrfs takes no device back while "
        "it is mounted.",
        storage));
    return out;
  }
  if (s.storage->type == "md-array") {
    out.steps.push_back(fmt::format(
        "When the disks are back, run 'mdadm --stop /dev/{}' and then 'mdadm --assemble --scan'.",
        name));
    return out;
  }
  if (s.storage->is("suspended_by", "multihost")) {
    out.steps.push_back(fmt::format(
        "Do not run 'zpool clear {}': another host may have imported {}. Its own case says how to "
        "go on.",
        name, storage));
    return out;
  }
  // While a pool resilvers, zpool(8) does not print why it is suspended.
  if (!s.storage->is("health", "SUSPENDED"))
    out.steps.push_back(
        fmt::format("If 'journalctl -k -g MMP' shows that multihost writes failed, do not run "
                    "'zpool clear {}': "
                    "another host may use {}. Restart this machine instead.",
                    name, storage));
  out.steps.push_back(fmt::format("When the disks are back, run 'zpool clear {}'.", name));
  out.steps.push_back(fmt::format(
      "If that fails, export {} or restart the machine, and import it read-only: 'zpool import -o "
      "readonly=on {}'.",
      storage, name));
  return out;
}

Orders repaired_orders(const Case& c, const SayWorld& world) {
  if (!c.merged_into.empty()) return {"Look at the case that it goes on as", {}};
  if (const Resource* old = old_disk_in_bay(c, world.inventory))
    return {fmt::format("Take the old disk out of {}: it is not used any more",
                        resource_words(world.inventory, old->fmri)),
            {keep_old_disk_words(c)}};
  const std::string explained_by = explaining_case(c);
  if (!explained_by.empty())
    return {fmt::format("Look at case {}: it explains this one", explained_by), {}};
  if (std::string left = leftover_words(c, world.inventory); !left.empty()) return {left, {}};
  if (was_acquitted(c))
    return {"Do nothing: an administrator has said that it is not at fault", {}};
  if (const std::string declared = declared_words(c, world.inventory); !declared.empty()) {
    Orders out{"Do nothing unless it fails again: a new case says so then", {declared + "."}};
    if (const std::string test = test_words(c, world.inventory); !test.empty())
      out.steps.push_back("To test it now: " + test + ".");
    return out;
  }
  return {"Do nothing: it is repaired", {}};
}

// The new disk left or failed while it was filled.
Orders let_go_orders(const Case& c, const Situation& s, const SayWorld& world) {
  Orders out{fmt::format("Take out {}: pool {} no longer uses it", the_disk(s),
                         display(s.suspect->facts.at(kLetGo), 40)),
             {}};
  if (has_bay(s)) out.steps.push_back(locate_step(s, world));
  out.steps.push_back(keep_old_disk_words(c));
  return out;
}

Orders lost_orders(const Situation& s, const SayWorld& world) {
  Orders out;
  out.do_now = s.newcomer ? fmt::format("Put another blank disk into {}: the new one has failed",
                                        bay_named(s))
                          : fmt::format(
                                "Put the new disk back into {}, or a blank one at least "
                                "as large",
                                bay_named(s));
  out.steps.push_back(fmt::format("{} a blank one, run {}.",
                                  s.automatic && !world.dry_run ? "If fmd does not take" : "For",
                                  replace_command(s, world)));
  return out;
}

Orders resilvering_orders(const Situation& s, const SayWorld& world) {
  if (s.new_disk_lost) return lost_orders(s, world);
  Orders out{"Wait until the new disk holds all data", {}};
  out.steps.push_back(other_disks_step(s));
  out.steps.emplace_back("'fmadm resilver' shows the progress.");
  const Resource* old = world.inventory.find(s.suspect->fru);
  if (old && old->present && !world.inventory.location(old->fmri).empty())
    out.steps.push_back(
        fmt::format("The old disk is still in {}: take it out when the new one holds all data.",
                    resource_words(world.inventory, old->fmri)));
  return out;
}

}  // namespace fmd
