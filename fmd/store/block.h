// Blocks: compressed JSON lines or other bytes, with a checksum that detects damage. The first byte
// is the format; zstd frames begin with their own.
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

inline constexpr size_t kBlockEvents = 1000;       // events of a sealed block
inline constexpr size_t kBlockBytes = 4 << 20;     // of lines: a larger block is cut here
inline constexpr size_t kLargestBlock = 64 << 20;  // larger blocks are refused

class BlockCodec {
 public:
  BlockCodec();
  // Valid until the next call. Data that would not shrink is stored uncompressed.
  std::string_view pack(std::string_view bytes, PackLevel level);
  // Slower, for lines: by their shapes (columns.h), and unpacked again for verification.
  std::string_view pack_lines(std::string_view lines, PackLevel level);
  // Appends the bytes to out; an error if the data is damaged. only: of lines at least these (from
  // 0, ascending).
  Result<void> unpack(std::string_view data, std::string& out,
                      const std::vector<size_t>* only = nullptr);
  const PackCost& cost() const { return cost_; }  // of all packing
  void give_room_back();                          // frees buffers

 private:
  struct FreePack {
    void operator()(ZSTD_CCtx_s* context) const;
  };
  struct FreeUnpack {
    void operator()(ZSTD_DCtx_s* context) const;
  };
  size_t compress(std::string_view bytes, int level, size_t at);  // into packed_, from `at` on
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
