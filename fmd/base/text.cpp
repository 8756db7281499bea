#include "fmd/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <ctime>

#include "fmd/base/duration.h"

namespace fmd {
namespace {

struct Decoded {
  char32_t point = 0;
  size_t bytes = 0;  // 0: not valid UTF-8
};

Decoded decode(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  char32_t point = lead & (0x7fu >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    point = point << 6 | (byte(i) & 0x3fu);
  }
  constexpr std::array<char32_t, 5> smallest{0, 0, 0x80, 0x800, 0x10000};
  if (point < smallest[bytes] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) return {};
  return {point, bytes};
}

// Control characters, and invisible characters that change the meaning: bidi marks and overrides,
// zero width, line separators, tags, interlinear marks, noncharacters.
bool deceives(char32_t p) {
  constexpr std::array<std::pair<char32_t, char32_t>, 14> kRanges{{{0, 0x1f},
                                                                   {0x7f, 0x9f},
                                                                   {0xad, 0xad},
                                                                   {0x61c, 0x61c},
                                                                   {0x115f, 0x1160},
                                                                   {0x180b, 0x180e},
                                                                   {0x200b, 0x200f},
                                                                   {0x2028, 0x202e},
                                                                   {0x2060, 0x206f},
                                                                   {0xfe00, 0xfe0f},
                                                                   {0xfeff, 0xfeff},
                                                                   {0xfff0, 0xfffb},
                                                                   {0xfdd0, 0xfdef},
                                                                   {0xe0000, 0xe0fff}}};
  if ((p & 0xfffe) == 0xfffe) return true;
  return std::any_of(kRanges.begin(), kRanges.end(),
                     [p](const auto& r) { return p >= r.first && p <= r.second; });
}

struct Unit {
  std::string_view name;
  int64_t ns;
};
// format_duration() writes the first name of each size.
constexpr std::array kUnits{Unit{"d", 86400 * kSecondNs},
                            Unit{"h", 3600 * kSecondNs},
                            Unit{"min", 60 * kSecondNs},
                            Unit{"s", kSecondNs},
                            Unit{"ms", 1000000},
                            Unit{"us", 1000},
                            Unit{"ns", 1},
                            Unit{"week", 7 * 86400 * kSecondNs},
                            Unit{"weeks", 7 * 86400 * kSecondNs},
                            Unit{"w", 7 * 86400 * kSecondNs},
                            Unit{"day", 86400 * kSecondNs},
                            Unit{"days", 86400 * kSecondNs},
                            Unit{"hour", 3600 * kSecondNs},
                            Unit{"hours", 3600 * kSecondNs},
                            Unit{"minute", 60 * kSecondNs},
                            Unit{"minutes", 60 * kSecondNs},
                            Unit{"sec", kSecondNs},
                            Unit{"second", kSecondNs},
                            Unit{"seconds", kSecondNs}};

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before, row(b.size() + 1), next(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] != b[j - 1])});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) next[j] = std::min(next[j], before[j - 2] + 1);
    }
    before = row;
    row.swap(next);
  }
  return row[b.size()];
}

std::tm broken_down(int64_t seconds, bool local) {
  std::tm tm{};
  const time_t t = seconds;
  if (local)
    localtime_r(&t, &tm);
  else
    gmtime_r(&t, &tm);
  return tm;
}

int64_t floor_div(int64_t a, int64_t b) {
  return a / b - (a % b < 0);
}

}  // namespace

std::string display(std::string_view raw, size_t max_chars) {
  std::string out;
  out.reserve(std::min(raw.size(), max_chars * 4));
  for (size_t chars = 0; !raw.empty(); ++chars) {
    if (chars == max_chars) return out + "…";
    const Decoded d = decode(raw);
    if (d.bytes && !deceives(d.point)) {
      out += raw.substr(0, d.bytes);
    } else {
      for (size_t i = 0; i < std::max<size_t>(d.bytes, 1); ++i)
        out += fmt::format("\\x{:02x}", static_cast<unsigned char>(raw[i]));
    }
    raw.remove_prefix(std::max<size_t>(d.bytes, 1));
  }
  return out;
}

