// The engine's inside. Private to engine_*.cpp, which hold: engine.cpp the entry points;
// engine_serd.cpp events and SERD; engine_hold.cpp holds; engine_condition.cpp what is seen in
// properties; engine_convict.cpp verdicts and folding; engine_suspect.cpp suspects and their texts;
// engine_repair.cpp repairs, judgements, life cycle; engine_state.cpp rows.
//
// What is remembered, besides cases and the inventory:
//   parts       resource → its SERD engines (slots) and the unresolved cases about it. An event
//   costs one
//               look-up here; nothing is serialised before take_changes().
//   holds       (rule, resource) → the UNSOLVED case that waits and until when
//   conditions  (rule, resource) → case: rules about properties that have convicted and still
//   hold true
//   growths     (rule, resource) → the counter's baseline
#pragma once
#include <set>
#include <unordered_map>

#include "fmd/diagnosis/engine.h"
#include "fmd/diagnosis/growth.h"
#include "fmd/diagnosis/serd.h"

namespace fmd {

enum class Finding { unknown, clear, active };  // what a condition's look says

struct Engine::Impl {
  struct TextHash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  struct Slot {
    uint32_t rule = 0;  // index into rules->rules()
    Serd serd{1, 0};
    uint64_t generation = UINT64_MAX;  // of the inventory that n and T were read from
    bool dirty = false;
  };
  struct Part {
    std::vector<Slot> slots;
    std::vector<Case*> cases;
  };
  using Key = std::pair<std::string, std::string>;  // rule name, resource
  using Facts = std::map<std::string, std::string, std::less<>>;
  struct Hold {
    std::string uuid;
    int64_t deadline_ns = 0;  // steady
  };
  // One public call: what it led to is gathered after it.
  class Call {
   public:
    Call(Impl& impl, Moment now) : impl_(impl) { impl_.begin(now); }
    ~Call() { impl_.end(); }
    Call(const Call&) = delete;

   private:
    Impl& impl_;
  };

  std::shared_ptr<const RuleSet> rules;
  std::function<std::string()> new_uuid;
  Inventory inventory;
  std::map<std::string, Case, std::less<>> cases;
  std::unordered_map<std::string, Part, TextHash, std::equal_to<>> parts;
  std::map<Key, Hold> holds;
  std::set<std::pair<int64_t, Key>> deadlines;  // of holds
  std::map<Key, std::string> conditions;
  std::map<Key, Growth> growths;
  std::set<std::string> timed;  // cases with repair_after_ns
  std::map<std::string, std::vector<std::string>, std::less<>>
      about;  // unresolved case → keys of parts
  size_t slot_count = 0;
  std::vector<std::string> class_names;  // Serd::Entry::tag → event class
  std::unordered_map<std::string, uint32_t, TextHash, std::equal_to<>> class_ids;

  Moment now;  // of the call under way or the last one
  bool recheck_all = false, sweep_due = false;
  std::vector<std::string> recheck;  // resources whose conditions are to be looked at again
  std::vector<CaseNews> call_news, news;

  // Evidence has rows of its own: in a storm each commit brings more of it for the same open cases.
  std::set<std::string> dirty_cases, dirty_evidence;
  std::set<Key> dirty_holds, dirty_conditions, dirty_growths;
  std::vector<Key> dirty_serds;

  // engine.cpp
  void begin(Moment at);
  void end();
  void coalesce_news();
  void tell(std::string event, const Case& c);
  void touch(Case& c);
  bool add_evidence(Case& c, const Evidence& evidence);
  void say(Case& c, std::string_view kind, std::string_view text);
  static std::string name_of(const Resource& r);  // for people
  std::string name_of(const std::string& fmri) const;

  // engine_serd.cpp
  void take_event(const Event& event);
  Part* find_part(std::string_view resource);
  void take_evidence(const Rule& rule, uint32_t index, const Event& event,
                     std::vector<Case*>& counted);
  bool count_serd(const Rule& rule, uint32_t index, Part& part, const Event& event);
  void configure(Slot& slot, const std::string& resource);
  void mark(Slot& slot, const std::string& resource);
  std::vector<Evidence> evidence_of(const Rule& rule, const std::string& resource);
  uint32_t intern(std::string_view event_class);
  void reset_slot(const std::string& rule, std::string_view resource);
  void reset_slots(std::string_view resource);
  void sweep();

