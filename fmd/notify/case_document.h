// The JSON document of a case for scripts and programs: to_json(Case) and the current state of its
// parts. schemas/dbus/README.md describes the members. Pure.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "fmd/advice/say.h"
#include "fmd/model/case.h"

namespace fmd {

// Adds "say" (fmd/advice), and to each suspect the current "service" and "spare" (of the ASRU),
// "present" (the FRU), "device_now" and "bay_led".
nlohmann::json case_document(const Case& c, const SayWorld& world,
                             CaseDetail detail = CaseDetail::whole);

}  // namespace fmd
