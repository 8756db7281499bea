// histories: plays seeded histories of faults, people, plugins and crashes against engine,
// reconciler and telling, and checks the invariants in README.md. A failing seed is shrunk and
// printed as a short story.
//
//   histories [N] [--from S] [--seed S] [--story] [--jobs J] [--keep-going] [--without NAME]
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <vector>

#include "fmd/rules/rules.h"
#include "shrink.h"
#include "stage.h"
#include "tests/lib/shipped_rules.h"

namespace fmd::histories {
namespace {

struct Options {
  uint64_t count = 1000000, from = 1;
  std::optional<uint64_t> seed;
  bool story = false, keep_going = false;
  int jobs = 1;
  Stage::Options stage;
};

using Rules = std::shared_ptr<const RuleSet>;

std::optional<Violation> play(const History& history, const Rules& rules, const Options& options) {
  return Stage(history, rules, options.stage).play();
}

void tell(const History& history, const Rules& rules, const Options& options) {
  Stage::Options telling = options.stage;
  telling.tell_story = true;
  Stage stage(history, rules, telling);
  const auto violation = stage.play();
  for (const std::string& line : stage.story()) fmt::print("{}\n", line);
  if (violation) fmt::print("\n  {}: {}\n", violation->invariant, violation->text);
}

void tell_failure(const History& history, const Violation& violation, const Rules& rules,
                  const Options& options) {
  fmt::print("seed {} breaks '{}': {}\n", history.seed, violation.invariant, violation.text);
  const History shortest = shrink(history, [&](const History& candidate) {
    const auto found = play(candidate, rules, options);
    return found && found->invariant == violation.invariant;
  });
  fmt::print("{} steps of {} are enough:\n\n", shortest.steps.size(), history.steps.size());
  tell(shortest, rules, options);
  fmt::print("\nAgain, in full: ./dev histories --seed {} --story\n", history.seed);
}

// Plays every jobs-th seed. Returns the number of failures.
int play_share(const Options& options, int share, const Rules& rules) {
  int failed = 0;
  for (uint64_t i = static_cast<uint64_t>(share); i < options.count;
       i += static_cast<uint64_t>(options.jobs)) {
    const History history = write_history(options.from + i);
    const auto violation = play(history, rules, options);
    if (!violation) continue;
    ++failed;
    if (options.keep_going)
      fmt::print("seed {} breaks '{}': {}\n", history.seed, violation->invariant, violation->text);
    else
      tell_failure(history, *violation, rules, options);
    std::fflush(stdout);
    if (!options.keep_going) break;
  }
  return failed;
}

bool play_all(const Options& options, const Rules& rules) {
  if (options.jobs <= 1) return play_share(options, 0, rules) == 0;
  std::vector<pid_t> children;
  for (int share = 0; share < options.jobs; ++share) {
    const pid_t child = fork();
    if (child == 0) {
      const int failed = play_share(options, share, rules);
      std::fflush(nullptr);
      _exit(failed ? 1 : 0);
    }
    children.push_back(child);
  }
  bool good = true;
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    good = good && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  return good;
}

int run(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Plays random histories against engine, reconciler and telling, and holds what must be so.");
  app.add_option("count", options.count, "how many seeds (1,000,000)");
  app.add_option("--from", options.from, "the first seed (1)");
  app.add_option("--seed", options.seed, "this one only");
  app.add_option("--jobs", options.jobs, "processes (1)")->check(CLI::Range(1, 256));
  app.add_option("--without", options.stage.but, "do not hold these invariants");
  app.add_flag("--story", options.story, "tell all that happens in it");
  app.add_flag("--keep-going", options.keep_going, "name each seed that fails, shrink none");
  CLI11_PARSE(app, argc, argv);
  const Rules rules = shipped_rules();
  if (options.seed) {
    const History history = write_history(*options.seed);
    if (options.story) tell(history, rules, options);
    const auto violation = play(history, rules, options);
    if (violation && !options.story) tell_failure(history, *violation, rules, options);
    return violation ? 1 : 0;
  }
  if (!play_all(options, rules)) return 1;
  fmt::print("{} histories, from seed {}: all is as it must be\n", options.count, options.from);
  return 0;
}

}  // namespace
}  // namespace fmd::histories

int main(int argc, char** argv) {
  try {
    return fmd::histories::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "histories: {}\n", error.what());
    return 2;
  }
}
