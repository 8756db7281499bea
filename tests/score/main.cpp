// score: plays labelled scenarios, families of faults on machines of twelve shapes, and counts how often fmd
// is right, beside what it would be without rules of common causes and what ZED's rules would do
// (README.md).
//
//   fmd-score [--seeds N] [--from S] [--family TEXT] [--shape TEXT] [--lost PERCENT] [--failures] [--json]
//   fmd-score --relabel | --bystanders           properties, in place of the score
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "fmd/model/event_schema.h"
#include "mark.h"
#include "zed.h"

namespace fmd::score {
namespace {

using Rules = std::shared_ptr<const RuleSet>;

struct Options {
  uint64_t seeds = 1, from = 1;
  std::string family, shape;
  int lost = 0;
  unsigned jobs = 1;
  bool failures = false, json = false, story = false, relabel = false, bystanders = false;
  double least_localised = 0, least_class = 0, most_other = 100;
  int most_retired = -1;
};

constexpr size_t kJudged = 4;
constexpr const char* kJudges[kJudged] = {"fmd", "one rule a part", "ZED's rules", "ZED's, 2.4"};

struct Sum {
  int scenarios = 0, localised = 0, right_class = 0, retired = 0, spares = 0, lit = 0, messages = 0,
      incidents = 0;
  std::vector<int64_t> times;

  void add(const Mark& m) {
    ++scenarios;
    localised += m.localised;
    right_class += m.right_class;
    retired += m.wrongly_retired;
    spares += m.spares_wasted;
    lit += m.lit_in_vain;
    messages += m.messages;
    incidents += m.incidents;
    if (m.to_case_ns) times.push_back(*m.to_case_ns);
  }
  void add(const Sum& s) {
    scenarios += s.scenarios;
    localised += s.localised;
    right_class += s.right_class;
    retired += s.retired;
    spares += s.spares;
    lit += s.lit;
    messages += s.messages;
    incidents += s.incidents;
    times.insert(times.end(), s.times.begin(), s.times.end());
  }
  double share(int of) const { return scenarios ? 100.0 * of / scenarios : 100; }
  double seconds(double quantile) const {
    if (times.empty()) return 0;
    std::vector<int64_t> sorted = times;
    std::sort(sorted.begin(), sorted.end());
    const auto at = static_cast<size_t>(quantile * static_cast<double>(sorted.size() - 1));
    return static_cast<double>(sorted[at]) / kSec;
  }
};

struct Job {
  const Family* family;
  const ShapeSpec* shape;
  uint64_t seed;
};

struct Result {
  Mark marks[kJudged];
  bool other = false;  // with events lost: than with all of them
};

std::vector<SourceFile> read_folder(const std::string& folder, const std::string& but = "") {
  std::vector<SourceFile> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".toml" || entry.path().filename() == but) continue;
    std::ifstream in(entry.path());
    files.push_back(
        {entry.path().filename().string(), std::string(std::istreambuf_iterator<char>(in), {})});
  }
  return files;
}

// The shipped ones: what is counted is the real policy.
Rules load_rules(const std::string& but) {
  const std::string tree = FMD_TREE;
  auto [schema, schema_errors] = EventSchema::load(read_folder(tree + "/schemas/events"));
  auto [rules, rule_errors] = RuleSet::load(read_folder(tree + "/diagnosis-rules", but), schema);
  for (const auto& errors : {schema_errors, rule_errors})
    for (const Error& error : errors) fmt::print(stderr, "score: {}\n", error.text());
  return rules;
}

void tell(const Job& job, const Scenario& scenario, const Outcome& outcome) {
  fmt::print("{} on {}, seed {}\n", job.family->name, job.shape->name, job.seed);
  for (const Truth& truth : scenario.broken) fmt::print("  broken: {}\n", *truth.parts.begin());
  for (const Blamed& b : outcome.blamed)
    fmt::print("  {:7.1f} s  {} {} {} ({} %)\n", static_cast<double>(b.at - scenario.onset) / kSec,
               b.uuid, b.fault_class, b.parts.front(), b.certainty);
}

