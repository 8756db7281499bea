#include "fmd/notify/packed_text.h"

#include <zstd.h>

#include <memory>

namespace fmd {
namespace {

constexpr int kLevel = 1;

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

}  // namespace

PackedText::PackedText(std::string_view text) : size_(text.size()) {
  thread_local const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  std::string room(ZSTD_compressBound(text.size()), '\0');
  const size_t packed =
      ZSTD_compressCCtx(context.get(), room.data(), room.size(), text.data(), text.size(), kLevel);
  if (ZSTD_isError(packed) || packed >= text.size())
    packed_.assign(text);
  else
    packed_.assign(room, 0, packed);
}

std::string PackedText::text() const {
  if (packed_.size() == size_) return packed_;
  thread_local const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  std::string out(size_, '\0');
  (void)ZSTD_decompressDCtx(context.get(), out.data(), out.size(), packed_.data(), packed_.size());
  return out;
}

}  // namespace fmd
