#include "fmd/protocol/plain_payload.h"

#include <cstring>

namespace fmd::protocol {
namespace {

// Each returns where what it reads ends, nullptr when it is something else.

const char* read_whole(const char* at, uint64_t& out) {
  constexpr int kSurelyFit = 19;  // digits
  const char* const begin = at;
  uint64_t whole = 0;
  for (; *at >= '0' && *at <= '9'; ++at) {
    const auto digit = static_cast<uint64_t>(*at - '0');
    if (at - begin < kSurelyFit)
      whole = whole * 10 + digit;
    else if (__builtin_mul_overflow(whole, 10, &whole) ||
             __builtin_add_overflow(whole, digit, &whole))
      return nullptr;
  }
  if (at == begin || (*begin == '0' && at - begin > 1)) return nullptr;
  out = whole;
  return at;
}

const char* read_string(const char* at, std::string_view& out) {
  const char* const begin = ++at;
  while (*at != '"') {
    if (*at == '\\' || *at == '\0') return nullptr;
    ++at;
  }
  out = {begin, static_cast<size_t>(at - begin)};
  return at + 1;
}

constexpr int kMostNested = 8;  // far less than a payload may be

const char* read_value(const char* at, int depth, PlainMember& out);

const char* read_list(const char* at, int depth) {
  if (depth > kMostNested) return nullptr;
  if (*++at == ']') return at + 1;
  for (PlainMember ignored;;) {
    at = read_value(at, depth + 1, ignored);
    if (!at) return nullptr;
    if (*at == ']') return at + 1;
    if (*at++ != ',') return nullptr;
  }
}

const char* read_object(const char* at, int depth) {
  if (depth > kMostNested) return nullptr;
  if (*++at == '}') return at + 1;
  for (PlainMember ignored;;) {
    if (*at != '"') return nullptr;
    at = read_string(at, ignored.text);
    if (!at || *at++ != ':') return nullptr;
    at = read_value(at, depth + 1, ignored);
    if (!at) return nullptr;
    if (*at == '}') return at + 1;
    if (*at++ != ',') return nullptr;
  }
}

const char* read_value(const char* at, int depth, PlainMember& out) {
  switch (*at) {
    case '"':
      out.kind = ValueKind::string;
      return read_string(at, out.text);
    case '[':
      out.kind = ValueKind::compound;
      return read_list(at, depth);
    case '{':
      out.kind = ValueKind::compound;
      return read_object(at, depth);
    default:  // what follows the digits tells whether they were a whole number
      at = read_whole(at, out.whole);
      out.kind = out.whole > INT64_MAX ? ValueKind::large : ValueKind::natural;
      return at;
  }
}

// "name":
const char* read_key(const char* at, const std::string& name) {
  const size_t size = name.size();
  if (*at != '"' || std::strncmp(at + 1, name.c_str(), size) != 0) return nullptr;
  at += 1 + size;
  return at[0] == '"' && at[1] == ':' ? at + 2 : nullptr;
}

}  // namespace

Value PlainMember::to_value() const {
  switch (kind) {
    case ValueKind::natural:
      return static_cast<int64_t>(whole);
    case ValueKind::large:
      return whole;
    case ValueKind::string:
      return std::string(text);
    default:
      return {};
  }
}

size_t read_plain(const char* begin, const std::vector<std::string>& names,
                  std::vector<PlainMember>& members) {
  members.resize(names.size());
  const char* at = begin;
  char before = '{';
  for (size_t i = 0; i < names.size(); ++i) {
    if (*at++ != before) return 0;
    at = read_key(at, names[i]);
    if (!at) return 0;
    at = read_value(at, 1, members[i]);
    if (!at) return 0;
    before = ',';
  }
  return !names.empty() && *at == '}' ? static_cast<size_t>(at + 1 - begin) : 0;
}

}  // namespace fmd::protocol
