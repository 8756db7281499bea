// The text of cases as fmadm prints it: the layout that Solaris and illumos administrators know,
// with the bay label, serial and part number of the FRU, and how far the repair is. Pure.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "fmd/model/case.h"
#include "ui/cli/daemon.h"
#include "ui/client/advice.h"

namespace fmd::cli {

// The table's head (three lines) and one case's row in it.
std::string case_header();
std::string case_row(const Case& c);
// Below it: which part, and what about it; with_state: whether that is over.
std::string case_title(const Case& c, const Inventory& inventory, bool with_state);

// Head, row and everything about one case; verbose adds state, rules, evidence and timeline. Without advice
// (a replay, an older fmd), Action is the rule's text.
std::string case_text(const Case& c, const Surroundings& around, bool verbose,
                      const ui::Advice* advice = nullptr);

// "Acknowledged: by root …"; "" it is not.
std::string acknowledged_field(const Case& c);
// Evidence and timeline.
std::string case_history(const Case& c);

// "faulted and taken out of service": what is true of the suspect's ASRU now.
std::string asru_words(const Suspect& suspect, const Inventory& inventory);
// "SLOT 06" (hc://…), the quotes included; the path alone when no label is known.
std::string fru_words(const Suspect& suspect);
std::string fru_status_words(const Suspect& suspect, const Inventory& inventory);

// Cases by the part that is broken (fmadm faulty -r) or is to be replaced (-f).
std::string cases_by_resource(const std::vector<Case>& cases, const Surroundings& around);
std::string cases_by_fru(const std::vector<Case>& cases, const Surroundings& around);

}  // namespace fmd::cli
