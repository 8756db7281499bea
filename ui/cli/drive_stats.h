// DriveStats: reads a CSV in the format of Backblaze's drive stats ("date,serial_number,model,
// capacity_bytes,failure,…,smart_5_raw,…"), one row per disk and day, one line at a time. Files may
// be concatenated: each header line names the columns of the rows below it.
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

// The SMART attributes that are read.
inline constexpr std::array<int, 8> kDriveStatsAttributes = {5, 22, 184, 187, 188, 197, 198, 199};

struct DriveDay {
  std::string_view serial, model;  // point into the line; valid until the next one is read
  int64_t time_ns = 0;             // the day, since the epoch
  double capacity = 0;             // bytes; 0 unknown
  bool failed = false;             // on this day
  std::array<std::optional<double>, kDriveStatsAttributes.size()> raw;
};

class DriveStats {
 public:
  DriveStats(std::istream& in, std::string name) : in_(in), name_(std::move(name)) {}
  // An error (with file and line) if the first line is not a header of such a file. Unreadable rows
  // are counted and skipped.
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
