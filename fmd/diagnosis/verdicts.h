// Verdicts: from a rule's finding to a convicted case.
//
// A finding first waits if the rule has a `hold` (an UNSOLVED case, hold_bank.h); an explanation in
// that time discards it. If it may have a cause in common with others (a rule of kind cause names its
// fault, and its part hangs on what others hang on), it waits for those as well. If they have a
// common cause, that is the verdict, and they stay UNSOLVED, explained by its case. For disks this is
// found by the odds (veto.h, verdicts_odds.cpp), for other parts by common_cause.h
// (verdicts_common.cpp). Then the verdict is: nothing while another open case about the part
// silences the rule (`unless_open`, `unless_fault`), a further suspect in the case about the part
// (folding.h), or a new case with its policy and texts.
//
// Pure, single thread; part of Engine.
#pragma once
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "fmd/diagnosis/case_book.h"
#include "fmd/diagnosis/common_cause.h"
#include "fmd/diagnosis/condition_bank.h"
#include "fmd/diagnosis/context.h"
#include "fmd/diagnosis/folding.h"
#include "fmd/diagnosis/hold_bank.h"
#include "fmd/diagnosis/serd_bank.h"
#include "fmd/diagnosis/shared_cause.h"
#include "fmd/diagnosis/suspect_text.h"
#include "fmd/diagnosis/veto.h"
#include "fmd/model/event.h"

namespace fmd {

// The rule of kind cause among those that convicted in that case; nullptr: none.
const Rule* cause_rule(const RuleSet& rules, const Case& c);

// "3 of 12", or only the number if the other parts are unknown.
std::string share_of(const Rule& common, const CommonCause& found);

class Verdicts {
 public:
  // A rule's finding.
  struct Found {
    const Rule& rule;
    std::string resource;
    std::vector<Evidence> evidence = {};
    const Event* event = nullptr;  // that made it so
  };

  // new_uuid: called once per case.
  Verdicts(Context& context, CaseBook& book, HoldBank& holds, SerdBank& serds,
           ConditionBank& conditions, Folding& folding, const Veto& veto,
           std::function<std::string()> new_uuid)
      : context_(context),
        book_(book),
        holds_(holds),
        serds_(serds),
        conditions_(conditions),
        folding_(folding),
        veto_(veto),
        new_uuid_(std::move(new_uuid)) {}

  // Nothing if the rule waits there already, or has convicted that resource in an open case.
  void conclude(const Found& found);
  void finish(const HoldBank::Over& over);  // a hold that has run out
  // The case was never reported: it is deleted, and its evidence is forgotten.
  void cancel_hold(const RuleKey& key);
  void cancel_holds_about(std::string_view resource);

  // For a case that explains others: how many of these must still fail, or they wait for others again.
  static uint64_t least_of(const Case& cause);
  bool explains_too_few(const Case& cause) const;
  // Something that it explains is so at this time, whether anything more comes of it or not.
  bool explains_a_state(const Case& cause) const;
  // A finding that a case explained is judged alone now, waits for others again, or is forgotten
  // and found again if it persists.
  enum class Release { judge, wait_again, forget };
  void release(const std::string& cause, Release how);
  void hand_over(const std::string& cause,
                 const std::string& to);  // to: the case it was merged into
  // Opens a case about the shared part, which supersedes the cases about its disks.
  void accuse(const SharedCause& cause);
  // A case is as grave as the gravest that it explains.
  void weigh(Case& cause);
  // Convicted not long before the cause of it was known: an acquittal is due, and then it is explained.
  struct Exonerated {
    std::string uuid, resource, fault, rule, cause;
  };
  bool any_due() const { return !exonerated_.empty(); }  // to be settled
  std::vector<Exonerated> take_exonerated() { return std::exchange(exonerated_, {}); }
  void explain_again(const Exonerated& one);

