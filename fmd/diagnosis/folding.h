// Folding: all findings about one part belong to one case. Two suspicions are about one part if
// they name the same part to disable, the same broken part or the same part to replace
// (same_part()).
//
// A finding about a part that an open case suspects is folded into that case: its evidence and
// suspect are added, the stronger policy applies, the more severe fault provides the texts, and
// people get an "updated" message. If two cases turn out later to be about one part (its FRU
// becomes known, or a third finding connects them), the later case is merged into the earlier one.
// All of its content moves, and it is RESOLVED at once, even if actions are still to be undone:
// these move with the suspects. So no two convictable cases are about one part. UNSOLVED cases are
// not merged until they are solved.
//
// Pure, single thread; part of Engine.
#pragma once
#include <string>
#include <vector>

#include "fmd/diagnosis/case_book.h"
#include "fmd/diagnosis/condition_bank.h"
#include "fmd/diagnosis/context.h"
#include "fmd/model/case.h"
#include "fmd/rules/rules.h"

namespace fmd {

class Folding {
 public:
  Folding(Context& context, CaseBook& book, ConditionBank& conditions)
      : context_(context), book_(book), conditions_(conditions) {}

  // The open case that a new suspicion belongs to; of several the earliest. nullptr: none.
  Case* case_of(const Suspect& suspect, const Case* except) const;
  // Whether a rule with unless_open has to keep silent.
  bool covered(const Rule& rule, const Suspect& suspect, const Case* except) const;
  // The present part that an open case asks people to replace, except `other_than`; of several the
  // one convicted last. nullptr: none.
  const Suspect* awaiting_exchange(const Suspect& other_than) const;
  // The part's disk to be replaced is absent, and an open case covers that.
  bool is_pulled(const Suspect& suspect) const;
  // held: the UNSOLVED case of this verdict, or nullptr; its evidence moves along. Returns the case
  // that has it now.
  Case& fold(Case& c, const Rule& rule, Suspect suspect, const Case* held,
             const std::vector<Evidence>& evidence);
  // The inventory may tell more about the case's suspects.
  void learn(Case& c);

 private:
  void fold_suspect(Case& c, const Rule& rule, Suspect suspect);
  Suspect* find_lesser(Case& c, const Suspect& graver) const;
  void grown_again(Case& c, const Rule& rule, Suspect& known, const Suspect& grown);
  Case& merge_same(Case& c);
  void merge(Case& earlier, Case& later);
  void move_evidence(const Case& from, Case& to);
  void move_suspects(Case& from, Case& to);

  Context& context_;
  CaseBook& book_;
  ConditionBank& conditions_;
};

}  // namespace fmd
