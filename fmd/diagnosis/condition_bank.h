// ConditionBank: evaluates rules about properties of resources.
//
//   state      the property has one of the rule's values
//   threshold  a number beyond a limit, which may be another property of the resource; what is
//              active stays so until the number is back behind clear_above/clear_below
//   growth     a counter that has grown over its baseline (growth.h)
//
// look() evaluates the current values. Besides the baselines, the bank stores judged conditions per
// rule and resource: convicted (in which case), so that it is reported once, or acquitted (by
// whom), so that it is not reported again. A judgement ends when the condition clears, when its
// case is repaired in another way, or when the resource is gone; an acquittal does not depend on
// the case. For growth, a judgement sets a new baseline (pin): only further growth is reported. An
// acknowledged growth stays in its case until the counter has recovered.
//
// Rows: "condition" and "growth" (RULE FMRI). Pure, single thread; steady times.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/diagnosis/growth.h"
#include "fmd/diagnosis/rule_key.h"
#include "fmd/model/case.h"
#include "fmd/model/inventory.h"
#include "fmd/rules/rules.h"

namespace fmd {

enum class Finding { unknown, clear, active };

struct Acquittal {
  std::string by;
  int64_t time_ns = 0;  // wall
};

class ConditionBank {
 public:
  struct Look {
    Finding finding = Finding::unknown;
    bool risen = false;  // growth: the counter has gone up since the last look
  };
  struct Condition {
    std::string uuid;  // the case that it convicted in
    std::optional<Acquittal> acquittal;
    bool acknowledged = false;  // growth: further growth convicts again
  };
  struct Measure {  // as texts have them, raw; "": there is none
    std::string value, baseline, limit;
    std::string from;   // the least value that the rule reports as too high
    std::string clear;  // the case ends when the value is back within this one
  };
  struct Rise {
    double from = 0;
    std::string words;  // "from 3 to 90"
  };

  // Conditions and baselines go with their rule, a baseline also when the rule comes to look at
  // another property.
  void set_rules(std::shared_ptr<const RuleSet> rules);

  Look look(const Rule& rule, const Resource& resource, bool was_active, int64_t steady_ns);
  Measure measure(const Rule& rule, const Resource& resource) const;

  // Of a growth rule: how far its counter has grown there, whether that is enough or not. Nothing when
  // it has not, or is not followed.
  std::optional<Rise> rise(const Rule& rule, const std::string& resource) const;

  bool any_about(const std::string& resource) const {
    return fmd::any_about(conditions_, resource);
  }
  const Condition* find(const RuleKey& key) const;  // nullptr: not judged, or clear since
  void convict(const RuleKey& key, std::string_view uuid);
  void acquit(const RuleKey& key, const Acquittal& acquittal);  // before it has convicted
  // In the last day; after that failures are judged again.
  bool is_acquitted(const RuleKey& key, int64_t wall_ns) const;
  void end(const RuleKey& key);  // it is clear
  // Another condition has convicted the resource of that fault in that case, and goes on.
  bool goes_on(const FaultClass& fault, std::string_view resource, std::string_view uuid) const;
  // A suspect of the case is not faulty any more. What convicted it (unless another suspect that
  // is still faulty stands for it) is examined again, or known to be harmless when acquitted.
  void suspect_ended(const Case& c, const Suspect& suspect,
                     const std::optional<Acquittal>& acquittal);
  void hand_over(std::string_view from_uuid, std::string_view to_uuid, std::string_view resource);
  // It is over: the value now is the baseline, for each rule that looks at the same counter. Who
  // has judged it at its short window has judged it at its long one as well.
  void pin(const RuleKey& key);
  void pin(const Suspect& suspect);
  // After an acquittal: makes the current values the baselines of the resource's counters, except
  // those that are evidence for another open case or its cause (is_kept).
  void rebase(std::string_view resource, int64_t steady_ns,
              const std::function<bool(const RuleKey&)>& is_kept);
  void acknowledge(const Suspect& suspect);  // people know of it, and it goes on
  void forget(std::string_view resource);    // it no longer exists

  // Since the last take_changes().
  const std::set<RuleKey>& changed() const { return dirty_conditions_; }
  const std::set<RuleKey>& changed_counters() const { return dirty_counters_; }
  void take_changes(std::vector<StateRow>& rows);
  void mark_all_changed();
  Result<void> restore(const StateRow& row);  // either kind
  // After restore: convictions whose case is lost are examined again.
  void drop_lost(const std::function<bool(const std::string& uuid)>& is_known);

 private:
  struct Counter {
    Growth growth;
    std::string property;
  };
  Look look_growth(const Rule& rule, const std::string& resource, double value, int64_t steady_ns);
  // What counts what its fault's rules look at, whichever fault it concludes: a person who has
  // judged the count at its short window has judged it at its long one as well.
  std::vector<RuleKey> counters_of(const Suspect& suspect) const;
  void restore_growth(const RuleKey& key, const nlohmann::json& doc);

  std::shared_ptr<const RuleSet> rules_;
  std::map<RuleKey, Condition> conditions_;
  std::map<RuleKey, Counter> counters_;
  std::set<RuleKey> dirty_conditions_, dirty_counters_;
};

}  // namespace fmd
