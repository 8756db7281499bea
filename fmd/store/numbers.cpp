#include "fmd/store/numbers.h"

#include <algorithm>
#include <bit>

#include "fmd/store/varint.h"

namespace fmd::store {

namespace {

// For each number, (number - least) >> shift fits in width bytes. least is the minimum as signed
// numbers, because distances may be negative.
struct Frame {
  uint64_t least = 0;
  unsigned shift = 0, width = 0;
};

Frame frame_of(const Numbers& numbers) {
  Frame frame;
  if (numbers.empty()) return frame;
  const auto as_signed = [](uint64_t a, uint64_t b) {
    return static_cast<int64_t>(a) < static_cast<int64_t>(b);
  };
  frame.least = *std::min_element(numbers.begin(), numbers.end(), as_signed);
  uint64_t any = 0;
  for (const uint64_t number : numbers) any |= number - frame.least;
  if (any == 0) return frame;
  frame.shift = static_cast<unsigned>(std::countr_zero(any));
  frame.width = (static_cast<unsigned>(std::bit_width(any >> frame.shift)) + 7) / 8;
  return frame;
}

}  // namespace

size_t width_of(const Numbers& numbers) {
  return frame_of(numbers).width;
}

void put_numbers(const Numbers& numbers, std::string& out) {
  const Frame frame = frame_of(numbers);
  put_varint(zigzag(frame.least), out);
  out += static_cast<char>(frame.shift);
  out += static_cast<char>(frame.width);
  for (unsigned byte = 0; byte < frame.width; ++byte)
    for (const uint64_t number : numbers)
      out += static_cast<char>((number - frame.least) >> frame.shift >> (8 * byte));
}

bool take_numbers(std::string_view& from, size_t count, Numbers& numbers) {
  uint64_t least = 0;
  if (!take_varint(from, least) || from.size() < 2) return false;
  const auto shift = static_cast<unsigned char>(from[0]),
             width = static_cast<unsigned char>(from[1]);
  from.remove_prefix(2);
  if (shift >= 64 || width > 8 || from.size() < width * count) return false;
  numbers.assign(count, 0);
  for (unsigned byte = 0; byte < width; ++byte, from.remove_prefix(count))
    for (size_t i = 0; i < count; ++i)
      numbers[i] |= static_cast<uint64_t>(static_cast<unsigned char>(from[i])) << (8 * byte);
  for (uint64_t& number : numbers) number = (number << shift) + unzigzag(least);
  return true;
}

Numbers distances(const Numbers& numbers) {
  Numbers out(numbers.size());
  uint64_t before = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    out[i] = numbers[i] - before;
    before = numbers[i];
  }
  return out;
}

void add_up(Numbers& distances) {
  uint64_t sum = 0;
  for (uint64_t& number : distances) number = sum += number;
}

}  // namespace fmd::store
