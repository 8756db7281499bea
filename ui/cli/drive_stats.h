// DriveStats: a CSV in the format of Backblaze's drive stats ("date,serial_number,model,
// capacity_bytes,failure,…,smart_5_raw,…"), a row a disk and day. One line is in memory at a time.
// Files may follow each other: each header line names the columns of the rows below it.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/result.h"

namespace fmd::cli {

// The attributes that are read, by number.
inline constexpr std::array<int, 8> kDriveStatsAttributes = {5, 22, 184, 187, 188, 197, 198, 199};

struct DriveDay {
  std::string_view serial, model;  // of the line, until the next one is read
  int64_t time_ns = 0;             // its day, since the epoch
  double capacity = 0;             // bytes, 0 unknown
  bool failed = false;             // it failed on this day
  std::array<std::optional<double>, kDriveStatsAttributes.size()> raw;
};

class DriveStats {
 public:
  DriveStats(std::istream& in, std::string name) : in_(in), name_(std::move(name)) {}
  // An error (with file and line) when the first line is no header of such a file. Rows that cannot
  // be read are counted and left out.
  Result<void> each(const std::function<void(const DriveDay&)>& row);
  uint64_t rows() const { return rows_; }
  uint64_t unreadable() const { return unreadable_; }

 private:
  struct Columns {
    std::optional<size_t> date, serial, model, capacity, failure;
    std::array<std::optional<size_t>, kDriveStatsAttributes.size()> raw;
  };
  Result<void> take_header(const std::vector<std::string_view>& cells);
  std::optional<DriveDay> day_of(const std::vector<std::string_view>& cells) const;

  std::istream& in_;
  std::string name_;
  Columns columns_;
  int line_ = 0;
  uint64_t rows_ = 0, unreadable_ = 0;
};

}  // namespace fmd::cli
