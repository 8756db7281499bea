// fmadm rules catalog: what journalctl -x says of each fault, as systemd's message catalog has it.
#include <fmt/format.h>

#include <map>

#include "fmd/model/message_id.h"
#include "ui/cli/commands.h"
#include "ui/cli/rule_loading.h"
#include "ui/cli/rules_commands.h"

namespace fmd::cli {
namespace {

// What a case's own texts fill in stands in the entry's fields; journalctl puts them in at @…@.
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
      "What to do: @FMD_ACTION@\n"
      "\n"
      "What happened: @FMD_DESCRIPTION@\n"
      "\n"
      "What it means: @FMD_IMPACT@\n"
      "\n"
      "What fmd does about it: @FMD_RESPONSE@\n"
      "\n"
      "Part: @FMD_FRU@, bay @FMD_BAY@, serial number @FMD_SERIAL@\n"
      "All about the case, as it is now: fmadm faulty -v -u @FMD_UUID@\n",
      fault_message_id(fault.code), title, fault.code, fault.severity, fault.name);
}

std::string event_entry(const char* event, const char* subject, const char* text) {
  return fmt::format(
      "-- {}\n"
      "Subject: {}\n"
      "Defined-By: fmd\n"
      "Documentation: man:fmadm(8)\n"
      "\n"
      "{}\n"
      "All about the case, as it is now: fmadm faulty -a -v -u @FMD_UUID@\n",
      case_message_id(event), subject, text);
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
      event_entry("resolved", "A fault is put right",
                  "The fault @FMD_CODE@ of @FMD_FRU@ is put right. Nothing is left to do.");
  for (const auto& [code, fault] : faults) out += "\n" + fault_entry(*fault);
  return print(out);
}

}  // namespace fmd::cli
