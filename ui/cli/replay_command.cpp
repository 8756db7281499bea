// fmadm replay: runs a recording through the engine, without any action.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "fmd/base/json.h"
#include "fmd/base/text.h"
#include "fmd/diagnosis/replay.h"
#include "ui/cli/case_text.h"
#include "ui/cli/commands.h"
#include "ui/cli/daemon.h"
#include "ui/cli/layout.h"
#include "ui/cli/rule_loading.h"
#include "ui/cli/rules_commands.h"
#include "ui/cli/source_files.h"
#include "ui/cli/why_text.h"

namespace fmd::cli {
namespace {

Result<void> feed(Replay& replay, std::string_view text) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (auto done = replay.line(text.substr(0, end)); !done) return done;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

// A case that is explained by another one is listed with it.
std::string reasons(const std::vector<Case>& cases, const Inventory& inventory) {
  std::string out;
  for (const Case& c : cases) {
    if (!c.explained_by.empty()) continue;
    std::vector<Case> explains;
    std::copy_if(cases.begin(), cases.end(), std::back_inserter(explains),
                 [&](const Case& one) { return one.explained_by == c.uuid; });
    out += (out.empty() ? "" : "\n") + reasoning(c, explains, inventory);
  }
  return out;
}

Result<void> show(std::vector<Case> cases, const Surroundings& around,
                  const ReplayOptions& options) {
  std::stable_sort(cases.begin(), cases.end(),
                   [](const Case& a, const Case& b) { return a.opened_ns < b.opened_ns; });
  std::string out = options.why ? reasons(cases, around.inventory) : "";
  for (size_t i = 0; i < cases.size() && !options.why; ++i)
    out += (out.empty() ? "" : "\n") + case_text(cases[i], around, options.verbose);
  return print(out.empty() ? "No case.\n" : out);
}

}  // namespace

Result<void> replay(const ReplayOptions& options) {
  int64_t run_out_ns = 0;
  if (!options.run_out.empty()) {
    const auto parsed = parse_duration(options.run_out);
    if (!parsed) return tl::unexpected(parsed.error());
    run_out_ns = *parsed;
  }
  const LoadedRules loaded = load_rules(options.rules, options.events);
  if (!loaded.errors.empty()) return tl::unexpected(say_errors(loaded.errors));
  const auto text = read_text(options.file);
  if (!text) return tl::unexpected(text.error());
  Replay replay(loaded.rules, loaded.schema, options.file, run_out_ns);
  if (auto fed = feed(replay, *text); !fed) return fed;
  ReplayResult result = replay.finish();
  for (const Error& error : result.rejected) fmt::print(stderr, "{}\n", clean_prose(error.text()));
  if (options.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const Case& c : result.cases) list.push_back(to_json(c));
    return print(json_text(list));
  }
  Surroundings around;
  around.set_host(nlohmann::json::object());
  around.inventory = replay.engine().inventory();
  return show(std::move(result.cases), around, options);
}

}  // namespace fmd::cli
