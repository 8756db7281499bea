// A disk that has left its bay: where it was, whether it was pulled or died, and the case that asked
// for it to be pulled, until another one holds its data.
#include <fmt/format.h>

#include "fmd/diagnosis/tests/rig.h"
#include "fmd/model/bay_history.h"

namespace fmd {
namespace {

using namespace test;

constexpr const char* kPulledRules = R"(
[[rule]]
name = "smart"
kind = "state"
type = "disk"
property = "smart.status"
values = ["failed"]
fault = "fault.t.smart"

[[rule]]
name = "missing"
kind = "state"
type = "zfs-vdev"
property = "state"
values = ["REMOVED"]
hold = "15min"
unless_open = true
fault = "fault.t.missing"

[[rule]]
name = "died"
kind = "state"
type = "zfs-vdev"
property = "state"
values = ["REMOVED"]
where_bay = { occupied = [true] }
hold = "1min"
fault = "fault.t.died"

[[rule]]
name = "pulled"
kind = "state"
type = "zfs-vdev"
property = "state"
values = ["REMOVED", "OFFLINE"]
while_pulled = true
fault = "fault.t.pulled"

[[rule]]
name = "wrong"
kind = "state"
type = "zfs-vdev"
property = "state"
values = ["REMOVED", "FAULTED"]
while_exchange = true
where_bay_not = { occupied = [true] }
unless_open = true
hold = "10s"
fault = "fault.t.wrong"

[[rule]]
name = "worn"
kind = "state"
type = "disk"
property = "smart.status"
values = ["worn"]
fault = "fault.t.worn"

[[fault]]
class = "fault.t.worn"
dictionary = "T"
number = 36
severity = "Minor"
title = "is worn"
description = "d"
response = "r"
impact = "i"
action = "a"
led = true

[[fault]]
class = "fault.t.smart"
dictionary = "T"
number = 31
severity = "Major"
title = "is failing"
description = "{serial} in {bay}"
response = "r"
impact = "i"
action = "a"
led = true
[fault.repair]
when_clear = true
)";

std::string absence(const std::string& name, int number, const std::string& policy,
                    const std::string& repair) {
  return fmt::format(R"(
[[fault]]
class = "fault.t.{}"
dictionary = "T"
number = {}
severity = "Minor"
title = "{} from {{bay}}"
description = "d"
response = "r"
impact = "i"
action = "a"
[fault.fru]
follow = "redundancy"
scheme = "dev"
[fault.retire]
{}
[fault.repair]
{}
)",
                     name, number, name, policy, repair);
}

const std::string kOut = "first = \"out-of-service\"\nspare = true\nreturns = true";
const std::string kBack = "when = { state = [\"ONLINE\"] }";

