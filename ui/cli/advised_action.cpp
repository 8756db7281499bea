#include "ui/cli/advised_action.h"

#include <fmt/format.h>

#include "ui/cli/layout.h"

namespace fmd::cli {

std::string safe_to_pull_field(const ui::Advice& advice) {
  if (advice.safe_to_pull != "yes" && advice.safe_to_pull != "no") return {};
  return field(
      "Safe to pull",
      advice.safe_to_pull + (advice.why_safe.empty() ? "" : ": " + clean_prose(advice.why_safe)));
}

std::string action_field(const Case& c, const ui::Advice* advice) {
  if (!advice || advice->do_now.empty())
    return c.action.empty() ? "" : field("Action", clean_prose(c.action));
  std::string out =
      field("Action", clean_prose(advice->headline) + ". " + clean_prose(advice->do_now));
  for (size_t i = 0; i < advice->steps.size(); ++i)
    out += wrapped(fmt::format("{}{}. ", std::string(14, ' '), i + 1),
                   clean_prose(advice->steps[i]), 17);
  return out + safe_to_pull_field(*advice);
}

}  // namespace fmd::cli
