#include "fmd/model/diagcode.h"

#include <fmt/format.h>

#include <array>

#include "fmd/base/text.h"

// A code is a bit string, most significant bit first: 01, the size (2 bits), the data, the
// checksum; written five bits a digit. The size is the smallest whose data bits hold the number
// less the size's offset.
namespace fmd {
namespace {

__extension__ using Bits = unsigned __int128;

constexpr std::string_view kAlphabet = "0123456789ACDEFGHJKLMNPQRSTUVWXY";

struct Size {
  unsigned digits, data_bits, checksum_bits;
  uint64_t offset;  // of the numbers this size holds
};
constexpr std::array<Size, 4> kSizes{{{6, 21, 5, 0},
                                      {10, 38, 8, 2097152},
                                      {14, 55, 11, 274880004096},
                                      {18, 72, 14, 36029071898968064}}};

uint32_t crc32(uint32_t crc, std::string_view text) {
  for (const char c : text) {
    crc ^= static_cast<uint32_t>(static_cast<unsigned char>(c)) << 24;
    for (int bit = 0; bit < 8; ++bit) crc = crc & 0x80000000u ? crc << 1 ^ 0x04C11DB7u : crc << 1;
  }
  return crc;
}

// The digits as values 0..31: the checksum is taken over these, not over their letters.
std::string encode(const Size& size, uint64_t number, unsigned which, uint32_t checksum) {
  const Bits head = Bits{1} << 2 | which;  // 01, then the size
  const Bits bits =
      (head << size.data_bits | Bits{number - size.offset}) << size.checksum_bits | Bits{checksum};
  std::string digits(size.digits, '0');
  for (unsigned i = 0; i < size.digits; ++i)
    digits[i] = static_cast<char>(bits >> (5 * (size.digits - 1 - i)) & 31);  // digit values
  return digits;
}

}  // namespace

std::string diagcode(std::string_view dictionary, uint64_t number) {
  unsigned which = 3;
  while (number < kSizes[which].offset) --which;
  const Size& size = kSizes[which];
  const uint32_t crc = crc32(crc32(0, dictionary), encode(size, number, which, 0));
  const std::string digits = encode(size, number, which, crc & ((1u << size.checksum_bits) - 1));
  std::string code(dictionary);
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i % 4 == 0) code += '-';
    code += kAlphabet[static_cast<size_t>(digits[i])];
  }
  return code;
}

Result<uint64_t> parse_diagcode(std::string_view dictionary, std::string_view code) {
  const auto refuse = [&](std::string_view why) {
    return fail(fmt::format("\"{}\" is not a message id of {}: {}", display(code),
                            display(dictionary), why));
  };
  if (!code.starts_with(dictionary) || code.size() < dictionary.size() + 2 ||
      code[dictionary.size()] != '-')
    return refuse("it does not start with that dictionary's name and a dash");
  Bits bits = 0;
  unsigned count = 0;
  for (const char c : code.substr(dictionary.size() + 1)) {
    if (c == '-') continue;
    const size_t digit = kAlphabet.find(c);
    if (digit == std::string_view::npos || ++count > 18) return refuse("it has a wrong digit");
    bits = bits << 5 | digit;
  }
  for (unsigned which = 0; which < kSizes.size(); ++which) {
    const Size& size = kSizes[which];
    if (size.digits != count) continue;
    const Bits data = (bits >> size.checksum_bits) & ((Bits{1} << size.data_bits) - 1);
    if (data > UINT64_MAX - size.offset) return refuse("its number is too large");
    const uint64_t number = static_cast<uint64_t>(data) + size.offset;
    if (diagcode(dictionary, number) != code) return refuse("its check digits are wrong");
    return number;
  }
  return refuse("it has a wrong number of digits");
}

}  // namespace fmd
