// fmadm rules check: reports errors in rule files.
#include <fmt/format.h>

#include "fmd/base/counted.h"
#include "fmd/base/json.h"
#include "ui/cli/commands.h"
#include "ui/cli/layout.h"
#include "ui/cli/rule_loading.h"
#include "ui/cli/rules_commands.h"

namespace fmd::cli {

Result<void> rules_check(const RulesOptions& options) {
  const LoadedRules loaded = load_rules(options.paths, options.events);
  if (options.json) {
    nlohmann::json errors = nlohmann::json::array();
    for (const Error& e : loaded.errors)
      errors.push_back({{"file", e.file}, {"line", e.line}, {"message", e.message}});
    nlohmann::json ignored = nlohmann::json::array();
    if (loaded.rules)
      for (const RuleSet::Ignored& one : loaded.rules->ignored())
        ignored.push_back(
            {{"file", one.file}, {"line", one.line}, {"rule", one.rule}, {"key", one.key}});
    auto said = print(json_text({{"files", loaded.files},
                                 {"rules", loaded.rules ? loaded.rules->rules().size() : 0},
                                 {"errors", errors},
                                 {"ignored", ignored}}));
    if (!said) return said;
    if (!loaded.errors.empty()) return fail(counted(loaded.errors.size(), "error"));
    return {};
  }
  if (!loaded.errors.empty()) return tl::unexpected(say_errors(loaded.errors));
  std::string hints;
  for (const RuleSet::Ignored& one : loaded.rules->ignored())
    hints += clean_prose(
                 fmt::format("{}:{}: rule \"{}\": \"{}\" {}; 'fmadm rules upgrade' {} it", one.file,
                             one.line, one.rule, one.key,
                             one.now.empty() ? "has no effect any more" : "is " + one.now + " now",
                             one.now.empty() ? "removes" : "changes")) +
             "\n";
  return print(hints + fmt::format("{} in {}: no errors\n",
                                   counted(loaded.rules->rules().size(), "rule"),
                                   counted(loaded.files.size(), "file")));
}

}  // namespace fmd::cli
