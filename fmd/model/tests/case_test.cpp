#include "fmd/model/case.h"

#include <gtest/gtest.h>

#include "fmd/base/json.h"

namespace fmd {
namespace {

Case full_case() {
  Case c;
  c.uuid = "u";
  c.code = "ZFS-8000-GH";
  c.severity = "Major";
  c.state = CaseState::close_wait;
  c.opened_ns = 1;
  c.solved_ns = 2;
  c.updated_ns = 3;
  c.resolved_ns = 4;
  c.rules = {"a", "b"};
  Suspect s;
  s.fault_class = "fault.x";
  s.certainty = 75;
  s.resource = "zfs://pool=1";
  s.asru = "zfs://pool=2";
  s.fru = "dev://wwn=1";
  s.fru_path = "hc://x=1";
  s.bay = "hc://bay=1";
  s.location = "SLOT \"1\"\n";
  s.serial = "S\xff";
  s.model = "M";
  s.part_number = "P";
  s.device_path = "/dev/sda";
  s.status = SuspectStatus::acquitted;
  s.repair_on = {{"x.y"}, {{"by", {std::string("a"), int64_t{3}}}, {"ok", {true}}}};
  c.suspects = {s};
  c.evidence.push_back({7, 8, "ereport.x"});
  c.evidence_count = 9;
  c.observations = {{8, 7, "rule", "dev://wwn=1", "smart.pending", "20", "18", "10"}};
  c.timeline = {{5, "note", "text"}};
  c.actions = {{ActionKind::spare, "zfs://pool=1", ActionState::refused, Obstacle::no_spare,
                "detail", 6, 2, 3}};
  c.owed = 1;
  c.merged_into = "other";
  c.armed = {"rule"};
  c.solved_steady_ns = 12;
  c.retire = {"degraded", true, "scrub", "other", "out-of-service", true};
  c.led = true;
  c.fault_class = "fault.x";
  c.title = "t";
  c.description = "d";
  c.response = "r";
  c.impact = "i";
  c.action = "a";
  c.replaces = true;
  c.urgency = "soon";
  c.facts = {{"name", "n"}};
  c.repair_after_ns = 10;
  c.last_evidence_ns = 11;
  c.acknowledged = true;
  c.acknowledged_by = "anna";
  c.acknowledged_count = 3;
  return c;
}

TEST(Case, RoundTripsThroughJson) {
  const nlohmann::json doc = to_json(full_case());
  const std::string text = doc.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const auto back = case_from_json(nlohmann::json::parse(text));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(to_json(*back).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), text);
  EXPECT_EQ(back->retire, full_case().retire);
  EXPECT_EQ(back->suspects[0].location, "SLOT \"1\"\n");
  // Nothing is left at its default: a member that is forgotten in one direction shows here.
  const nlohmann::json empty = to_json(Case());
  for (const auto& [key, value] : doc.items()) EXPECT_NE(value, empty[key]) << key;
}

TEST(Case, AnyBytesAreReadAgainAsText) {
  Case many = full_case();
  for (uint64_t seq = 1; seq < 200; ++seq) many.add_evidence({seq, -1, "a \"b\" \x01 \xff"});
  many.facts = {{"a \"{\xff", "{"}};
  many.rules = {"[", "{"};
  many.suspects[0].repair_on.where.emplace_back("none", std::vector<Value>{});
  for (const Case& c : {Case(), full_case(), many}) {
    const auto back = case_from_json(nlohmann::json::parse(to_json_text(c)));
    if (c.uuid.empty()) continue;
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(to_json_text(*back), to_json_text(c));
    EXPECT_EQ(back->evidence.size(), c.evidence.size());
    EXPECT_EQ(back->rules, c.rules);
    EXPECT_EQ(back->facts.size(), c.facts.size());
  }
}

TEST(Case, RefusesWhatIsNone) {
  for (const char* bad :
       {"[]", "{}", R"({"uuid":5})", R"({"uuid":"u"})", R"({"uuid":"u","state":"NOVEL"})",
        R"({"uuid":"u","state":"SOLVED","suspects":[5]})",
        R"({"uuid":"u","state":"SOLVED","suspects":[{"status":"odd"}]})"})
    EXPECT_FALSE(case_from_json(nlohmann::json::parse(bad))) << bad;
  const auto odd = case_from_json(nlohmann::json::parse(
      R"({"uuid":"u","state":"SOLVED","suspects":{},"evidence":[5],"observations":[5],"timeline":5,"actions":[5,{"kind":"novel"}],"facts":{"a":5},"rules":[5],"opened":"x"})"));
  ASSERT_TRUE(odd);
  EXPECT_TRUE(odd->evidence.empty());
  EXPECT_TRUE(odd->observations.empty());
  EXPECT_TRUE(odd->actions.empty());
  EXPECT_EQ(odd->opened_ns, 0);
}

TEST(Case, Names) {
  for (const CaseState s : {CaseState::unsolved, CaseState::solved, CaseState::close_wait,
                            CaseState::closed, CaseState::repaired, CaseState::resolved})
    EXPECT_EQ(*parse_state(state_name(s)), s);
  EXPECT_EQ(state_name(CaseState::close_wait), "CLOSE_WAIT");
  EXPECT_FALSE(parse_state("solved"));
  EXPECT_EQ(*parse_status("replaced"), SuspectStatus::replaced);
  EXPECT_FALSE(parse_status(""));
  for (int i = 0; i <= static_cast<int>(ActionKind::fault_led); ++i)
    EXPECT_EQ(static_cast<int>(*parse_action_kind(action_name(static_cast<ActionKind>(i)))), i);
  for (int i = 0; i <= static_cast<int>(ActionState::dry_run); ++i)
    EXPECT_EQ(static_cast<int>(*parse_action_state(action_state_name(static_cast<ActionState>(i)))),
              i);
  for (int i = 0; i <= static_cast<int>(Obstacle::error); ++i)
    EXPECT_EQ(static_cast<int>(*parse_obstacle(obstacle_name(static_cast<Obstacle>(i)))), i);
}

TEST(Case, ObservationsInWords) {
  constexpr int64_t kTime = 1700000000000000000, kMinute = 60000000000;
  const auto text = [](const std::string& value, const std::string& limit,
                       const std::string& baseline, int64_t ago = 0) {
    return Observation{kTime, kTime - ago, "r", "dev://wwn=1", "p", value, limit, baseline}.text();
  };
  EXPECT_EQ(text("failed", "", ""), "p is failed (rule r)");
  EXPECT_EQ(text("20", "18", "10"), "p is 20, grown from 10 (rule r)");
  EXPECT_EQ(text("101", "100.5", ""), "p is 101, more than 100.5 (rule r)");
  EXPECT_EQ(text("9", "10", ""), "p is 9, less than 10 (rule r)");
  EXPECT_EQ(text("10", "10", ""), "p is 10, at 10 (rule r)");
  EXPECT_EQ(text("hung", "", "", kMinute), "p is hung, since Nov 14 22:12:20 (rule r)");
  EXPECT_EQ(text("a\x1b[31m", "", ""), "p is a\\x1b[31m (rule r)") << "a device's words";
}

TEST(Case, ObservationsAreBounded) {
  Case c;
  for (int i = 1; i <= 40; ++i) c.add_observation({i, i, "r", "", "p", "", "", ""});
  ASSERT_EQ(c.observations.size(), 32u);
  EXPECT_EQ(c.observations[15].time_ns, 16);
  EXPECT_EQ(c.observations[16].time_ns, 25);
}

TEST(Case, OfMuchEvidenceTheFirstAndTheLastAreKeptInTheirOrder) {
  Case c;
  c.uuid = "u";
  for (uint64_t seq = 1; seq <= 1000; ++seq) {
    ASSERT_TRUE(c.add_evidence({seq, 1, seq % 2 != 0 ? "odd" : "even"}));
    EXPECT_FALSE(c.add_evidence({seq, 1, "again"}));
    if (seq % 97 != 0 && seq < 999) continue;
    for (const Case& one : {Case(c), *case_from_json(to_json(c))}) {
      std::vector<uint64_t> expected, found;
      for (uint64_t s = 1; s <= seq; ++s)
        if (s <= 64 || s + 64 > seq) expected.push_back(s);
      for (const Evidence& e : one.evidence) {
        found.push_back(e.seq);
        EXPECT_EQ(e.event_class, e.seq % 2 != 0 ? "odd" : "even");
      }
      EXPECT_EQ(found, expected) << seq;
      EXPECT_EQ(one.evidence.back().seq, seq);
      EXPECT_EQ(one.evidence_count, seq);
    }
  }
}

TEST(Case, EvidenceIsNotCountedTwice) {
  Case c;
  EXPECT_TRUE(c.add_evidence({1, 1, "a"}));
  EXPECT_FALSE(c.add_evidence({1, 1, "a"}));
  EXPECT_TRUE(c.add_evidence({0, 1, "a"}));  // without a number nothing says so
  EXPECT_TRUE(c.add_evidence({0, 1, "a"}));
  EXPECT_EQ(c.evidence_count, 3u);
}

// Whatever order they come in, and when what is known of them was read from a row.
TEST(Case, EvidenceThatComesLateIsNotCountedTwiceEither) {
  Case c;
  c.uuid = "u";
  for (const uint64_t seq : {5, 9, 7, 2}) EXPECT_TRUE(c.add_evidence({seq, 1, "a"})) << seq;
  for (Case one : {c, *case_from_json(to_json(c))}) {
    for (const uint64_t seq : {2, 9, 5, 7}) EXPECT_FALSE(one.add_evidence({seq, 1, "a"})) << seq;
    EXPECT_TRUE(one.add_evidence({6, 1, "a"}));
    EXPECT_TRUE(one.add_evidence({10, 1, "a"}));
    EXPECT_FALSE(one.add_evidence({6, 1, "a"}));
    EXPECT_EQ(one.evidence_count, 6u);
  }
}

}  // namespace
}  // namespace fmd
