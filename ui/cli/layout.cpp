#include "ui/cli/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "fmd/base/text.h"

namespace fmd::cli {
namespace {

struct Range {
  char32_t first, last;
};

// Unicode's wide blocks, roughly: good enough to align columns.
constexpr std::array kWide{Range{0x1100, 0x115F},   Range{0x2E80, 0x303E},  Range{0x3041, 0x33FF},
                           Range{0x3400, 0x4DBF},   Range{0x4E00, 0x9FFF},  Range{0xA000, 0xA4CF},
                           Range{0xAC00, 0xD7A3},   Range{0xF900, 0xFAFF},  Range{0xFE30, 0xFE4F},
                           Range{0xFF00, 0xFF60},   Range{0xFFE0, 0xFFE6},  Range{0x1F300, 0x1F64F},
                           Range{0x1F900, 0x1F9FF}, Range{0x20000, 0x3FFFD}};
constexpr std::array kCombining{Range{0x0300, 0x036F}, Range{0x1AB0, 0x1AFF},
                                Range{0x1DC0, 0x1DFF}, Range{0x20D0, 0x20FF},
                                Range{0xFE00, 0xFE0F}, Range{0xFE20, 0xFE2F}};

template <size_t N>
bool within(const std::array<Range, N>& ranges, char32_t code) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [code](const Range& r) { return code >= r.first && code <= r.last; });
}

size_t columns_of(char32_t code) {
  if (within(kCombining, code)) return 0;
  return within(kWide, code) ? 2 : 1;
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> list;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) list.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return list;
}

}  // namespace

std::string trimmed(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

size_t columns(std::string_view text) {
  size_t total = 0;
  for (size_t at = 0; at < text.size();) {
    if (text.substr(at, 2) == "\x1b[") {  // from painted(): device text has none, see clean()
      at = std::min(text.find('m', at), text.size() - 1) + 1;
      continue;
    }
    const auto lead = static_cast<unsigned char>(text[at]);
    const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    char32_t code = length == 1 ? lead : lead & (0x7Fu >> length);
    for (size_t i = 1; i < length && at + i < text.size(); ++i)
      code = code << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3Fu);
    total += columns_of(code);
    at += length;
  }
  return total;
}

std::string pad(std::string_view text, size_t width) {
  std::string padded(text);
  const size_t used = columns(text);
  if (used < width) padded.append(width - used, ' ');
  return padded;
}

std::string wrapped(std::string_view head, std::string_view text, size_t indent, size_t most) {
  std::string out, line(head);
  size_t used = columns(head);
  bool first = true;  // no word on this line yet
  for (std::string_view word : words(text)) {
    const size_t width = columns(word);
    if (!first && used + 1 + width > most) {
      out += line + '\n';
      line = std::string(indent, ' ');
      used = indent;
      first = true;
    }
    if (!first) {
      line += ' ';
      ++used;
    }
    line += word;
    used += width;
    first = false;
  }
  return out + trimmed(line) + '\n';
}

std::string field(std::string_view name, std::string_view text) {
  return wrapped(pad(name, 12) + ": ", text, 14);
}

Table::Table(std::vector<std::string> header) : header_(std::move(header)) {}

void Table::add(std::vector<std::string> cells, Tone last) {
  for (std::string& cell : cells) cell = clean_prose(cell);
  cells.resize(header_.size());
  if (!cells.empty()) cells.back() = painted(cells.back(), last);
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  std::vector<size_t> widths;
  for (const std::string& name : header_) widths.push_back(columns(name));
  for (const auto& row : rows_)
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns(row[i]));

  size_t last_at = 0;
  for (size_t i = 0; i + 1 < widths.size(); ++i) last_at += widths[i] + 2;
  const size_t least = std::min<size_t>(20, widths.empty() ? 0 : widths.back());
  const bool below = last_at + least > cli::width();  // no room beside the others

  auto render = [&](const std::vector<std::string>& row) {
    std::string head;
    for (size_t i = 0; i + 1 < row.size(); ++i) head += pad(row[i], widths[i]) + "  ";
    if (!below || row.back().empty()) return wrapped(head, row.back(), last_at, cli::width());
    return trimmed(head) + '\n' + wrapped("    ", row.back(), 4, cli::width());
  };
  if (header_.empty()) return {};
  std::string out = render(header_);
  for (const auto& row : rows_) out += render(row);
  return out;
}

}  // namespace fmd::cli
