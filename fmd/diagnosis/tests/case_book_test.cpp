#include "fmd/diagnosis/case_book.h"

#include <gtest/gtest.h>

#include "fmd/base/json.h"
#include "fmd/diagnosis/tests/rig.h"

namespace fmd {
namespace {

using By = CaseBook::By;

class Book : public ::testing::Test {
 protected:
  Book() { book.begin(100); }
  Case& solved(const std::string& uuid, const std::string& asru, const std::string& fru = {}) {
    Case& c = book.open(uuid, asru);
    c.state = CaseState::solved;
    Suspect s;
    s.fault_class = "fault.t";
    s.resource = s.asru = asru;
    s.fru = fru;
    c.suspects.push_back(s);
    book.touch(c);
    return c;
  }
  std::string by(By name, const std::string& fmri) {
    std::string out;
    for (const Case* c : book.by(name, fmri)) out += c->uuid;
    return out;
  }
  void put(const std::string& fmri, const std::string& group) {
    InventoryUpdate update;
    update.source = "t";
    update.resources.emplace_back();
    update.resources[0].fmri = fmri;
    update.resources[0].properties["group"] = group;
    inventory.apply(update);
    book.regroup(fmri);
  }
  std::string news() {
    book.end();
    std::string out;
    for (const CaseNews& n : book.take_news()) out += n.event + ":" + n.uuid + " ";
    return out;
  }
  Inventory inventory;
  CaseBook book{inventory};
};

// A case may change many times before its row is written.
TEST_F(Book, WhatIsDueIsToldEachTimeAndItsRowIsMadeOnce) {
  Case& c = solved("1", "vdev");
  EXPECT_EQ(book.take_due(), std::set<std::string>{"1"});
  EXPECT_TRUE(book.take_due().empty());
  book.touch(c);
  EXPECT_EQ(book.take_due(), std::set<std::string>{"1"});
  std::vector<StateRow> rows;
  EXPECT_TRUE(book.has_rows());
  book.take_changes(rows);
  EXPECT_FALSE(book.has_rows());
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].kind + rows[1].kind, "caseevidence");
  book.discard(c);
  EXPECT_EQ(book.take_due(), std::set<std::string>{"1"}) << "that it is no more, too";
  EXPECT_TRUE(book.has_rows());
}

TEST_F(Book, NewEvidenceIsToldOnceHoweverOftenItCame) {
  Case &a = solved("1", "vdev"), &b = solved("2", "other");
  std::vector<StateRow> rows;
  book.take_changes(rows);
  for (uint64_t seq = 1; seq < 5; ++seq)
    for (Case* c : {&b, &a}) EXPECT_TRUE(book.add_evidence(*c, {seq, 1, "e"}));
  EXPECT_EQ(book.take_going_on(), (std::vector<const Case*>{&b, &a}));
  EXPECT_TRUE(book.take_going_on().empty());
  EXPECT_EQ(book.uncounted(), 2u);
  book.goes_on(a);  // a row of its own is due
  rows.clear();
  book.take_changes(rows);
  book.take_uncounted(rows);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].key + rows[1].key, "12") << "not twice";
  book.add_evidence(a, {9, 1, "e"});
  book.discard(b);
  EXPECT_EQ(book.take_going_on(), std::vector<const Case*>{&a});
  rows.clear();
  book.take_uncounted(rows);
  ASSERT_EQ(rows.size(), 1u);
}

// Its row is written with its own change before that of the others is.
TEST_F(Book, ADiscardedCaseIsNotAmongThoseWithNewEvidence) {
  Case &a = solved("1", "vdev"), &b = solved("2", "other");
  for (Case* c : {&a, &b}) book.add_evidence(*c, {1, 1, "e"});
  book.goes_on(a);
  std::vector<StateRow> rows;
  book.take_changes(rows);
  book.discard(a);
  rows.clear();
  book.take_uncounted(rows);
  EXPECT_TRUE(rows.empty()) << "both are written";
  EXPECT_EQ(book.take_going_on(), std::vector<const Case*>{&b});
}

TEST_F(Book, WhichEventsRepairAnyOfThemIsKnown) {
  Case &a = solved("1", "vdev"), &b = solved("2", "other");
  EXPECT_FALSE(book.any_repaired_by("sysevent.clear"));
  a.suspects[0].repair_on.classes = {"sysevent.clear", "sysevent.pool.*"};
  book.touch(a);
  b.suspects[0].repair_on.classes = {"sysevent.clear"};
  book.touch(b);
  EXPECT_TRUE(book.any_repaired_by("sysevent.clear"));
  EXPECT_TRUE(book.any_repaired_by("sysevent.pool.clear"));
  EXPECT_FALSE(book.any_repaired_by("ereport.clear"));
  book.resolve(a, "resolved", "");
  EXPECT_FALSE(book.any_repaired_by("sysevent.pool.clear"));
  EXPECT_TRUE(book.any_repaired_by("sysevent.clear"));
}

