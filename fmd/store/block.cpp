#include "fmd/store/block.h"

#include <fmt/format.h>
#include <time.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "fmd/store/checksum.h"
#include "fmd/store/columns.h"

namespace fmd::store {

namespace {

// Uncompressed: this byte, the checksum of the rest, the bytes.
constexpr char kKept = 'r';
// Lines by their shapes: this byte, then a zstd frame.
constexpr char kColumns = 'c';
constexpr size_t kKeptHead = 1 + sizeof(uint64_t);

uint64_t thread_cpu_ns() {
  struct timespec used {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<uint64_t>(used.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(used.tv_nsec);
}

Result<void> unkeep(std::string_view data, std::string& out) {
  uint64_t sum = 0;
  if (data.size() < kKeptHead) return fail("it was cut off");
  std::memcpy(&sum, data.data() + 1, sizeof sum);
  data.remove_prefix(kKeptHead);
  if (sum != checksum(data)) return fail("it is not what was written: its checksum is another");
  out += data;
  return {};
}

}  // namespace

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

void BlockCodec::give_room_back() {
  BlockCodec fresh;
  fresh.cost_ = cost_;
  std::swap(*this, fresh);  // swapped because an assigned string keeps its capacity
}

std::string_view BlockCodec::pack(std::string_view bytes, PackLevel level) {
  const uint64_t begin = thread_cpu_ns();
  const size_t size = level ? compress(bytes, *level, 0) : SIZE_MAX;
  const std::string_view packed =
      size < bytes.size() + kKeptHead ? std::string_view(packed_).substr(0, size) : keep(bytes);
  count(begin, bytes.size(), packed.size());
  return packed;
}

std::string_view BlockCodec::pack_lines(std::string_view lines, PackLevel level) {
  const uint64_t begin = thread_cpu_ns();
  size_t size = 0;
  if (!level || !pack_columns(lines, *level, size)) return pack(lines, level);
  count(begin, lines.size(), size);
  return std::string_view(packed_).substr(0, size);
}

// Unpacked again for comparison, because the lines are deleted after this.
bool BlockCodec::pack_columns(std::string_view lines, int level, size_t& size) {
  columns_.clear();
  if (!to_columns(lines, columns_)) return false;
  size = 1 + compress(columns_, level, 1);
  packed_[0] = kColumns;
  std::string back;
  return size < lines.size() && unpack(std::string_view(packed_).substr(0, size), back) &&
         back == lines;
}

void BlockCodec::count(uint64_t begin_ns, size_t in, size_t out) {
  cost_.bytes_in += in;
  cost_.bytes_out += out;
  cost_.cpu_ns += thread_cpu_ns() - begin_ns;
}

size_t BlockCodec::compress(std::string_view bytes, int level, size_t at) {
  ZSTD_CCtx_setParameter(packer_.get(), ZSTD_c_compressionLevel, level);
  const size_t bound = at + ZSTD_compressBound(bytes.size());
  if (packed_.size() < bound) packed_.resize(bound);
  // With room for the bound, only lack of memory makes this fail.
  const size_t size = ZSTD_compress2(packer_.get(), packed_.data() + at, packed_.size() - at,
                                     bytes.data(), bytes.size());
  if (ZSTD_isError(size)) throw std::bad_alloc();
  return size;
}

std::string_view BlockCodec::keep(std::string_view bytes) {
  const size_t size = kKeptHead + bytes.size();
  if (packed_.size() < size) packed_.resize(size);
  const uint64_t sum = checksum(bytes);
  packed_[0] = kKept;
  std::memcpy(packed_.data() + 1, &sum, sizeof sum);
  std::memcpy(packed_.data() + kKeptHead, bytes.data(), bytes.size());
  return std::string_view(packed_).substr(0, size);
}

Result<void> BlockCodec::unpack(std::string_view data, std::string& out,
                                const std::vector<size_t>* only) {
  if (data.starts_with(kKept)) return unkeep(data, out);
  if (data.starts_with(kColumns)) return unpack_columns(data.substr(1), out, only);
  return decompress(data, out);
}

Result<void> BlockCodec::unpack_columns(std::string_view frame, std::string& out,
                                        const std::vector<size_t>* only) {
  columns_.clear();
  auto done = decompress(frame, columns_);
  return done ? from_columns(columns_, out, only) : done;
}

Result<void> BlockCodec::decompress(std::string_view frame, std::string& out) {
  const unsigned long long size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > kLargestBlock)
    return fail("it is no block of events");
  const size_t before = out.size();
  out.resize(before + size);
  const size_t got =
      ZSTD_decompressDCtx(unpacker_.get(), out.data() + before, size, frame.data(), frame.size());
  if (ZSTD_isError(got) || got != size) {
    out.resize(before);
    return fail(fmt::format("it cannot be unpacked: {}",
                            ZSTD_isError(got) ? ZSTD_getErrorName(got) : "it is too short"));
  }
  return {};
}

}  // namespace fmd::store
