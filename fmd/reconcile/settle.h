// Settle: compares fmd's actions and intents with the observed state. It finds intents that have
// taken effect, actions that have been undone, and parts that somebody else has changed since,
// which are no longer fmd's. Changes the table, sends nothing. Pure.
#pragma once
#include <string>
#include <vector>

#include "fmd/diagnosis/engine.h"
#include "fmd/reconcile/flights.h"
#include "fmd/reconcile/interventions.h"

namespace fmd {

struct Settled {
  enum class How {
    came_true,  // in force now
    undone,     // given back
    ended,      // the part or bay is gone, or the action has ended by itself
    theirs,     // someone else has changed it since
  };
  How how = How::came_true;
  Intervention was;
  bool back_in_service = false;  // theirs: and the part is in service
  bool by_restart = false;       // ...by a restart of the machine
};

// part: an ASRU's or a bay's FMRI.
std::vector<Settled> settle(std::string_view part, const Engine& engine, const Flights& flights,
                            Interventions& interventions, Moment now);

// The part is as a command of fmd's made it, and the table does not know of it: the command took effect
// after nobody waited for it any more, or the table is lost. The case that its key names owns it, also if
// it is lost as well: then nothing is undone until a new case about the part takes it over. The lit fault
// LED of its bay is adopted with it. Nothing to adopt: empty.
std::vector<Settled> adopt(std::string_view part, const Engine& engine, const Flights& flights,
                           Interventions& interventions, Moment now);

}  // namespace fmd
