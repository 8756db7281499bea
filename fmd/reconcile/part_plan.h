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

// What is refused until a person says otherwise.
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
  const std::string* kept_by = nullptr;  // the person whose word keeps it in service
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
  // How far it is. With a command: what is recorded while it is under way.
  ActionState state = ActionState::done;
  Obstacle obstacle = Obstacle::none;
  std::string said;        // on the timeline; "" the detail
  std::string detail;      // for people
  bool quiet = false;      // recorded without a line on the timeline
  bool lasting = false;    // refused until a person says otherwise
  bool not_blank = false;  // Action::not_blank
  int64_t again_ns = 0;    // steady: waits for nothing but this time; 0 for something else

  struct Order {
    CommandName name;
    InterventionKind kind;
    bool undo = false;
    Service level = Service::unknown;
    std::string args;       // JSON object
    std::string with = {};  // of a replacement: the new disk's FMRI
  };
  std::optional<Order> command;  // detail: what it does, "take sdc out of service"
};

std::vector<Step> plan_faulty(const PartFacts& facts, const Case& owner);
// What is owned by a case and wished by none.
std::vector<Step> plan_give_back(const PartFacts& facts);

// Its disk was gone and is there again, and nobody has taken it out of service: it comes back. faulty:
// the cases that wish something of it.
bool comes_back(const PartFacts& facts, const std::vector<std::string>& faulty);
Step return_step(const PartFacts& facts);

// Takes back what was done, or may have been: a retirement or a spare.
Step undo_step(const PartFacts& facts, const Intervention& done);

}  // namespace fmd
