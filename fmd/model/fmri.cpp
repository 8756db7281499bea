#include "fmd/model/fmri.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "fmd/base/text.h"

namespace fmd {
namespace {

constexpr std::string_view kInCommon = "in-common";

// Character classes for FMRI parsing (hot: every event's resource).
enum Place : uint8_t { kNowhere = 0, kKey = 1, kValue = 2 };

constexpr std::array<uint8_t, 256> kPlaces = [] {
  std::array<uint8_t, 256> places{};
  const auto add = [&](std::string_view characters, int place) {
    for (const char c : characters) places[static_cast<unsigned char>(c)] |= place;
  };
  add("abcdefghijklmnopqrstuvwxyz0123456789-_", kKey | kValue);
  add("ABCDEFGHIJKLMNOPQRSTUVWXYZ.:@+", kValue);
  return places;
}();

bool may_stand_in(Place place, char c) {
  return kPlaces[static_cast<unsigned char>(c)] & place;
}

bool is_plain(char c) {
  return may_stand_in(kValue, c);
}

bool is_key(std::string_view key) {
  return !key.empty() &&
         std::all_of(key.begin(), key.end(), [](char c) { return may_stand_in(kKey, c); });
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

bool unescape(std::string_view text, std::string& out) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      if (!is_plain(text[i])) return false;
      out += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return false;
    const int high = hex_digit(text[i + 1]), low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0) return false;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return true;
}

void escape(std::string_view value, std::string& out) {
  for (const char c : value) {
    if (is_plain(c))
      out += c;
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
}

}  // namespace

Result<Fmri> Fmri::parse(std::string_view text) {
  const auto refuse = [&](std::string_view why) {
    return fail(
        fmt::format("\"{}\" is not an FMRI (scheme://key=value/...): {}", display(text), why));
  };
  const size_t colon = text.find("://");
  if (colon == std::string_view::npos || !is_key(text.substr(0, colon)))
    return refuse("it has no scheme");
  Fmri fmri;
  fmri.scheme = text.substr(0, colon);
  std::string_view rest = text.substr(colon + 3);
  if (rest.empty()) return refuse("nothing follows the scheme");
  for (bool more = true; more;) {
    const size_t slash = rest.find('/');
    more = slash != std::string_view::npos;
    const std::string_view part = rest.substr(0, slash);
    if (more) rest.remove_prefix(slash + 1);
    const size_t equals = part.find('=');
    const std::string_view key = part.substr(0, equals);
    if (!is_key(key)) return refuse("a key is made of a-z, 0-9, - and _");
    std::string value;
    // A part without "=" names a single thing of its scheme: fmd://store.
    if (equals != std::string_view::npos && !unescape(part.substr(equals + 1), value))
      return refuse("other characters than A-Z a-z 0-9 . _ : @ + - are written %XX");
    if (equals != std::string_view::npos && value.empty()) return refuse("a value is empty");
    fmri.parts.emplace_back(key, std::move(value));
  }
  return fmri;
}

bool is_canonical_fmri(std::string_view text) {
  const size_t colon = text.find("://");
  if (colon == std::string_view::npos || !is_key(text.substr(0, colon))) return false;
  bool in_key = true;
  size_t length = 0;  // of the key or value under way
  for (const char c : text.substr(colon + 3)) {
    const bool ends = c == '/' || (in_key && c == '=');
    if (ends ? length == 0 : !may_stand_in(in_key ? kKey : kValue, c)) return false;
    length = ends ? 0 : length + 1;
    if (c == '/') in_key = true;
    if (c == '=') in_key = false;
  }
  return length > 0;
}

std::string Fmri::str() const {
  std::string out = scheme + "://";
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i) out += '/';
    out += parts[i].first;
    if (parts[i].second.empty()) continue;
    out += '=';
    escape(parts[i].second, out);
  }
  return out;
}

std::string Fmri::get(std::string_view key) const {
  for (const auto& [k, v] : parts)
    if (k == key) return v;
  return {};
}

std::string make_fmri(std::string scheme, std::vector<std::pair<std::string, std::string>> parts) {
  return Fmri{std::move(scheme), std::move(parts)}.str();
}

std::string in_common_fmri(std::string_view words) {
  std::string name(words);
  std::replace(name.begin(), name.end(), ' ', '-');
  return make_fmri("hc", {{std::string(kInCommon), name}});
}

std::string fmri_words(std::string_view fmri) {
  const auto parsed = Fmri::parse(fmri);
  std::string name = parsed && parsed->parts.size() == 1 ? parsed->get(kInCommon) : "";
  if (name.empty()) return std::string(fmri);
  std::replace(name.begin(), name.end(), '-', ' ');
  return "the " + name;
}

}  // namespace fmd
