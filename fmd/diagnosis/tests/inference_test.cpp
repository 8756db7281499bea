// The inference beside the verdicts: what the engine learns, as items and odds.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "fmd/diagnosis/inference.h"
#include "fmd/diagnosis/tests/rig.h"

namespace fmd::test {
namespace {

using blame::Account;
using blame::Explanation;
using Kind = Explanation::Kind;

constexpr const char* kInferenceRules = R"(
[[rule]]
name = "io"
kind = "serd"
events = ["ereport.t.error"]
count = 3
within = "10min"
fault = "fault.fs.zfs.vdev.io"

[[rule]]
name = "wrong"
kind = "serd"
events = ["ereport.t.other"]
count = 10
within = "10min"
fault = "fault.fs.zfs.vdev.checksum"

[[rule]]
name = "shared"
kind = "cause"
faults = ["fault.fs.zfs.vdev.io", "fault.fs.zfs.vdev.checksum"]
along = ["path"]
parts = "disk"
wait = "5s"
well = 0.9
fault = "fault.t.shared"

[[rule]]
name = "spoilt"
kind = "cause"
faults = ["fault.fs.zfs.vdev.checksum"]
in_common = "machine itself"
parts = "disk"
wait = "0s"
fault = "fault.t.shared"
)";

std::string inference_rules() {
  constexpr const char* kOnDisk = "[fault.fru]\nfollow = \"redundancy\"\nscheme = \"dev\"";
  return kInferenceRules + a_fault("fault.t.shared", 3, "Critical", "") +
         a_fault("fault.fs.zfs.vdev.io", 1, "Major", kOnDisk) +
         a_fault("fault.fs.zfs.vdev.checksum", 2, "Major", kOnDisk);
}

constexpr int kDisks = 12;
constexpr int64_t kHour = 60 * kMinute;

// Eight disks behind the first controller, the others behind the second.
class InferenceTest : public testing::Test {
 protected:
  InferenceTest() : rig(inference_rules()) {
    for (int i = 1; i <= kDisks; ++i) {
      rig.put_disk(i, kStart);
      rig.put(Rig::disk(i), "disk", {{"serial", std::to_string(i)}}, {}, kStart);
    }
    for (int hba = 0; hba < 2; ++hba) {
      std::vector<Edge> edges;
      for (int i = hba ? 9 : 1; i <= (hba ? kDisks : 8); ++i)
        edges.push_back({Relation::path, Rig::disk(i)});
      rig.put(name(hba), "hba", {}, edges, kStart);
    }
    rig.put("zfs://pool=1/vdev=100", "zfs-vdev", {{"vdev_type", "raidz2"}, {"parity", 2}},
            group_edges(), kStart);
  }
  static std::string name(int hba) { return "dev://pci=" + std::to_string(hba); }
  static std::vector<Edge> group_edges() {
    std::vector<Edge> out;
    for (int i = 1; i <= 8; ++i) out.push_back({Relation::redundancy, Rig::vdev(i)});
    return out;
  }

  std::vector<Account> about(const std::string& part, int64_t now) {
    return rig.engine->explanations_of_part(part, now);
  }
  void fail_disks(int count, int64_t from, int64_t gap) {
    for (int i = 0; i < count; ++i) rig.errors(3, Rig::vdev(i + 1), from + i * gap, kSecond);
    rig.engine->on_time(from + count * gap + 10 * kSecond);
  }

  Rig rig;
};

TEST_F(InferenceTest, DisksBehindOneControllerAreItsItems) {
  fail_disks(8, kStart + kMinute, kMinute);
  const auto found = about("", kStart + 10 * kMinute);
  ASSERT_EQ(found.size(), 1u) << "one cause, one account";
  const Explanation& best = found[0].explanations.front();
  ASSERT_EQ(best.kind, Kind::hub);
  EXPECT_EQ(best.names, std::vector<std::string>{name(0)});
  EXPECT_EQ(best.parts.size(), 8u);
  EXPECT_EQ(best.of, 8u);
  const auto hands = std::find_if(found[0].explanations.begin(), found[0].explanations.end(),
                                  [](const auto& one) { return one.kind == Kind::hands; });
  ASSERT_NE(hands, found[0].explanations.end());
  EXPECT_EQ(hands->group, "zfs://pool=1/vdev=100");
  EXPECT_EQ(hands->tolerance, 2u);
  EXPECT_EQ(about(name(0), kStart + 10 * kMinute).size(), 1u) << "asked by its controller";
  EXPECT_TRUE(about(name(1), kStart + 10 * kMinute).empty());
}

TEST_F(InferenceTest, ALoneDiskIsItself) {
  fail_disks(1, kStart + kMinute, 0);
  for (const std::string& part : {Rig::disk(1), Rig::vdev(1)}) {
    const auto found = about(part, kStart + 10 * kMinute);
    ASSERT_EQ(found.size(), 1u) << part;
    EXPECT_EQ(found[0].part, Rig::disk(1));
    EXPECT_TRUE(found[0].hard);
    EXPECT_EQ(found[0].explanations.front().kind, Kind::alone);
  }
  const std::string uuid = rig.only_case().uuid;
  EXPECT_EQ(rig.engine->explanations_of_case(uuid, kStart + 10 * kMinute).size(), 1u);
}

TEST_F(InferenceTest, SignsBelowARulesCountAreEvidence) {
  for (int round = 0; round < 5; ++round)
    for (int i = 1; i <= 8; ++i)
      rig.send("ereport.t.other", Rig::vdev(i), kStart + kMinute + round * kMinute + i * kSecond);
  EXPECT_TRUE(rig.engine->cases().empty());
  const auto found = about(Rig::disk(3), kStart + 10 * kMinute);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].hard);
  EXPECT_EQ(found[0].way, blame::Way::data);
  EXPECT_EQ(found[0].explanations.front().names, std::vector<std::string>{name(0)});
}

