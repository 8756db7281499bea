#include "ui/cli/drive_stats.h"

#include <algorithm>
#include <charconv>
#include <chrono>

namespace fmd::cli {
namespace {

// Drive stats quote nothing; a quoted cell is taken without its quotes.
void split(std::string_view line, std::vector<std::string_view>& cells) {
  cells.clear();
  if (line.ends_with('\r')) line.remove_suffix(1);
  while (true) {
    const size_t end = std::min(line.find(','), line.size());
    std::string_view cell = line.substr(0, end);
    if (cell.size() >= 2 && cell.starts_with('"') && cell.ends_with('"'))
      cell = cell.substr(1, cell.size() - 2);
    cells.push_back(cell);
    if (end == line.size()) return;
    line.remove_prefix(end + 1);
  }
}

template <typename Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
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
  const auto failure = number<int>(cell(cells, columns_.failure));
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
