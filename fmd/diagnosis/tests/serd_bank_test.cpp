#include "fmd/diagnosis/serd_bank.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "fmd/diagnosis/tests/rig.h"

namespace fmd {
namespace {

using test::kMinute;
using test::kSecond;
using test::kStart;
using test::Rig;

class Serds : public ::testing::Test {
 protected:
  Serds() { bank.set_rules(rules); }
  uint32_t rule(std::string_view name) const {
    return static_cast<uint32_t>(rules->find(name) - rules->rules().data());
  }
  // True when the last of them makes it fire.
  bool errors(int count, const std::string& resource, int64_t from_ns,
              const std::string& of = "errors") {
    bool fired = false;
    for (int i = 0; i < count; ++i) {
      Event e;
      e.seq = ++seq;
      e.event_class = "ereport.t.error";
      e.resource = resource;
      e.time_ns = from_ns + i * kSecond;
      fired = bank.take(rule(of), e, e.time_ns) == SerdBank::Taken::fires;
    }
    return fired;
  }
  void put(const std::string& fmri, const Rig::Properties& properties,
           const std::vector<Edge>& edges = {}) {
    InventoryUpdate update;
    update.source = "t";
    Resource r;
    r.fmri = fmri;
    for (const auto& [name, value] : properties) r.properties[name] = value;
    r.edges = edges;
    update.resources.push_back(std::move(r));
    inventory.apply(update);
  }
  size_t counted() const { return bank.view().size(); }
  std::string changed() {
    std::vector<StateRow> rows;
    bank.take_changes(rows);
    std::string out;
    for (const StateRow& row : rows) out += row.key + (row.doc.empty() ? " gone\n" : "\n");
    return out;
  }