std::string plain_json(std::string text) {
  const auto needs = [](const Decoded& d) { return d.point >= 0x20 && deceives(d.point); };
  std::string out;
  size_t kept = 0;  // text before this is already in `out`
  for (size_t at = 0; at < text.size();) {
    const Decoded d = decode(std::string_view(text).substr(at));
    if (d.bytes && needs(d)) {
      out.append(text, kept, at - kept);
      kept = at + d.bytes;
      if (d.point < 0x10000)
        out += fmt::format("\\u{:04x}", static_cast<uint32_t>(d.point));
      else
        out += fmt::format("\\u{:04x}\\u{:04x}",
                           0xd800 + static_cast<uint32_t>((d.point - 0x10000) >> 10),
                           0xdc00 + static_cast<uint32_t>((d.point - 0x10000) & 0x3ff));
    }
    at += std::max<size_t>(d.bytes, 1);
  }
  return kept == 0 ? std::move(text) : out.append(text, kept);
}

std::string whole_utf8(std::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  size_t end = max_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u) --end;
  return std::string(text.substr(0, end));
}

std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates) {
  constexpr size_t kLongest = 256;  // the cost grows with length²
  if (word.empty() || word.size() > kLongest) return {};
  const size_t limit = std::max<size_t>(1, word.size() / 3);
  size_t best = limit + 1;
  const std::string* found = nullptr;
  for (const std::string& candidate : candidates) {
    const size_t lengths =
        std::max(candidate.size(), word.size()) - std::min(candidate.size(), word.size());
    if (lengths >= best) continue;
    const size_t distance = edit_distance(word, candidate);
    if (distance < best) {
      best = distance;
      found = &candidate;
    }
  }
  if (!found) return {};
  return *found;
}

Result<int64_t> parse_duration(std::string_view text) {
  const auto refuse = [&] {
    return fail(
        fmt::format("\"{}\" is not a duration: write a whole number and a unit, such as "
                    "\"15s\", \"10min\", \"72h\" or \"30d\"",
                    display(text)));
  };
  size_t i = 0;
  int64_t number = 0;
  for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i)
    if (__builtin_mul_overflow(number, 10, &number) ||
        __builtin_add_overflow(number, text[i] - '0', &number))
      return refuse();
  if (i == 0) return refuse();
  if (i < text.size() && text[i] == ' ') ++i;
  for (const Unit& unit : kUnits) {
    if (text.substr(i) != unit.name) continue;
    int64_t ns = 0;
    if (__builtin_mul_overflow(number, unit.ns, &ns)) return refuse();
    return ns;
  }
  return refuse();
}

std::string format_duration(int64_t ns) {
  if (ns == 0) return "0s";
  for (const Unit& unit : kUnits)
    if (ns % unit.ns == 0) return fmt::format("{}{}", ns / unit.ns, unit.name);
  return fmt::format("{}ns", ns);
}

std::string format_time_fma(int64_t time_ns) {
  const std::tm tm = broken_down(floor_div(time_ns, kSecondNs), true);
  constexpr std::array kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                               "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  return fmt::format("{} {:02} {:02}:{:02}:{:02}", kMonths[static_cast<size_t>(tm.tm_mon)],
                     tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
}

std::string format_time_iso(int64_t time_ns) {
  const int64_t seconds = floor_div(time_ns, kSecondNs);
  const std::tm tm = broken_down(seconds, false);
  const int64_t ms = (time_ns - seconds * kSecondNs) / 1000000;
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", tm.tm_year + 1900, tm.tm_mon + 1,
                     tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, ms);
}

std::string format_bytes(uint64_t bytes) {
  constexpr std::array kNames{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  size_t unit = 0;
  uint64_t size = 1;
  while (unit + 1 < kNames.size() && bytes / size >= 1024) {
    size *= 1024;
    ++unit;
  }
  if (bytes % size == 0) return fmt::format("{} {}", bytes / size, kNames[unit]);
  const double value = static_cast<double>(bytes) / static_cast<double>(size);
  // Otherwise 1023.96 KiB would become "1024.0 KiB".
  if (value >= 1023.95 && unit + 1 < kNames.size()) return fmt::format("1.0 {}", kNames[unit + 1]);
  return fmt::format("{:.1f} {}", value, kNames[unit]);
}

}  // namespace fmd
