// score: plays the corpus (tests/scenarios/) and counts how often fmd is right, in comparison with
// fmd without common-cause rules and with ZED's rules (README.md).
//
//   fmd-score [--seeds N] [--from S] [--only PATTERN]... [--lost PERCENT] [--mute-bays] [--spread N]
//             [--odds] [--failures] [--json]
//   fmd-score --draw N [--seed TEXT]            a share of the plays
//   fmd-score --list                              which scenarios there are
//   fmd-score --relabel | --bystanders            properties, in place of the score
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <thread>

#include "circumstances.h"
#include "corpus.h"
#include "draw.h"
#include "fmd/base/glob.h"
#include "fmd/base/json.h"
#include "fmd/model/event_schema.h"
#include "properties.h"
#include "sums.h"
#include "tests/lib/shipped_rules.h"
#include "year.h"

namespace fmd::score {
namespace {

struct Options {
  uint64_t seeds = 1, from = 1, every = 1;
  std::vector<std::string> only;
  std::string corpus = FMD_TREE "/tests/scenarios";
  size_t draw = 0;  // 0: all
  std::string seed = "fmd";
  Conditions conditions;
  unsigned jobs = 1;
  bool own = false, list = false, failures = false, json = false, story = false, relabel = false,
       bystanders = false, sealed = false, year = false;
  double least_localised = 0, least_in_the_end = 0, least_class = 0, least_in_time = 0,
         least_done = 0, most_other = 100;
  int most_retired = -1, most_minor = 12;
};

bool none(const std::vector<Error>& errors) {
  for (const Error& error : errors) fmt::print(stderr, "score: {}\n", error.text());
  return errors.empty();
}

// All patterns must match: each the label, the family or the shape.
bool is_asked_for(const Scenario& s, const std::vector<std::string>& only) {
  return std::all_of(only.begin(), only.end(), [&](const std::string& pattern) {
    return glob_matches(pattern, s.label) || glob_matches(pattern, s.family) ||
           glob_matches(pattern, s.shape->name);
  });
}

// The inference knows disks and what they share.
bool is_about_disks(const Scenario& scenario) {
  static const std::vector<Generator> known = [] {
    std::vector<Generator> out = disk_generators();
    for (Generator& one : path_generators()) out.push_back(std::move(one));
    return out;
  }();
  return std::any_of(known.begin(), known.end(), [&](const Generator& one) {
    return std::string_view(one.name) == scenario.generator->name;
  });
}

// Families that nobody looks at while rules are changed.
std::set<std::string> sealed_families(const Options& options) {
  std::ifstream file(options.corpus + "/sealed");
  return families_listed({std::istreambuf_iterator<char>(file), {}});
}

std::vector<Job> jobs_of(const std::vector<Scenario>& corpus, const Options& options) {
  std::vector<Job> jobs;
  size_t asked = 0;
  const std::set<std::string> sealed = sealed_families(options);
  for (const Scenario& scenario : corpus)
    if (sealed.contains(scenario.family) == options.sealed &&
        is_asked_for(scenario, options.only) &&
        (!options.conditions.odds || is_about_disks(scenario)) && asked++ % options.every == 0)
      for (uint64_t i = 0; i < options.seeds; ++i) jobs.push_back({&scenario, options.from + i});
  return options.draw ? draw(jobs, options.draw, options.seed) : jobs;
}

// Whether all jobs keep the property.
bool hold_all(const std::vector<Job>& jobs, const Rules& rules, const char* otherwise,
              bool (*keeps)(const Job&, const Rules&)) {
  size_t broken = 0;
  for (const Job& job : jobs) {
    if (keeps(job, rules)) continue;
    fmt::print("{}, seed {}: {}{}\n", job.scenario->label, job.seed, otherwise,
               job.scenario->wrong.empty() ? "" : " (known to go wrong)");
    broken += job.scenario->wrong.empty();
  }
  fmt::print("{} plays, {} of them with {}\n", jobs.size(), broken, otherwise);
  return broken == 0;
}

std::vector<Result> judge_all(const std::vector<Job>& jobs, const Options& options) {
  std::vector<Result> results(jobs.size());
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    // Each thread has its own rule set, which caches the rules for each event class.
    const Rules own = shipped_rules(), alone = options.own ? nullptr : shipped_rules("common.toml");
    for (size_t i = next++; i < jobs.size(); i = next++)
      results[i] = judge(jobs[i], own, alone, options.conditions, options.story);
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < options.jobs; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  return results;
}

bool score(const std::vector<Job>& jobs, const Options& options) {
  const std::vector<Result> results = judge_all(jobs, options);
  std::vector<size_t> judges{0};
  if (!options.own) judges = {0, 1, 2, 3};
  if (options.conditions.odds) judges.push_back(kOdds);
  Sums sums(std::move(judges));
  for (size_t i = 0; i < jobs.size(); ++i) {
    sums.add(*jobs[i].scenario, results[i]);
    std::string why = results[i].marks[0].why;
    if (results[i].other)
      why += (why.empty() ? "" : "; ") + std::string("other verdicts than with all events");
    if (const std::string& odds = results[i].marks[kOdds].why;
        options.conditions.odds && !results[i].marks[kOdds].localised)
      why += (why.empty() ? "" : "; ") + std::string("odds: ") + odds;
    if (options.failures && !why.empty())
      fmt::print("{}, seed {}: {}\n", jobs[i].scenario->label, jobs[i].seed, why);
  }
  const bool lossy = options.conditions.lost_percent > 0;
  if (options.json)
    fmt::print("{}\n", sums.json(lossy).dump(2));
  else
    sums.print(lossy);
  const Sum& own = sums.limited();
  return own.percent(own.localised) >= options.least_localised &&
         own.percent(own.in_the_end) >= options.least_in_the_end &&
         own.percent(own.right_class) >= options.least_class &&
         own.percent(own.in_time) >= options.least_in_time &&
         own.percent_done() >= options.least_done &&
         sums.own().percent(sums.other()) <= options.most_other &&
         (options.most_retired < 0 || own.retired + own.spares <= options.most_retired);
}

bool live_years(const Options& options, const Rules& rules) {
  bool all_quiet = true;
  for (uint64_t seed = options.from; seed < options.from + options.seeds; ++seed) {
    const Year year = healthy_year(seed, rules);
    fmt::print("year {}: {} Major, {} Minor messages, {} actions\n", seed, year.major,
               year.minor_messages, year.acted);
    all_quiet &= year.major == 0 && year.acted == 0 && year.minor_messages <= options.most_minor;
  }
  return all_quiet;
}

void take_options(CLI::App& app, Options& options) {
  app.add_option("--seeds", options.seeds, "of each scenario (1)");
  app.add_option("--from", options.from, "the first seed (1)");
  app.add_option(
      "--only", options.only,
      "only scenarios whose label, family or shape is so, such as 'cable*'; each narrows "
      "it down");
  app.add_option("--every", options.every, "of those only each Nth (1)")
      ->check(CLI::Range(1, 1000));
  app.add_option("--draw", options.draw, "of those only N plays, drawn by --seed");
  app.add_option("--seed", options.seed, "what draws them, such as a commit's id (fmd)")
      ->envname("FMD_DRAW_SEED");
  app.add_option("--lost", options.conditions.lost_percent,
                 "percent of the events that never arrive")
      ->check(CLI::Range(0, 100));
  app.add_flag("--mute-bays", options.conditions.mute_bays, "no bay reports that it is empty");
  app.add_option("--spread", options.conditions.spread,
                 "parts of one cause fail so many times as far apart (1)")
      ->check(CLI::Range(1, 60));
  app.add_flag("--varied", options.conditions.varied,
               "each play with its own bays, pools, delays, plugins' lags and restarts, and ZED");
  app.add_flag("--sealed", options.sealed,
               "the families of the list 'sealed' instead of the others; varied");
  app.add_flag("--odds", options.conditions.odds,
               "judge the odds of causes ('fmadm why') as well, of disks and what they share");
  app.add_option("--jobs", options.jobs, "threads (1)")->check(CLI::Range(1, 256));
  app.add_option("--corpus", options.corpus, "folder of the scenarios");
  app.add_flag("--own", options.own, "fmd alone, and not what it is held against");
  app.add_flag("--list", options.list, "instead: which scenarios there are, and where");
  app.add_flag("--failures", options.failures, "name each play that went wrong, and how");
  app.add_flag("--relabel", options.relabel,
               "instead: whether verdicts stay the same when the parts have other names");
  app.add_flag("--bystanders", options.bystanders,
               "instead: whether more parts that are well never make a wider part accused");
  app.add_flag(
      "--year", options.year,
      "instead: a year of a healthy host for each seed; no Major case, nothing done, few messages");
  app.add_flag("--story", options.story, "tell whom fmd accused in each, what it did, and when");
  app.add_flag("--json", options.json, "figures for programs");
  app.add_option("--least-localised", options.least_localised, "percent; fewer is exit status 1");
  app.add_option("--least-in-the-end", options.least_in_the_end, "percent; fewer is exit status 1");
  app.add_option("--least-class", options.least_class, "percent; fewer is exit status 1");
  app.add_option("--least-in-time", options.least_in_time, "percent; fewer is exit status 1");
  app.add_option("--least-done", options.least_done,
                 "percent of what must be done; fewer is exit status 1");
  app.add_option("--most-other", options.most_other,
                 "percent of verdicts that lost events may change; more is exit status 1");
  app.add_option("--most-minor", options.most_minor,
                 "Minor messages in a healthy year (12); more is exit status 1");
  app.add_option("--most-retired", options.most_retired,
                 "wrongly, with wasted spares; more is exit status 1");
}

int run(int argc, char** argv) {
  Options options;
  CLI::App app("Plays labelled scenarios and counts how often fmd is right.");
  take_options(app, options);
  CLI11_PARSE(app, argc, argv);
  options.conditions.varied |= options.sealed;
  const Rules rules = shipped_rules();
  std::vector<std::string> classes;
  for (const auto& [name, fault] : rules->faults()) classes.push_back(name);
  const auto [corpus, errors] = read_corpus(toml_files({options.corpus}), classes);
  if (!none(errors)) return 2;
  for (const std::string& name : unknown_families(sealed_families(options), corpus)) {
    fmt::print(stderr, "score: {}/sealed: no family is called \"{}\"\n", options.corpus, name);
    return 2;
  }
  const std::vector<Job> jobs = jobs_of(corpus, options);
  if (jobs.empty()) {
    fmt::print(stderr, "score: no scenario is like that; --list tells which there are\n");
    return 2;
  }
  if (options.list) {
    for (const Job& job : jobs)
      fmt::print("{:<44} {:<24} {}:{}\n", job.scenario->label, job.scenario->shape->name,
                 job.scenario->file, job.scenario->line);
    return 0;
  }
  if (options.year) return live_years(options, rules) ? 0 : 1;
  if (options.relabel)
    return !hold_all(jobs, rules, "other verdicts when the parts have other names",
                     same_with_other_labels);
  if (options.bystanders)
    return !hold_all(jobs, rules, "a wider part accused when there are more that are well",
                     no_wider_with_bystanders);
  return score(jobs, options) ? 0 : 1;
}

}  // namespace
}  // namespace fmd::score

int main(int argc, char** argv) {
  try {
    return fmd::score::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "score: {}\n", error.what());
    return 2;
  }
}
