// The text of cases as fmadm prints it: the layout known from Solaris and illumos, with the bay
// label, serial and part number of the FRU, and the progress of the repair. Pure.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "fmd/model/case.h"
#include "ui/cli/daemon.h"
#include "ui/client/advice.h"

namespace fmd::cli {

// The table's header (three lines) and the row of one case.
std::string case_header();
std::string case_row(const Case& c);
// Below it: the part and its problem; with_state: also whether it is over.
std::string case_title(const Case& c, const Inventory& inventory, bool with_state);

// Head, row and everything about one case; verbose adds state, rules, evidence and timeline. Without advice
// (a replay, an older fmd), Action is the rule's text.
std::string case_text(const Case& c, const Surroundings& around, bool verbose,
                      const ui::Advice* advice = nullptr);

// "Acknowledged: by root …"; "" if it is not.
std::string acknowledged_field(const Case& c);
// Evidence and timeline.
std::string case_history(const Case& c);

// "faulted and taken out of service": the present state of the suspect's ASRU.
std::string asru_words(const Suspect& suspect, const Inventory& inventory);
// "SLOT 06" (hc://…), including the quotes; only the path if no label is known.
std::string fru_words(const Suspect& suspect);
std::string fru_status_words(const Suspect& suspect, const Inventory& inventory);

// Cases by the broken part (fmadm faulty -r) or by the part to replace (-f).
std::string cases_by_resource(const std::vector<Case>& cases, const Surroundings& around);
std::string cases_by_fru(const std::vector<Case>& cases, const Surroundings& around);

}  // namespace fmd::cli
