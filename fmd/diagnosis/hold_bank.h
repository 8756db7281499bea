// HoldBank: the findings that wait for a verdict: an UNSOLVED case per rule and resource. A finding
// waits first for the rule's `hold`, then for related findings (a cause rule's `wait`), both until
// a steady deadline; or, without a deadline, for the end of the case that explains it. Meanwhile
// the rule finds nothing new there. If the finding ends, the case is discarded. The bank only
// stores; the caller decides.
//
// Rows: "hold" (RULE FMRI). Pure, single thread.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmd/base/deadlines.h"
#include "fmd/diagnosis/rule_key.h"

namespace fmd {

enum class HoldStage { rule, siblings, explained };

struct Hold {
  std::string uuid;  // of the case that waits
  HoldStage stage = HoldStage::rule;
  int64_t since_ns = 0;  // steady: when it was found
  // The part that it is about (the FRU), if verdicts of its kind are compared; otherwise "".
  std::string part;
  std::string cause;           // explained: by that case (uuid)
  std::set<std::string> ways;  // the part's paths that fail; empty: the part itself
  bool gone = false;           // in the extension of Rule::hold_gone_ns
  bool waited = false;         // for others (Rule::wait_ns); now only the odds hold it back
};

class HoldBank {
 public:
  void begin(const RuleKey& key, std::string_view uuid, int64_t deadline_ns);  // steady
  // Replaces the hold of that key.
  void begin(const RuleKey& key, Hold hold, int64_t deadline_ns);
  void explain(const RuleKey& key, std::string_view cause);
  bool waits(const RuleKey& key) const { return cases_.count(key) > 0; }
  // Ends the hold. Returns the uuid of its case; nothing if there was no hold.
  std::optional<std::string> end(const RuleKey& key);
  struct Over {
    RuleKey key;
    Hold hold;
  };
  std::optional<Over> take_due(int64_t steady_ns);  // ends the earliest hold whose time is over
  std::optional<int64_t> next_deadline_ns() const { return deadlines_.next(); }
  std::vector<RuleKey> about(std::string_view resource) const {
    return keys_about(cases_, resource);
  }
  bool any_about(const std::string& resource) const { return fmd::any_about(cases_, resource); }
  std::optional<int64_t> deadline_of(const RuleKey& key) const { return deadlines_.at(key); }
  std::optional<RuleKey> of_case(std::string_view uuid) const;
  const std::map<RuleKey, Hold>& all() const { return cases_; }
  const Hold* find(const RuleKey& key) const;
  const std::set<RuleKey>& about_part(std::string_view part) const;
  const std::set<RuleKey>& explained_by(std::string_view cause) const;
  std::vector<std::string> causes() const;  // the cases that explain something, by uuid
  bool any_changed() const { return !changed_causes_.empty(); }
  // Causes whose explained findings changed since the last call, including causes with none left.
  std::set<std::string> take_changed_causes() { return std::exchange(changed_causes_, {}); }
  void look_at_all_causes();  // all count as changed

  const std::set<RuleKey>& changed() const { return dirty_; }  // since the last take_changes()
  void take_changes(std::vector<StateRow>& rows);
  void mark_all_changed();
  Result<void> restore(const StateRow& row);

 private:
  using Index = std::map<std::string, std::set<RuleKey>, std::less<>>;
  static const std::set<RuleKey>& keys_in(const Index& index, std::string_view name);
  void file(const RuleKey& key, const Hold& hold);
  void take_out(const RuleKey& key, const Hold& hold);

  std::map<RuleKey, Hold> cases_;
  std::map<std::string, RuleKey, std::less<>> keys_;  // by case
  Index parts_, explained_;                           // by part; by the case that explains
  std::set<std::string> changed_causes_;
  Deadlines<RuleKey> deadlines_;
  std::set<RuleKey> dirty_;
};

}  // namespace fmd
