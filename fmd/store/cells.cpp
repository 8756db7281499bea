#include "fmd/store/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_map>

#include "fmd/store/numbers.h"
#include "fmd/store/varint.h"

namespace fmd::store {

namespace {

enum class Kind : char { same = 's', numbers = 'n', distances = 'd', listed = 'l' };

// A list pays off if each word occurs in several cells.
constexpr size_t kOften = 4;

// The number if it would be written in exactly this way.
std::optional<uint64_t> number_in(std::string_view word) {
  uint64_t number = 0;
  if (word.empty() || word.size() > 20 || (word.front() == '0' && word.size() > 1)) return {};
  const auto read = std::from_chars(word.data(), word.data() + word.size(), number);
  if (read.ec != std::errc() || read.ptr != word.data() + word.size()) return {};
  return number;
}

std::optional<Numbers> numbers_in(const std::vector<std::string_view>& cells) {
  Numbers numbers;
  for (const std::string_view cell : cells) {
    const auto number = number_in(cell);
    if (!number) return {};
    if (numbers.empty()) numbers.reserve(cells.size());
    numbers.push_back(*number);
  }
  return numbers;
}

struct Listed {
  std::vector<std::string_view> words;  // in order of first use: related lists look alike
  Numbers which;
  size_t bytes = 0;  // of all words
};

// Nothing if there are more than `most` different words.
std::optional<Listed> list_of(const std::vector<std::string_view>& cells, size_t most) {
  Listed listed;
  std::unordered_map<std::string_view, uint64_t> known;
  listed.which.reserve(cells.size());
  for (const std::string_view cell : cells) {
    const auto [at, is_new] = known.try_emplace(cell, listed.words.size());
    if (is_new) {
      if (listed.words.size() == most) return {};
      listed.words.push_back(cell);
      listed.bytes += cell.size() + 1;
    }
    listed.which.push_back(at->second);
  }
  return listed;
}

void put_listed(const Listed& listed, std::string& out) {
  out += static_cast<char>(Kind::listed);
  put_varint(listed.words.size(), out);
  for (const std::string_view word : listed.words) {
    out += word;
    out += '\n';
  }
  put_numbers(listed.which, out);
}

}  // namespace

void put_cells(const std::vector<std::string_view>& cells, std::string& out) {
  if (std::all_of(cells.begin(), cells.end(), [&](auto cell) { return cell == cells.front(); })) {
    out += static_cast<char>(Kind::same);
    put_text(cells.empty() ? std::string_view() : cells.front(), out);
    return;
  }
  const auto numbers = numbers_in(cells);
  auto listed = list_of(cells, numbers ? cells.size() / kOften : cells.size());
  if (!numbers) return put_listed(*listed, out);
  const Numbers steps = distances(*numbers);
  // The first step is the number itself, and would make all columns wide.
  const size_t step = width_of({steps.begin() + 1, steps.end()}), plain = width_of(*numbers);
  if (listed &&
      listed->bytes + width_of(listed->which) * cells.size() < std::min(step, plain) * cells.size())
    return put_listed(*listed, out);
  if (step >= plain) {
    out += static_cast<char>(Kind::numbers);
    return put_numbers(*numbers, out);
  }
  out += static_cast<char>(Kind::distances);
  put_varint(steps.front(), out);
  put_numbers({steps.begin() + 1, steps.end()}, out);
}

void Cells::append(size_t i, std::string& out) const {
  if (written_) {
    out += words_[numbers_.empty() ? 0 : numbers_[i]];
    return;
  }
  const fmt::format_int digits(numbers_[i]);
  out.append(digits.data(), digits.size());
}

bool Cells::take(std::string_view& from, size_t count, size_t most_bytes) {
  *this = {};
  if (from.empty() || count == 0) return false;
  const auto kind = static_cast<Kind>(from.front());
  from.remove_prefix(1);
  bool taken = false;
  switch (kind) {
    case Kind::same:
      words_.resize(1);
      taken = take_text(from, words_.front());
      bytes_ = words_.front().size() * count;
      break;
    case Kind::numbers:
    case Kind::distances:
      taken = take_numbers_of(from, count, kind == Kind::distances);
      break;
    case Kind::listed:
      taken = take_listed(from, count, most_bytes);
  }
  return taken && bytes_ <= most_bytes;
}

bool Cells::take_numbers_of(std::string_view& from, size_t count, bool add) {
  uint64_t first = 0;
  if (add && !take_varint(from, first)) return false;
  if (!take_numbers(from, add ? count - 1 : count, numbers_)) return false;
  if (add) {
    numbers_.insert(numbers_.begin(), first);
    add_up(numbers_);
  }
  written_ = false;
  const fmt::format_int longest(*std::max_element(numbers_.begin(), numbers_.end()));
  bytes_ = longest.size() * count;
  return true;
}

bool Cells::take_listed(std::string_view& from, size_t count, size_t most_bytes) {
  uint64_t words = 0;
  if (!take_varint(from, words) || words == 0 || words > count) return false;
  for (uint64_t i = 0; i < words; ++i) {
    const size_t size = from.find('\n');
    if (size == std::string_view::npos || size > most_bytes) return false;
    words_.push_back(from.substr(0, size));
    from.remove_prefix(size + 1);
  }
  if (!take_numbers(from, count, numbers_)) return false;
  for (const uint64_t index : numbers_) {
    if (index >= words) return false;
    bytes_ += words_[index].size();
  }
  return true;
}

}  // namespace fmd::store
