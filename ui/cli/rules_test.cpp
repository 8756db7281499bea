// fmadm rules test: runs recordings through the rules and checks the resulting cases.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fmd/base/json.h"
#include "fmd/diagnosis/replay.h"
#include "ui/cli/commands.h"
#include "ui/cli/layout.h"
#include "ui/cli/rule_loading.h"
#include "ui/cli/rules_commands.h"
#include "ui/cli/source_files.h"
#include "ui/client/paths.h"

namespace fmd::cli {
namespace {

namespace fs = std::filesystem;

struct Outcome {
  std::string name;
  std::vector<std::string> differences = {};  // empty: passed
  std::set<std::string> fired = {};           // rules that led to a verdict
  std::set<std::string> repaired = {};        // faults that ended by themselves
};

Result<std::vector<fs::path>> recordings(const std::vector<std::string>& folders) {
  std::vector<fs::path> all;
  for (const std::string& rules : folders) {
    const fs::path folder = fs::path(rules) / "tests";
    std::vector<fs::path> found;
    std::error_code error;
    // A folder of changes may have no tests: the rules that it changes have.
    if (folders.size() > 1 && !fs::exists(folder, error)) continue;
    for (const auto& entry : fs::directory_iterator(folder, error))
      if (entry.path().extension() == ".jsonl") found.push_back(entry.path());
    if (error) return fail("cannot be read: " + error.message(), folder);
    if (found.empty()) return fail("holds no .jsonl recording to test with", folder);
    std::sort(found.begin(), found.end());
    all.insert(all.end(), found.begin(), found.end());
  }
  if (all.empty()) return fail("none of these folders has recordings in tests/");
  return all;
}

// Notes which rules the recording exercises, for the check of coverage.
void note_proved(Outcome& outcome, const ReplayResult& result) {
  for (const Case& c : result.cases) {
    if (c.state == CaseState::unsolved) continue;
    outcome.fired.insert(c.rules.begin(), c.rules.end());
    for (const Suspect& s : c.suspects)
      if (s.status == SuspectStatus::repaired) outcome.repaired.insert(s.fault_class);
  }
}

Result<Outcome> outcome_of(const LoadedRules& loaded, const fs::path& file) {
  fs::path expect = file;
  expect.replace_extension(".expect.json");
  const auto text = read_text(file), expected = read_text(expect);
  if (!text) return tl::unexpected(text.error());
  if (!expected) return tl::unexpected(expected.error());
  const auto result = Replay::run(loaded.rules, loaded.schema, file, *text);
  if (!result) return tl::unexpected(result.error());
  auto differences = replay_differences(*result, *expected, expect);
  if (!differences) return tl::unexpected(differences.error());
  Outcome outcome{file.stem(), std::move(*differences)};
  note_proved(outcome, *result);
  return outcome;
}

// A test that cannot be run counts as failed.
Outcome run(const LoadedRules& loaded, const fs::path& file) {
  auto outcome = outcome_of(loaded, file);
  return outcome ? std::move(*outcome) : Outcome{file.stem(), {outcome.error().text()}};
}

std::string text_of(const Outcome& outcome) {
  if (outcome.differences.empty()) return clean(outcome.name) + ": as expected\n";
  std::string out = clean(outcome.name) + ": FAILED\n";
  for (const std::string& difference : outcome.differences)
    out += wrapped("  ", clean_prose(difference), 6);
  return out;
}

}  // namespace

Result<void> rules_test(const RulesOptions& options) {
  if (!options.drive_stats.empty()) return rules_test_drive_stats(options);
  const std::vector<std::string> folders =
      options.paths.empty() ? std::vector<std::string>{FMD_RULES_DIR} : options.paths;
  const LoadedRules loaded = load_rules(folders, options.events);
  if (!loaded.errors.empty()) return tl::unexpected(say_errors(loaded.errors));
  const auto files = recordings(folders);
  if (!files) return tl::unexpected(files.error());
  nlohmann::json docs = nlohmann::json::array();
  size_t failed = 0;
  for (const fs::path& file : *files) {
    const Outcome outcome = run(loaded, file);
    failed += outcome.differences.empty() ? 0 : 1;
    docs.push_back({{"test", outcome.name},
                    {"passed", outcome.differences.empty()},
                    {"differences", outcome.differences},
                    {"fired", outcome.fired},
                    {"repaired", outcome.repaired}});
    if (options.json) continue;
    if (auto said = print(text_of(outcome)); !said) return said;
  }
  if (options.json)
    if (auto said = print(json_text(docs)); !said) return said;
  if (failed > 0) return fail(fmt::format("{} of {} tests failed", failed, files->size()));
  return {};
}

}  // namespace fmd::cli