class Pulled : public ::testing::Test {
 protected:
  Pulled() {
    rig.engine->set_bay_history(&bays);
    disk(true);
    bay(1, "dev://wwn=1", true);
    vdev("ONLINE");
  }
  void apply(InventoryUpdate update) {
    update.source = "t";
    const auto changes = rig.engine->on_inventory(update, now);
    bays.observe(rig.engine->inventory(), update, changes, now);
  }
  void put(const std::string& fmri, const std::string& type, const Rig::Properties& properties,
           std::vector<Edge> edges) {
    InventoryUpdate update;
    Resource r;
    r.fmri = fmri;
    r.type = type;
    for (const auto& [name, value] : properties) r.properties[name] = value;
    r.edges = std::move(edges);
    update.resources.push_back(std::move(r));
    apply(std::move(update));
  }
  void disk(bool there, const std::string& smart = "passed") {
    if (there) return put(Rig::disk(1), "disk", {{"serial", "OLD"}, {"smart.status", smart}}, {});
    InventoryUpdate update;
    update.gone.push_back({Rig::disk(1), "removed", ""});
    apply(std::move(update));
  }
  void bay(int n, const std::string& holds, bool occupied) {
    std::vector<Edge> edges;
    if (!holds.empty()) edges.push_back({Relation::contains, holds});
    put(Rig::bay(n), "bay", {{"label", fmt::format("SLOT {:02}", n)}, {"occupied", occupied}},
        std::move(edges));
  }
  void vdev(const std::string& state) {
    put(Rig::vdev(1), "zfs-vdev",
        {{"name", "vdev1"},
         {"pool", "tank"},
         {"state", state},
         {"service", state == "ONLINE" ? "in-service" : "removed"}},
        {{Relation::redundancy, Rig::disk(1)}});
  }
  void replaced() {
    InventoryUpdate update;
    update.gone.push_back({Rig::vdev(1), "replaced", "zfs://pool=1/vdev=9"});
    apply(std::move(update));
  }
  void pull() {
    disk(false);
    bay(1, "", false);
    vdev("REMOVED");
  }
  void put_new(int n) {
    put("dev://wwn=9", "disk", {{"serial", "NEW"}}, {});
    bay(n, "dev://wwn=9", true);
  }
  void pass(int64_t time_ns) {
    for (const int64_t until = now + time_ns; now < until; now += kSecond)
      if (const auto next = rig.engine->next_deadline_ns(); next && *next <= now)
        rig.engine->on_time(now);
  }
  std::string states() {  // but for what waits
    std::string out;
    for (const auto& [uuid, c] : rig.engine->cases())
      if (c.state != CaseState::unsolved)
        out += (out.empty() ? "" : " ") + std::string(state_name(c.state));
    return out;
  }
  const Case& c() {
    for (const auto& [uuid, c] : rig.engine->cases())
      if (c.state != CaseState::unsolved) return c;
    ADD_FAILURE() << "no case";
    return rig.engine->cases().begin()->second;
  }

  Rig rig{kPulledRules + absence("missing", 32, kOut + "\nreplace = \"same-bay\"", kBack) +
          absence("died", 33, kOut, kBack) +
          absence("pulled", 34, "replace = \"same-bay\"", "when_clear = true") +
          absence("wrong", 35, "replace = \"same-bay\"", "when_clear = true")};
  BayHistory bays;
  int64_t now = kStart;
};

TEST_F(Pulled, ItsLastBayIsKnown) {
  pull();
  pass(16 * kMinute);
  EXPECT_EQ(rig.news(), "diagnosed:1");
  EXPECT_EQ(c().title, "missing from bay SLOT 01");
  EXPECT_EQ(c().suspects[0].bay, Rig::bay(1));
  EXPECT_EQ(c().suspects[0].fru_path, "hc://chassis=c/bay=1/disk=OLD");
}

TEST_F(Pulled, ABayThatIsAnotherDisksByNowIsNamedButNotItsOwn) {
  pull();
  put_new(1);
  put(Rig::vdev(9), "zfs-vdev", {{"state", "ONLINE"}}, {{Relation::redundancy, "dev://wwn=9"}});
  pass(16 * kMinute);
  EXPECT_EQ(c().title, "missing from bay SLOT 01");
  EXPECT_EQ(c().suspects[0].bay, "");
}

// Whatever is heard first: the disk, the bay, the pool.
TEST_F(Pulled, ASwapThatACaseAskedForIsSeenThrough) {
  for (const std::string order : {"dbv", "vbd", "bvd"}) {
    rig.news();
    SCOPED_TRACE(order);
    disk(true, "failed");
    EXPECT_EQ(rig.news(), "diagnosed:" + std::to_string(rig.cases));
    const std::string uuid = std::to_string(rig.cases);
    const auto the_case = [&]() -> const Case& { return *rig.engine->find_case(uuid); };
    for (const char what : order) {
      if (what == 'd') disk(false);
      if (what == 'b') bay(1, "", false);
      if (what == 'v') vdev("REMOVED");
    }
    EXPECT_EQ(rig.news(), "") << "people were asked to";
    ASSERT_EQ(the_case().suspects.size(), 2u);
    EXPECT_EQ(the_case().suspects[1].asru, Rig::vdev(1));
    EXPECT_TRUE(the_case().retire.replace_same_bay);
    EXPECT_EQ(the_case().retire.first, "");
    put_new(1);
    EXPECT_EQ(the_case().state, CaseState::solved) << "the new one does not have its data yet";
    EXPECT_EQ(rig.news(), "");
    replaced();
    EXPECT_EQ(the_case().state, CaseState::resolved);
    EXPECT_EQ(rig.news(), "resolved:" + uuid);
    now += kMinute;
    disk(true);
    bay(1, Rig::disk(1), true);
    vdev("ONLINE");
  }
}

