// Benchmarks of the store: commits, and reading the state back.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "ereports.h"
#include "fmd/protocol/parse.h"
#include "fmd/store/store.h"
#include "measure.h"
#include "plain_rows.h"

namespace fmd::bench {
namespace {

constexpr uint64_t kBatch = 1000;

using Batches = std::vector<std::vector<Event>>;

Batches make_batches(uint64_t events, uint64_t batch, Shape shape) {
  Batches batches;
  for (uint64_t first = 1; first <= events; first += batch)
    batches.push_back(make_ereports(first, batch, shape));
  return batches;
}

// The rows that each of the daemon's commits has besides events.
std::vector<StateRow> rows_of(uint64_t number) {
  return {{"cursor", "zfs", fmt::format("\"{}\"", number)},
          {"serd", fmt::format("zfs-checksum {}", number % 50), std::string(300, '1')}};
}

struct Round {
  double per_second = 0, bytes_per_event = 0;
};

Round run_store(const Settings& settings, const Batches& batches) {
  const std::string folder = settings.folder + "/store";
  std::filesystem::remove_all(folder);
  auto opened = Store::open(folder, kBegin);
  must(opened.has_value(), opened ? "" : opened.error().text());
  Store& store = **opened;
  const uint64_t events = batches.size() * batches.front().size();
  // The batches are moved, as in the daemon; a copy would be measured too.
  std::vector<Batch> work;
  for (const auto& batch : batches) work.push_back({batch, rows_of(work.size())});
  Round round;
  round.per_second = rate(events, [&] {
    for (const Batch& batch : work) must(store.commit(batch).has_value(), "commit");
  });
  round.bytes_per_event =
      static_cast<double>(store.stats().journal_bytes) / static_cast<double>(events);
  return round;
}

Round run_plain(const Settings& settings, const Batches& batches, bool with_index) {
  PlainRows plain(settings.folder + "/plain", with_index);
  const uint64_t events = batches.size() * batches.front().size();
  Round round;
  round.per_second = rate(events, [&] {
    for (const auto& batch : batches) plain.commit(batch);
  });
  round.bytes_per_event = plain.bytes_per_event(events);
  return round;
}

// Size of the last round's store once all sealing is done.
void at_rest(const Settings& settings, uint64_t events, const std::string& name,
             std::vector<Figure>& figures) {
  auto store = Store::open(settings.folder + "/store", kBegin);
  must(store.has_value(), "open");
  for (Result<bool> more = true; more && *more;) more = (*store)->seal_some();
  const StoreStats stats = (*store)->stats();
  const auto count = static_cast<double>(events);
  figures.push_back({name + ".sealed_bytes", static_cast<double>(stats.journal_bytes) / count,
                     "bytes/event", "in the journal at rest, after sealing"});
  figures.push_back({name + ".sealing", static_cast<double>(stats.sealed.cpu_ns) / 1000 / count,
                     "us/event", "of a processor to pack it so, at idle priority"});
}

// Alternates store and plain rows, so that both see the same load of the disk.
void compare(const Settings& settings, Shape shape, const std::string& name,
             const std::string& what, std::vector<Figure>& figures) {
  const Batches batches = make_batches(settings.events, kBatch, shape);
  std::vector<double> store, plain, indexed;
  Round last_store, last_plain;
  for (int round = 0; round < settings.rounds; ++round) {
    last_store = run_store(settings, batches);
    last_plain = run_plain(settings, batches, false);
    store.push_back(last_store.per_second);
    plain.push_back(last_plain.per_second);
    indexed.push_back(run_plain(settings, batches, true).per_second);
  }
  uint64_t json = 0;
  for (const Event& event : batches.front()) json += event_to_line(event).size() + 1;
  figures.push_back(
      {name + ".commit", median(store), "events/s", "made durable, batches of 1000 " + what});
  figures.push_back(
      {name + ".sqlite_rows", median(plain), "events/s", "SQLite alone, a plain row an event"});
  figures.push_back(
      {name + ".sqlite_indexed", median(indexed), "events/s", "the same with one secondary index"});
  figures.push_back(
      {name + ".ratio", median(store) / median(plain), "ratio", "fmd to SQLite's plain rows"});
  figures.push_back(
      {name + ".json", static_cast<double>(json) / kBatch, "bytes/event", "as JSON lines"});
  figures.push_back({name + ".bytes", last_store.bytes_per_event, "bytes/event", "in the journal"});
  at_rest(settings, settings.events, name, figures);
  figures.push_back(
      {name + ".sqlite_bytes", last_plain.bytes_per_event, "bytes/event", "as plain rows"});
}

// The trickle: the cost of single small commits, and their size after sealing.
void trickle(const Settings& settings, std::vector<Figure>& figures) {
  const uint64_t events = settings.events / 20;
  const Batches batches = make_batches(events, 10, Shape::plain);
  const std::string folder = settings.folder + "/store";
  std::filesystem::remove_all(folder);
  auto store = Store::open(folder, kBegin);
  must(store.has_value(), "open");
  const double small = rate(events, [&] {
    for (const auto& batch : batches) must((*store)->commit({batch, {}}).has_value(), "commit");
  });
  const double loose = static_cast<double>((*store)->stats().journal_bytes);
  const double sealing = rate(events, [&] {
    for (Result<bool> more = true; more && *more;) more = (*store)->seal_some();
  });
  const double tight = static_cast<double>((*store)->stats().journal_bytes);
  const auto count = static_cast<double>(events);
  figures.push_back({"small.commit", small, "events/s", "made durable, batches of 10"});
  figures.push_back({"small.bytes", loose / count, "bytes/event", "in the journal before sealing"});
  figures.push_back({"small.sealing", sealing, "events/s", "merged into sealed blocks, when idle"});
  figures.push_back(
      {"small.sealed_bytes", tight / count, "bytes/event", "in the journal after sealing"});
}

void reading(const Settings& settings, std::vector<Figure>& figures) {
  const Batches batches = make_batches(settings.events, kBatch, Shape::plain);
  run_store(settings, batches);
  const auto store = Store::open(settings.folder + "/store", kBegin);
  must(store.has_value(), "open");
  const auto scan = [&](const std::string& glob) {
    EventQuery query;
    query.class_glob = glob;
    return rate(settings.events, [&] {
      must((*store)->each_event(query, [](const Event&) { return true; }).has_value(), "read");
    });
  };
  figures.push_back({"read.all", scan(""), "events/s", "read back whole"});
  figures.push_back(
      {"read.by_class", scan("ereport.io.*"), "events/s", "looked through for a class"});
}

}  // namespace

std::vector<Figure> measure_store(const Settings& settings) {
  std::vector<Figure> figures;
  compare(settings, Shape::plain, "store", "ereports", figures);
  compare(settings, Shape::whole, "store_whole", "ereports with histograms", figures);
  trickle(settings, figures);
  reading(settings, figures);
  measure_readings(settings, figures);
  return figures;
}

// file: params of `events`, one per line, as also given to the daemon.
std::vector<Figure> measure_rows(const Settings& settings, const std::string& file) {
  Batches batches;
  std::vector<Event> batch;
  uint64_t seq = 0;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    auto message = protocol::parse_events(line);
    must(message.has_value(), file + ": not params of events");
    for (auto& [index, taken] : message->events) {
      Event& event = *taken;
      event.seq = ++seq;
      event.received_ns = event.time_ns;
      event.source = "zfs";
      event.payload = Payload();
      batch.push_back(std::move(event));
      if (batch.size() == kBatch) batches.push_back(std::exchange(batch, {}));
    }
  }
  must(!batches.empty(), file + ": fewer than a batch of events");
  std::vector<double> plain;
  for (int round = 0; round < settings.rounds; ++round)
    plain.push_back(run_plain(settings, batches, false).per_second);
  return {{"rows.sqlite", median(plain), "events/s", "SQLite alone, a plain row an event"}};
}

}  // namespace fmd::bench
