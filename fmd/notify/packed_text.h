// PackedText: a compressed text. Tens of thousands of messages may wait for a week, most of them about the same fault of
// different parts. So each is packed against a sample, one of the texts before it that it resembles: a third of the size.
// Values, which share their samples; single thread.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace fmd {

class PackedText {
 public:
  PackedText() = default;
  explicit PackedText(std::string_view text);
  std::string text() const;
  void clear() { *this = PackedText(); }
  size_t packed_size() const { return packed_.size(); }

 private:
  std::string packed_;  // a zstd frame; the text itself where that is no shorter
  size_t size_ = 0;     // of the text
  std::shared_ptr<const std::string> sample_;
};

}  // namespace fmd
