#include "fmd/notify/packed_text.h"

#include <zstd.h>

namespace fmd {
namespace {

constexpr int kLevel = 1;
// Minimum number of texts between two samples: otherwise, with alternating kinds of texts, each
// would become one. A sample is freed with the last text that was packed against it.
constexpr size_t kOfSample = 64;
constexpr size_t kLongestSample = 32 << 10;
constexpr size_t kShare = 8;  // a text resembles the sample if it shrinks to an eighth

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

// "" if it would not be shorter than the text.
std::string packed_like(std::string_view text, std::string_view sample) {
  thread_local const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  std::string room(ZSTD_compressBound(text.size()), '\0');
  const size_t packed =
      ZSTD_compress_usingDict(context.get(), room.data(), room.size(), text.data(), text.size(),
                              sample.data(), sample.size(), kLevel);
  if (ZSTD_isError(packed) || packed >= text.size()) return {};
  return room.substr(0, packed);
}

}  // namespace

PackedText::PackedText(std::string_view text) : size_(text.size()) {
  thread_local std::weak_ptr<const std::string> last;  // empty if no text exists
  thread_local size_t packed_since = 0;
  if (text.empty()) return;
  sample_ = last.lock();
  packed_ = packed_like(text, sample_ ? std::string_view(*sample_) : std::string_view());
  ++packed_since;
  const bool resembles = sample_ && !packed_.empty() && packed_.size() <= text.size() / kShare;
  const bool may_be_sample = !sample_ || packed_since >= kOfSample;
  if (!resembles && may_be_sample && text.size() <= kLongestSample) {
    // Packed against itself it takes about twenty bytes, and keeps the sample alive.
    sample_ = std::make_shared<const std::string>(text);
    packed_ = packed_like(text, *sample_);
    last = sample_;
    packed_since = 0;
  }
  if (!packed_.empty()) return;
  packed_.assign(text);
  sample_.reset();
}

std::string PackedText::text() const {
  if (packed_.size() == size_) return packed_;
  thread_local const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  const std::string_view sample = sample_ ? std::string_view(*sample_) : std::string_view();
  std::string out(size_, '\0');
  (void)ZSTD_decompress_usingDict(context.get(), out.data(), out.size(), packed_.data(),
                                  packed_.size(), sample.data(), sample.size());
  return out;
}

}  // namespace fmd
