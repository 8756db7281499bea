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
    auto said = print(json_text({{"files", loaded.files},
                                 {"rules", loaded.rules ? loaded.rules->rules().size() : 0},
                                 {"errors", errors}}));
    if (!said) return said;
    if (!loaded.errors.empty()) return fail(counted(loaded.errors.size(), "error"));
    return {};
  }
  if (!loaded.errors.empty()) return tl::unexpected(say_errors(loaded.errors));
  return print(fmt::format("{} in {}: no errors\n", counted(loaded.rules->rules().size(), "rule"),
                           counted(loaded.files.size(), "file")));
}

}  // namespace fmd::cli
