#include "plugins/zfs/zpool_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "fmd/base/text.h"

namespace fmd::zfs {
namespace {

constexpr std::array<std::string_view, 12> kStates = {"ONLINE",  "DEGRADED",  "FAULTED", "OFFLINE",
                                                      "UNAVAIL", "REMOVED",   "AVAIL",   "INUSE",
                                                      "SPLIT",   "SUSPENDED", "CLOSED",  "UNKNOWN"};

bool is_known(std::string_view state) {
  return std::find(kStates.begin(), kStates.end(), state) != kStates.end();
}

// Newer versions of libzfs may have other states, also in capitals.
bool looks_like_state(std::string_view word) {
  const auto fits = [](char c) { return (c >= 'A' && c <= 'Z') || c == '_' || c == '-'; };
  return word.size() > 1 && std::all_of(word.begin(), word.end(), fits);
}

bool is_word(std::string_view word) {
  return !word.empty();
}

std::string_view trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string_view next_word(std::string_view& text) {
  text = text.substr(std::min(text.find_first_not_of(' '), text.size()));
  const auto word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size());
  return word;
}

// "153", or "1.2K" without -p.
bool parse_count(std::string_view word, uint64_t& value) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc() && end == word.data() + word.size()) return true;
  double number = 0;
  const auto [rest, failure] = std::from_chars(word.data(), word.data() + word.size(), number);
  const size_t left = static_cast<size_t>(word.data() + word.size() - rest);
  const size_t unit = std::string_view("KMGTPE").find(left == 1 ? *rest : ' ');
  if (failure != std::errc() || left != 1 || unit == std::string_view::npos) return false;
  value =
      static_cast<uint64_t>(std::llround(number * std::pow(1024.0, static_cast<double>(unit) + 1)));
  return true;
}

// "logs", "special", "dedup", "spares", "cache" or later ones: a single word, without a state.
bool is_section(std::string_view line) {
  return line.front() != ' ' && trim(line).find(' ') == std::string_view::npos;
}

class StatusParser {
 public:
  Result<std::vector<StatusPool>> parse(std::string_view text) {
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      ++number_;
      if (auto ok = line(text.substr(0, end)); !ok) return tl::unexpected(ok.error());
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    for (const StatusPool& pool : pools_)
      if (pool.rows.empty())
        return fail(fmt::format("no configuration of pool '{}'", display(pool.name)),
                    "zpool status");
    return std::move(pools_);
  }

 private:
  Result<void> line(std::string_view text) {
    if (text.starts_with("\t")) return continuation(text);
    // "  pool: tank": keys are right-aligned before the colon
    const size_t colon = text.find(':');
    if (colon == std::string_view::npos) return {};
    const auto key = trim(text.substr(0, colon));
    if (key.empty() || key.find(' ') != std::string_view::npos) return {};
    key_ = key;
    const auto value = text.substr(std::min(colon + 2, text.size()));
    if (key == "pool") {
      pools_.push_back({});
      pools_.back().name = value;
      state_column_ = 0;
      section_.clear();
      return {};
    }
    if (pools_.empty()) return {};
    if (key == "state") pools_.back().state = trim(value);
    if (key == "errors") pools_.back().errors = trim(value);
    if (key == "status") pools_.back().status = trim(value);
    if (key == "see") pools_.back().see = trim(value);
    if (key == "scan") pools_.back().scans.emplace_back(trim(value));
    if (key == "expand") pools_.back().expand = trim(value);
    if (key == "scrub") pools_.back().error_scrub = trim(value);
    return {};
  }

  Result<void> continuation(std::string_view text) {
    if (pools_.empty()) return {};
    if (key_ == "scan" && !pools_.back().scans.empty())
      pools_.back().scans.back().append("\n").append(trim(text));
    if (key_ == "status") pools_.back().status.append(" ").append(trim(text));
    if (key_ == "expand") pools_.back().expand.append("\n").append(trim(text));
    if (key_ == "scrub") pools_.back().error_scrub.append("\n").append(trim(text));
    if (key_ == "config") return config_line(text.substr(1));
    return {};
  }

  Result<void> config_line(std::string_view text) {
    if (trim(text).empty()) return {};
    if (state_column_ == 0) {
      const size_t column = text.find(" STATE");
      if (!text.starts_with("NAME") || column == std::string_view::npos)
        return bad("a heading with NAME and STATE");
      state_column_ = column + 1;
      with_slow_ = text.ends_with(" SLOW");
      return {};
    }
    if (!pools_.back().rows.empty() && is_section(text)) {
      section_ = trim(text);
      return {};
    }
    return row(text);
  }

