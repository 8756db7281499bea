// Pages: joins answers that fmd sends in pages (ListPage, ListReadings).
#pragma once
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/result.h"

namespace fmd::ui {

// A method call with text arguments.
struct Question {
  std::string method;
  std::vector<std::string> arguments;
  bool operator==(const Question&) const = default;
};
// Sends one call and returns its document.
using AskOnce = std::function<Result<nlohmann::json>(const Question& question)>;

bool is_paged(std::string_view method);  // a list that may span several pages
// The first call that whole_answer() makes.
Question first_question(std::string_view method, const nlohmann::json& filter);
// The method's complete answer for that filter, in as many calls as needed.
Result<nlohmann::json> whole_answer(std::string_view method, nlohmann::json filter,
                                    const AskOnce& ask);

}  // namespace fmd::ui
