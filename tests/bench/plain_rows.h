// SQLite alone, as the baseline for fmd: one row per event, the same batches and durability (WAL,
// synchronous=FULL).
#pragma once
#include <sqlite3.h>

#include <cstdint>
#include <string>
#include <vector>

#include "fmd/model/event.h"

namespace fmd::bench {

class PlainRows {
 public:
  PlainRows(const std::string& folder, bool with_index);
  ~PlainRows();
  PlainRows(const PlainRows&) = delete;
  PlainRows& operator=(const PlainRows&) = delete;

  void commit(const std::vector<Event>& events);
  double bytes_per_event(uint64_t events);

 private:
  void run(const char* sql);
  void text(int parameter, const std::string& value);

  std::string folder_;
  sqlite3* db_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
};

uint64_t size_of(const std::string& folder);  // total size of its files
void must(bool good, const std::string& what);

}  // namespace fmd::bench
