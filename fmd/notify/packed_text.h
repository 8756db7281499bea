// PackedText: a compressed text. Tens of thousands of messages may wait for a week, most of them
// about the same fault of different parts. So each is packed against a sample, an earlier text that
// it resembles, which takes a third of the space. Values share their samples; single thread.
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
  std::string packed_;  // a zstd frame, or the text if that is not longer
  size_t size_ = 0;     // of the unpacked text
  std::shared_ptr<const std::string> sample_;
};

}  // namespace fmd