// An event repeats the same query, and its results change the index.
TEST_F(Book, TheLastAnswerIsForgottenWhenACaseIsFiledAnew) {
  EXPECT_EQ(by(By::resource, "vdev"), "");
  Case& c = solved("1", "vdev");
  EXPECT_EQ(by(By::resource, "vdev"), "1");
  solved("2", "vdev");
  EXPECT_EQ(by(By::resource, "vdev"), "12");
  c.suspects[0].resource = "elsewhere";
  book.touch(c);
  EXPECT_EQ(by(By::resource, "vdev"), "2") << "by its ASRU it is another list";
  EXPECT_EQ(by(By::asru, "vdev"), "12");
  book.discard(c);
  EXPECT_EQ(by(By::resource, "elsewhere"), "");
}

TEST_F(Book, FilesCasesUnderTheirSuspectsNames) {
  Case& c = solved("2", "vdev", "disk");
  solved("1", "vdev");
  EXPECT_EQ(by(By::asru, "vdev"), "12") << "by uuid";
  EXPECT_EQ(by(By::resource, "vdev"), "12");
  EXPECT_EQ(by(By::fru, "disk"), "2");
  EXPECT_EQ(by(By::fru, ""), "1") << "nobody knows what to replace";
  c.suspects[0].bay = "bay";
  book.touch(c);
  EXPECT_EQ(by(By::bay, "bay"), "2");
  c.suspects[0].bay = "other";
  book.touch(c);
  EXPECT_EQ(by(By::bay, "bay"), "");
  EXPECT_EQ(by(By::bay, "other"), "2");
}

TEST_F(Book, AWaitingCaseIsFiledUnderItsResourceOnly) {
  Case& c = book.open("1", "vdev");
  EXPECT_EQ(by(By::resource, "vdev"), "1");
  EXPECT_EQ(by(By::asru, "vdev"), "");
  book.discard(c);
  EXPECT_EQ(by(By::resource, "vdev"), "");
  EXPECT_FALSE(book.find("1"));
}

TEST_F(Book, AGroupFollowsTheInventory) {
  solved("1", "vdev");
  put("vdev", "pool");
  EXPECT_EQ(by(By::group, "pool"), "1");
  put("vdev", "other");
  EXPECT_EQ(by(By::group, "pool"), "");
  EXPECT_EQ(by(By::group, "other"), "1");
  solved("2", "vdev");
  EXPECT_EQ(by(By::group, "other"), "12");
}

TEST_F(Book, AResolvedCaseIsUnderNoName) {
  Case& c = solved("1", "vdev", "disk");
  EXPECT_FALSE(book.forget("1")) << "it is open";
  book.resolve(c, "resolved", "done");
  EXPECT_EQ(by(By::asru, "vdev") + by(By::fru, "disk"), "");
  EXPECT_EQ(c.resolved_ns, 100);
  book.say(c, "note", "x");
  put("vdev", "pool");
  EXPECT_EQ(by(By::resource, "vdev") + by(By::group, "pool"), "");
  EXPECT_TRUE(book.open_cases().empty());
  EXPECT_TRUE(book.forget("1"));
  EXPECT_TRUE(book.all().empty());
}

TEST_F(Book, TellsTheFurthestOfACall) {
  const Case& one = solved("1", "a");
  const Case& two = solved("2", "b");
  book.tell("diagnosed", one);
  book.tell("updated", two);
  book.tell("updated", one);
  book.tell("updated", two);
  EXPECT_EQ(news(), "diagnosed:1 updated:2 ");
  book.tell("repaired", one);
  book.tell("resolved", one);
  book.tell("updated", one);
  EXPECT_EQ(news(), "resolved:1 ");
  EXPECT_EQ(news(), "");
}

TEST_F(Book, QuietIsMeasuredFromTheLastEvidence) {
  Case& c = solved("1", "a");
  EXPECT_FALSE(book.next_quiet_ns());
  c.repair_after_ns = 50;
  book.touch(c);
  EXPECT_EQ(book.next_quiet_ns(), 150);
  book.begin(120);
  book.add_evidence(c, {7, 7, "x"});
  EXPECT_EQ(book.next_quiet_ns(), 170);
  book.begin(130);
  book.add_evidence(c, {7, 7, "x"});
  EXPECT_EQ(book.next_quiet_ns(), 170) << "known already";
  book.goes_on(c);
  EXPECT_EQ(book.next_quiet_ns(), 180);
  EXPECT_FALSE(book.take_quiet());
  book.begin(180);
  EXPECT_EQ(book.take_quiet(), &c);
  EXPECT_FALSE(book.take_quiet());
  book.touch(c);
  c.suspects[0].status = SuspectStatus::repaired;
  book.touch(c);
  EXPECT_FALSE(book.next_quiet_ns());
}