  Result<void> row(std::string_view text) {
    StatusRow row;
    const size_t indent = text.find_first_not_of(' ');
    if (indent % 2) return bad("an even indentation");
    row.depth = static_cast<int>(indent / 2);
    row.section = section_;
    const size_t column = find_state(text);
    if (column == std::string_view::npos) return bad("a vdev with its state");
    row.name = trim(text.substr(0, column));
    std::string_view rest = text.substr(column);
    row.state = next_word(rest);
    std::string_view counters = rest;
    const auto r = next_word(counters), w = next_word(counters), c = next_word(counters);
    if (parse_count(r, row.read_errors) && parse_count(w, row.write_errors) &&
        parse_count(c, row.checksum_errors))
      rest = after_slow(counters, row.slow_ios);
    else
      row.read_errors = row.write_errors = row.checksum_errors = 0;
    row.note = trim(rest);
    if (!is_known(row.state)) {
      row.note = row.state + (row.note.empty() ? "" : "  " + row.note);
      row.state = "UNKNOWN";
    }
    auto& rows = pools_.back().rows;
    const int above = rows.empty() ? -1 : rows.back().section == section_ ? rows.back().depth : 0;
    if (row.depth > above + 1 || (row.depth == 0) != rows.empty())
      return bad("a vdev under its parent");
    rows.push_back(std::move(row));
    return {};
  }

  // The fourth counter of -s. Without -p, inner vdevs have "-" there.
  std::string_view after_slow(std::string_view rest, uint64_t& slow_ios) const {
    if (!with_slow_) return rest;
    std::string_view behind = rest;
    const auto word = next_word(behind);
    return parse_count(word, slow_ios) || word == "-" ? behind : rest;
  }

  // The column where the state begins: below STATE, or, if the name is longer than its column, at
  // the first word after two blanks that is a state. Known states precede words that only look like
  // states.
  size_t find_state(std::string_view text) const {
    const size_t known = find_word(text, is_known);
    if (known != std::string_view::npos) return known;
    const size_t likely = find_word(text, looks_like_state);
    return likely != std::string_view::npos ? likely : find_word(text, is_word);
  }

  size_t find_word(std::string_view text, bool (*fits)(std::string_view)) const {
    const auto fits_at = [&](size_t at) { return fits(text.substr(at, text.find(' ', at) - at)); };
    if (text.size() > state_column_ && text[state_column_ - 1] == ' ' && fits_at(state_column_))
      return state_column_;
    for (size_t at = text.find("  "); at != std::string_view::npos; at = text.find("  ", at + 1))
      if (at + 2 < text.size() && text[at + 2] != ' ' && at > 0 && fits_at(at + 2)) return at + 2;
    return std::string_view::npos;
  }

  tl::unexpected<Error> bad(std::string_view expected) const {
    return fail(fmt::format("expected {}", expected), "zpool status", number_);
  }

  std::vector<StatusPool> pools_;
  std::string key_, section_;
  size_t state_column_ = 0;
  bool with_slow_ = false;
  int number_ = 0;
};

}  // namespace

Result<std::vector<StatusPool>> parse_status(std::string_view text) {
  return StatusParser().parse(text);
}

bool suspended_by_multihost(const StatusPool& pool) {
  return pool.see.ends_with("ZFS-8000-MM") ||
         pool.status.find("multihost write") != pool.status.npos;
}

std::optional<uint64_t> parse_data_errors(std::string_view errors) {
  if (errors.starts_with("No known data errors")) return 0;
  uint64_t count = 0;
  const auto [end, error] = std::from_chars(errors.data(), errors.data() + errors.size(), count);
  const std::string_view rest = errors.substr(static_cast<size_t>(end - errors.data()));
  return error == std::errc() && rest.starts_with(" data errors") ? std::optional(count)
                                                                  : std::nullopt;
}

// A file name may contain newlines: only lines that look like names count.
std::vector<std::string> parse_damaged(std::string_view text) {
  constexpr std::string_view kMark = "\nerrors: Permanent errors have been detected",
                             kIndent = "        ";
  std::vector<std::string> names;
  const size_t list = text.find(kMark);
  if (list == std::string_view::npos) return names;
  text.remove_prefix(std::min(text.find('\n', list + 1), text.size()));
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.size() > kIndent.size() && line.starts_with(kIndent))
      names.emplace_back(line.substr(kIndent.size()));
  }
  return names;
}

Result<std::vector<ListedPool>> parse_pool_list(std::string_view text) {
  std::vector<ListedPool> pools;
  int number = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.empty()) continue;
    const size_t first = line.find('\t');
    const size_t second = first == std::string_view::npos ? first : line.find('\t', first + 1);
    ListedPool pool;
    if (second != std::string_view::npos) {
      pool.name = line.substr(0, first);
      std::string_view rest = line.substr(second + 1);
      pool.health = trim(rest.substr(0, rest.find('\t')));
      rest.remove_prefix(std::min(rest.find('\t') + 1, rest.size()));
      int percent = 0;
      if (std::from_chars(rest.data(), rest.data() + rest.size(), percent).ec == std::errc())
        pool.capacity = percent;
      pool.autoreplace = trim(rest.substr(std::min(rest.find('\t'), rest.size()))) == "on";
      const auto guid = line.substr(first + 1, second - first - 1);
      const auto [stop, error] = std::from_chars(guid.data(), guid.data() + guid.size(), pool.guid);
      if (error != std::errc() || stop != guid.data() + guid.size()) pool.guid = 0;
    }
    if (pool.guid == 0) return fail("expected name, guid and health", "zpool list", number);
    pools.push_back(std::move(pool));
  }
  return pools;
}

}  // namespace fmd::zfs
