// The Reconciler's internals: reconciler.cpp (entry points, which parts are planned), looks.cpp
// (one part, one bay), returns.cpp (a disk that is back), dispatching.cpp (commands and their
// results), hand_orders.cpp (people's orders).
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "fmd/reconcile/flights.h"
#include "fmd/reconcile/lights.h"
#include "fmd/reconcile/overrides.h"
#include "fmd/reconcile/part_plan.h"
#include "fmd/reconcile/places.h"
#include "fmd/reconcile/reconciler.h"
#include "fmd/reconcile/settle.h"

namespace fmd {

struct Reconciler::Impl {
  using Handled = std::function<bool(std::string_view)>;
  struct HandOrder {
    enum class What { retire, restore, replace };
    uint64_t number = 0;
    std::string who;
    What what = What::retire;
    Service level = Service::out_of_service;
    std::string key = {};   // of its command, "" not sent yet
    std::string disk = {};  // replace: FMRI of the new one
    std::string args = {};  // replace: JSON
  };
  struct Look {  // one step
    Moment now;
    const Handled& handled;
    std::vector<Command>& out;
  };

  Engine& engine;
  ActionConfig config;
  Interventions interventions;
  Overrides overrides;
  LocateWishes wishes;
  Flights flights;
  const BayHistory* bays = nullptr;
  std::set<std::string> parts;          // to be looked at: ASRUs and bays
  std::set<std::string> lost_storages;  // pools, arrays, file systems without all of their data
  // By group: its members that must stay until another one has been replaced, and their disks.
  std::map<std::string, std::set<std::string>, std::less<>> waiting;
  std::set<std::string> awaiting;  // ASRUs whose faulted disk waits for a replacement
  struct Return {
    int64_t since_ns = 0;  // steady: its disk is present
    bool asked = false, resilvers = false;
    std::string where = {};            // its disk is
    std::string trouble = {};          // reported last
    std::set<std::string> noted = {};  // the cases that have that note
    bool is_doubted = false;           // the trouble: it may be another disk
  };
  std::map<std::string, Return, std::less<>> returns;  // ASRUs whose disk is back
  Places places;
  std::vector<std::string> said;  // for the log
  // Parts with an action whose case was lost with a damaged database: found in this step, and since
  // the start.
  std::set<std::string> forgotten, reported_forgotten;
  bool everything = true;
  bool file_systems_changed = false;
  std::optional<int64_t> locate_end_ns;  // steady: a locate light has been on for long
  std::set<std::string> unhandled;       // parts whose step waits for a plugin
  std::map<std::string, HandOrder, std::less<>> orders;  // by part
  std::vector<OrderResult> order_results;
  uint64_t next_order = 1, next_key = 1;
  Moment look_now;  // of the look under way

  Impl(Engine& e, ActionConfig c) : engine(e), config(c) {}

  // reconciler.cpp
  void mark_everything();
  void mark_lights();  // of all cases
  void mark_case(const Case& c);
  void mark_resource(const std::string& fmri);
  void judge_copies(const std::string& fmri);
  void mark_members(const std::set<std::string>& members);
  void tell_owed(Moment now);

  // looks.cpp
  void adopt_done(const std::string& part, Moment now);
  void look(const std::string& part, const Look& at);
  bool reports_state(const Intervention& was) const;
  void tell_settled(const Settled& s, Moment now);
  void look_at_asru(const Asru& asru, const Look& at);
  void fulfil(const PartFacts& facts, const std::vector<std::string>& cases, const Look& at);
  void abandon(InterventionKind kind, const PartFacts& facts, const Look& at);
  void look_at_return(const PartFacts& facts, const std::vector<std::string>& faulty,
                      const Look& at);
  void look_at_returned(const Asru& asru, Return& back, const Look& at);
  void note_trouble(const std::string& part, Return& back, Moment now);
  void return_answered(const Command& command, const CommandResult& result, Moment now);
  void settle_forgotten_order(const Asru& asru);
  void note_forgotten(const std::string& part);
  void tell_kept(const PartFacts& facts, const std::vector<std::string>& cases);
  void give_back(const PartFacts& facts, const Look& at);
  void drop_stale_actions(const std::string& part);
  void drop_stale_lights(const std::string& bay, const std::vector<std::string>& wishing);
  void drop_unseen(InterventionKind kind, const std::string& part, Moment now);
  void pass_on(const std::string& part, const Case& to);
  void look_at_bay(const std::string& bay, const Look& at);
  std::string disk_in_bay(const std::string& bay) const;  // FMRI; "" none is seen
  void end_errand(const std::string& bay, Moment now);
  std::string errand_over(const std::string& bay, const LocateWishes::Errand& errand,
                          Moment now) const;
  std::vector<std::string> cases_of(const Step& step) const;
  void show(const std::string& uuid, const Step& step, int attempts, bool silent, Moment now);

  // dispatching.cpp
  // cases: whose step it is. False: not sent, for now.
  bool start(const Step& step, const Owner& owner, const std::vector<std::string>& cases,
             const Look& at);
  Command intend(const Step& step, const Owner& owner, const Asru* asru, Moment now);
  Command undo(const Step& step, const Owner& owner, Moment now);
  std::string world_of(const std::string& part) const;
  Flights::Facts facts_of(const std::string& part, const std::string& args, bool undo) const;
  std::string new_key(const Owner& owner, InterventionKind kind, Moment now);
  std::string new_undo_key(const Intervention& i, Moment now);
  void answered_do(Intervention i, const CommandResult& result);
  void finished(const Command& command, const CommandResult& result, const Intervention* i,
                Moment now);

  // hand_orders.cpp
  void carry_out(const std::string& part, const Asru& asru, const Look& at);
  Result<uint64_t> begin_order(const Asru& asru, HandOrder order);
  Step order_step(const Asru& asru, const HandOrder& order) const;
  void order_done(const std::string& part, CommandStatus status, std::string text);
  bool order_answered(const Command& command, const CommandResult& result);
  bool case_is_about(const std::string& part) const;  // an open, faulty one
};

// "UUID" of a case, or "person-root": at the head of a command's key.
std::string owner_word(const Owner& owner);

}  // namespace fmd
