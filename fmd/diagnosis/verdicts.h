// Verdicts: from a rule's finding to a convicted case. A finding waits first when the rule has a
// `hold` (an UNSOLVED case, hold_bank.h); what explains it in that time drops it, and the case never
// was. Then the verdict: nothing while the rule keeps silent for another open case about the part
// (`unless_open`, `unless_fault`), a suspect more in the case that is about the part already (folding.h), or a case
// of its own, with its policy and texts.
//
// Pure, single thread; part of Engine.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "fmd/diagnosis/case_book.h"
#include "fmd/diagnosis/condition_bank.h"
#include "fmd/diagnosis/context.h"
#include "fmd/diagnosis/folding.h"
#include "fmd/diagnosis/hold_bank.h"
#include "fmd/diagnosis/serd_bank.h"
#include "fmd/diagnosis/suspect_text.h"
#include "fmd/model/event.h"

namespace fmd {

class Verdicts {
 public:
  // What a rule has found.
  struct Found {
    const Rule& rule;
    std::string resource;
    std::vector<Evidence> evidence = {};
    const Event* event = nullptr;  // that made it so
  };

  // new_uuid: called once per case.
  Verdicts(Context& context, CaseBook& book, HoldBank& holds, SerdBank& serds,
           ConditionBank& conditions, Folding& folding, std::function<std::string()> new_uuid)
      : context_(context),
        book_(book),
        holds_(holds),
        serds_(serds),
        conditions_(conditions),
        folding_(folding),
        new_uuid_(std::move(new_uuid)) {}

  // Nothing when the rule waits there already, or has convicted that resource in an open case.
  void conclude(const Found& found);
  void finish(const HoldBank::Over& over);  // a hold that has run out
  // Nothing was said to anybody: the case never was, and what led to it is forgotten.
  void cancel_hold(const RuleKey& key);
  void cancel_holds_about(std::string_view resource);

 private:
  void hold(const Found& found);
  void judge(const Found& found, Case* held);
  bool is_silent(const Found& found, const Suspect& suspect, const Case* held) const;
  void reset_lesser(const Rule& graver, const std::string& resource);
  Case& open_case(const Found& found);
  void solve(Case& c, const Rule& rule, Suspect suspect);
  void observe(Case& c, const Found& found, const Facts& facts, int64_t since_ns);
  std::map<std::string, ConditionBank::Rise> risen_at(const Resource& r) const;
  std::string grown_beside(const Found& found) const;
  Facts facts_of(const Found& found) const;

  Context& context_;
  CaseBook& book_;
  HoldBank& holds_;
  SerdBank& serds_;
  ConditionBank& conditions_;
  Folding& folding_;
  std::function<std::string()> new_uuid_;
};

}  // namespace fmd
