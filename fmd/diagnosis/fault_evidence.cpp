#include "fmd/diagnosis/fault_evidence.h"

#include <algorithm>
#include <vector>

#include "fmd/model/case.h"

namespace fmd {
namespace {

blame::Sign sign_of(const RuleSet& rules, const std::string& name) {
  const FaultClass* fault = rules.fault(name);
  return {.hard = fault && is_hard_evidence(*fault)};
}

// Earlier calls have precedence.
void add(FaultEvidences& out, const RuleSet& rules, bool data,
         std::vector<std::string> Rule::*names) {
  for (const Rule& rule : rules.rules())
    if (rule.kind == RuleKind::cause && rule.is_of_disks() && data == !rule.in_common.empty())
      for (const std::string& name : rule.*names)
        out.try_emplace(name, FaultEvidence{data ? blame::Way::data : blame::Way::path,
                                            sign_of(rules, name), names == &Rule::faults});
}

}  // namespace

bool is_hard_evidence(const FaultClass& fault) {
  return severity_rank(fault.severity) >= severity_rank("Major") || fault.led || fault.retire.spare;
}

FaultEvidences fault_evidence(const RuleSet& rules) {
  FaultEvidences out;
  for (const Rule& rule : rules.rules())
    if (rule.while_pulled && rule.fault) out[rule.fault->name].by_person = true;
  for (const auto names : {&Rule::faults, &Rule::explains})
    for (const bool data : {true, false}) add(out, rules, data, names);
  for (const Rule& rule : rules.rules()) {
    if (!rule.fault || !rule.fault->replaces) continue;
    blame::Sign own = sign_of(rules, rule.fault->name);
    own.own = true;
    out.try_emplace(rule.fault->name, FaultEvidence{blame::Way::path, own});
  }
  return out;
}

}  // namespace fmd
