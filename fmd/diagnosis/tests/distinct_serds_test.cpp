// SERD engines that count different values of a member.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "fmd/diagnosis/serd_bank.h"
#include "fmd/diagnosis/tests/rig.h"

namespace fmd {
namespace {

using test::kMinute;
using test::kStart;

// Two values of the member within an hour.
std::shared_ptr<const RuleSet> counting(const std::string& member, const std::string& type,
                                        const std::string& more = "") {
  const EventSchema schema = test::schema_of(
      fmt::format("[class.\"ereport.t.error\"]\ndescription = \"x\"\nmembers = {{ {} = \"{}\" }}\n",
                  member, type));
  return test::rules_of(fmt::format(R"(
[[rule]]
name = "values"
kind = "serd"
events = ["ereport.t.error"]
count = 2
count_distinct = "{}"
{}
within = "1h"
fault = "fault.t.x"
[[fault]]
class = "fault.t.x"
dictionary = "T"
number = 1
severity = "Minor"
title = "t"
description = "d"
response = "r"
impact = "i"
action = "a"
)",
                                    member, more),
                        schema);
}

// Sectors of one block are one place.
TEST(DistinctSerds, SectorsOfABlock) {
  const auto rules = counting("sector", "u64?", "count_distinct_block = \"block_bytes\"");
  ASSERT_TRUE(rules);
  InventoryUpdate update;
  update.source = "t";
  for (const auto& [fmri, bytes] : {std::pair("emulated", 4096), {"plain", 512}}) {
    Resource disk;
    disk.fmri = fmri;
    disk.properties["block_bytes"] = Value(int64_t(bytes));
    update.resources.push_back(std::move(disk));
  }
  Inventory inventory;
  inventory.apply(update);
  SerdBank bank{inventory};
  bank.set_rules(rules);
  const auto error = [&](const std::string& disk, uint64_t sector) {
    Event e;
    e.event_class = "ereport.t.error";
    e.resource = disk;
    e.time_ns = kStart + int64_t(sector);
    e.payload.set("sector", sector);
    return bank.take(0, e, e.time_ns) == SerdBank::Taken::fires;
  };
  EXPECT_FALSE(error("emulated", 4656));
  EXPECT_FALSE(error("emulated", 4663));
  EXPECT_TRUE(error("emulated", 4664)) << "the next block";
  EXPECT_FALSE(error("plain", 4656));
  EXPECT_TRUE(error("plain", 4657));
  EXPECT_FALSE(error("not in the inventory", 4656));
  EXPECT_TRUE(error("not in the inventory", 4657));
}

// One value again and again is one; of it the newest counts.
TEST(DistinctSerds, DifferentValuesOfAMember) {
  const auto rules = counting("module", "string?");
  ASSERT_TRUE(rules);
  Inventory inventory;
  SerdBank bank{inventory};
  bank.set_rules(rules);
  const auto error = [&](const std::string& channel, const std::string& module, int64_t minutes) {
    Event e;
    e.event_class = "ereport.t.error";
    e.resource = channel;
    e.time_ns = kStart + minutes * kMinute;
    if (!module.empty()) e.payload.set("module", module);
    return bank.take(0, e, e.time_ns) == SerdBank::Taken::fires;
  };
  for (int64_t i = 0; i < 5; ++i) EXPECT_FALSE(error("c", "A", i));
  EXPECT_FALSE(error("c", "", 5)) << "without the member it says nothing";
  EXPECT_FALSE(error("c", "B", 65)) << "the other was last seen more than an hour before";
  EXPECT_FALSE(error("c", "B", 66));
  EXPECT_TRUE(error("c", "A", 120)) << "of B the newest counts";
  EXPECT_FALSE(error("d", "A", 60));
  EXPECT_FALSE(error("d", "A", 10)) << "a late one of the same";
  EXPECT_TRUE(error("d", "B", 115)) << "and it has not taken the newer one's place";
}

}  // namespace
}  // namespace fmd
