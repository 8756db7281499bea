// The result type and timing helpers of benchmarks. Each kind of benchmark is one function below,
// in its own file; main.cpp prints.
#pragma once
#include <algorithm>
#include <chrono>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fmd/rules/rules.h"

namespace fmd::bench {

struct Figure {
  std::string name;  // "store.commit", for programs
  double value = 0;
  std::string unit;  // "events/s", "bytes/event", "ratio"
  std::string note;  // for people: what exactly was measured
};

struct Settings {
  std::string folder;       // work folder, on the disk to be measured
  uint64_t events = 0;      // per round
  int rounds = 0;           // figures are medians over the rounds
  uint64_t disks = 10'000;  // maximum number that fail together
};

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

// Things per second.
inline double rate(uint64_t things, const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return static_cast<double>(things) / took.count();
}

// CPU time of this process: more meaningful than elapsed time on a shared machine.
inline double cpu_seconds(const std::function<void()>& work) {
  const auto used = [] {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
  };
  const double before = used();
  work();
  return used() - before;
}

// Slope of the least-squares line through these points.
inline double slope(const std::vector<double>& x, const std::vector<double>& y) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  const auto n = static_cast<double>(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    sx += x[i];
    sy += y[i];
    sxx += x[i] * x[i];
    sxy += x[i] * y[i];
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

// Events committed, compared with SQLite storing the same events as plain rows on the same disk.
std::vector<Figure> measure_store(const Settings& settings);
// SQLite alone with the events of a file: params of the plugin protocol's `events`, one per line.
std::vector<Figure> measure_rows(const Settings& settings, const std::string& file);
// First pages of a large, sealed journal.
std::vector<Figure> measure_journal(const Settings& settings);
// Readings, and events with readings in the same commits; part of measure_store().
void measure_readings(const Settings& settings, std::vector<Figure>& figures);
// Events parsed, checked and diagnosed, without disk and socket.
std::vector<Figure> measure_engine(const Settings& settings);
// Cost of the common-cause rules. without: the same rules without those. Part of the kind "engine".
std::vector<Figure> measure_common(const Settings& settings,
                                   const std::shared_ptr<const RuleSet>& rules,
                                   const std::shared_ptr<const RuleSet>& without);
// Very many parts that fail together, on machines of 10 to settings.disks disks.
std::vector<Figure> measure_failing(const Settings& settings);
// Reconciler passes with many cases; part of the kind "engine".
std::vector<Figure> measure_reconcile(const Settings& settings);

}  // namespace fmd::bench
