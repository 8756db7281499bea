// Veto: holds back actions on disks that probably fail because of a part they share, by the odds of
// blame/. Their cases stay open, but while the shared part is more likely at fault, fmd retires none
// of these disks, uses no spare and lights no fault LED (Suspect::undecided). Bays are an
// exception: a bay damages its disks, so these must be replaced anyway.
//
// Computes the odds when evidence has changed, and later while a case is vetoed, because they change
// with time. A computation over n items and p parts is followed by n × 0.5 ms + p × 0.05 ms without
// one, which limits the load to about a tenth of the time. New cases are vetoed until the next one.
//
// Pure, single thread; part of Engine.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fmd/diagnosis/case_book.h"
#include "fmd/diagnosis/condition_bank.h"
#include "fmd/diagnosis/context.h"
#include "fmd/diagnosis/inference.h"
#include "fmd/model/case.h"

namespace fmd {

class Veto {
 public:
  Veto(const Context& context, CaseBook& book, Inference& inference,
       const ConditionBank& conditions)
      : context_(context), book_(book), inference_(inference), conditions_(conditions) {}

  void look_at(const std::set<std::string>& cases);   // changed ones; they may no longer exist
  void restored(const std::set<std::string>& cases);  // as look_at(), but none of them is new
  // Computes the odds if that is due. Returns the shared parts to accuse.
  std::vector<SharedCause> weigh();
  std::optional<int64_t> next_ns() const;  // steady: when weigh() is due
  // A finding that waits, and is more likely due to a shared part.
  bool doubts(const std::string& uuid) const { return doubted_.contains(uuid); }

 private:
  struct Shown {       // in Suspect::undecided
    std::string name;  // of the shared part
    size_t disks = 0;  // explained by it
  };

  void look_by(int64_t at_ns);
  bool is_acquitted(const SharedCause& cause) const;
  void doubt(Case& c, const SharedCause& cause);
  void lift(Case& c, const std::string& reason);
  void set(Case& c, const std::string& why);
  std::optional<int64_t> acts_at(const Case& c) const;
  void wait_until(Case& c, std::optional<int64_t> steady_ns);

  const Context& context_;
  CaseBook& book_;
  Inference& inference_;
  const ConditionBank& conditions_;
  std::set<std::string> acting_;                        // open cases that act on disks
  std::map<std::string, Shown> vetoed_;                 // of these
  std::map<std::string, Inference::Finding> findings_;  // by case: those that wait
  std::set<std::string> doubted_;                       // of these
  std::set<std::string> waiting_;                       // of acting_, with Case::acts_at_ns
  std::set<std::string> unweighed_;                     // of acting_, new
  std::set<std::string> comparing_;                     // of acting_, new, with kYetToCompare
  bool due_ = true;
  int64_t rests_until_ns_ = 0;
  std::optional<int64_t> next_look_ns_;
};

}  // namespace fmd
