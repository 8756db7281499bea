// Tables as SNMP reads them: rows by index, asked for by name, or for what comes after a name (column by column,
// as a walk goes). A group of scalars is a table with one row of index 0. Pure; made once, then only read.
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
  int64_t steady_ns;  // told as whole seconds that have passed since then
};
// monostate: this row has no such object. int32_t: INTEGER. uint32_t: Gauge32, Unsigned32. string: OCTET STRING.
using Cell = std::variant<std::monostate, int32_t, uint32_t, std::string, Oid, Ticks, Since>;

class Table {
 public:
  // entry: what the columns are below; first: number of the first column.
  Table(Oid entry, unsigned long first) : entry_(std::move(entry)), first_(first) {}
  // cells: of the columns from the first one on, as many in each row.
  void add(Oid index, std::vector<Cell> cells);
  void sort();  // once, after the last add(); of two rows with one index the first stays

  const Oid& entry() const { return entry_; }
  size_t rows() const { return rows_.size(); }
  const Cell* get(const Oid& name) const;  // nullptr: there is none
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

// All tables of one moment.
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
