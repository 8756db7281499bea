// The values at one place of many similar lines: one value for all, numbers, or a list of the
// distinct values and an index per line. Internal to the store.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/store/numbers.h"

namespace fmd::store {

// Words are without line breaks.
void put_cells(const std::vector<std::string_view>& cells, std::string& out);

// A column read back. Numbers become text when they are asked for.
class Cells {
 public:
  // So many of them, of at most so many bytes; false when it is no such column.
  bool take(std::string_view& from, size_t count, size_t most_bytes);
  void append(size_t i, std::string& out) const;
  size_t bytes() const { return bytes_; }  // all cells together, or a little more

 private:
  bool take_numbers_of(std::string_view& from, size_t count, bool add);
  bool take_listed(std::string_view& from, size_t count, size_t most_bytes);

  bool written_ = true;                  // the cells are words_; else numbers_
  std::vector<std::string_view> words_;  // good as long as what it was taken from
  Numbers numbers_;                      // or which word it is; empty: the only one
  size_t bytes_ = 0;
};

}  // namespace fmd::store