TEST_F(InferenceTest, ADiskThatLeavesAndReturns) {
  const auto put = [&](bool present, Moment now) {
    if (present)
      rig.put(Rig::disk(2), "disk", {{"serial", "2"}}, {}, now);
    else
      rig.gone(Rig::disk(2), "removed", now);
  };
  put(false, kStart + kMinute);
  auto found = about(Rig::disk(2), kStart + 2 * kMinute);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].hard);
  put(true, kStart + 3 * kMinute);
  EXPECT_EQ(about(Rig::disk(2), kStart + kMinute * 4).size(), 1u) << "evidence for a day";
  EXPECT_TRUE(about(Rig::disk(2), kStart + 2 * kDay).empty());
}

TEST_F(InferenceTest, AnEndedFindingEndsItsItem) {
  fail_disks(1, kStart + kMinute, 0);
  const std::string uuid = rig.only_case().uuid;
  ASSERT_TRUE(rig.engine->judge(Judgement::repaired, uuid, "", "me", kStart + kHour));
  fail_disks(1, kStart + 2 * kHour, 0);
  const auto found = about(Rig::disk(1), kStart + 3 * kHour);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_GE(found[0].onset_ns, kStart + 2 * kHour) << "a new item";
}

TEST_F(InferenceTest, OfflineByAnAdministratorIsNoEvidence) {
  fail_disks(8, kStart + kMinute, kSecond);
  for (int i = 1; i <= 8; ++i)
    rig.put(Rig::vdev(i), "zfs-vdev", {{"state", "OFFLINE"}},
            {{Relation::redundancy, Rig::disk(i)}}, kStart + 2 * kMinute);
  for (const Account& one : about("", kStart + 3 * kMinute))
    EXPECT_NE(one.explanations.front().kind, Kind::hub) << one.part;
}

TEST_F(InferenceTest, ASilentPluginIsNoHealth) {
  fail_disks(2, kStart + kMinute, 10 * kSecond);
  const auto odds = [&] {
    const auto found = about(Rig::disk(1), kStart + 5 * kHour);
    for (const Explanation& one : found.at(0).explanations)
      if (one.kind == Kind::alone) return one.log_odds;
    return 1.0;
  };
  const double heard = odds();
  rig.put("fmd://plugin=zfs", "plugin", {{"state", "dead"}}, {}, kStart + 90 * kSecond);
  EXPECT_LT(odds(), heard) << "the other disks may fail as well";
}

std::multiset<std::string> told(const std::vector<Account>& accounts) {
  std::multiset<std::string> out;
  for (const Account& one : accounts)
    for (const Explanation& e : one.explanations)
      out.insert(one.part + " " + std::to_string(static_cast<int>(e.kind)) + " " +
                 std::to_string(e.parts.size()) + " " + std::to_string(e.log_odds));
  return out;
}

TEST_F(InferenceTest, RestartsGiveTheSameOdds) {
  Rows rows;
  keep(*rig.engine, rows);
  for (int i = 0; i < 8; ++i) {
    rig.errors(i % 2 ? 3 : 2, Rig::vdev(i + 1), kStart + kMinute + i * kMinute);
    keep(*rig.engine, rows, i % 3 == 0);
    const int64_t now = kStart + kMinute + i * kMinute + 10 * kSecond;
    const auto before = told(about("", now));
    restart(rig, rows);
    rig.engine->on_time(now);
    EXPECT_EQ(told(about("", now)), before) << i;
    EXPECT_FALSE(before.empty());
  }
}

TEST_F(InferenceTest, EvidenceIsDerivedFromTheRules) {
  const FaultEvidences all = fault_evidence(*rig.rules);
  EXPECT_EQ(all.at("fault.fs.zfs.vdev.io").way, blame::Way::path);
  EXPECT_EQ(all.at("fault.fs.zfs.vdev.checksum").way, blame::Way::data);
  EXPECT_TRUE(all.at("fault.fs.zfs.vdev.checksum").sign.hard);
  EXPECT_FALSE(all.at("fault.fs.zfs.vdev.checksum").sign.own);
  EXPECT_FALSE(all.contains("fault.t.shared"));
}

}  // namespace
}  // namespace fmd::test
