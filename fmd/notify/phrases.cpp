#include "fmd/notify/phrases.h"

#include <fmt/format.h>

#include "fmd/advice/rule_text.h"
#include "fmd/base/text.h"
#include "fmd/model/no_spare.h"

namespace fmd {
namespace {

constexpr std::string_view kNoPlugin =
    "no plugin that does it is connected ('fmadm config' shows which are)";

// The reason only: an action's detail begins with the action ("could not take sdf out of service:
// no answer in 60s").
std::string reason_in(std::string_view detail) {
  if (detail.starts_with("could not ") || detail.starts_with("not taken ") ||
      detail.starts_with("not marked "))
    if (const size_t colon = detail.find(": "); colon != std::string_view::npos)
      detail.remove_prefix(colon + 2);
  std::string reason = display(detail, 500);
  while (!reason.empty() && (reason.back() == '.' || reason.back() == ' ')) reason.pop_back();
  return reason;
}

// Why not, as a clause: the action's reason, or the general reason for this standing.
std::string why_not(const Promise& promise) {
  if (std::string reason = reason_in(promise.detail); !reason.empty()) return reason;
  switch (promise.standing) {
    case Standing::no_spare:
      return "no spare is available";
    case Standing::not_accepted:
      return "it is not blank, too small or in use";
    case Standing::last_copy:
      return "data would go with it";
    case Standing::blast_radius:
      return "too many parts that it counts together with are out already";
    case Standing::undecided:
      return "it may be what several disks hang on";
    case Standing::person:
      return "an administrator's order keeps it in service";
    case Standing::contested:
      return "somebody else undoes that again and again";
    case Standing::not_ours:
      return "somebody else has changed it, and fmd does not change it back";
    case Standing::disputed:
      return "its disk cannot be identified for certain";
    default:
      return "its plugin gives no reason";
  }
}

// What people can do about a part that stays in service, unless the reason says it.
std::string what_to_do(const Promise& promise) {
  if (promise.standing == Standing::last_copy)
    return ". Do not pull it before its data has another copy";
  if (promise.detail.find("fmadm retire") != std::string::npos) return {};
  const std::string by_hand = fmt::format("'fmadm retire {}'", display(promise.key.part));
  switch (promise.standing) {
    case Standing::blast_radius:
      return fmt::format(". Look at those first; {} takes it out by hand", by_hand);
    case Standing::undecided:
      return fmt::format(". Look at the cable and the controller first; {} takes it out by hand",
                         by_hand);
    case Standing::person:
      return fmt::format(". {} takes it out again", by_hand);
    case Standing::contested:
      return fmt::format(". Find out who does; {} takes it out by hand", by_hand);
    case Standing::disputed:
      return fmt::format(". Look at the label on the disk first; {} takes it out by hand", by_hand);
    default:
      return fmt::format(". {} tries it by hand", by_hand);
  }
}

}  // namespace

std::string_view part_noun(const Suspect& suspect) {
  if (part_key(suspect).starts_with("dev://path=") || part_key(suspect).starts_with("dev://sas="))
    return "connection";
  if (suspect.fru.starts_with("dev://") || part_key(suspect).starts_with("dev://")) return "disk";
  return part_key(suspect).find("/vdev=") != std::string::npos ? "vdev" : "part";
}

std::string bay_in_words(std::string_view label) {
  const bool says_so = label.starts_with("bay") || label.starts_with("Bay");
  return (says_so ? "" : "bay ") + display(label, 60);
}

std::string part_name(const Suspect& suspect) {
  std::string name = fmt::format("the {}", part_noun(suspect));
  const std::string serial = display(suspect.serial, 60);
  if (!suspect.location.empty()) {
    name += " in " + bay_in_words(suspect.location);
    return serial.empty() ? name : name + fmt::format(" (serial {})", serial);
  }
  if (!serial.empty()) return name + " with serial " + serial;
  const auto called = suspect.facts.find("name");
  const auto pool = suspect.facts.find("pool");
  if (called == suspect.facts.end()) return name + " " + display(part_key(suspect));
  name += " " + display(called->second, 80);
  return pool == suspect.facts.end() ? name : name + " of pool " + display(pool->second, 60);
}

std::string as_sentence(std::string text) {
  if (text.empty()) return text;
  if (text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text + ".";
}

std::string PromisePhrases::named(const Promise& promise) {
  const Suspect& suspect = *promise.suspect;
  std::string name = part_name(suspect);
  // The core or page that fmd acts on, not the processor or module that it is in.
  if (const auto called = suspect.facts.find("name");
      part_noun(suspect) == "part" && promise.key.part == suspect.resource &&
      suspect.fru != suspect.resource && called != suspect.facts.end())
    name = display(called->second, 80);
  if (name == last_part_) return "it";
  last_part_ = name;
  return name;
}

std::string PromisePhrases::rehearsal(const Promise& promise) {
  constexpr std::string_view kWould = "dry run: would ";
  if (promise.key.kind != ActionKind::retire || !promise.detail.starts_with(kWould))
    return "Dry run is on: fmd only announces what it would do.";
  return fmt::format("Dry run is on: fmd would now {}, and does not.",
                     display(promise.detail.substr(kWould.size()), 300));
}

std::string PromisePhrases::say(const Promise& promise) {
  if (promise.standing == Standing::none) return {};
  if (promise.standing == Standing::rehearsed) return rehearsal(promise);
  switch (promise.key.kind) {
    case ActionKind::retire:
    case ActionKind::out_of_service:
      return as_sentence(retirement(promise));
    case ActionKind::spare:
      return as_sentence(spare(promise));
    case ActionKind::replace:
      return as_sentence(replacement(promise));
    case ActionKind::fault_led:
      return as_sentence(led(promise));
  }
  return {};
}

std::string PromisePhrases::retirement(const Promise& promise) {
  const bool degrades = promise.key.kind == ActionKind::retire && case_.retire.first == "degraded";
  const std::string_view what = degrades ? "marked degraded" : "taken out of service";
  const std::string part = named(promise);
  switch (promise.standing) {
    case Standing::coming:
      return fmt::format("{} is to be {} after all", part, what);
    case Standing::done:
      return fmt::format("{} is {} now", part, degrades ? what : "out of service");
    case Standing::no_plugin:
      return fmt::format("{} has not been {} yet: {}", part, what, kNoPlugin);
    case Standing::failed:
      return fmt::format("{} could not be {} so far: {}. fmd keeps trying", part, what,
                         why_not(promise));
    default:
      return fmt::format("{} is not {}: {}{}", part, what, why_not(promise), what_to_do(promise));
  }
}

std::string PromisePhrases::spare(const Promise& promise) {
  const std::string part = named(promise);
  switch (promise.standing) {
    case Standing::coming:
      return fmt::format("a hot spare is to be brought in for {} after all", part);
    case Standing::done:
      return fmt::format("a hot spare is in for {} now", part);
    case Standing::no_spare:
      if (std::string_view(promise.detail).starts_with(kNoSpareBecause))
        return fmt::format("no hot spare is brought in for {}: {}", part,
                           display(promise.detail.substr(kNoSpareBecause.size())));
      return fmt::format(
          "no hot spare is available for {}. Once there is one, fmd brings it in by itself", part);
    case Standing::lost:
      return fmt::format(
          "the hot spare that was in for {} has left; another one is used only if the errors "
          "continue",
          part);
    case Standing::stays_behind:
      return fmt::format("no hot spare is brought in for {} as long as it stays in service", part);
    case Standing::no_plugin:
      return fmt::format("no hot spare has been brought in for {} yet: {}", part, kNoPlugin);
    case Standing::failed:
      return fmt::format("no hot spare could be brought in for {} so far: {}. fmd keeps trying",
                         part, why_not(promise));
    default:
      return fmt::format("no hot spare is brought in for {}: {}", part, why_not(promise));
  }
}

std::string PromisePhrases::replacement(const Promise& promise) {
  const std::string part = named(promise);
  const std::string disk = fmt::format("the new disk put in for {}", part);
  switch (promise.standing) {
    case Standing::coming:
      return disk + " is to be taken in after all";
    case Standing::done:
      return disk + " is taken in now";
    case Standing::no_plugin:
      return fmt::format("{} has not been taken in yet: {}", disk, kNoPlugin);
    case Standing::failed:
      return fmt::format("{} could not be taken in so far: {}. fmd keeps trying", disk,
                         why_not(promise));
    default: {
      const std::string why = why_not(promise);
      if (promise.standing == Standing::not_accepted && why.starts_with("the new disk")) {
        std::string news = sentences_of(why).front();  // the steps say what to do about it
        if (news.back() == '.') news.pop_back();
        return news;
      }
      if (why.starts_with("the new disk")) return why;  // already names the disk
      return fmt::format("{} is not taken in: {}", disk, why);
    }
  }
}

std::string PromisePhrases::led(const Promise& promise) {
  const std::string part = named(promise);
  const std::string lamp = part == "it" ? "its fault LED" : "the fault LED of " + part;
  switch (promise.standing) {
    case Standing::coming:
      return lamp + " is to be lit after all";
    case Standing::done:
      return lamp + " is lit now";
    case Standing::no_led:
      return fmt::format("no fault LED is lit for {}: {}", part,
                         promise.suspect->location.empty() ? "its bay is not known"
                                                           : "its bay has none that fmd knows of");
    case Standing::no_plugin:
      return fmt::format("{} has not been lit yet: {}", lamp, kNoPlugin);
    case Standing::failed:
      return fmt::format("{} could not be lit so far: {}. fmd keeps trying", lamp,
                         why_not(promise));
    default:
      return fmt::format("{} is not lit: {}", lamp, why_not(promise));
  }
}

}  // namespace fmd
