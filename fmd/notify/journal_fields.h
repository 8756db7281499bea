// The journal fields of a case besides the message: fields to search for, and those that the
// message catalog's entry of the fault inserts (fmadm rules catalog). Pure.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmd/advice/say.h"
#include "fmd/model/case.h"

namespace fmd {

// event: "diagnosed", "updated", "repaired", "resolved".
std::vector<std::pair<std::string, std::string>> journal_fields(const Case& c, const Say& say,
                                                                std::string_view event);

}  // namespace fmd
