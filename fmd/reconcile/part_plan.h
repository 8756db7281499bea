// PartPlan: the wanted state of one part (an ASRU), given the case that decides about it, or none.
// It compares this with the observed state and with fmd's actions. Pure: it decides; the Reconciler
// limits (one command per part, back-off, dry run) and carries out.
//
//   a faulty case decides:     retire(first) → spare → out-of-service(then) → replace (when swapped)
//                               (the spare also if `first` is impossible)
//   none, or a person's order: fmd's actions are undone: restore → spare out
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fmd/diagnosis/engine.h"
#include "fmd/model/bay_history.h"
#include "fmd/reconcile/command.h"
#include "fmd/reconcile/interventions.h"
#include "fmd/reconcile/observed.h"
#include "fmd/reconcile/reconciler.h"

namespace fmd {

// Actions refused until a person decides otherwise.
struct Refusal {
  std::string uuid;  // the case it was refused to
  Obstacle obstacle = Obstacle::blast_radius;
  std::string text;
};

struct PartFacts {
  const Asru& asru;
  const Engine& engine;
  const Interventions& interventions;
  const ActionConfig& config;
  const std::string* kept_by = nullptr;  // the person who keeps it in service
  const Refusal* refusal = nullptr;
  Moment now;
  const Resource* disk = nullptr;  // under it; nullptr: not known
  const BayHistory* bays = nullptr;

  // Why its disk may be another one than fmd takes it for; "" no doubt. Such a part is left to a person, but a spare
  // is still brought in for it: that only adds a copy.
  std::string doubt() const;
  bool fru_present() const { return !disk || disk->present; }
  const Intervention* done(InterventionKind kind) const {
    return interventions.find(kind, asru.fmri);
  }
};

struct Step {
  ActionKind action = ActionKind::retire;
  std::string part;
  // Progress. With a command: the record while it is in progress.
  ActionState state = ActionState::done;
  Obstacle obstacle = Obstacle::none;
  std::string said;            // on the timeline; "" the detail
  std::string detail;          // for people
  bool quiet = false;          // recorded without a line on the timeline
  bool lasting = false;        // refused until a person says otherwise
  Unfit unfit = Unfit::none;   // Action::unfit
  std::string unfit_why = {};  // Action::unfit_why
  int64_t again_ns = 0;        // steady: waits for nothing but this time; 0 for something else

  struct Order {
    CommandName name;
    InterventionKind kind;
    bool undo = false;
    Service level = Service::unknown;
    std::string args;       // JSON object
    std::string with = {};  // of a replacement: the new disk's FMRI
  };
  std::optional<Order> command;  // detail: its purpose, "take sdc out of service"
};

std::vector<Step> plan_faulty(const PartFacts& facts, const Case& owner);
// Actions owned by a case and wanted by none.
std::vector<Step> plan_give_back(const PartFacts& facts);

// Its disk was absent and is back, and nobody retired it: put it back. faulty: cases that want
// something of it.
bool comes_back(const PartFacts& facts, const std::vector<std::string>& faulty);
Step return_step(const PartFacts& facts);

// Undoes a retirement or a spare that was, or may have been, carried out.
Step undo_step(const PartFacts& facts, const Intervention& done);

}  // namespace fmd
