// Repairs: the second half of a case's life. A faulty suspect ends as repaired, replaced or
// acquitted
//   by an event       that its fault names, such as an administrator's command
//   by a state        a good value of the property that its fault names
//   by its absence    it was replaced, detached or destroyed; or another disk is in its bay
//   by quiet          no further evidence for some time
//   by a person       fmadm repaired, replaced, acquit
// After the last suspect the case is REPAIRED. It is RESOLVED when in addition all actions of fmd
// are undone and no suspect's ASRU is out of service. After that it changes only if a person acquits
// a replaced disk that stays in the machine.
//
// A suspect's SERD engines are reset with it, and its conditions are evaluated again or, if
// acquitted, marked as harmless. An acquittal also resets the counts of all other rules about the
// part: its resource, its disk and the disk's pool members. Pure, single thread; part of Engine.
#pragma once
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/diagnosis/case_book.h"
#include "fmd/diagnosis/condition_bank.h"
#include "fmd/diagnosis/context.h"
#include "fmd/diagnosis/serd_bank.h"
#include "fmd/diagnosis/verdicts.h"
#include "fmd/diagnosis/views.h"

namespace fmd {

class Repairs {
 public:
  using Which = std::function<bool(const Suspect&)>;

  Repairs(Context& context, CaseBook& book, HoldBank& holds, SerdBank& serds,
          ConditionBank& conditions, Verdicts& verdicts)
      : context_(context),
        book_(book),
        holds_(holds),
        serds_(serds),
        conditions_(conditions),
        verdicts_(verdicts) {}

  // The suspects of a solved case that are faulty and meant. text: for its timeline.
  void repair(Case& c, SuspectStatus status, const Which& which, std::string_view text,
              const std::optional<Acquittal>& acquittal = {});

  void by_event(const Event& event);  // also drops what waits for a verdict
  void by_state(const std::string& fmri);
  void gone(const InventoryChange& change);  // gone for good, not merely pulled
  void swapped(Case& c);                     // pulled, and another one is in its bay
  void quiet(Case& c);
  // Errors name what was not found. Returns the uuids judged.
  Result<std::vector<std::string>> judge(Judgement judgement, std::string_view uuid,
                                         std::string_view part, std::string_view who);
  Result<std::vector<Suspect>> meant_by(std::string_view uuid, std::string_view part);

  // Events of a fault that has ended since, and that wait for their own verdict: nothing is left to judge.
  void drop_ended_holds();
  void isolate_if_due(Case& c);
  void resolve_if_due(Case& c);

 private:
  void let_quiet_end(Case& c);
  void list_ended_holds(const Suspect& s);
  void count_anew(const std::vector<Suspect>& acquitted);
  bool is_explained(const RuleKey& key) const;
  void by_value(Case& c, const FaultClass& fault, const Resource& r);
  bool is_explained(const Suspect& s) const;
  void let_go(const Resource& vdev);
  bool is_taken_out(const Suspect& s) const;
  void replaced_below(const InventoryChange& change, const std::string& text);
  const Resource* successor(const Suspect& s) const;
  std::set<std::string> names_of(std::string_view part) const;
  Result<CaseBook::List> judged_cases(std::string_view uuid, std::string_view part,
                                      const std::set<std::string>& names);
  std::vector<std::string> keep_old(std::string_view uuid, std::string_view part,
                                    const std::set<std::string>& names, std::string_view who);

  Context& context_;
  CaseBook& book_;
  HoldBank& holds_;
  SerdBank& serds_;
  ConditionBank& conditions_;
  Verdicts& verdicts_;
  std::vector<RuleKey> ended_holds_;  // dropped later: callers walk over lists of cases
};

}  // namespace fmd
