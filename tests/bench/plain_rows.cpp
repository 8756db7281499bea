#include "plain_rows.h"

#include <filesystem>
#include <stdexcept>

namespace fmd::bench {

void must(bool good, const std::string& what) {
  if (!good) throw std::runtime_error(what);
}

uint64_t size_of(const std::string& folder) {
  uint64_t size = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) size += entry.file_size();
  return size;
}

PlainRows::PlainRows(const std::string& folder, bool with_index) : folder_(folder) {
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

PlainRows::~PlainRows() {
  sqlite3_finalize(insert_);
  sqlite3_close(db_);
}

void PlainRows::commit(const std::vector<Event>& events) {
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

double PlainRows::bytes_per_event(uint64_t events) {
  run("PRAGMA wal_checkpoint(TRUNCATE)");
  return static_cast<double>(size_of(folder_)) / static_cast<double>(events);
}

void PlainRows::run(const char* sql) {
  must(sqlite3_exec(db_, sql, nullptr, nullptr, nullptr) == SQLITE_OK, sql);
}

void PlainRows::text(int parameter, const std::string& value) {
  sqlite3_bind_text(insert_, parameter, value.data(), static_cast<int>(value.size()),
                    SQLITE_STATIC);
}

}  // namespace fmd::bench