// The same seed gives the same scenario to each judge: what fmd does changes nothing of what happens.
struct Played {
  Scenario scenario;
  Outcome outcome;
};

histories::Chance luck_of(const Job& job) {
  return histories::Chance(job.seed * 1000003 +
                           static_cast<uint64_t>(job.family - families().data()) * 1009 +
                           static_cast<uint64_t>(job.shape - shapes().data()));
}

using Heard = std::function<void(const Event&, int64_t at)>;

Played play(const Job& job, Host& host, const Rules& rules, int lost, Heard heard = {}) {
  histories::Chance chance = luck_of(job);
  Play play(host, rules, chance);
  play.lost = lost / 100.0;
  play.heard = std::move(heard);
  Played out{job.family->stage(play), {}};
  out.outcome = play.run(out.scenario.until);
  return out;
}

// Who was accused of what, and what was done, by numbers in place of FMRIs.
std::multiset<std::string> without_labels(const Host& host, const Outcome& outcome) {
  std::map<std::string, size_t> numbers;
  for (size_t i = 0; i < host.fmris().size(); ++i) numbers.emplace(host.fmris()[i], i);
  const auto number = [&](const std::string& fmri) {
    const auto at = numbers.find(fmri);
    return at == numbers.end() ? fmri : std::to_string(at->second);
  };
  std::multiset<std::string> out;
  for (const Blamed& b : outcome.blamed)
    out.insert(
        fmt::format("{} {} {} {}", b.at, b.fault_class, number(b.parts.front()), b.certainty));
  for (const auto* done : {&outcome.retired, &outcome.spared, &outcome.lit})
    for (const std::string& fmri : *done) out.insert(number(fmri));
  return out;
}

bool same_with_other_labels(const Job& job, const Rules& rules) {
  Host host(*job.shape), other(*job.shape, Variant::relabelled);
  const auto one = without_labels(host, play(job, host, rules, 0).outcome);
  return one == without_labels(other, play(job, other, rules, 0).outcome);
}

// How many disks hang on what is accused first, at most.
size_t width(const Host& host, const Outcome& outcome) {
  size_t most = 0;
  for (const Blamed& b : outcome.blamed)
    for (const Hub& hub : host.hubs)
      if (b.first && b.parts.front() == hub.fmri) most = std::max(most, hub.disks.size());
  return most;
}

// With a controller and disks more that are well: no wider part is accused than without. Where each disk was accused for
// itself it may be what they share: that none fails elsewhere is less of a chance then.
bool no_wider_with_bystanders(const Job& job, const Rules& rules) {
  Host host(*job.shape), more(*job.shape, Variant::bystanders);
  const size_t without = width(host, play(job, host, rules, 0).outcome);
  return without == 0 || width(more, play(job, more, rules, 0).outcome) <= without;
}

// What people were told is at fault, and first: the part that would be exchanged, by whatever it was seen.
std::set<std::string> verdicts(const Outcome& outcome) {
  std::set<std::string> out;
  for (const Blamed& b : outcome.blamed)
    if (b.first) out.insert(b.parts.back().empty() ? b.parts.front() : b.parts.back());
  return out;
}

Zed::GroupOf groups_of(const Host& host) {
  Zed::GroupOf out;
  for (size_t i = 0; i < host.disks.size(); ++i)
    if (!host.disks[i].spare)
      out.emplace(host.disks[i].vdev, static_cast<int>(i) / host.spec.group);
  return out;
}

// What ZED's rules would have done goes by the events alone: they are judged in the same play.
Result play_all(const Job& job, const Rules& rules, const Rules& alone, const Options& options) {
  Host host(*job.shape), other(*job.shape);
  const Played own = play(job, host, rules, options.lost);
  if (options.story) tell(job, own.scenario, own.outcome);
  Zed zed, peers(groups_of(other));
  const Played each = play(job, other, alone, options.lost, [&](const Event& event, int64_t at) {
    zed.hear(event, at, job.shape->spares);
    peers.hear(event, at, job.shape->spares);
  });
  Result out{{mark(host, own.scenario, own.outcome), mark(other, each.scenario, each.outcome),
              mark(other, each.scenario, zed.outcome()),
              mark(other, each.scenario, peers.outcome())}};
  if (options.lost > 0) {
    Host whole(*job.shape);
    out.other = verdicts(own.outcome) != verdicts(play(job, whole, rules, 0).outcome);
  }
  return out;
}

