#include "plugins/snmp/table.h"

#include <gtest/gtest.h>

#include "plugins/snmp/cells.h"

namespace fmd::snmp {
namespace {

const Oid kEntry{1, 3, 6, 9, 1};

Table rows() {
  Table table(kEntry, 2);
  table.add({20}, {int32_t{3}, std::string("c")});
  table.add({10}, {int32_t{1}, Cell()});
  table.add({10, 5}, {int32_t{2}, std::string("b")});
  table.sort();
  return table;
}

std::vector<Oid> walk(const View& view, Oid from) {
  std::vector<Oid> names;
  while (auto found = view.next(from)) names.push_back(from = found->name);
  return names;
}

TEST(Table, AWalkGoesColumnByColumnAndLeavesOutWhatIsNotThere) {
  std::vector<Table> tables;
  tables.push_back(rows());
  const std::vector<Oid> wanted{below(kEntry, {2, 10}), below(kEntry, {2, 10, 5}),
                                below(kEntry, {2, 20}), below(kEntry, {3, 10, 5}),
                                below(kEntry, {3, 20})};
  const View view(std::move(tables));
  for (const Oid& from : {Oid{1}, Oid{1, 3, 6, 9}, kEntry, below(kEntry, {1}), below(kEntry, {2})})
    EXPECT_EQ(walk(view, from), wanted);
  EXPECT_TRUE(walk(view, {1, 3, 7}).empty());
  EXPECT_TRUE(walk(view, below(kEntry, {3, 20})).empty());
}

TEST(Table, BetweenTwoRowsTheNextOneIsFound) {
  const Table table = rows();
  EXPECT_EQ(table.next(below(kEntry, {2, 11}))->name, below(kEntry, {2, 20}));
  EXPECT_EQ(table.next(below(kEntry, {2, 10, 5, 1}))->name, below(kEntry, {2, 20}));
  EXPECT_EQ(table.next(below(kEntry, {2, 21}))->name, below(kEntry, {3, 10, 5}));
  EXPECT_FALSE(table.next(below(kEntry, {4})));
}

TEST(Table, GetsOnlyWhatIsThere) {
  const Table table = rows();
  EXPECT_EQ(std::get<int32_t>(*table.get(below(kEntry, {2, 10, 5}))), 2);
  for (const Oid& name :
       {kEntry, below(kEntry, {2}), below(kEntry, {1, 10}), below(kEntry, {3, 10}),
        below(kEntry, {4, 10}), below(kEntry, {2, 10, 5, 0}), Oid{1, 3}})
    EXPECT_EQ(table.get(name), nullptr);
}

TEST(Table, OfTwoRowsWithOneIndexTheFirstStays) {
  Table table(kEntry, 1);
  table.add({1}, {int32_t{1}});
  table.add({1}, {int32_t{2}});
  table.sort();
  EXPECT_EQ(table.rows(), 1u);
  EXPECT_EQ(std::get<int32_t>(*table.get(below(kEntry, {1, 1}))), 1);
}

// fmdResourceCount is a scalar among tables: fmdStatusMIB.4.0.
TEST(View, AScalarAmongTablesHasItsPlace) {
  std::vector<Table> tables;
  for (const unsigned long number : {5ul, 3ul}) {
    Table table({1, 3, 6, number, 1}, 2);
    table.add({7}, {int32_t{1}});
    tables.push_back(std::move(table));
  }
  Table scalar({1, 3, 6}, 4);
  scalar.add({0}, {uint32_t{99}});
  tables.push_back(std::move(scalar));
  const View view(std::move(tables));
  EXPECT_EQ(walk(view, {1}),
            (std::vector<Oid>{{1, 3, 6, 3, 1, 2, 7}, {1, 3, 6, 4, 0}, {1, 3, 6, 5, 1, 2, 7}}));
  EXPECT_EQ(std::get<uint32_t>(*view.get({1, 3, 6, 4, 0})), 99u);
}

TEST(View, EachNameOfAWalkCanBeAskedFor) {
  std::vector<Table> tables;
  tables.push_back(rows());
  const View view(std::move(tables));
  for (const Oid& name : walk(view, {1})) EXPECT_NE(view.get(name), nullptr);
}

TEST(Cells, DateAndTime) {
  EXPECT_EQ(date_and_time(0), std::string(8, '\0'));
  EXPECT_EQ(date_and_time(1795229321700000000),  // 2026-11-21 02:48:41.7 UTC
            std::string("\x07\xEA\x0B\x15\x02\x30\x29\x07+\0\0", 11));
}

TEST(Cells, ASerialNumberThatIsToldToRootOnlyIsNone) {
  EXPECT_EQ(serial_string("(root only)"), "");
  EXPECT_EQ(serial_string("Z1\x1b"), admin_string("Z1\x1b"));
}

TEST(Cells, ScaledNumbersAreRoundedAndNeverCut) {
  Resource part;
  part.properties = {{"t", 21.26}, {"n", int64_t{-3}}, {"big", 3e6}, {"text", std::string("7")}};
  EXPECT_EQ(scaled(part, "t", 1), 213);
  EXPECT_EQ(scaled(part, "n", 3), -3000);
  EXPECT_EQ(scaled(part, "big", 3), std::nullopt);
  EXPECT_EQ(scaled(part, "text", 0), std::nullopt);
  EXPECT_EQ(scaled(part, "none", 0), std::nullopt);
}

}  // namespace
}  // namespace fmd::snmp
