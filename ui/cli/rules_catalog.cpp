// fmadm rules catalog: the texts of journalctl -x for each fault, as a systemd message catalog.
#include <fmt/format.h>

#include <array>
#include <map>

#include "fmd/model/case.h"
#include "fmd/model/happening_kind.h"
#include "fmd/model/message_id.h"
#include "ui/cli/commands.h"
#include "ui/cli/rule_loading.h"
#include "ui/cli/rules_commands.h"

namespace fmd::cli {
namespace {

// The variable parts of a case's texts are fields of the journal entry; journalctl inserts them at
// @…@.
std::string fault_entry(const FaultClass& fault) {
  const std::string title =
      placeholders::fill(fault.title, [](std::string_view) { return std::string("…"); });
  return fmt::format(
      "-- {}\n"
      "Subject: {} ({})\n"
      "Defined-By: fmd\n"
      "Documentation: man:fmadm(8)\n"
      "\n"
      "{} fault {}.\n"
      "\n"
      "Action: @FMD_ACTION@\n"
      "\n"
      "Description: @FMD_DESCRIPTION@\n"
      "\n"
      "Impact: @FMD_IMPACT@\n"
      "\n"
      "Response: @FMD_RESPONSE@\n"
      "\n"
      "Part: @FMD_FRU@, bay @FMD_BAY@, serial number @FMD_SERIAL@\n"
      "All about the case, as it is now: fmadm faulty -v -u @FMD_UUID@\n",
      fault_message_id(fault.code), title, fault.code,
      severity_word(fault.severity, fault.information), fault.name);
}

std::string entry(std::string_view id, const char* subject, const char* text, const char* more) {
  return fmt::format(
      "-- {}\n"
      "Subject: {}\n"
      "Defined-By: fmd\n"
      "Documentation: man:fmadm(8)\n"
      "\n"
      "{}\n"
      "{} @FMD_UUID@\n",
      id, subject, text, more);
}

std::string event_entry(const char* event, const char* subject, const char* text) {
  return entry(case_message_id(event), subject, text,
               "All about the case, as it is now: fmadm faulty -a -v -u");
}

// Messages about happenings.
std::string happening_entry(std::string_view event, const char* subject, const char* text) {
  return entry(happening_message_id(event), subject, text,
               "Who was told of it: fmadm notify explain");
}

std::string happening_entries() {
  struct Entry {
    const char *event, *subject, *text;
  };
  constexpr std::array<Entry, 8> kEntries{
      {{"spare-activated", "A hot spare is in",
        "A hot spare (@FMD_DETAIL@) has taken the place of the disk in bay @FMD_BAY@, serial "
        "number "
        "@FMD_SERIAL@, in pool @FMD_POOL@."},
       {"resilver-started", "A resilver or rebuild has begun",
        "The resilver or rebuild of @FMD_POOL@ has begun."},
       {"resilver-finished", "A resilver or rebuild has ended",
        "The resilver or rebuild of @FMD_POOL@ has ended: @FMD_RESULT@. Its health: @FMD_HEALTH@."},
       {"disk-inserted", "A disk was put in",
        "Disk @FMD_PART@, serial number @FMD_SERIAL@, bay @FMD_BAY@."},
       {"disk-removed", "A disk was taken out, or is not seen any more",
        "Disk @FMD_PART@, serial number @FMD_SERIAL@, bay @FMD_BAY@."},
       {"scrub-errors", "A scrub has found errors",
        "The scrub of @FMD_POOL@ has ended: @FMD_RESULT@. If a part is to blame, there is a case: "
        "fmadm faulty."},
       {"plugin-silent", "A plugin of fmd does not respond",
        "@FMD_PART@ does not respond: @FMD_DETAIL@. What it monitors is not monitored now."},
       {"led-failed", "A light cannot be driven",
        "The light of @FMD_PART@, bay @FMD_BAY@: @FMD_DETAIL@."}}};
  static_assert(kEntries.size() == kHappenings.size());
  std::string out;
  for (const auto& [event, subject, text] : kEntries)
    out += "\n" + happening_entry(event, subject, text);
  return out;
}

}  // namespace

Result<void> rules_catalog(const RulesOptions& options) {
  const LoadedRules loaded = load_rules(options.paths, options.events);
  if (!loaded.errors.empty()) return tl::unexpected(say_errors(loaded.errors));
  std::map<std::string, const FaultClass*> faults;  // by code
  for (const auto& [name, fault] : loaded.rules->faults()) faults[fault.code] = &fault;
  std::string out =
      event_entry("updated", "There is news about a fault",
                  "The fault @FMD_CODE@ of @FMD_FRU@ has changed, or more of it is known.") +
      "\n" +
      event_entry("repaired", "A fault is repaired",
                  "The fault @FMD_CODE@ of @FMD_FRU@ is repaired; the part is not back in full "
                  "service yet.") +
      "\n" +
      event_entry("resolved", "A fault is resolved",
                  "The fault @FMD_CODE@ of @FMD_FRU@ is resolved. @FMD_ACTION@");
  out += happening_entries();
  for (const auto& [code, fault] : faults) out += "\n" + fault_entry(*fault);
  return print(out);
}

}  // namespace fmd::cli
