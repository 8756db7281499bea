#include "plugins/snmp/table.h"

#include <algorithm>

namespace fmd::snmp {

void Table::add(Oid index, std::vector<Cell> cells) {
  columns_ = std::max(columns_, cells.size());
  rows_.push_back({std::move(index), std::move(cells)});
}

void Table::sort() {
  std::stable_sort(rows_.begin(), rows_.end(),
                   [](const Row& a, const Row& b) { return a.index < b.index; });
  const auto end = std::unique(rows_.begin(), rows_.end(),
                               [](const Row& a, const Row& b) { return a.index == b.index; });
  rows_.erase(end, rows_.end());
}

const Cell* Table::get(const Oid& name) const {
  if (!is_below(name, entry_) || name.size() < entry_.size() + 2) return nullptr;
  const unsigned long column = name[entry_.size()];
  if (column < first_ || column - first_ >= columns_) return nullptr;
  const Oid index(name.begin() + static_cast<ptrdiff_t>(entry_.size()) + 1, name.end());
  const auto row =
      std::lower_bound(rows_.begin(), rows_.end(), index,
                       [](const Row& one, const Oid& wanted) { return one.index < wanted; });
  if (row == rows_.end() || row->index != index || column - first_ >= row->cells.size())
    return nullptr;
  const Cell& cell = row->cells[column - first_];
  return std::holds_alternative<std::monostate>(cell) ? nullptr : &cell;
}

std::optional<Table::Found> Table::from(size_t column, size_t row) const {
  for (; column < columns_; ++column, row = 0)
    for (; row < rows_.size(); ++row) {
      const Row& one = rows_[row];
      if (column >= one.cells.size() || std::holds_alternative<std::monostate>(one.cells[column]))
        continue;
      Oid name = entry_;
      name.push_back(first_ + column);
      name.insert(name.end(), one.index.begin(), one.index.end());
      return Found{std::move(name), &one.cells[column]};
    }
  return {};
}

std::optional<Table::Found> Table::next(const Oid& name) const {
  if (!is_below(name, entry_)) return name < entry_ ? from(0, 0) : std::nullopt;
  if (name.size() == entry_.size() || name[entry_.size()] < first_) return from(0, 0);
  const size_t column = name[entry_.size()] - first_;
  const Oid index(name.begin() + static_cast<ptrdiff_t>(entry_.size()) + 1, name.end());
  const auto row =
      index.empty()
          ? rows_.begin()
          : std::upper_bound(rows_.begin(), rows_.end(), index,
                             [](const Oid& wanted, const Row& one) { return wanted < one.index; });
  return from(column, static_cast<size_t>(row - rows_.begin()));
}

View::View(std::vector<Table> tables) : tables_(std::move(tables)) {
  std::sort(tables_.begin(), tables_.end(),
            [](const Table& a, const Table& b) { return a.entry() < b.entry(); });
}

// Tables may overlap: the entry of a group of scalars is above those of tables. So try each.
const Cell* View::get(const Oid& name) const {
  for (const Table& table : tables_)
    if (const Cell* cell = table.get(name)) return cell;
  return nullptr;
}

std::optional<Table::Found> View::next(const Oid& name) const {
  std::optional<Table::Found> first;
  for (const Table& table : tables_) {
    // Skip tables that are entirely before the name, without reading their rows.
    if (table.entry() < name && !is_below(name, table.entry())) continue;
    if (first && first->name < table.entry()) break;  // all further tables come later
    auto found = table.next(name);
    if (found && (!first || found->name < first->name)) first = std::move(found);
  }
  return first;
}

const Table* View::table(const Oid& entry) const {
  for (const Table& table : tables_)
    if (table.entry() == entry) return &table;
  return nullptr;
}

}  // namespace fmd::snmp
