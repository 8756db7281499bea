#include "ui/cli/drive_stats.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <iterator>

namespace fmd::cli {
namespace {

// The end of the line's first cell. A comma within quotes (RFC 4180) belongs to the cell.
size_t end_of_cell(std::string_view line) {
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') quoted = !quoted;
    if (line[i] == ',' && !quoted) return i;
  }
  return line.size();
}

// Backblaze does not quote cells, but other programs do; the quotes are removed.
void split(std::string_view line, std::vector<std::string_view>& cells) {
  cells.clear();
  if (line.ends_with('\r')) line.remove_suffix(1);
  while (true) {
    const size_t end = end_of_cell(line);
    std::string_view cell = line.substr(0, end);
    if (cell.size() >= 2 && cell.starts_with('"') && cell.ends_with('"'))
      cell = cell.substr(1, cell.size() - 2);
    cells.push_back(cell);
    if (end == line.size()) return;
    line.remove_prefix(end + 1);
  }
}

// By the first bytes: gzip, zip, xz, zstd, bzip2.
bool is_compressed(std::string_view line) {
  constexpr std::string_view kMarks[] = {"\x1f\x8b", "PK\x03\x04",
                                         "\xfd"
                                         "7zXZ",
                                         "\x28\xb5\x2f\xfd", "BZh"};
  return std::any_of(std::begin(kMarks), std::end(kMarks),
                     [&](std::string_view mark) { return line.starts_with(mark); });
}

template <typename Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!std::isfinite(static_cast<double>(value))) return std::nullopt;  // "nan" also parses
  return value;
}

// "2019-03-31"
std::optional<int64_t> day_ns(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto year = number<int>(text.substr(0, 4));
  const auto month = number<unsigned>(text.substr(5, 2)), day = number<unsigned>(text.substr(8, 2));
  if (!year || !month || !day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(*month),
                                         std::chrono::day(*day)};
  if (!date.ok()) return std::nullopt;
  return std::chrono::nanoseconds(std::chrono::sys_days(date).time_since_epoch()).count();
}

std::string_view cell(const std::vector<std::string_view>& cells, std::optional<size_t> column) {
  return column && *column < cells.size() ? cells[*column] : std::string_view();
}

}  // namespace

Result<void> DriveStats::take_header(const std::vector<std::string_view>& cells) {
  const auto column = [&](const std::string& name) -> std::optional<size_t> {
    const auto at = std::find(cells.begin(), cells.end(), name);
    if (at == cells.end()) return std::nullopt;
    return static_cast<size_t>(at - cells.begin());
  };
  columns_ = {column("date"),           column("serial_number"), column("model"),
              column("capacity_bytes"), column("failure"),       {}};
  bool any = false;
  for (size_t i = 0; i < kDriveStatsAttributes.size(); ++i) {
    columns_.raw[i] = column("smart_" + std::to_string(kDriveStatsAttributes[i]) + "_raw");
    any = any || columns_.raw[i];
  }
  if (columns_.date && columns_.serial && columns_.model && columns_.failure && any) return {};
  return fail(
      "is no header of drive stats: it must name date, serial_number, model, failure and "
      "columns like smart_5_raw",
      name_, line_);
}

std::optional<DriveDay> DriveStats::day_of(const std::vector<std::string_view>& cells) const {
  DriveDay day;
  const auto time = day_ns(cell(cells, columns_.date));
  const auto failure = number<double>(cell(cells, columns_.failure));  // some files have "0.0"
  day.serial = cell(cells, columns_.serial);
  day.model = cell(cells, columns_.model);
  if (!time || !failure || day.serial.empty()) return std::nullopt;
  day.time_ns = *time;
  day.failed = *failure != 0;
  day.capacity = number<double>(cell(cells, columns_.capacity)).value_or(0);
  for (size_t i = 0; i < columns_.raw.size(); ++i)
    day.raw[i] = number<double>(cell(cells, columns_.raw[i]));
  return day;
}

Result<void> DriveStats::each(const std::function<void(const DriveDay&)>& row) {
  std::string line;
  std::vector<std::string_view> cells;
  bool has_header = false;
  while (std::getline(in_, line)) {
    ++line_;
    if (line.empty() || line == "\r") continue;
    if (!has_header && is_compressed(line))
      return fail(
          "is compressed: unpack it, or pipe what zcat or unzip -p prints into --drive-stats -",
          name_);
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
    split(line, cells);
    const bool is_header = std::find(cells.begin(), cells.end(), "serial_number") != cells.end();
    if (is_header || !has_header) {
      if (auto taken = take_header(cells); !taken) return taken;
      has_header = true;
      continue;
    }
    const auto day = day_of(cells);
    ++(day ? rows_ : unreadable_);
    if (day) row(*day);
  }
  if (in_.bad()) return fail("cannot be read", name_, line_);
  if (rows_ == 0) return fail("has no row of drive stats", name_, line_);
  return {};
}

}  // namespace fmd::cli
