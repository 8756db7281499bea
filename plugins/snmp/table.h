// Tables for SNMP: rows by index, read by name or by the next name (column by column, as a walk
// does). A group of scalars is a table with one row of index 0. Pure; immutable once built.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "plugins/snmp/oid.h"

namespace fmd::snmp {

struct Ticks {
  uint32_t hundredths;  // of a second
};
struct Since {
  int64_t steady_ns;  // reported as whole seconds since then
};
// monostate: the row lacks this object. int32_t: INTEGER. uint32_t: Gauge32, Unsigned32. string:
// OCTET STRING.
using Cell = std::variant<std::monostate, int32_t, uint32_t, std::string, Oid, Ticks, Since>;

class Table {
 public:
  // entry: the parent of the columns; first: number of the first column.
  Table(Oid entry, unsigned long first) : entry_(std::move(entry)), first_(first) {}
  // cells: from the first column on, the same number in each row.
  void add(Oid index, std::vector<Cell> cells);
  void sort();  // once, after the last add(); of rows with the same index the first is kept

  const Oid& entry() const { return entry_; }
  size_t rows() const { return rows_.size(); }
  const Cell* get(const Oid& name) const;  // nullptr if there is none
  struct Found {
    Oid name;
    const Cell* cell;
  };
  std::optional<Found> next(const Oid& name) const;  // the first one after that name

 private:
  struct Row {
    Oid index;
    std::vector<Cell> cells;
  };
  std::optional<Found> from(size_t column, size_t row) const;

  Oid entry_;
  unsigned long first_;
  size_t columns_ = 0;
  std::vector<Row> rows_;
};

// All tables at one moment.
class View {
 public:
  explicit View(std::vector<Table> tables);
  const Cell* get(const Oid& name) const;
  std::optional<Table::Found> next(const Oid& name) const;
  const Table* table(const Oid& entry) const;

 private:
  std::vector<Table> tables_;  // by entry
};

}  // namespace fmd::snmp