std::vector<Job> jobs_of(const Options& options) {
  std::vector<Job> jobs;
  for (const Family& family : families())
    for (const ShapeSpec& shape : shapes()) {
      if (std::string(family.name).find(options.family) == std::string::npos ||
          std::string(shape.name).find(options.shape) == std::string::npos ||
          !family.fits(Host(shape)))
        continue;
      for (uint64_t i = 0; i < options.seeds; ++i)
        jobs.push_back({&family, &shape, options.from + i});
    }
  return jobs;
}

nlohmann::json to_json(const Sum& s) {
  return {{"scenarios", s.scenarios},
          {"localised_percent", s.share(s.localised)},
          {"right_class_percent", s.share(s.right_class)},
          {"wrongly_retired", s.retired},
          {"spares_wasted", s.spares},
          {"lit_in_vain", s.lit},
          {"messages_per_incident", static_cast<double>(s.messages) / std::max(1, s.incidents)},
          {"seconds_to_case", {{"median", s.seconds(0.5)}, {"p99", s.seconds(0.99)}}}};
}

void print_row(const std::string& name, const Sum& s) {
  fmt::print("{:<20} {:>5} {:>9.1f} {:>6.1f} {:>8} {:>7} {:>4} {:>8.1f} {:>7.1f} {:>7.1f}\n", name,
             s.scenarios, s.share(s.localised), s.share(s.right_class), s.retired, s.spares, s.lit,
             static_cast<double>(s.messages) / std::max(1, s.incidents), s.seconds(0.5),
             s.seconds(0.99));
}

void print_head(const char* first) {
  fmt::print("{:<20} {:>5} {:>9} {:>6} {:>8} {:>7} {:>4} {:>8} {:>7} {:>7}\n", first, "plays",
             "located %", "class%", "retired*", "spares*", "lit*", "messages", "median", "p99 s");
}

using ByFamily = std::map<const Family*, Sum>;

void print_sums(ByFamily (&by_family)[kJudged], const Sum (&sums)[kJudged]) {
  print_head("fmd");
  for (const Family& family : families())
    if (by_family[0].contains(&family)) print_row(family.name, by_family[0][&family]);
  fmt::print("\n");
  print_head("all families");
  for (size_t judge = 0; judge < kJudged; ++judge) print_row(kJudges[judge], sums[judge]);
  fmt::print(
      "\n* wrongly retired, spares wasted, lights lit at the wrong bay. Messages for each "
      "incident; seconds\nfrom the first sign to the case.\n\n");
  fmt::print("{:<20}", "located %, retired*");
  for (const char* judge : kJudges) fmt::print(" {:>20}", judge);
  fmt::print("\n");
  for (const Family& family : families()) {
    if (!by_family[0].contains(&family)) continue;
    fmt::print("{:<20}", family.name);
    for (auto& of : by_family) {
      const Sum& s = of[&family];
      fmt::print(" {:>11.1f} {:>8}", s.share(s.localised), s.retired + s.spares);
    }
    fmt::print("\n");
  }
}

bool report(const std::vector<Job>& jobs, const std::vector<Result>& results,
            const Options& options) {
  ByFamily by_family[kJudged];
  Sum sums[kJudged];
  int other = 0;
  for (size_t i = 0; i < jobs.size(); ++i) {
    other += results[i].other;
    for (size_t judge = 0; judge < kJudged; ++judge) {
      by_family[judge][jobs[i].family].add(results[i].marks[judge]);
      sums[judge].add(results[i].marks[judge]);
    }
  }
  const Sum& own = sums[0];
  if (options.json) {
    nlohmann::json doc;
    for (size_t judge = 0; judge < kJudged; ++judge) {
      nlohmann::json& one = doc[kJudges[judge]];
      one["all"] = to_json(sums[judge]);
      for (const auto& [family, sum] : by_family[judge])
        one["families"][family->name] = to_json(sum);
    }
    if (options.lost > 0) doc["other_verdicts_percent"] = own.share(other);
    fmt::print("{}\n", doc.dump(2));
  } else {
    print_sums(by_family, sums);
    if (options.lost > 0)
      fmt::print("\nOther verdicts than with all events: {} of {}, {:.1f} %\n", other,
                 own.scenarios, own.share(other));
  }
  return own.share(own.localised) >= options.least_localised &&
         own.share(own.right_class) >= options.least_class &&
         own.share(other) <= options.most_other &&
         (options.most_retired < 0 || own.retired + own.spares <= options.most_retired);
}

