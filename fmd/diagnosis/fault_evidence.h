// FaultEvidence: what findings of a fault class say about a disk, derived from the rules:
//
// - Faults that a rule of kind cause compares or explains are about the disk's path, or about its data if
//   the rule blames what all disks share (in_common).
// - Other faults whose first action is to replace the disk are its own.
// - A rule for disks that were pulled on request (while_pulled) finds what a person did.
//
// Faults of Minor severity are single errors. Pure.
#pragma once
#include <functional>
#include <map>
#include <string>

#include "fmd/diagnosis/blame/items.h"
#include "fmd/rules/rules.h"

namespace fmd {

struct FaultEvidence {
  blame::Way way = blame::Way::path;
  blame::Sign sign = {};
  bool accuses = false;    // a rule accuses shared parts by it, and does not only explain it
  bool by_person = false;  // it is evidence for nothing
};
using FaultEvidences = std::map<std::string, FaultEvidence, std::less<>>;

FaultEvidences fault_evidence(const RuleSet& rules);
// Its findings are hard signs: the part is lost, given up, or to be replaced.
bool is_hard_evidence(const FaultClass& fault);

}  // namespace fmd