TEST_F(Book, EvidenceHasARowOfItsOwn) {
  const auto kinds = [&] {
    std::vector<StateRow> rows;
    book.take_changes(rows);
    std::string out;
    for (const StateRow& row : rows) out += row.kind + row.key + (row.doc.empty() ? "-" : "+");
    return out;
  };
  Case& c = solved("1", "a");
  EXPECT_EQ(kinds(), "case1+evidence1+");
  book.add_evidence(c, {7, 8, "x"});
  EXPECT_EQ(book.take_going_on(), std::vector<const Case*>{&c});
  EXPECT_EQ(kinds(), "") << "the journal has it";
  EXPECT_EQ(book.uncounted(), 1u);
  std::vector<StateRow> rows;
  book.take_uncounted(rows);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].kind + rows[0].key, "evidence1");
  EXPECT_EQ(book.uncounted(), 0u);
  book.goes_on(c);
  EXPECT_EQ(kinds(), "evidence1+") << "no event of the journal says so";
  book.touch(c);
  EXPECT_EQ(kinds(), "case1+");
  book.mark_all_changed();
  EXPECT_EQ(kinds(), "case1+evidence1+");
  book.discard(c);
  EXPECT_EQ(kinds(), "case1-evidence1-");
}

TEST_F(Book, RowsComeBack) {
  Case& c = solved("1", "vdev", "disk");
  c.repair_after_ns = 50;
  book.touch(c);
  book.open("2", "other");
  std::vector<StateRow> rows, evidence;
  book.take_changes(rows);
  book.begin(130);
  book.add_evidence(c, {7, 8, "x"});
  book.take_uncounted(evidence);
  CaseBook again{inventory};
  for (const StateRow& row : rows)
    if (row.kind == "case") {
      ASSERT_TRUE(again.restore(row));
    }
  for (const StateRow& row : evidence) ASSERT_TRUE(again.restore_evidence(row));
  again.file_waiting(*again.find("2"), "other");
  again.file_restored();
  EXPECT_EQ(again.next_quiet_ns(), 180) << "the evidence row is the later one";
  EXPECT_EQ(again.find("1")->evidence.front().event_class, "x");
  EXPECT_EQ(again.by(By::fru, "disk").size(), 1u);
  EXPECT_EQ(again.by(By::resource, "other").size(), 1u);
}

// The case's row came after the evidence's, and has more of it: also after another start.
TEST_F(Book, TheTruerRowOfTwoCounts) {
  Case& c = solved("1", "a");
  book.add_evidence(c, {7, 8, "x"});
  std::vector<StateRow> rows;
  book.take_changes(rows, 7);
  book.add_evidence(c, {9, 10, "x"});
  book.touch(c);
  book.take_changes(rows, 9);
  ASSERT_EQ(rows.size(), 3u);  // case, evidence, case
  CaseBook again{inventory};
  ASSERT_TRUE(again.restore(rows[2]));
  ASSERT_TRUE(again.restore_evidence(rows[1], 5));
  EXPECT_EQ(again.find("1")->evidence_count, 2u);
  again.recount_evidence(*again.find("1"), {9, 10, "x"});
  EXPECT_EQ(again.find("1")->evidence_count, 2u);
  again.recount_evidence(*again.find("1"), {11, 12, "x"});
  EXPECT_EQ(again.find("1")->evidence_count, 3u);
  std::vector<StateRow> next;
  again.take_uncounted(next);
  ASSERT_EQ(next.size(), 1u);
  EXPECT_NE(next[0].doc.find("\"count\":3"), std::string::npos) << next[0].doc;
}

TEST_F(Book, DamagedRowsAreToleratedOrNamed) {
  EXPECT_FALSE(book.restore({"case", "1", "["}));
  EXPECT_FALSE(book.restore({"case", "1", R"({"uuid":"1","state":"LOST"})"}));
  solved("1", "a");
  EXPECT_FALSE(book.restore_evidence({"evidence", "1", "7"}));
  EXPECT_TRUE(book.restore_evidence(
      {"evidence", "1", R"({"count":2,"list":[[1,2,0],[1,2],"x"],"classes":5})"}));
  EXPECT_TRUE(book.find("1")->evidence.empty());
  EXPECT_TRUE(book.restore_evidence({"evidence", "nobody", "{}"})) << "its row goes";
}

TEST(CaseAge, TheOneThatWasSolvedFirst) {
  Case a, b;
  a.uuid = "b";
  b.uuid = "a";
  a.solved_steady_ns = 1;
  b.solved_steady_ns = 2;
  EXPECT_TRUE(is_earlier(a, b) && !is_earlier(b, a));
  b.solved_steady_ns = 1;
  EXPECT_TRUE(is_earlier(b, a) && !is_earlier(a, b));
}

}  // namespace
}  // namespace fmd
