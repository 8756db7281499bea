// Blocks: JSON lines in one zstd frame with a checksum, so that a rotten byte is found and not read
// as data.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "fmd/base/result.h"

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace fmd::store {

inline constexpr size_t kBlockEvents = 1000;  // events of a sealed block
inline constexpr size_t kBlockBytes =
    4 << 20;  // of lines: a block is cut here when it has fewer events
inline constexpr size_t kLargestBlock = 64 << 20;  // more than this is never unpacked

class BlockCodec {
 public:
  BlockCodec();
  // Valid until the next pack().
  std::string_view pack(std::string_view lines, int level);
  // Appends the lines to out; an error when the data is not what was packed.
  Result<void> unpack(std::string_view data, std::string& out);

 private:
  struct FreePack {
    void operator()(ZSTD_CCtx_s* context) const;
  };
  struct FreeUnpack {
    void operator()(ZSTD_DCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_CCtx_s, FreePack> packer_;
  std::unique_ptr<ZSTD_DCtx_s, FreeUnpack> unpacker_;
  std::string packed_;
};

}  // namespace fmd::store