TEST_F(Pulled, TheNewDiskMayComeBeforeZfsHasNoticed) {
  disk(true, "failed");
  disk(false);
  bay(1, "", false);
  put_new(1);
  EXPECT_EQ(states(), "SOLVED");
  vdev("REMOVED");
  EXPECT_EQ(states(), "SOLVED");
  EXPECT_TRUE(c().retire.replace_same_bay);
  replaced();
  EXPECT_EQ(states(), "RESOLVED");
}

TEST_F(Pulled, WithAnotherBayToo) {
  disk(true, "failed");
  vdev("OFFLINE");
  EXPECT_EQ(c().suspects.size(), 1u) << "still there";
  disk(false);
  bay(1, "", false);
  EXPECT_EQ(c().suspects.size(), 2u);
  put_new(4);
  EXPECT_EQ(states(), "SOLVED");
  replaced();  // fmadm replace, or zpool
  EXPECT_EQ(states(), "RESOLVED");
}

TEST_F(Pulled, PutBackItsCaseGoesOnAsItWas) {
  disk(true, "failed");
  pull();
  bay(1, Rig::disk(1), true);
  disk(true, "failed");
  EXPECT_EQ(states(), "SOLVED");
  EXPECT_EQ(c().suspects[0].status, SuspectStatus::faulty);
  EXPECT_EQ(c().suspects[1].status, SuspectStatus::repaired);
  vdev("ONLINE");
  disk(true, "passed");
  EXPECT_EQ(states(), "RESOLVED");
}

TEST_F(Pulled, NobodyComesWithANewOne) {
  disk(true, "failed");
  pull();
  rig.news();
  pass(16 * kMinute);
  EXPECT_EQ(rig.news(), "updated:1");
  EXPECT_TRUE(c().retire.spare);
  EXPECT_TRUE(c().retire.returns) << "SMART alone keeps nothing out";
}

TEST_F(Pulled, WhatItsEnclosureStillSeesHasDied) {
  disk(false);
  bay(1, "", true);
  vdev("REMOVED");
  pass(2 * kMinute);
  EXPECT_EQ(c().title, "died from bay SLOT 01");
  EXPECT_EQ(c().suspects[0].bay, Rig::bay(1));
  bay(1, "", false);  // taken out to be tried once more, and put back
  EXPECT_EQ(states(), "SOLVED");
  bay(1, Rig::disk(1), true);
  disk(true);
  EXPECT_EQ(states(), "SOLVED");
  vdev("ONLINE");
  EXPECT_EQ(states(), "RESOLVED");
  EXPECT_EQ(rig.news(), "diagnosed:2 resolved:2");
}

// The enclosure is looked at each 10 s; what is put in next may be long in being seen, or never.
TEST_F(Pulled, WhatWasSeenPulledHasNotDied) {
  disk(false);
  vdev("REMOVED");
  pass(10 * kSecond);
  EXPECT_EQ(rig.states(), "UNSOLVED UNSOLVED");
  bay(1, "", false);
  EXPECT_EQ(rig.states(), "UNSOLVED");
  bay(1, "", true);
  pass(14 * kMinute);
  EXPECT_EQ(rig.states(), "UNSOLVED");
  pass(2 * kMinute);
  EXPECT_EQ(states(), "SOLVED");
  EXPECT_EQ(c().title, "missing from bay SLOT 01");
}

TEST_F(Pulled, OneThatSitsInItsBayAtOnceTellsThatItWasPulled) {
  disk(false);
  vdev("REMOVED");
  put_new(1);
  pass(5 * kMinute);
  EXPECT_EQ(rig.states(), "UNSOLVED");
}