  EventSchema schema = test::schema_of(test::kSchema);
  std::shared_ptr<const RuleSet> rules = test::rules_of(test::kRules, schema);
  Inventory inventory;
  SerdBank bank{inventory};
  uint64_t seq = 0;
};

TEST_F(Serds, FiresOnceAndSaysWhatLedToIt) {
  EXPECT_FALSE(errors(2, "a", kStart));
  EXPECT_FALSE(errors(2, "b", kStart));
  EXPECT_TRUE(errors(1, "a", kStart + 5 * kSecond));
  EXPECT_FALSE(errors(3, "a", kStart + 6 * kSecond)) << "silent until reset";
  const std::vector<Evidence> evidence = bank.evidence(rule("errors"), "a");
  ASSERT_EQ(evidence.size(), 3u);
  EXPECT_EQ(evidence[2].seq, 5u);
  EXPECT_EQ(evidence[2].event_class, "ereport.t.error");
  EXPECT_TRUE(bank.evidence(rule("others"), "a").empty());
  bank.reset("a");
  EXPECT_TRUE(errors(3, "a", kStart + kMinute));
}

TEST_F(Serds, AResetIsOfOneRuleOrOfAll) {
  errors(1, "a", kStart);
  errors(1, "a", kStart, "others");
  errors(1, "b", kStart);
  bank.reset("errors", "a");
  ASSERT_EQ(counted(), 2u);
  EXPECT_EQ(bank.view()[0].resource, "b");
  bank.reset("errors", "nobody");
  bank.reset("a");
  EXPECT_EQ(counted(), 1u);
}

TEST_F(Serds, AResourcesOwnNumbersGoFirst) {
  put("pool", {{"error_n", int64_t{5}}, {"error_t", int64_t{10}}},
      {{Relation::redundancy, "a"}, {Relation::redundancy, "b"}});
  put("a", {});
  put("b", {{"error_n", int64_t{2}}});
  EXPECT_FALSE(errors(4, "a", kStart));
  EXPECT_TRUE(errors(2, "b", kStart));
  EXPECT_TRUE(errors(1, "a", kStart + 9 * kSecond));
  // A new number counts from the next error on, with what was counted.
  put("c", {{"error_n", int64_t{100}}});
  EXPECT_FALSE(errors(4, "c", kStart));
  put("c", {{"error_n", int64_t{4}}});
  EXPECT_TRUE(errors(1, "c", kStart + 6 * kSecond));
  // Nonsense is passed over.
  put("d", {{"error_n", int64_t{0}}, {"error_t", std::string("-")}});
  EXPECT_TRUE(errors(3, "d", kStart));
}

TEST_F(Serds, NumbersThatComeLaterThanTheErrorsMakeThemEnough) {
  const auto firing = [&](const std::string& resource, int64_t now) {
    std::string out;
    for (const auto& [rule, fires] : bank.renumber(resource, now)) out += fires + " ";
    return out;
  };
  put("pool", {}, {{Relation::redundancy, "a"}, {Relation::redundancy, "b"}});
  put("a", {});
  put("b", {});
  errors(2, "a", kStart);
  errors(1, "b", kStart);
  EXPECT_EQ(firing("a", kStart + kSecond), "") << "they have none";
  put("a", {{"error_n", int64_t{2}}});
  EXPECT_EQ(firing("b", kStart + kSecond), "");
  EXPECT_EQ(firing("a", kStart + kSecond), "a ");
  EXPECT_EQ(firing("a", kStart + kSecond), "") << "once";
  EXPECT_FALSE(errors(5, "a", kStart + 2 * kSecond));
  put("pool", {{"error_n", int64_t{1}}},
      {{Relation::redundancy, "a"}, {Relation::redundancy, "b"}, {Relation::redundancy, "pool"}});
  EXPECT_EQ(firing("pool", kStart + kSecond), "b ") << "of its parts too";
  put("c", {{"error_n", int64_t{5}}});
  errors(1, "c", kStart);
  errors(1, "c", kStart + 8 * kSecond);
  put("c", {{"error_n", int64_t{2}}, {"error_t", int64_t{7}}});
  EXPECT_EQ(firing("c", kStart + 9 * kSecond), "") << "too far apart";
  put("c", {{"error_n", int64_t{2}}, {"error_t", int64_t{8}}});
  EXPECT_EQ(firing("c", kStart + 9 * kSecond), "c ");
  errors(1, "d", kStart);
  put("d", {{"error_n", int64_t{1}}, {"error_t", int64_t{8}}});
  EXPECT_EQ(firing("d", kStart + 9 * kSecond), "") << "long over";
}

TEST_F(Serds, ShowsItsEngines) {
  errors(2, Rig::vdev(1), kStart);
  const auto engines = bank.view();
  ASSERT_EQ(engines.size(), 1u);
  EXPECT_EQ(engines[0].rule, "errors");
  EXPECT_EQ(engines[0].resource, Rig::vdev(1));
  EXPECT_EQ(engines[0].count, 2u);
  EXPECT_EQ(engines[0].n, 3u);
  EXPECT_EQ(engines[0].newest_ns, kStart + kSecond);
  EXPECT_FALSE(engines[0].fired);
}

TEST_F(Serds, MemoryStaysBounded) {
  // A source that makes up resources: a quarter of a million, each once.
  for (int i = 0; i < 262144; ++i) {
    errors(1, "zfs://pool=9/vdev=" + std::to_string(i), kStart + i * 1000);
    bank.sweep_if_due(kStart + i * 1000);
  }
  EXPECT_LE(counted(), 200000u);
}

TEST_F(Serds, WhatNobodyHeardOfForDaysGoesWhenRoomIsNeeded) {
  for (int i = 0; i < 4000; ++i) errors(1, "old" + std::to_string(i), kStart);
  const int64_t later = kStart + 48 * 60 * kMinute;
  for (int i = 0; i < 96; ++i) errors(1, "new" + std::to_string(i), later);
  EXPECT_EQ(counted(), 4096u);
  bank.sweep_if_due(later);
  EXPECT_EQ(counted(), 96u);
  bank.sweep_if_due(later + 48 * 60 * kMinute);
  EXPECT_EQ(counted(), 96u) << "not due again";
}

TEST_F(Serds, RowsAreWrittenOnceAChangeAndComeBack) {
  errors(2, "a", kStart);
  errors(1, "b", kStart);
  EXPECT_EQ(changed(), "errors a\nerrors b\n");
  EXPECT_EQ(changed(), "");
  bank.reset("b");
  EXPECT_EQ(changed(), "errors b gone\n");
  bank.mark_all_changed();
  std::vector<StateRow> rows;
  bank.take_changes(rows);
  ASSERT_EQ(rows.size(), 1u);
  SerdBank again{inventory};
  again.set_rules(rules);
  ASSERT_TRUE(again.restore(rows[0]));
  EXPECT_EQ(again.view().at(0).count, 2u);
  EXPECT_EQ(again.evidence(rule("errors"), "a").at(1).event_class, "ereport.t.error");
}

TEST_F(Serds, WhatHasFiredForNobodyIsReset) {
  errors(3, "a", kStart);
  errors(3, "b", kStart);
  errors(1, "c", kStart);
  bank.drop_silent([](const std::string& resource) { return resource == "b"; });
  ASSERT_EQ(counted(), 2u);
  EXPECT_EQ(bank.view()[0].resource, "b");
  EXPECT_EQ(bank.view()[1].resource, "c");
}

TEST_F(Serds, ARowOfARuleThatIsNoMoreGoes) {
  EXPECT_TRUE(bank.restore({"serd", "norule a", "{}"}));
  EXPECT_TRUE(bank.restore({"serd", "dead a", "{}"})) << "not one that counts";
  EXPECT_EQ(changed(), "norule a gone\ndead a gone\n");
  EXPECT_FALSE(bank.restore({"serd", "errors a", "[1]"}));
  EXPECT_FALSE(bank.restore({"serd", "errors", "{}"}));
}

const char* const kByError = R"([[rule]]
name = "errors"
kind = "serd"
events = ["ereport.t.error"]
count = 3
within = "1min"
count_by = "ena"
culprits_at_most = "parity"
fault = "fault.t.errors"

[[fault]]
class = "fault.t.errors"
dictionary = "T"
number = 1
severity = "Major"
title = "t"
description = "d"
response = "r"
impact = "i"
action = "a"
)";

// A raidz of four disks, one of them with its spare; what one block's reading posts has one ENA.
class OneError : public Serds {
 protected:
  OneError() {
    rules = test::rules_of(kByError, schema);
    bank.set_rules(rules);
    whole(1);
  }
  void whole(int64_t parity) {
    const auto parts = [](std::initializer_list<const char*> names) {
      std::vector<Edge> edges;
      for (const char* name : names) edges.push_back({Relation::redundancy, name});
      return edges;
    };
    put("raidz", {{"parity", parity}}, parts({"a", "b", "c", "spare"}));
    put("spare", {}, parts({"d", "e"}));
  }
  bool error(const std::string& resource, uint64_t ena, int64_t at_ns) {
    Event e;
    e.seq = ++seq;
    e.ena = ena;
    e.event_class = "ereport.t.error";
    e.resource = resource;
    e.time_ns = at_ns;
    e.payload_json = std::to_string(seq);
    return bank.take(0, e, e.time_ns) == SerdBank::Taken::fires;
  }
  uint64_t count(const std::string& resource) const {
    for (const SerdView& v : bank.view())
      if (v.resource == resource) return v.count;
    return 0;
  }
};

TEST_F(OneError, CountsOnceHoweverManyEventsItHas) {
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(error("a", 1, kStart + i));
  EXPECT_EQ(count("a"), 1u);
  EXPECT_FALSE(error("a", 2, kStart + kSecond));
  EXPECT_FALSE(error("a", 1, kStart + 2 * kSecond));
  EXPECT_TRUE(error("a", 3, kStart + 3 * kSecond));
}

TEST_F(OneError, WithoutAnEnaEachEventIsOne) {
  EXPECT_FALSE(error("a", 0, kStart));
  EXPECT_FALSE(error("a", 0, kStart));
  EXPECT_TRUE(error("a", 0, kStart));
}

TEST_F(OneError, ThatNamesMoreThanCanBeAtFaultAccusesNone) {
  for (uint64_t ena = 1; ena < 10; ++ena)
    for (const char* disk : {"a", "b", "c", "a", "d", "c"})
      EXPECT_FALSE(error(disk, ena, kStart + static_cast<int64_t>(ena) * kSecond));
  for (const char* disk : {"a", "b", "c", "d"}) EXPECT_EQ(count(disk), 0u) << disk;
  for (uint64_t ena = 11; ena < 13; ++ena) EXPECT_FALSE(error("b", ena, kStart + kMinute));
  EXPECT_TRUE(error("b", 13, kStart + kMinute)) << "its own still count";
}

TEST_F(OneError, AsManyAsTheParityMayAllBeBad) {
  whole(2);
  for (uint64_t ena = 1; ena < 3; ++ena)
    for (const char* disk : {"a", "b"}) EXPECT_FALSE(error(disk, ena, kStart));
  EXPECT_TRUE(error("a", 3, kStart));
  EXPECT_TRUE(error("b", 3, kStart));
}

TEST_F(OneError, ADiskAndItsSpareAreOnePart) {
  for (uint64_t ena = 1; ena < 3; ++ena)
    for (const char* disk : {"d", "e"}) EXPECT_FALSE(error(disk, ena, kStart));
  EXPECT_EQ(count("d"), 2u);
  EXPECT_EQ(count("e"), 2u);
  EXPECT_FALSE(error("a", 1, kStart));
  EXPECT_EQ(count("d"), 1u);
}

TEST_F(OneError, OneThatHasFiredIsStillAWitness) {
  for (uint64_t ena = 1; ena <= 3; ++ena) error("a", ena, kStart);
  for (uint64_t ena = 4; ena < 9; ++ena) {
    EXPECT_FALSE(error("a", ena, kStart));
    EXPECT_FALSE(error("b", ena, kStart));
  }
  EXPECT_EQ(count("b"), 0u);
}

TEST_F(OneError, WithdrawnItStaysSoOverARestart) {
  for (const char* disk : {"a", "b"}) error(disk, 1, kStart);
  std::vector<StateRow> rows;
  bank.take_changes(rows);
  SerdBank again{inventory};
  again.set_rules(rules);
  for (const StateRow& row : rows) ASSERT_TRUE(again.restore(row));
  Event late;
  late.ena = 1;
  late.resource = "c";
  late.event_class = "ereport.t.error";
  late.time_ns = kStart;
  EXPECT_NE(again.take(0, late, kStart), SerdBank::Taken::fires);
  for (const SerdView& v : again.view()) EXPECT_EQ(v.count, 0u) << v.resource;
}

TEST_F(OneError, WithNothingAboveThatKnowsEachCountsForItself) {
  put("mirror", {}, {{Relation::redundancy, "x"}, {Relation::redundancy, "y"}});
  for (uint64_t ena = 1; ena < 3; ++ena)
    for (const char* disk : {"x", "y"}) EXPECT_FALSE(error(disk, ena, kStart));
  EXPECT_TRUE(error("x", 3, kStart));
  EXPECT_TRUE(error("y", 3, kStart));
}

// What nobody may know is not asked around for: with and without that, the same is counted. A model
// that asks all: an error that more disks of one raidz have named than its parity says accuses none.
TEST_F(OneError, AsIfEverybodyWereAsked) {
  constexpr int kWholes = 6, kDisks = 8, kParity = 2;
  std::string many = kByError;
  many.replace(many.find("count = 3"), 9, "count = 1000");
  rules = test::rules_of(many.c_str(), schema);
  bank.set_rules(rules);
  std::map<std::string, std::map<uint64_t, std::set<std::string>>> named;  // raidz → error → disks
  for (int w = 0; w < kWholes; ++w) {
    std::vector<Edge> edges;
    for (int d = 0; d < kDisks; ++d)
      edges.push_back({Relation::redundancy, "w" + std::to_string(w) + "d" + std::to_string(d)});
    put("w" + std::to_string(w), {{"parity", int64_t{kParity}}}, edges);
  }
  std::mt19937 random(11);
  uint64_t newest = 1;
  // More errors than the book of known errors holds before it is rebuilt.
  for (int i = 0; i < 12000; ++i) {
    const uint64_t ena =
        random() % 3 == 0 ? ++newest : newest - random() % std::min<uint64_t>(newest, 4);
    const std::string whole = "w" + std::to_string(random() % kWholes);
    const std::string disk = whole + "d" + std::to_string(random() % kDisks);
    error(disk, ena, kStart + i);
    named[whole][ena].insert(disk);
  }
  ASSERT_GT(newest, 3 * KnownErrors::kFewest);
  std::map<std::string, uint64_t> counts;
  for (const SerdView& v : bank.view()) counts[v.resource] = v.count;
  size_t shared = 0;
  for (int w = 0; w < kWholes; ++w)
    for (int d = 0; d < kDisks; ++d) {
      const std::string whole = "w" + std::to_string(w), disk = whole + "d" + std::to_string(d);
      uint64_t expected = 0;
      for (const auto& [ena, disks] : named[whole]) {
        shared += disks.size() > kParity;
        expected += disks.contains(disk) && disks.size() <= kParity;
      }
      EXPECT_EQ(counts[disk], std::min<uint64_t>(expected, 1000)) << disk;
    }
  EXPECT_GT(shared, 1000u);
}

TEST_F(OneError, IsStillKnownAfterARestartAndByOtherRules) {
  error("a", 1, kStart);
  std::vector<StateRow> rows;
  bank.take_changes(rows);
  SerdBank again{inventory};
  again.set_rules(rules);
  for (const StateRow& row : rows) ASSERT_TRUE(again.restore(row));
  again.set_rules(rules);
  Event second;
  second.ena = 1;
  second.resource = "b";
  second.event_class = "ereport.t.error";
  second.time_ns = kStart;
  EXPECT_EQ(again.take(0, second, kStart), SerdBank::Taken::no);
  for (const SerdView& v : again.view()) EXPECT_EQ(v.count, 0u) << v.resource;
}

// Several rules may count the same events: what the first has counted is new to the second all the same, or each
// event of a storm would be looked for among all the disks of its raidz.
TEST(KnownErrors, NamesAllThatAreKnownAndFewOthers) {
  std::mt19937 random(7);
  const auto any = [&] { return static_cast<uint32_t>(random()); };
  for (const size_t many : {KnownErrors::kFewest / 2, size_t{50'000}}) {
    KnownErrors known;
    known.reset(many);
    std::vector<uint32_t> hashes;
    for (; !known.is_stale(); known.add(2, hashes.back())) hashes.push_back(any());
    EXPECT_GE(hashes.size(), 2 * many);
    for (const uint32_t hash : hashes) ASSERT_TRUE(known.may_know(2, hash));
    // Neither another rule's nor new ones, but for a few.
    size_t others = 0, fresh = 0;
    for (const uint32_t hash : hashes) others += known.may_know(3, hash);
    for (size_t i = 0; i < hashes.size(); ++i) fresh += known.may_know(2, any());
    EXPECT_LT(others, hashes.size() / 400);
    EXPECT_LT(fresh, hashes.size() / 400);
  }
}

}  // namespace
}  // namespace fmd
