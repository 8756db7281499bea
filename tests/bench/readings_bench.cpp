// Readings: the cost of storing them, and their cost to events in the same commits.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <utility>

#include "ereports.h"
#include "fmd/store/store.h"
#include "measure.h"

namespace fmd::bench {
namespace {

// Enough to make a merge due.
constexpr uint64_t kDisks = 1000, kSweeps = 7, kReadings = 40;
constexpr uint64_t kEventsACommit = 1000;

// One disk's readings in one sweep: a temperature and counters that change, and many that do not.
std::vector<Reading> sweep_of(uint64_t disk, uint64_t sweep) {
  constexpr int64_t kHalfHour = 1800LL * 1'000'000'000;
  const std::string fmri = fmt::format("dev://wwn=5000c500{:08x}", disk);
  const int64_t at =
      kBegin + static_cast<int64_t>(sweep) * kHalfHour + static_cast<int64_t>(disk) * 1'117'000'000;
  std::vector<Reading> out;
  const auto add = [&](std::string name, const char* unit, uint64_t value) {
    out.push_back({fmri, std::move(name), unit, static_cast<double>(value), at});
  };
  const uint64_t noise = (disk * 2654435761U + sweep * 40503U) >> 7;
  add("temperature_celsius", "celsius", 31 + noise % 7);
  add("power_on_hours", "hours", 20'000 + disk * 13 + sweep / 2);
  add("smart.attr.241", "count", 1'000'000'000 + sweep * 91'237 + noise % 50'000);
  add("smart.attr.242", "count", 7'000'000'000 + sweep * 191'237 + noise % 90'000);
  for (uint64_t id = 1; out.size() < kReadings; ++id)
    add(fmt::format("smart.attr.{}", id), "count", disk % 5 * id);
  return out;
}

std::unique_ptr<Store> fresh_store(const Settings& settings, const std::string& name) {
  const std::string folder = settings.folder + "/" + name;
  std::filesystem::remove_all(folder);
  auto store = Store::open(folder, kBegin);
  if (!store) throw std::runtime_error(store.error().text());
  return std::move(*store);
}

void commit(Store& store, const Batch& batch) {
  if (!store.commit(batch)) throw std::runtime_error("commit");
}

// Sweeps over 1,000 disks, one commit per disk, as when nothing else arrives.
void sweeps(const Settings& settings, std::vector<Figure>& figures) {
  const auto store = fresh_store(settings, "store");
  std::vector<Batch> work;
  for (uint64_t sweep = 0; sweep < kSweeps; ++sweep)
    for (uint64_t disk = 0; disk < kDisks; ++disk) work.push_back({{}, {}, sweep_of(disk, sweep)});
  const uint64_t count = work.size() * kReadings;
  const double committed = rate(count, [&] {
    for (const Batch& batch : work) commit(*store, batch);
  });
  const auto loose = static_cast<double>(store->stats().readings_bytes);
  const double merged = rate(count, [&] {
    for (Result<bool> more = true; more && *more;) more = store->seal_some();
  });
  const auto tight = static_cast<double>(store->stats().readings_bytes);
  figures.push_back({"readings.commit", committed, "readings/s",
                     fmt::format("made durable, commits of {} (one disk)", kReadings)});
  figures.push_back({"readings.bytes", loose / static_cast<double>(count), "bytes/reading",
                     "in the store before merging"});
  figures.push_back({"readings.merging", merged, "readings/s", "merged by part, when idle"});
  figures.push_back({"readings.merged_bytes", tight / static_cast<double>(count), "bytes/reading",
                     "in the store after merging"});
}

// Events per second, without readings and with a disk's 40 readings in each commit. The two stores
// commit alternately, so that both see the same load of disk and CPU.
std::pair<double, double> beside(const Settings& settings) {
  const auto without = fresh_store(settings, "store"), with = fresh_store(settings, "beside");
  using Clock = std::chrono::steady_clock;
  std::chrono::duration<double> took_without{0}, took_with{0};
  const auto timed = [](Store& store, const Batch& batch) {
    const auto begin = Clock::now();
    commit(store, batch);
    return Clock::now() - begin;
  };
  uint64_t number = 0;
  for (uint64_t first = 1; first <= settings.events; first += kEventsACommit, ++number) {
    const std::vector<StateRow> rows{{"cursor", "zfs", fmt::format("\"{}\"", number)}};
    const Batch events{make_ereports(first, kEventsACommit, Shape::plain), rows, {}};
    const Batch both{make_ereports(first, kEventsACommit, Shape::plain), rows, sweep_of(number, 0)};
    const bool turn = number % 2 == 0;
    if (turn) took_without += timed(*without, events);
    took_with += timed(*with, both);
    if (!turn) took_without += timed(*without, events);
  }
  const auto events = static_cast<double>(number * kEventsACommit);
  return {events / took_without.count(), events / took_with.count()};
}

}  // namespace

void measure_readings(const Settings& settings, std::vector<Figure>& figures) {
  sweeps(settings, figures);
  std::vector<double> without, with, ratios;
  for (int round = 0; round < settings.rounds; ++round) {
    const auto [none, some] = beside(settings);
    without.push_back(none);
    with.push_back(some);
    ratios.push_back(some / none);
  }
  figures.push_back({"beside.none", median(without), "events/s",
                     "made durable, batches of 1000, no readings beside them"});
  figures.push_back({"beside.readings", median(with), "events/s",
                     fmt::format("the same, {} readings in each commit", kReadings)});
  figures.push_back(
      {"beside.ratio", median(ratios), "ratio", "events with readings beside them to without"});
}

}  // namespace fmd::bench
