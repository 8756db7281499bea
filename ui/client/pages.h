// Pages: answers that fmd gives a mebibyte at a time (ListPage, ListReadings), put together again.
#pragma once
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/result.h"

namespace fmd::ui {

// One call with these texts as its arguments, and the document that it is answered with.
using AskOnce = std::function<Result<nlohmann::json>(const char* method,
                                                     const std::vector<std::string>& arguments)>;

bool is_paged(std::string_view method);  // a list that may be longer than a page
// What the method answers to that filter, in as many calls as it takes.
Result<nlohmann::json> whole_answer(const char* method, nlohmann::json filter, const AskOnce& ask);

}  // namespace fmd::ui
