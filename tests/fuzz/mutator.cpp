#include "mutator.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace fmd::fuzz {
namespace {

// Values that often break readers.
constexpr std::array<std::string_view, 34> kOdd = {"0",
                                                   "-1",
                                                   "1",
                                                   "9223372036854775807",
                                                   "-9223372036854775808",
                                                   "1e309",
                                                   "-0.0",
                                                   "NaN",
                                                   "18446744073709551615",
                                                   "18446744073709551616",
                                                   "null",
                                                   "true",
                                                   "[]",
                                                   "{}",
                                                   "\"\"",
                                                   "\"\\u0000\"",
                                                   "\"\\ud800\"",
                                                   "\xff\xfe",
                                                   "\xf0\x9f\x92\xa9",
                                                   "\xe2\x80\xae",
                                                   "\x1b[2J",
                                                   "%s%n",
                                                   "../../..",
                                                   "=",
                                                   "[[",
                                                   "]]",
                                                   "'''",
                                                   "\"\"\"",
                                                   "#",
                                                   "\t",
                                                   "\r\n",
                                                   "{a}",
                                                   "*",
                                                   "99999999999999999999999999999999999999"};

bool is_part_of_value(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
         c == '_' || c == '.';
}

}  // namespace

std::string Mutator::next() {
  std::string text = any();
  for (size_t times = 1 + below(6); times > 0; --times) {
    switch (below(7)) {
      case 0:
      case 1:
        bytes(text);
        break;
      case 2:
        cut(text);
        break;
      case 3:
        splice(text);
        break;
      case 4:
        lines(text);
        break;
      case 5:
        value(text);
        break;
      default:
        below(8) == 0 ? nest(text) : value(text);
    }
  }
  if (text.size() > kMostBytes) text.resize(kMostBytes);
  return text;
}

void Mutator::bytes(std::string& text) {
  if (text.empty()) return;
  for (size_t times = 1 + below(4); times > 0; --times) {
    char& c = text[below(text.size())];
    switch (below(4)) {
      case 0:
        c = static_cast<char>(c ^ (1 << below(8)));
        break;
      case 1:
        c = static_cast<char>(below(256));
        break;
      case 2:
        c = static_cast<char>(below(2) ? 0 : 0xff);
        break;
      default:
        c = static_cast<char>(c + (below(2) ? 1 : -1));
    }
  }
}

void Mutator::cut(std::string& text) {
  const size_t from = below(text.size() + 1), length = below(text.size() - from + 1);
  if (below(3) == 0)
    text.resize(from);
  else
    text.erase(from, below(2) ? length : std::min<size_t>(length, 8));
}

void Mutator::splice(std::string& text) {
  const std::string& other = below(2) ? any() : text;
  const size_t from = below(other.size() + 1);
  const std::string piece = other.substr(from, below(below(2) ? 32 : 2048));
  text.insert(below(text.size() + 1), piece);
}

// Deletes, doubles or replaces a line.
void Mutator::lines(std::string& text) {
  const auto begin_of = [](const std::string& t, size_t at) {
    const size_t before = at == 0 ? std::string::npos : t.rfind('\n', at - 1);
    return before == std::string::npos ? 0 : before + 1;
  };
  const auto line_at = [&](const std::string& t, size_t at) {
    const size_t begin = begin_of(t, at);
    const size_t end = t.find('\n', begin);
    return t.substr(begin, end == std::string::npos ? end : end + 1 - begin);
  };
  const size_t at = below(text.size() + 1), begin = begin_of(text, at);
  const std::string line = line_at(text, at);
  const std::string& other = any();
  switch (below(3)) {
    case 0:
      text.erase(begin, line.size());
      break;
    case 1:
      for (size_t times = 1 + below(4); times > 0; --times) text.insert(begin, line);
      break;
    default:
      text.replace(begin, line.size(), line_at(other, below(other.size() + 1)));
  }
}

// Replaces a word or number with an odd value.
void Mutator::value(std::string& text) {
  size_t begin = below(text.size() + 1);
  while (begin < text.size() && !is_part_of_value(text[begin])) ++begin;
  size_t end = begin;
  while (end < text.size() && is_part_of_value(text[end])) ++end;
  while (begin > 0 && is_part_of_value(text[begin - 1])) --begin;
  text.replace(begin, end - begin, kOdd[below(kOdd.size())]);
}

void Mutator::nest(std::string& text) {
  const size_t deep = size_t{1} << below(17);
  const char* const kPairs[] = {"[]", "{}", "()", "\"\"", "<>"};
  const char* pair = kPairs[below(5)];
  text.insert(below(text.size() + 1),
              std::string(deep, pair[0]) + std::string(below(2) * deep, pair[1]));
}

}  // namespace fmd::fuzz
