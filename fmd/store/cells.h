// The values at one place of many similar lines: one value for all, numbers, or a list of the
// distinct values and an index per line. Internal to the store.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/store/numbers.h"

namespace fmd::store {

// No cell may contain a line break.
void put_cells(const std::vector<std::string_view>& cells, std::string& out);

// A column read back. Numbers are converted to text on demand.
class Cells {
 public:
  // Reads `count` cells of at most most_bytes in total; false if the data is no such column.
  bool take(std::string_view& from, size_t count, size_t most_bytes);
  void append(size_t i, std::string& out) const;
  size_t bytes() const { return bytes_; }  // upper bound for all cells together

 private:
  bool take_numbers_of(std::string_view& from, size_t count, bool add);
  bool take_listed(std::string_view& from, size_t count, size_t most_bytes);

  bool written_ = true;                  // the cells are words_; otherwise numbers_
  std::vector<std::string_view> words_;  // views into the data given to take()
  Numbers numbers_;                      // or indexes into words_; empty: all are the first word
  size_t bytes_ = 0;
};

}  // namespace fmd::store
