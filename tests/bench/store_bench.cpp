#include <fmt/format.h>
#include <sqlite3.h>

#include <filesystem>
#include <stdexcept>

#include "ereports.h"
#include "fmd/store/store.h"
#include "measure.h"

namespace fmd::bench {
namespace {

constexpr uint64_t kBatch = 1000;

using Batches = std::vector<std::vector<Event>>;

void must(bool good, const std::string& what) {
  if (!good) throw std::runtime_error(what);
}

uint64_t size_of(const std::string& folder) {
  uint64_t size = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) size += entry.file_size();
  return size;
}

Batches make_batches(uint64_t events, uint64_t batch, Shape shape) {
  Batches batches;
  for (uint64_t first = 1; first <= events; first += batch)
    batches.push_back(make_ereports(first, batch, shape));
  return batches;
}

// What each commit of the daemon's brings along besides the events.
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
  // The batches are handed over, as the daemon does: a copy would be measured with them.
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

// SQLite alone: a row an event, the same batches, the same durability (WAL, synchronous=FULL).
class PlainRows {
 public:
  PlainRows(const std::string& folder, bool with_index) : folder_(folder) {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    must(sqlite3_open((folder + "/plain.db").c_str(), &db_) == SQLITE_OK, "sqlite3_open");
    run("PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
        "CREATE TABLE event (seq INTEGER PRIMARY KEY, class TEXT, resource TEXT, time INTEGER, "
        "received INTEGER, "
        "ena INTEGER, source TEXT, payload TEXT) STRICT");
    if (with_index) run("CREATE INDEX event_resource ON event (resource, time)");
    must(sqlite3_prepare_v2(db_, "INSERT INTO event VALUES (?,?,?,?,?,?,?,?)", -1, &insert_,
                            nullptr) == SQLITE_OK,
         "sqlite3_prepare");
  }
  ~PlainRows() {
    sqlite3_finalize(insert_);
    sqlite3_close(db_);
  }
  PlainRows(const PlainRows&) = delete;
  PlainRows& operator=(const PlainRows&) = delete;

  void commit(const std::vector<Event>& events) {
    run("BEGIN");
    for (const Event& event : events) {
      sqlite3_bind_int64(insert_, 1, static_cast<int64_t>(event.seq));
      text(2, event.event_class);
      text(3, event.resource);
      sqlite3_bind_int64(insert_, 4, event.time_ns);
      sqlite3_bind_int64(insert_, 5, event.received_ns);
      sqlite3_bind_int64(insert_, 6, static_cast<int64_t>(event.ena));
      text(7, event.source);
      text(8, event.payload_json);
      must(sqlite3_step(insert_) == SQLITE_DONE, "sqlite3_step");
      sqlite3_reset(insert_);
    }
    run("COMMIT");
  }
  double bytes_per_event(uint64_t events) {
    run("PRAGMA wal_checkpoint(TRUNCATE)");
    return static_cast<double>(size_of(folder_)) / static_cast<double>(events);
  }

 private:
  void run(const char* sql) {
    must(sqlite3_exec(db_, sql, nullptr, nullptr, nullptr) == SQLITE_OK, sql);
  }
  void text(int parameter, const std::string& value) {
    sqlite3_bind_text(insert_, parameter, value.data(), static_cast<int>(value.size()),
                      SQLITE_STATIC);
  }

  std::string folder_;
  sqlite3* db_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
};

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

// Store and plain rows in turn, so that both have the same luck with the disk.
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
  figures.push_back(
      {name + ".sqlite_bytes", last_plain.bytes_per_event, "bytes/event", "as plain rows"});
}

// The trickle: what single small commits cost, and what sealing makes of them.
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

}  // namespace fmd::bench
