// Series: the readings of one name of one resource as columns of differences, the content of a
// block of readings. Neighbouring series have similar bytes, which zstd then compresses together.
// Internal to the store.
//
// A block consists of records, one per series: varint length of the rest; resource, name, unit
// (varint length and bytes; an empty resource: that of the previous record); varint count; one
// byte, the format of values; times in ms (the first, then differences of the differences); values.
// Numbers are varints, signed ones zigzag.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/result.h"

namespace fmd::store {

// Points in time order, in milliseconds.
struct Points {
  std::vector<int64_t> times_ms;
  std::vector<double> values;

  size_t size() const { return times_ms.size(); }
  void add(int64_t time_ms, double value) {
    times_ms.push_back(time_ms);
    values.push_back(value);
  }
  void sort();  // by time; equal times keep their order
};

// Writes the records of one block.
class SeriesWriter {
 public:
  // Points [first, first + count) of points.
  void add(std::string_view resource, std::string_view name, std::string_view unit,
           const Points& points, size_t first, size_t count);
  const std::string& bytes() const { return bytes_; }
  void clear();

 private:
  std::string bytes_, record_, resource_;
};

// Reads the records of a block; checks every length. Views are valid as long as the bytes.
class SeriesReader {
 public:
  explicit SeriesReader(std::string_view bytes) : rest_(bytes) {}
  // The next record; false at the end, an error if the bytes are no block of readings.
  Result<bool> next();
  std::string_view resource() const { return resource_; }
  std::string_view name() const { return name_; }
  std::string_view unit() const { return unit_; }
  uint64_t count() const { return count_; }
  Result<void> append_points(Points& out) const;  // from the current record

 private:
  std::string_view rest_, resource_, name_, unit_, columns_;
  uint64_t count_ = 0;
};

}  // namespace fmd::store
