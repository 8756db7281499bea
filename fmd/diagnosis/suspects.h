// Suspects: which part a rule's finding accuses, what the inventory contains about that part, and
// when two accusations mean one part.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/diagnosis/case_book.h"
#include "fmd/diagnosis/context.h"
#include "fmd/model/case.h"

namespace fmd {

Suspect make_suspect(const Context& context, const Rule& rule, const std::string& resource);

// Fills in missing values; those from the diagnosis stay, except the bay: the LED must be lit where
// the part is now. True if something was added.
bool fill_fru(const Context& context, Suspect& suspect);

// Whether the bay that this absent disk has left has these properties. Nothing: unknown. A bay with
// another disk says nothing about the previous one, which was taken out.
std::optional<bool> left_bay_is(const Context& context, const std::string& disk,
                                const MemberValues& wanted);

// What is disabled, what is broken or what is to be replaced is the same, or one's broken part is
// what the other would have replaced (SMART's disk, ZFS's vdev on it).
bool same_part(const Suspect& a, const Suspect& b);

// True if one of these cases has one of the faults of the resource.
enum class OfCases { all, unacknowledged };
bool stands_against(const CaseBook& book, const std::vector<std::string>& faults,
                    const std::string& resource, OfCases which);

// True if one of the faults is open about another part of the same machine or enclosure, by the
// first member of their FMRIs.
bool stands_elsewhere(const CaseBook& book, const std::vector<std::string>& faults,
                      const std::string& resource);

// It has a verdict, and the repair has not begun: further findings about its parts belong to it.
bool is_convictable(const Case& c);

// The convictable cases with a faulty suspect of the same part, but for one.
std::vector<Case*> same_part_cases(const CaseBook& book, const Suspect& suspect,
                                   const Case* except);

// The not resolved cases that a change of the inventory may tell something about: those that
// suspect what has changed, what is in it or what holds it; and, while some case does not know what
// to replace, those between whose ASRU and that part it may stand. By uuid.
std::vector<Case*> concerned_cases(const CaseBook& book, const Inventory& inventory,
                                   const std::vector<InventoryChange>& changes);

}  // namespace fmd
