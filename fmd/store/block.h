// Blocks: JSON lines, or any bytes, compressed, with a checksum that detects corrupted bytes. The
// first byte is the format; zstd's frames begin with one of their own.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/store/compression.h"
#include "fmd/store/pack_cost.h"

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
  // Valid until the next call. What would not shrink is kept as it is.
  std::string_view pack(std::string_view bytes, PackLevel level);
  // The same for lines, at leisure: by their shapes (columns.h), and read back before it is believed.
  std::string_view pack_lines(std::string_view lines, PackLevel level);
  // Appends the bytes to out; an error when the data is not what was packed. only: of lines at least
  // these (from 0, ascending).
  Result<void> unpack(std::string_view data, std::string& out,
                      const std::vector<size_t>* only = nullptr);
  const PackCost& cost() const { return cost_; }  // of all that was packed
  void give_room_back();                          // which grows with the largest block

 private:
  struct FreePack {
    void operator()(ZSTD_CCtx_s* context) const;
  };
  struct FreeUnpack {
    void operator()(ZSTD_DCtx_s* context) const;
  };
  size_t compress(std::string_view bytes, int level, size_t at);  // into packed_, from there on
  bool pack_columns(std::string_view lines, int level, size_t& size);
  void count(uint64_t begin_ns, size_t in, size_t out);
  Result<void> unpack_columns(std::string_view frame, std::string& out,
                              const std::vector<size_t>* only);
  std::string_view keep(std::string_view bytes);
  Result<void> decompress(std::string_view frame, std::string& out);

  std::unique_ptr<ZSTD_CCtx_s, FreePack> packer_;
  std::unique_ptr<ZSTD_DCtx_s, FreeUnpack> unpacker_;
  std::string packed_, columns_;
  PackCost cost_;
};

}  // namespace fmd::store
