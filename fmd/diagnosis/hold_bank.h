// HoldBank: what waits between a rule's finding and its verdict (the rule's `hold`): an UNSOLVED
// case per rule and resource, until a steady deadline. While it waits the rule finds nothing new
// there; what explains the finding cancels it, and then the case never was. Deciding is the
// caller's; the bank only remembers.
//
// Rows: "hold" (RULE FMRI). Pure, single thread.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/deadlines.h"
#include "fmd/diagnosis/rule_key.h"

namespace fmd {

class HoldBank {
 public:
  void begin(const RuleKey& key, std::string_view uuid, int64_t deadline_ns);  // steady
  bool waits(const RuleKey& key) const { return cases_.count(key) > 0; }
  // Ends the wait; the uuid of the case that waited, nothing when none did.
  std::optional<std::string> end(const RuleKey& key);
  struct Over {
    RuleKey key;
    std::string uuid;
  };
  std::optional<Over> take_due(int64_t steady_ns);  // ends the earliest that is over
  std::optional<int64_t> next_deadline_ns() const { return deadlines_.next(); }
  std::vector<RuleKey> about(std::string_view resource) const {
    return keys_about(cases_, resource);
  }
  std::optional<RuleKey> of_case(std::string_view uuid) const;
  const std::map<RuleKey, std::string>& all() const { return cases_; }  // → the case's uuid

  void take_changes(std::vector<StateRow>& rows);
  void mark_all_changed();
  Result<void> restore(const StateRow& row);

 private:
  std::map<RuleKey, std::string> cases_;
  std::map<std::string, RuleKey, std::less<>> keys_;  // by case
  Deadlines<RuleKey> deadlines_;
  std::set<RuleKey> dirty_;
};

}  // namespace fmd