  // engine_hold.cpp
  void conclude(const Rule& rule, const std::string& resource,
                const std::vector<Evidence>& evidence, const Event* event);
  void begin_hold(const Rule& rule, const std::string& resource,
                  const std::vector<Evidence>& evidence, const Event* event);
  void cancel_hold(const Key& key);
  void cancel_holds_on(std::string_view resource);
  void finish_hold(const Key& key);
  void set_deadline(const Key& key, Hold& hold, int64_t deadline);
  void quiet_cases();  // repair_after

  // engine_condition.cpp
  void check_conditions(const std::string& resource);
  bool convicted_by_another(const Rule& rule, const std::string& resource,
                            const std::string& uuid) const;
  void check_condition(const Rule& rule, const Resource& resource);
  Finding look(const Rule& rule, const Resource& resource, bool was_active);
  Finding look_growth(const Rule& rule, const std::string& resource, double value);
  void convict_condition(const Key& key, const Case& c);
  void pin_growth(const Suspect& suspect);
  void pin_growth(const Key& key);
  void forget_conditions(const std::string& resource);  // it is no more
  void observe(Case& c, const Rule& rule, const std::string& resource, const Facts& facts,
               int64_t since_ns);
  void learn_measure(Facts& facts, const Rule& rule, const std::string& resource) const;

  // engine_convict.cpp, engine_suspect.cpp
  Case* verdict(const Rule& rule, const std::string& resource,
                const std::vector<Evidence>& evidence, const Event* event, Case* held);
  Case& open_case(const Rule& rule, const std::string& resource,
                  const std::vector<Evidence>& evidence, const Event* event);
  void solve(Case& c, const Rule& rule, Suspect suspect);
  void fold(Case& c, const Rule& rule, Suspect suspect, const Case* held,
            const std::vector<Evidence>& evidence);
  void add_suspect(Case& c, const Rule& rule, Suspect suspect, bool stronger);
  void grown_again(Case& c, const Rule& rule, Suspect& known, const Suspect& grown);
  void choose_texts(Case& c) const;
  Suspect make_suspect(const Rule& rule, const std::string& resource) const;
  bool fill_fru(Suspect& suspect) const;
  void recheck_covered(
      const Suspect& suspect);  // it has become, or ceased to be, somebody's open case
  Case* overlapping(const Suspect& suspect, const Case* except);
  bool covered(const Rule& rule, const Suspect& suspect, const Case* except) const;
  void fill_suspects();
  void learn_facts(Facts& facts, const Rule& rule, const std::string& resource,
                   const Event* event) const;
  void learn_names(Facts& facts, const std::string& resource) const;
  void render(Case& c) const;
  std::string fill_text(const Suspect& suspect, std::string_view text) const;
  void attach(Case& c, const std::string& resource);
  void detach(Case& c);
  void discard(Case& c);

  // engine_repair.cpp
  bool repair_suspects(Case& c, SuspectStatus status,
                       const std::function<bool(const Suspect&)>& which, std::string_view text);
  void repair_by_event(const Event& event);
  void repair_by_state(const std::string& fmri);
  void repair_by_value(Case& c, const FaultClass& fault, const Resource& r);
  void gone(const InventoryChange& change);
  void repair_swapped();
  void resolve_if_due(Case& c);
  void isolate_if_due(Case& c);
  Result<std::vector<Case*>> judged_cases(std::string_view uuid, std::string_view part,
                                          const std::set<std::string>& names);
  std::set<std::string> names_of(std::string_view part) const;

  // engine_state.cpp
  std::string serd_row(const Key& key);
  std::string growth_row(const Key& key) const;
  std::string evidence_row(const Case& c) const;
  Result<void> restore_evidence(const StateRow& row);
  Result<void> restore_case(const StateRow& row);
  Result<void> restore_serd(const StateRow& row);
  Result<void> restore_hold(const StateRow& row);
  Result<void> restore_condition(const StateRow& row);
  Result<void> restore_growth(const StateRow& row);
  void connect_restored();
};

}  // namespace fmd