// Whether all scenarios keep that property.
bool hold_all(const std::vector<Job>& jobs, const Rules& rules, const char* otherwise,
              bool (*keeps)(const Job&, const Rules&)) {
  size_t broken = 0;
  for (const Job& job : jobs) {
    if (keeps(job, rules)) continue;
    ++broken;
    fmt::print("{} on {}, seed {}: {}\n", job.family->name, job.shape->name, job.seed, otherwise);
  }
  fmt::print("{} scenarios, {} of them with {}\n", jobs.size(), broken, otherwise);
  return broken == 0;
}

int run(int argc, char** argv) {
  Options options;
  CLI::App app("Plays labelled scenarios and counts how often fmd is right.");
  app.add_option("--seeds", options.seeds, "of each family on each shape (1)");
  app.add_option("--from", options.from, "the first seed (1)");
  app.add_option("--family", options.family, "only families whose name has this in it");
  app.add_option("--shape", options.shape, "only machines whose name has this in it");
  app.add_option("--lost", options.lost, "percent of the events that never arrive")
      ->check(CLI::Range(0, 100));
  app.add_option("--jobs", options.jobs, "threads (1)")->check(CLI::Range(1, 256));
  app.add_flag("--failures", options.failures, "name each scenario that went wrong, and how");
  app.add_flag("--relabel", options.relabel,
               "instead: whether verdicts stay the same when the parts have other names");
  app.add_flag("--bystanders", options.bystanders,
               "instead: whether more parts that are well never make a wider part accused");
  app.add_flag("--story", options.story, "tell whom fmd accused in each, and when");
  app.add_flag("--json", options.json, "figures for programs");
  app.add_option("--least-localised", options.least_localised, "percent; fewer is exit status 1");
  app.add_option("--least-class", options.least_class, "percent; fewer is exit status 1");
  app.add_option("--most-other", options.most_other,
                 "percent of verdicts that lost events may change; more is exit status 1");
  app.add_option("--most-retired", options.most_retired,
                 "wrongly, with wasted spares; more is exit status 1");
  CLI11_PARSE(app, argc, argv);
  const Rules rules = load_rules("");
  if (!rules || !load_rules("common.toml")) return 2;
  const std::vector<Job> jobs = jobs_of(options);
  if (options.relabel)
    return hold_all(jobs, rules, "other verdicts when the parts have other names",
                    same_with_other_labels)
               ? 0
               : 1;
  if (options.bystanders)
    return hold_all(jobs, rules, "a wider part accused when there are more that are well",
                    no_wider_with_bystanders)
               ? 0
               : 1;
  std::vector<Result> results(jobs.size());
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    // A rule set is for one thread: it remembers which rules an event's class concerns.
    const Rules own = load_rules(""), own_alone = load_rules("common.toml");
    for (size_t i = next++; i < jobs.size(); i = next++)
      results[i] = play_all(jobs[i], own, own_alone, options);
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < options.jobs; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (options.failures)
    for (size_t i = 0; i < jobs.size(); ++i)
      if (const Mark& m = results[i].marks[0]; !m.why.empty())
        fmt::print("{} on {}, seed {}: {}\n", jobs[i].family->name, jobs[i].shape->name,
                   jobs[i].seed, m.why);
  return report(jobs, results, options) ? 0 : 1;
}

}  // namespace
}  // namespace fmd::score

int main(int argc, char** argv) {
  return fmd::score::run(argc, argv);
}
