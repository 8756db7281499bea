#include "fmd/notify/wrap.h"

#include <algorithm>

namespace fmd {
namespace {

size_t columns(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

// The longest prefix of text with at most `most` code points.
std::string_view head_of(std::string_view text, size_t most) {
  size_t bytes = 0, points = 0;
  while (bytes < text.size()) {
    const bool starts = (static_cast<unsigned char>(text[bytes]) & 0xC0) != 0x80;
    if (starts && points++ == most) break;
    ++bytes;
  }
  return text.substr(0, bytes);
}

}  // namespace

std::string wrap(std::string_view text, size_t indent, std::string_view first, size_t width) {
  std::string out(first);
  size_t column = columns(first);
  if (column < indent) {
    out.append(indent - column, ' ');
    column = indent;
  } else if (!first.empty()) {
    out += ' ';
    ++column;
  }
  bool at_start = true;
  const auto new_line = [&] {
    out += '\n';
    out.append(indent, ' ');
    column = indent;
    at_start = true;
  };
  while (!text.empty()) {
    const size_t blank = text.find_first_of(" \n");
    std::string_view word = text.substr(0, blank);
    const bool hard_break = blank != std::string_view::npos && text[blank] == '\n';
    text.remove_prefix(blank == std::string_view::npos ? text.size() : blank + 1);
    if (!word.empty()) {
      if (!at_start && column + 1 + columns(word) > width) new_line();
      if (!at_start) {
        out += ' ';
        ++column;
      }
      while (column + columns(word) > width) {
        const std::string_view head = head_of(word, width - column);
        out += head;
        word.remove_prefix(head.size());
        new_line();
      }
      out += word;
      column += columns(word);
      at_start = false;
    }
    if (hard_break && !text.empty()) new_line();
  }
  out += '\n';
  return out;
}

}  // namespace fmd
