#include "fmd/diagnosis/hold_bank.h"

#include <gtest/gtest.h>

#include "fmd/diagnosis/tests/rig.h"

namespace fmd {
namespace {

std::string changes(HoldBank& bank) {
  std::vector<StateRow> rows;
  bank.take_changes(rows);
  std::string out;
  for (const StateRow& row : rows) out += row.kind + " " + row.key + " " + row.doc + "\n";
  return out;
}

TEST(HoldBank, RemembersWhatWaits) {
  HoldBank bank;
  bank.begin({"r1", "a"}, "1", 30);
  bank.begin({"r1", "b"}, "2", 10);
  bank.begin({"r2", "a"}, "3", 20);
  EXPECT_TRUE(bank.waits({"r1", "a"}));
  EXPECT_FALSE(bank.waits({"r2", "b"}));
  EXPECT_EQ(bank.about("r1").size(), 2u);
  EXPECT_EQ(bank.of_case("3"), (RuleKey{"r2", "a"}));
  EXPECT_EQ(bank.next_deadline_ns(), 10);
  EXPECT_EQ(bank.end({"r1", "b"}), "2");
  EXPECT_FALSE(bank.end({"r1", "b"}));
  EXPECT_FALSE(bank.of_case("2"));
  EXPECT_FALSE(bank.take_due(19));
  const auto over = bank.take_due(25);
  ASSERT_TRUE(over);
  EXPECT_EQ(over->hold.uuid, "3");
  EXPECT_EQ(over->key, (RuleKey{"r2", "a"}));
  EXPECT_FALSE(bank.waits(over->key)) << "what has run out waits no more";
  EXPECT_FALSE(bank.take_due(25));
}

TEST(HoldBank, AnotherBeginsInPlaceOfTheFirst) {
  HoldBank bank;
  bank.begin({"r", "a"}, "1", 30);
  bank.begin({"r", "a"}, "2", 40);
  EXPECT_FALSE(bank.of_case("1"));
  EXPECT_EQ(bank.all().size(), 1u);
  EXPECT_EQ(bank.next_deadline_ns(), 40);
}

TEST(HoldBank, RowsComeBack) {
  HoldBank bank;
  bank.begin({"zfs://pool=1 x", "a"}, "1", 30);
  EXPECT_EQ(changes(bank), "hold a zfs://pool=1 x {\"deadline\":30,\"uuid\":\"1\"}\n");
  EXPECT_EQ(changes(bank), "");
  bank.mark_all_changed();
  std::vector<StateRow> rows;
  bank.take_changes(rows);
  HoldBank again;
  ASSERT_TRUE(again.restore(rows.at(0)));
  EXPECT_EQ(again.next_deadline_ns(), 30);
  EXPECT_EQ(again.of_case("1"), (RuleKey{"zfs://pool=1 x", "a"}));
  EXPECT_EQ(changes(again), "");
  again.end({"zfs://pool=1 x", "a"});
  EXPECT_EQ(changes(again), "hold a zfs://pool=1 x \n");
}

// Otherwise an absent part would be waited for again after each start.
TEST(HoldBank, ThatItWaitsForWhatHasLeftIsKept) {
  HoldBank bank;
  Hold hold;
  hold.uuid = "1";
  hold.gone = true;
  bank.begin({"r", "a"}, hold, 30);
  std::vector<StateRow> rows;
  bank.take_changes(rows);
  HoldBank again;
  ASSERT_TRUE(again.restore(rows.at(0)));
  EXPECT_TRUE(again.find({"r", "a"})->gone);
}

TEST(HoldBank, DamagedRowsAreNamed) {
  HoldBank bank;
  EXPECT_EQ(bank.restore({"hold", "noblank", "{}"}).error().message,
            "stored hold \"noblank\" has no resource");
  EXPECT_EQ(bank.restore({"hold", "a r", "["}).error().message,
            "stored hold \"a r\" is not a JSON object");
  // Of another release: no deadline that it knows, so it is over.
  ASSERT_TRUE(bank.restore({"hold", "a r", R"({"uuid":7,"deadline_wall":"x"})"}));
  EXPECT_TRUE(bank.take_due(0));
}

}  // namespace
}  // namespace fmd