TEST_F(Pulled, ABayThatCannotBeAskedSaysNothing) {
  disk(false);
  vdev("REMOVED");
  InventoryUpdate update;
  update.gone.push_back({Rig::bay(1), "removed", ""});  // with its whole shelf
  apply(std::move(update));
  pass(5 * kMinute);
  EXPECT_EQ(rig.states(), "UNSOLVED");
}

// It may die again, after it was back.
TEST_F(Pulled, PulledOnceItMayStillDieLater) {
  pull();
  bay(1, Rig::disk(1), true);
  disk(true);
  vdev("ONLINE");
  EXPECT_EQ(states(), "");
  disk(false);
  bay(1, "", true);
  vdev("REMOVED");
  pass(2 * kMinute);
  EXPECT_EQ(c().title, "died from bay SLOT 01");
}

TEST_F(Pulled, ARestartForgetsNothingOfIt) {
  Rows rows;
  disk(true, "failed");
  pull();
  keep(*rig.engine, rows);
  restart(rig, rows);
  rig.engine->set_bay_history(&bays);
  put_new(1);
  EXPECT_EQ(states(), "SOLVED");
  replaced();
  EXPECT_EQ(states(), "RESOLVED");
}

// Another disk's case is open, its LED lit, for weeks.
class WhileAnotherIsToBeExchanged : public Pulled {
 protected:
  void another(const std::string& smart) {
    put("dev://wwn=2", "disk", {{"serial", "BAD"}, {"smart.status", smart}}, {});
    bay(2, "dev://wwn=2", true);
    rig.news();
    now += 21 * 24 * 60 * kMinute;
  }
  std::string titles() {
    std::string out;
    for (const auto& [uuid, c] : rig.engine->cases())
      if (c.state != CaseState::unsolved) out += (out.empty() ? "" : ", ") + c.title;
    return out;
  }
};

TEST_F(WhileAnotherIsToBeExchanged, OneThatDiesInItsBayWasNotPulled) {
  another("failed");
  disk(false);
  bay(1, "", true);
  vdev("REMOVED");
  pass(kMinute - kSecond);
  EXPECT_EQ(titles(), "is failing");
  pass(2 * kSecond);
  EXPECT_EQ(titles(), "is failing, died from bay SLOT 01");
  bay(1, "", false);  // a person takes it out, as the message says
  pass(kMinute);
  EXPECT_EQ(titles(), "is failing, died from bay SLOT 01");
}

// The enclosure is looked at each 10 s, so what it says may be of before.
TEST_F(WhileAnotherIsToBeExchanged, TheBaysWordMayComeLate) {
  another("failed");
  disk(false);
  vdev("REMOVED");
  pass(9 * kSecond);
  bay(1, "", false);
  pass(9 * kSecond);
  EXPECT_EQ(titles(), "is failing");
  pass(2 * kSecond);
  EXPECT_EQ(titles(), "is failing, wrong from bay SLOT 01");
}

TEST_F(WhileAnotherIsToBeExchanged, WhereNoBayIsKnownItIsToldAllTheSame) {
  another("failed");
  disk(false);
  InventoryUpdate update;
  update.gone.push_back({Rig::bay(1), "removed", ""});
  apply(std::move(update));
  vdev("REMOVED");
  pass(11 * kSecond);
  EXPECT_EQ(titles(), "is failing, wrong from bay SLOT 01");
}

TEST_F(WhileAnotherIsToBeExchanged, OneThatFailsWhereItIsWasNotPulled) {
  another("failed");
  vdev("FAULTED");
  pass(kMinute);
  EXPECT_EQ(titles(), "is failing");
  disk(false);
  bay(1, "", false);
  pass(11 * kSecond);
  EXPECT_EQ(titles(), "is failing, wrong from bay SLOT 01");
}

TEST_F(WhileAnotherIsToBeExchanged, AMinorCaseSendsNobody) {
  another("worn");
  pull();
  pass(kMinute);
  EXPECT_EQ(titles(), "is worn");
}

}  // namespace
}  // namespace fmd
