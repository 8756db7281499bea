// Inference: which cause is most likely, from all that the engine learns. It translates that into the
// items of blame/: events that a rule counts are signs, findings are hard signs until they end, a
// disk that is no longer there has left. Veto (veto.h) and 'fmadm why' use the odds.
//
// Rows: "item" (WAY FMRI), with the cases that keep it open, and "silence" (FMRI of a plugin). They
// are the whole state: which item a finding is about depends on the inventory when the case changed,
// so it cannot be derived at a start. Pure, single thread; part of Engine. Odds are computed on
// request.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fmd/base/interned.h"
#include "fmd/base/result.h"
#include "fmd/base/state_row.h"
#include "fmd/diagnosis/blame/blame.h"
#include "fmd/diagnosis/case_book.h"
#include "fmd/diagnosis/context.h"
#include "fmd/diagnosis/fault_evidence.h"
#include "fmd/diagnosis/hold_bank.h"
#include "fmd/diagnosis/shared_cause.h"

namespace fmd {

class Inference {
 public:
  static constexpr size_t kMostAccounts = 16;

  Inference(const Context& context, const CaseBook& book, const HoldBank& holds)
      : context_(context), book_(book), holds_(holds) {}

  void count(uint32_t rule, const Interned& resource);  // an event that this rule (index) counts
  void withdraw(uint32_t rule,
                const std::string& resource);        // one such event says nothing about it
  void look_at(const std::set<std::string>& cases);  // they may be gone
  void observe(const InventoryChange& change);

  // Accounts of what is wrong with the part or anything below it, with a case and the cases that it
  // explains, or ("") of everything. Items with the same cause have one account. At most
  // kMostAccounts.
  std::vector<blame::Account> about_part(std::string_view fmri, int64_t now_ns);
  std::vector<blame::Account> about_case(std::string_view uuid, int64_t now_ns);

  enum class Finding { none, held, concluded };
  Finding finding_of(const std::string& uuid) const;
  std::vector<SharedCause> shared_causes(int64_t now_ns);
  std::optional<int64_t> next_look() const { return blame_.next_look(); }  // the odds change then
  bool take_evidence_changed() { return std::exchange(evidence_changed_, false); }
  bool concerns(const std::string& uuid) const { return claims_.contains(uuid); }
  // When a disk of the case began to fail in a way that parts which it shares with others can
  // cause (steady); nullopt: none did.
  std::optional<int64_t> shareable_since(const std::string& uuid) const;
  size_t items() const { return blame_.items().all().size(); }
  size_t parts() const { return layout_.parts.size(); }

  void take_changes(std::vector<StateRow>& rows);
  void mark_all_changed();
  Result<void> restore(const StateRow& row);

 private:
  using Key = blame::Items::Key;
  using Parts = std::set<std::string>;
  struct Counted {
    int64_t idle_until_ns = 0;
    const FaultEvidence* evidence = nullptr;
    std::vector<std::string> parts = {};
  };
  using ByResource = std::unordered_map<Interned, Counted, InternedHash, std::equal_to<>>;

  void follow_rules();
  Counted& counted(uint32_t rule, const Interned& resource);
  const FaultEvidence* evidence_of(std::string_view fault_class);
  std::vector<std::string> parts_of(const Suspect& suspect) const;
  bool is_disk_like(const std::string& part) const;
  std::set<Key> claims_of(const Case& c);
  int64_t idle_until(const std::string& part, blame::Way way) const;
  void claim(const Suspect& suspect, bool found_so, std::set<Key>& claims);
  void release(const Key& key, const std::string& uuid, std::set<Key>& ended);
  void release_all(const Key& key);
  void end(const Key& key);
  void forget(const std::string& part);
  bool is_away(const std::string& part) const;
  bool is_pulled(const std::string& disk) const;
  void observe_part(const Resource& r, bool is_new);
  void observe_plugin(const std::string& fmri, bool is_silent);
  void take_out_of_use();
  void bring_up_to_date(int64_t now_ns);
  Parts below(std::string_view fmri) const;
  std::vector<blame::Account> accounts(const Parts& parts);
  std::vector<const Rule*> rules_for(blame::HubKind hub, blame::Way way) const;
  SharedCause shared_cause(const blame::Hypothesis& cause, const Parts& own) const;

  const Context& context_;
  const CaseBook& book_;
  const HoldBank& holds_;
  blame::Blame blame_;
  std::shared_ptr<const RuleSet> rules_;  // in evidences_ and counted_
  FaultEvidences evidences_;
  blame::Layout layout_;
  std::optional<uint64_t> generation_;  // of the inventory, in layout_
  uint64_t paths_ = 0;
  uint64_t counted_generation_ = 0, counted_paths_ = 0;  // of the inventory and paths, in counted_
  Parts offline_;                                        // disks that a person takes out of use
  // Items that the findings of a case keep open, and the reverse. Each of these items exists.
  std::map<std::string, std::set<Key>> claims_;
  std::map<Key, std::set<std::string>, blame::Items::Less> claimed_;
  std::vector<ByResource> counted_;        // cache, by rule
  std::map<std::string, int64_t> silent_;  // plugin → since when (steady)
  std::set<std::string> changed_silences_;
  bool evidence_changed_ = false;
};

}  // namespace fmd
