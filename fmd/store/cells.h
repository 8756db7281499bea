// The values at one place of many lines that are alike: one for all, numbers, or a list of the
// different ones and which is where. Inside the store only.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fmd::store {

// Words are without line breaks.
void put_cells(const std::vector<std::string_view>& cells, std::string& out);

// A column read back.
class Cells {
 public:
  // So many of them, of at most so many bytes; false when it is no such column.
  bool take(std::string_view& from, size_t count, size_t most_bytes);
  std::string_view at(size_t i) const {
    const Place& place = places_[i < places_.size() ? i : 0];  // a single one is that of all
    return std::string_view(text_).substr(place.begin, place.size);
  }
  size_t bytes() const { return bytes_; }  // of all cells together

 private:
  struct Place {
    uint32_t begin = 0, size = 0;
  };
  bool take_same(std::string_view& from, size_t count);
  bool take_numbers_as_text(std::string_view& from, size_t count, bool add);
  bool take_listed(std::string_view& from, size_t count, size_t most_bytes);

  std::string text_;
  std::vector<Place> places_;
  size_t bytes_ = 0;
};

}  // namespace fmd::store
