#include "fmd/store/block.h"

#include <fmt/format.h>
#include <zstd.h>

#include <new>

namespace fmd::store {

void BlockCodec::FreePack::operator()(ZSTD_CCtx_s* context) const {
  ZSTD_freeCCtx(context);
}
void BlockCodec::FreeUnpack::operator()(ZSTD_DCtx_s* context) const {
  ZSTD_freeDCtx(context);
}

BlockCodec::BlockCodec() : packer_(ZSTD_createCCtx()), unpacker_(ZSTD_createDCtx()) {
  if (!packer_ || !unpacker_) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(packer_.get(), ZSTD_c_checksumFlag, 1);
}

std::string_view BlockCodec::pack(std::string_view lines, int level) {
  ZSTD_CCtx_setParameter(packer_.get(), ZSTD_c_compressionLevel, level);
  const size_t bound = ZSTD_compressBound(lines.size());
  if (packed_.size() < bound) packed_.resize(bound);
  // With room for the bound this fails for want of memory only.
  const size_t size =
      ZSTD_compress2(packer_.get(), packed_.data(), packed_.size(), lines.data(), lines.size());
  if (ZSTD_isError(size)) throw std::bad_alloc();
  return {packed_.data(), size};
}

Result<void> BlockCodec::unpack(std::string_view data, std::string& out) {
  const unsigned long long size = ZSTD_getFrameContentSize(data.data(), data.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > kLargestBlock)
    return fail("it is no block of events");
  const size_t before = out.size();
  out.resize(before + size);
  const size_t got =
      ZSTD_decompressDCtx(unpacker_.get(), out.data() + before, size, data.data(), data.size());
  if (ZSTD_isError(got) || got != size) {
    out.resize(before);
    return fail(fmt::format("it cannot be unpacked: {}",
                            ZSTD_isError(got) ? ZSTD_getErrorName(got) : "it is too short"));
  }
  return {};
}

}  // namespace fmd::store
