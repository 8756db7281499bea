// The case as scripts and people's tools get it: to_json(Case) and what can be said about its parts
// at this moment. Members are described in schemas/dbus/README.md. Pure.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "fmd/advice/say.h"
#include "fmd/model/case.h"

namespace fmd {

// Added: "say", what to tell people about it (fmd/advice). Added to each suspect: "service" and "spare" (of the ASRU, now), "present" (the FRU, now),
// "device_now", "bay_led".
nlohmann::json case_document(const Case& c, const SayWorld& world,
                             CaseDetail detail = CaseDetail::whole);

}  // namespace fmd
