// Whether a case is about a part that a person names: for `fmadm faulty PART` and the verdicts.
#pragma once
#include <set>
#include <string>

#include "fmd/model/case.h"
#include "fmd/model/inventory.h"
#include "ui/cli/daemon.h"

namespace fmd::cli {

// The FMRIs of a part, of what it contains and of what uses it: a suspect may be any of them.
std::set<std::string> names_of_part(const Inventory& inventory, const std::string& part);
// How texts name the part that a person named: a bay by its label, a disk by its bay and serial number; the given text
// for what is not an FMRI. Cleaned.
std::string shown_name(const Inventory& inventory, const std::string& given);
std::string shown_name(Client& client, const std::string& given);
bool is_about(const Suspect& s, const std::set<std::string>& names);
bool is_about(const Case& c, const std::set<std::string>& names);

}  // namespace fmd::cli
