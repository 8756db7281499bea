// The parts of an Engine. Internal.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmd/diagnosis/case_book.h"
#include "fmd/diagnosis/condition_bank.h"
#include "fmd/diagnosis/context.h"
#include "fmd/diagnosis/engine.h"
#include "fmd/diagnosis/evidence_start.h"
#include "fmd/diagnosis/folding.h"
#include "fmd/diagnosis/hold_bank.h"
#include "fmd/diagnosis/inference.h"
#include "fmd/diagnosis/repairs.h"
#include "fmd/diagnosis/serd_bank.h"
#include "fmd/diagnosis/verdicts.h"
#include "fmd/diagnosis/veto.h"

namespace fmd {

struct Engine::Impl {
  using By = CaseBook::By;
  explicit Impl(std::function<std::string()> new_uuid)
      : verdicts(context, book, holds, serds, conditions, folding, veto, std::move(new_uuid)) {}

  // One public call, whose results are gathered after it.
  class Call {
   public:
    Call(Impl& impl, Moment now) : impl_(impl) { impl_.begin(now); }
    ~Call() { impl_.end(); }
    Call(const Call&) = delete;

   private:
    Impl& impl_;
  };

  void begin(Moment now);
  void end();
  void settle();
  void weigh();
  void take_event(const Event& event);
  void take_evidence(uint32_t index, const Event& event);
  void take_inventory(std::vector<InventoryChange> changes);
  void take_change(const InventoryChange& change);
  void settle_causes();
  bool any_to_settle() const;
  void note_touched();
  void note_due(const std::set<std::string>& touched);
  void supersede(Case& c, const std::string& by);
  void settle_cause(const std::string& uuid, bool changed);
  void look_at_users(const InventoryChange& change);
  bool look(const Rule& rule, const Resource& r, bool known);
  void judge(const Rule& rule, const Resource& r, const ConditionBank::Look& seen);
  bool ends_by_value(const Rule& rule, const RuleKey& key) const;
  bool was_left_in(const Rule& rule, const Resource& r) const;
  Finding look_at_bay(const Rule& rule, const Resource& r);
  void clear(const Rule& rule, const Resource& r);
  void add_evidence(const Rule& rule, const Event& event, bool again);
  void recount(const Event& event, Moment when);
  uint64_t upto() const;
  std::vector<StateRow> take_beside_cases(uint64_t upto);
  void write_out_decided();
  Result<void> restore_row(const StateRow& row);
  Result<void> restore_checkpoint(const StateRow& row);
  void connect_restored();
  std::vector<const Case*> newest_first(By by, std::string_view fmri) const;

  EvidenceStart evidence_start;
  Context context;
  CaseBook book{context.inventory};
  SerdBank serds{context.inventory};
  HoldBank holds;
  ConditionBank conditions;
  Folding folding{context, book, conditions};
  Inference inference{context, book, holds};
  Veto veto{context, book, inference, conditions};
  Verdicts verdicts;
  Repairs repairs{context, book, holds, serds, conditions, verdicts};
  std::set<std::string> cases_due;   // not yet returned by take_cases_due()
  std::set<std::string> causes_due;  // touched cases that are yet to be looked at
  bool look_at_all = false;  // with the next call: the rules are new, or the state is restored

  std::vector<const Case*> counted_for;  // the event that is being taken

  uint64_t last_seq = 0;               // of the events taken
  std::optional<uint64_t> counted_to;  // the last checkpoint; none is known
  bool recounts = true;                // by these rules
};

}  // namespace fmd
