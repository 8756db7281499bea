#include "fmd/store/columns.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <vector>

#include "fmd/store/block.h"
#include "fmd/store/cells.h"
#include "fmd/store/numbers.h"
#include "fmd/store/varint.h"

namespace fmd::store {

namespace {

using Words = std::vector<std::string_view>;

// Lines with more templates are too different, and are stored as lines.
constexpr size_t kMostTemplates = 256;
// Words of all lines: at most a block's bytes.
constexpr uint64_t kMostCells = kBlockBytes;
// Of all templates. Reading takes a hundred bytes for each; a long list of numbers is no shape.
constexpr size_t kMostColumns = 1 << 16;

constexpr char kWord = '\0';  // placeholder in a template

enum class Letter : unsigned char { other, letter, digit };

constexpr std::array<Letter, 256> kLetters = [] {
  std::array<Letter, 256> letters{};
  for (unsigned c = 'a'; c <= 'z'; ++c) letters[c] = letters[c - 'a' + 'A'] = Letter::letter;
  for (unsigned c = '0'; c <= '9'; ++c) letters[c] = Letter::digit;
  return letters;
}();

Letter letter(char c) {
  return kLetters[static_cast<unsigned char>(c)];
}

// Words consist of letters and digits, with at least one digit. `shape` gets the rest of the line.
void take_apart(std::string_view line, std::string& shape, Words& words) {
  shape.clear();
  size_t kept = 0;  // everything before this is in the shape or a word
  for (size_t at = 0; at < line.size();) {
    if (letter(line[at]) == Letter::other) {
      ++at;
      continue;
    }
    const size_t begin = at;
    bool has_digit = false;
    for (; at < line.size() && letter(line[at]) != Letter::other; ++at)
      has_digit = has_digit || letter(line[at]) == Letter::digit;
    if (!has_digit) continue;
    shape.append(line.substr(kept, begin - kept));
    shape += kWord;
    words.push_back(line.substr(begin, at - begin));
    kept = at;
  }
  shape.append(line.substr(kept));
}

// The lines of one template, and their words line by line.
struct Alike {
  std::string shape;
  Words words;
  size_t lines = 0;
};

struct Sorted {
  std::vector<Alike> alike;
  Numbers which;  // template of each line
};

bool sort_out(std::string_view lines, Sorted& sorted) {
  if (lines.empty() || lines.back() != '\n' || lines.find(kWord) != std::string_view::npos)
    return false;
  std::unordered_map<std::string, uint64_t> known;
  std::string shape;
  Words words;
  size_t columns = 0;
  for (size_t at = 0; at < lines.size();) {
    const size_t end = lines.find('\n', at) + 1;
    words.clear();
    take_apart(lines.substr(at, end - at), shape, words);
    at = end;
    const auto [found, is_new] = known.try_emplace(shape, sorted.alike.size());
    if (is_new) {
      columns += words.size();
      if (sorted.alike.size() == kMostTemplates || columns > kMostColumns) return false;
      sorted.alike.push_back({shape, {}, 0});
    }
    Alike& alike = sorted.alike[found->second];
    ++alike.lines;
    alike.words.insert(alike.words.end(), words.begin(), words.end());
    sorted.which.push_back(found->second);
  }
  return true;
}

// Lines are stored by template; `which` restores their order.
struct Template {
  std::string_view shape;
  size_t lines = 0, given = 0;
  std::vector<Cells> columns;
};

class ColumnsReader {
 public:
  explicit ColumnsReader(std::string_view from) : rest_(from) {}

  bool read(std::string& out, const std::vector<size_t>* only) {
    if (!read_templates() || !read_columns() || !rest_.empty()) return false;
    if (!only) out.reserve(out.size() + bytes_);
    size_t next = 0;
    for (size_t line = 0; line < which_.size(); ++line) {
      Template& of = templates_[which_[line]];
      if (!only) {
        append_line(of, out);
      } else if (next < only->size() && (*only)[next] == line) {
        append_line(of, out);
        ++next;
      }
      ++of.given;
    }
    return true;
  }

 private:
  bool read_templates() {
    uint64_t lines = 0, count = 0;
    if (!take_varint(rest_, lines) || !take_varint(rest_, count)) return false;
    if (lines == 0 || lines > kLargestBlock / 8 || count == 0 || count > kMostTemplates)
      return false;
    for (uint64_t i = 0; i < count; ++i) {
      const size_t end = rest_.find('\n');
      if (end == std::string_view::npos) return false;
      templates_.push_back({rest_.substr(0, end + 1), 0, 0, {}});
      rest_.remove_prefix(end + 1);
    }
    if (!take_numbers(rest_, lines, which_)) return false;
    for (const uint64_t index : which_) {
      if (index >= count) return false;
      ++templates_[index].lines;
    }
    return true;
  }

  bool read_columns() {
    uint64_t cells = 0;
    for (Template& one : templates_) {
      if (one.lines == 0) return false;
      const auto places =
          static_cast<size_t>(std::count(one.shape.begin(), one.shape.end(), kWord));
      cells += places * one.lines;
      bytes_ += (one.shape.size() - places) * one.lines;
      if (cells > kMostCells || bytes_ > kLargestBlock) return false;
      one.columns.resize(places);
      for (Cells& column : one.columns) {
        if (!column.take(rest_, one.lines, kLargestBlock - bytes_)) return false;
        bytes_ += column.bytes();
      }
    }
    return true;
  }

  static void append_line(const Template& from, std::string& out) {
    size_t at = 0;
    for (const Cells& column : from.columns) {
      const size_t word = from.shape.find(kWord, at);
      out.append(from.shape.substr(at, word - at));
      column.append(from.given, out);
      at = word + 1;
    }
    out.append(from.shape.substr(at));
  }

  std::string_view rest_;
  std::vector<Template> templates_;
  Numbers which_;
  size_t bytes_ = 0;  // upper bound for all lines
};

}  // namespace

bool to_columns(std::string_view lines, std::string& out) {
  Sorted sorted;
  if (!sort_out(lines, sorted)) return false;
  put_varint(sorted.which.size(), out);
  put_varint(sorted.alike.size(), out);
  for (const Alike& alike : sorted.alike) out += alike.shape;
  put_numbers(sorted.which, out);
  Words column;
  for (const Alike& alike : sorted.alike) {
    const size_t places = alike.words.size() / alike.lines;
    for (size_t place = 0; place < places; ++place) {
      column.clear();
      for (size_t at = place; at < alike.words.size(); at += places)
        column.push_back(alike.words[at]);
      put_cells(column, out);
    }
  }
  return true;
}

Result<void> from_columns(std::string_view columns, std::string& out,
                          const std::vector<size_t>* only) {
  const size_t before = out.size();
  if (ColumnsReader(columns).read(out, only)) return {};
  out.resize(before);
  return fail("its columns are not those of lines");
}

}  // namespace fmd::store
