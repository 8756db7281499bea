#include "plugins/mail/mime.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "fmd/base/text.h"

namespace fmd::mail {
namespace {

constexpr size_t kLine = 76;
constexpr size_t kLongestValue = 500;  // characters
constexpr std::string_view kWordBegin = "=?utf-8?B?", kWordEnd = "?=";

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t bits = 0;
    const size_t count = std::min<size_t>(3, bytes.size() - i);
    for (size_t j = 0; j < 3; ++j)
      bits = bits << 8 | (j < count ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    for (size_t j = 0; j < 4; ++j) out += j <= count ? kDigits[bits >> (18 - 6 * j) & 63] : '=';
  }
  return out;
}

// The length in bytes of the first character of text (valid UTF-8).
size_t character(std::string_view text) {
  size_t size = 1;
  while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) ++size;
  return size;
}

// Broken at blanks if a line gets too long. A folded line keeps its leading blank.
std::string folded(std::string_view text, size_t used) {
  std::string out;
  size_t column = used;
  while (!text.empty()) {
    const size_t blank = text.find(' ', 1);
    const std::string_view word = text.substr(0, blank);
    if (!out.empty() && column + word.size() > kLine && word.front() == ' ' && word.size() > 1) {
      out += "\r\n";
      column = 0;
    }
    out += word;
    column += word.size();
    text.remove_prefix(word.size());
  }
  return out;
}

}  // namespace

// Encoded words of whole characters, one per line, at most 75 columns long (RFC 2047 § 2).
std::string encoded_words(std::string_view text, size_t used) {
  std::string out;
  while (!text.empty()) {
    const size_t room = (kLine - 1 - used - kWordBegin.size() - kWordEnd.size()) / 4 * 3;
    size_t take = 0;
    while (take < text.size()) {
      const size_t next = character(text.substr(take));
      if (take + next > room) break;
      take += next;
    }
    if (!out.empty()) out += kFold;
    out.append(kWordBegin).append(base64(text.substr(0, take))).append(kWordEnd);
    text.remove_prefix(take);
    used = 1;
  }
  return out;
}

std::string header_value(std::string_view text, size_t used) {
  const std::string shown = display(text, kLongestValue);
  // A mail reader would decode text that looks like an encoded word.
  const bool as_is = is_ascii(shown) && shown.find("=?") == shown.npos && !shown.starts_with(' ') &&
                     !shown.ends_with(' ') && shown.find("  ") == shown.npos;
  return as_is ? folded(shown, used) : encoded_words(shown, used);
}

std::string quoted_printable(std::string_view text) {
  std::string out;
  size_t column = 0;
  const auto put = [&](std::string_view piece, bool last_of_line) {
    if (column + piece.size() > kLine - (last_of_line ? 0 : 1)) {
      out += "=\r\n";
      column = 0;
    }
    out += piece;
    column += piece.size();
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    if (c == '\n') {
      out += "\r\n";
      column = 0;
      continue;
    }
    const bool last = i + 1 >= text.size() || text[i + 1] == '\n' || text[i + 1] == '\r';
    // Trailing blanks may be lost in transport, and old mailers put ">" before a "From " at the
    // start of a line.
    const bool mangled = (c == ' ' && last) || (column == 0 && (c == '.' || c == 'F'));
    if (c >= 0x20 && c < 0x7f && c != '=' && !mangled)
      put(std::string_view(&text[i], 1), last);
    else
      put(fmt::format("={:02X}", c), last);
  }
  return out;
}

std::string message_id(std::string_view key, std::string_view host) {
  std::string id = "<";
  for (const char c : key) {
    if (isalnum(static_cast<unsigned char>(c)) != 0 || c == '-')
      id += c;
    else if (c == ':')
      id += '/';
    else
      id += fmt::format("={:02X}", static_cast<unsigned char>(c));
  }
  return id.append("@").append(host).append(">");
}

std::string date(int64_t time_ns) {
  const time_t seconds = time_ns / 1'000'000'000;
  struct tm parts {};
  gmtime_r(&seconds, &parts);
  constexpr std::array kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  return fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} +0000",
                     kDays[static_cast<size_t>(parts.tm_wday)], parts.tm_mday,
                     kMonths[static_cast<size_t>(parts.tm_mon)], parts.tm_year + 1900,
                     parts.tm_hour, parts.tm_min, parts.tm_sec);
}

bool may_go_unencoded(std::string_view text) {
  size_t column = 0;
  for (const char c : text) {
    column = c == '\n' ? 0 : column + 1;
    if (column > 990 || static_cast<unsigned char>(c) >= 0x80) return false;
  }
  return true;
}

std::string with_crlf(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\n' ? "\r\n" : std::string(1, c);
  return out;
}

std::string header_line(std::string_view name, std::string_view value) {
  if (value.empty()) return {};
  return fmt::format("{}: {}\r\n", name, header_value(value, name.size() + 2));
}

std::string base64_lines(std::string_view bytes) {
  constexpr size_t kBytesALine = kLine / 4 * 3;
  std::string out;
  for (size_t at = 0; at < bytes.size(); at += kBytesALine)
    out += base64(bytes.substr(at, kBytesALine)) + "\r\n";
  return out;
}

std::string text_part(std::string_view type, std::string_view text) {
  return fmt::format(
      "Content-Type: {}; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n{}",
      type, quoted_printable(text));
}

std::string multipart(std::string_view kind, std::string_view more,
                      const std::vector<std::string>& parts) {
  const std::string boundary = fmt::format("=_fmd_{}", kind);
  std::string out =
      fmt::format("Content-Type: multipart/{}{}; boundary=\"{}\"\r\n\r\n", kind, more, boundary);
  for (const std::string& part : parts) out += fmt::format("\r\n--{}\r\n{}", boundary, part);
  return out + fmt::format("\r\n--{}--\r\n", boundary);
}

}  // namespace fmd::mail
