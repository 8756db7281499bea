// What the journal has of a case beside the message: fields to find it by, and those that the message
// catalog's entry of its fault puts in (fmadm rules catalog). Pure.
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
