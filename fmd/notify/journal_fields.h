// The journal fields of a case besides the message: for searches, and for the fault's entry in the
// message catalog (fmadm rules catalog). Pure.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmd/advice/say.h"
#include "fmd/model/case.h"

namespace fmd {

// event: "diagnosed", "updated", "repaired", "resolved". explain_url: Preferences::explain_url.
std::vector<std::pair<std::string, std::string>> journal_fields(const Case& c, const Say& say,
                                                                std::string_view event,
                                                                std::string_view explain_url = {});

}  // namespace fmd
