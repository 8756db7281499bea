#include "fmd/protocol/plain_payload.h"

#include "fmd/protocol/plain_text.h"

namespace fmd::protocol {
namespace {

constexpr int kMostNested = 8;  // far below the limit for payloads

constexpr int kSurelyFit = 18;  // digits of a natural number that is not large

const char* skip_number(const char* at) {
  const char* const end = plain::read_digits(at);
  uint64_t whole = 0;
  return end && end - at > kSurelyFit ? plain::read_whole(at, whole) : end;
}

// Skips a value that is not needed.
const char* skip(const char* at, int depth) {
  std::string_view ignored;
  switch (*at) {
    case '"':
      return plain::read_string(at, ignored);
    case '[':
      if (depth > kMostNested) return nullptr;
      return plain::read_elements(at, [&](const char* one) { return skip(one, depth + 1); });
    case '{':
      if (depth > kMostNested) return nullptr;
      if (at[1] == '}') return at + 2;
      return plain::read_members(
          at, [&](std::string_view, const char* value) { return skip(value, depth + 1); });
    default:
      return skip_number(at);
  }
}

// The digits are converted only when the value is needed.
const char* read_number(const char* at, PlainMember& out) {
  const char* const end = plain::read_digits(at);
  if (!end) return nullptr;
  out.text = {at, static_cast<size_t>(end - at)};
  out.kind = ValueKind::natural;
  if (end - at <= kSurelyFit) return end;
  uint64_t whole = 0;
  if (!plain::read_whole(at, whole)) return nullptr;
  if (whole > INT64_MAX) out.kind = ValueKind::large;
  return end;
}

const char* read_value(const char* at, PlainMember& out) {
  switch (*at) {
    case '"':
      out.kind = ValueKind::string;
      return plain::read_string(at, out.text);
    case '[':
    case '{':
      out.kind = ValueKind::compound;
      return skip(at, 1);
    default:  // what follows the digits decides whether it is a whole number
      return read_number(at, out);
  }
}

}  // namespace

void PlainMember::put(Value& into) const {
  uint64_t whole = 0;
  switch (kind) {
    case ValueKind::natural:
      plain::read_whole(text.data(), whole);
      into = static_cast<int64_t>(whole);
      return;
    case ValueKind::large:
      plain::read_whole(text.data(), whole);
      into = whole;
      return;
    case ValueKind::string:
      if (auto* before = std::get_if<std::string>(&into))
        before->assign(text);
      else
        into = std::string(text);
      return;
    default:
      into = Value();
  }
}

const char* read_plain(const char* begin, const std::vector<std::string>& keys,
                       std::vector<PlainMember>& members) {
  members.resize(keys.size());
  const char* at = begin;
  char before = '{';
  for (size_t i = 0; i < keys.size(); ++i) {
    if (*at++ != before) return nullptr;
    if (keys[i].size() > plain::kReadable) return nullptr;
    at = plain::read_text(at, keys[i]);
    if (!at) return nullptr;
    at = read_value(at, members[i]);
    if (!at) return nullptr;
    before = ',';
  }
  return !keys.empty() && *at == '}' ? at + 1 : nullptr;
}

}  // namespace fmd::protocol