 private:
  struct Finding {
    std::string part, resource, rule;
  };
  // Findings that a shared part explains: those that wait, and those with a case.
  struct Effects {
    std::vector<RuleKey> waiting = {};
    std::vector<Exonerated> convicted = {};
    std::vector<Finding> findings = {};  // both
    std::set<std::string> parts = {};    // of these
  };
  bool hold_for_gone(const Found& found, const HoldBank::Over& over, Case& c);
  void hold(const Found& found);
  bool awaits_others(const Found& found);
  void await_others(const RuleKey& key, Hold hold);
  static bool is_near(int64_t a, int64_t b, int64_t within) {
    return (a > b ? a - b : b - a) <= within;
  }
  bool is_open_question(const Hold& hold) const;
  std::vector<int64_t> shared_times(const Rule& rule, const RuleKey& key, const Hold& hold) const;
  bool is_not_its_own(const RuleKey& key, const Hold& hold);
  int64_t patience(const Rule& rule, const Hold& hold) const;
  int64_t patience_for(const Rule& common, const Hold& hold) const;
  int64_t settled_at(const Rule& common, const CommonCause& found, const Hold& hold) const;
  bool explained(const RuleKey& key, const Hold& hold);
  bool accuse(const Rule& common, const Hold& hold);
  bool accuse(const Rule& common, const SharedCause& cause);
  static bool counts(const Rule& common, const FaultClass& fault);
  void explain_upstream(const Rule& common, const SharedCause& cause);
  bool awaits_upstream(const Rule& common, const SharedCause& cause) const;
  std::optional<CommonCause> cause_in_common(const Rule& common, const Hold& hold) const;
  void explain(const RuleKey& key, Case& cause);
  Case* cause_above(const Rule& common, const Topology& topology, const Hold& hold) const;
  using IsMeant = std::function<bool(const Case&, const std::string& fault)>;
  Case* open_against(const std::vector<std::string>& resources, const IsMeant& is_meant) const;
  std::vector<std::string> upstream_of(const Rule& common, const std::string& part) const;
  std::vector<RuleKey> waiting_upstream(const Rule& common, const Hold& hold) const;
  Case* cause_of_upstream(const Rule& common, const Hold& hold) const;
  int64_t upstream_until(const Rule& rule, const Hold& hold) const;
  Case* cause_of_whole(const Rule& common, const std::string& whole) const;
  std::string accused_part(const Rule& common, const CommonCause& found) const;
  bool has_others(const Rule& common, const std::string& part) const;
  std::vector<std::pair<std::string, Exonerated>> convictions_in(const Rule& common,
                                                                 const Case& c) const;
  // Part → what convicted it.
  std::multimap<std::string, Exonerated> convicted(const Rule& common) const;
  bool is_accused_by(const Rule& common, const RuleKey& key) const;
  Accused accused(const Rule& common, int64_t since_ns) const;
  // The part that a suspect is about, and the paths to it that it accuses.
  Hold about(const Suspect& suspect) const;
  bool is_acquitted(const Rule& common, const std::string& part) const;
  Case& open_cause(const Rule& common, const CommonCause& found, const Hold& hold,
                   const Facts& facts);
  std::vector<Exonerated> convictions_of(const Rule& common, const std::string& uuid) const;
  std::vector<RuleKey> waiting_about(const Rule& common, const std::string& disk) const;
  Effects effects_of(const Rule& common, const SharedCause& cause) const;
  Facts facts_of(const Rule& common, const CommonCause& found, int64_t since_ns) const;
  std::string findings_of(const Rule& common, const CommonCause& found) const;
  std::string numbered_titles(const std::vector<Finding>& findings) const;
  std::vector<int64_t> times_of(const Rule& common, const CommonCause& found,
                                int64_t since_ns) const;
  std::string span_in_words(const Rule& common, const CommonCause& found, int64_t since_ns) const;
  void judge(const Found& found, Case* held);
  bool is_silent(const Found& found, const Suspect& suspect, const Case* held) const;
  void reset_lesser(const Rule& graver, const std::string& resource);
  Case& open_case(const Found& found);
  void solve(Case& c, const Rule& rule, Suspect suspect);
  void also_suspect(Case& c, const Rule& rule);
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
  const Veto& veto_;
  std::function<std::string()> new_uuid_;
  std::vector<Exonerated> exonerated_;
};

}  // namespace fmd
