// PackedText: a compressed text. Tens of thousands of messages may wait for a week. Values; single
// thread.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace fmd {

class PackedText {
 public:
  PackedText() = default;
  explicit PackedText(std::string_view text);
  std::string text() const;
  void clear() { *this = PackedText(); }

 private:
  std::string packed_;  // a zstd frame; the text itself where that is no shorter
  size_t size_ = 0;     // of the text
};

}  // namespace fmd
