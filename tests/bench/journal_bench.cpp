// A large journal: cost of the first page of `fmdump -e`, and of a start.
#include <fmt/format.h>
#include <time.h>

#include <filesystem>

#include "ereports.h"
#include "fmd/store/store.h"
#include "measure.h"
#include "plain_rows.h"

namespace fmd::bench {
namespace {

constexpr uint64_t kJournalBatch = 1000;
constexpr uint64_t kPage = 1000;           // events that fmdump requests
constexpr size_t kPageBytes = 1 << 20;     // or this many bytes, if fewer events
constexpr uint64_t kMostLookedAt = 8'000;  // fmd/control/queries.cpp
constexpr uint64_t kRare = 100'000;        // one event in this many is different
constexpr uint64_t kEvidence = 64;         // a case keeps this many first and last events
constexpr const char* kRareClass = "ereport.fs.zfs.io";
constexpr const char* kRarePart = "zfs://pool=1/vdev=1";

double cpu_ms() {
  struct timespec used {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) * 1e3 + static_cast<double>(used.tv_nsec) / 1e6;
}

std::unique_ptr<Store> open(const Settings& settings) {
  auto store = Store::open(settings.folder + "/journal", kBegin);
  must(store.has_value(), store ? "" : store.error().text());
  return std::move(*store);
}

void fill(const Settings& settings) {
  std::filesystem::remove_all(settings.folder + "/journal");
  const auto store = open(settings);
  for (uint64_t first = 1; first <= settings.events; first += kJournalBatch) {
    auto events = make_ereports(first, kJournalBatch, Shape::plain);
    if (first % kRare == 1) {
      events.front().event_class = kRareClass;
      events.back().resource = kRarePart;
    }
    must(store->commit({std::move(events), {}}).has_value(), "commit");
    must(store->seal_some().has_value(), "seal");
  }
  for (Result<bool> more = true; more && *more;) more = store->seal_some();
}

// CPU of a first page from a freshly opened store, including the conversion of events to lines.
Figure page(const Settings& settings, const char* name, const char* note, const EventQuery& query) {
  std::vector<double> took;
  uint64_t found = 0;
  for (int round = 0; round < settings.rounds; ++round) {
    const auto store = open(settings);
    const double begin = cpu_ms();
    size_t bytes = 0;
    found = 0;
    const auto read = store->each_event(query, [&](const Event& event) {
      bytes += event_to_line(event).size();
      return ++found < kPage && bytes < kPageBytes;
    });
    took.push_back(cpu_ms() - begin);
    must(read.has_value() && found > 0, name);
  }
  return {fmt::format("journal.{}", name), median(took), "ms",
          fmt::format("of a processor: a first page {}, {} events", note, found)};
}

std::vector<uint64_t> first_and_last(uint64_t from, uint64_t step, uint64_t events) {
  std::vector<uint64_t> seqs;
  for (uint64_t i = 0; i < kEvidence; ++i) {
    seqs.push_back(from + i * step);
    seqs.push_back(events - i * step);
  }
  return seqs;
}

}  // namespace

std::vector<Figure> measure_journal(const Settings& settings) {
  fill(settings);
  std::vector<double> start;
  StoreStats stats;
  for (int round = 0; round < settings.rounds; ++round) {
    const double begin = cpu_ms();
    stats = open(settings)->stats();
    start.push_back(cpu_ms() - begin);
  }
  const uint64_t n = settings.events;
  const int64_t middle = kBegin + static_cast<int64_t>(n / 2) * 100'000;
  return {
      {"journal.events", static_cast<double>(stats.events), "events", "in it, all sealed"},
      {"journal.file", static_cast<double>(stats.file_bytes) / static_cast<double>(n),
       "bytes/event", "of the whole file"},
      {"journal.open", median(start), "ms", "of a processor: opened, and its figures counted"},
      page(settings, "first", "from the beginning", {}),
      page(settings, "time", "from a time in the middle", {.from_ns = middle}),
      page(settings, "class", "of a rare class",
           {.class_glob = kRareClass, .look_at = kMostLookedAt}),
      page(settings, "resource", "of a rare resource",
           {.resource = kRarePart, .look_at = kMostLookedAt}),
      page(settings, "sick", "of one vdev of 1,000",
           {.resource = vdev_fmri(7), .look_at = kMostLookedAt}),
      page(settings, "case", "of a case in a storm of 37", {.seqs = first_and_last(n / 3, 37, n)}),
      page(settings, "case_thin", "of a case with each event in another block",
           {.seqs = first_and_last(n / 3, n / 200, n)}),
  };
}

}  // namespace fmd::bench
