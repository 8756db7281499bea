// "Action" and "Safe to pull" as fields of a case's text: fmd's advice as it is now. Pure.
#pragma once
#include <string>

#include "fmd/model/case.h"
#include "ui/client/advice.h"

namespace fmd::cli {

// "Safe to pull: no: …"; "" the suspect is no part that is pulled.
std::string safe_to_pull_field(const ui::Advice& advice);
// Headline, order, steps and pull safety. Without advice (a replay, an older fmd): the rule's text.
std::string action_field(const Case& c, const ui::Advice* advice);

}  // namespace fmd::cli
