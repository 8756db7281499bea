#include "fmd/core/case.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

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
  s.repair_on = {"x.y"};
  c.suspects = {s};
  c.evidence = {{7, 8, "ereport.x"}};
  c.evidence_count = 9;
  c.timeline = {{5, "note", "text"}};
  c.actions["retire"] = {"done", "detail", 6, 2, "zfs://pool=1"};
  c.retire = {"degraded", true, "scrub", "other", "out-of-service", true};
  c.led = true;
  c.repair_on = {"x.y"};
  c.fault_class = "fault.x";
  c.title = "t";
  c.description = "d";
  c.response = "r";
  c.impact = "i";
  c.action = "a";
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

TEST(Case, RefusesWhatIsNone) {
  for (const char* bad :
       {"[]", "{}", R"({"uuid":5})", R"({"uuid":"u"})", R"({"uuid":"u","state":"NOVEL"})",
        R"({"uuid":"u","state":"SOLVED","suspects":[5]})",
        R"({"uuid":"u","state":"SOLVED","suspects":[{"status":"odd"}]})"})
    EXPECT_FALSE(case_from_json(nlohmann::json::parse(bad))) << bad;
  const auto odd = case_from_json(nlohmann::json::parse(
      R"({"uuid":"u","state":"SOLVED","suspects":{},"evidence":[5],"timeline":5,"actions":[],"facts":{"a":5},"rules":[5],"opened":"x"})"));
  ASSERT_TRUE(odd);
  EXPECT_TRUE(odd->evidence.empty());
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
}

TEST(Case, EvidenceIsNotCountedTwice) {
  Case c;
  EXPECT_TRUE(c.add_evidence({1, 1, "a"}));
  EXPECT_FALSE(c.add_evidence({1, 1, "a"}));
  EXPECT_TRUE(c.add_evidence({0, 1, "a"}));  // without a number nothing says so
  EXPECT_TRUE(c.add_evidence({0, 1, "a"}));
  EXPECT_EQ(c.evidence_count, 3u);
}

}  // namespace
}  // namespace fmd
