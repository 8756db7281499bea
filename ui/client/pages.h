// Pages: answers that fmd gives in pages (ListPage, ListReadings), put together again.
#pragma once
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/result.h"

namespace fmd::ui {

// A call with these texts as its arguments.
struct Question {
  std::string method;
  std::vector<std::string> arguments;
  bool operator==(const Question&) const = default;
};
// The document that it is answered with.
using AskOnce = std::function<Result<nlohmann::json>(const Question& question)>;

bool is_paged(std::string_view method);  // a list that may be longer than a page
// The call that whole_answer() begins with.
Question first_question(std::string_view method, const nlohmann::json& filter);
// What the method answers to that filter, in as many calls as it takes.
Result<nlohmann::json> whole_answer(std::string_view method, nlohmann::json filter,
                                    const AskOnce& ask);

}  // namespace fmd::ui
