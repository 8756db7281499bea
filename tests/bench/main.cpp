// fmd-bench: measures fmd's speed on this machine. There is no pass or fail: figures depend on the
// machine.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>

#include "fmd/base/json.h"
#include "measure.h"

namespace fmd::bench {
namespace {

struct Kind {
  const char* name;
  const char* title;
  std::vector<Figure> (*measure)(const Settings&);
};

std::vector<Figure> measure_core(const Settings& settings) {
  std::vector<Figure> figures = measure_engine(settings);
  for (Figure& figure : measure_reconcile(settings)) figures.push_back(std::move(figure));
  return figures;
}

const std::vector<Kind> kKinds = {
    {"store", "Store: events and readings made durable", measure_store},
    {"journal", "Journal: first pages of a large one", measure_journal},
    {"engine", "Core: events diagnosed, and what to do about open cases", measure_core},
    {"failing", "Core: very many disks that fail together", measure_failing},
};

void print(const Kind& kind, const std::vector<Figure>& figures) {
  fmt::print("{}\n", kind.title);
  for (const Figure& figure : figures) {
    const int digits = figure.unit == "ratio" || figure.unit == "s" || figure.unit == "ms" ||
                               figure.unit == "bytes/reading" || figure.unit == "power"
                           ? 2
                       : figure.unit.starts_with("us/") ? 1
                                                        : 0;
    fmt::print("  {:<26} {:>12.{}f} {:<13} {}\n", figure.name, figure.value, digits, figure.unit,
               figure.note);
  }
  std::fflush(stdout);
}

nlohmann::json to_json(const std::vector<Figure>& figures) {
  nlohmann::json all = nlohmann::json::array();
  for (const Figure& figure : figures)
    all.push_back({{"name", figure.name},
                   {"value", figure.value},
                   {"unit", figure.unit},
                   {"note", figure.note}});
  return all;
}

int run(int argc, char** argv) {
  Settings settings{"", 100'000, 5, 10'000};
  bool as_json = false;
  std::vector<std::string> only;
  std::string rows;  // path of a file
  std::string where = std::filesystem::current_path();
  CLI::App app{
      "Measures fmd on this machine: events and readings a second made durable, events diagnosed, "
      "bytes of each",
      "fmd-bench"};
  app.add_flag("--json", as_json, "figures for programs");
  app.add_option("--dir", where, "folder on the disk to measure")->capture_default_str();
  app.add_option("--events", settings.events, "events a round")
      ->check(CLI::Range(20'000, 10'000'000));
  app.add_option("--rounds", settings.rounds, "rounds; the figures are their medians")
      ->check(CLI::Range(1, 100));
  app.add_option("--disks", settings.disks,
                 "disks that fail together, at most: 10, 100, ... of them")
      ->check(CLI::Range(10, 100'000))
      ->capture_default_str();
  app.add_option("--rows", rows,
                 "only SQLite's rows with the events of this file: params of `events`, a line each")
      ->check(CLI::ExistingFile);
  app.add_option("kind", only,
                 "what to measure: store, journal, engine, failing; all when not given");
  CLI11_PARSE(app, argc, argv);
  settings.events -= settings.events % 20'000;

  std::string folder = where + "/fmd-bench-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr)
    throw std::runtime_error(where + ": no folder can be made here");
  settings.folder = folder;
  nlohmann::json all = nlohmann::json::array();
  try {
    for (const Kind& kind : kKinds) {
      if (!rows.empty()) break;
      if (!only.empty() && std::find(only.begin(), only.end(), kind.name) == only.end()) continue;
      const auto figures = kind.measure(settings);
      if (!as_json) print(kind, figures);
      for (auto& figure : to_json(figures)) all.push_back(std::move(figure));
    }
    if (!rows.empty()) {
      const auto figures = measure_rows(settings, rows);
      if (!as_json) print({"rows", "SQLite: events as plain rows", nullptr}, figures);
      all = to_json(figures);
    }
  } catch (...) {
    std::filesystem::remove_all(folder);
    throw;
  }
  std::filesystem::remove_all(folder);
  if (as_json) fmt::print("{}\n", nlohmann::json{{"figures", all}}.dump(2));
  return 0;
}

}  // namespace
}  // namespace fmd::bench

int main(int argc, char** argv) {
  try {
    return fmd::bench::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "fmd-bench: {}\n", error.what());
    return 1;
  }
}
