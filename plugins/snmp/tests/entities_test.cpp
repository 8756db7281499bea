#include "plugins/snmp/entities.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "plugins/snmp/cells.h"
#include "plugins/snmp/entity_tables.h"
#include "plugins/snmp/fmd_tables.h"

namespace fmd::snmp {
namespace {

constexpr const char* kSystem = "hc://system=S1";
constexpr const char* kBox = "hc://chassis=S1";
constexpr const char* kShelf = "hc://chassis=5000";

void add(Knowledge& knowledge, const std::string& fmri, const std::string& type,
         Properties properties = {}, std::vector<Edge> edges = {}) {
  Resource part;
  part.fmri = fmri;
  part.type = type;
  part.properties = std::move(properties);
  part.edges = std::move(edges);
  knowledge.inventory.restore(std::move(part));
}

Edge contains(const std::string& fmri) {
  return {Relation::contains, fmri};
}

// A server with a shelf: its disk is faulty, and a spare is available in the server's own chassis.
Knowledge machine() {
  Knowledge k;
  k.fresh = true;
  k.wall_ns = 1795229321000000000;
  k.steady_ns = 60000000000;
  k.version = "1";
  k.host = "store1";
  add(k, kSystem, "system", {{"name", "store1"}, {"model", "R1"}, {"serial", "SN1"}},
      {contains("cpu://socket=0"), contains("mem://dimm=A1")});
  add(k, "cpu://socket=0", "cpu", {{"name", "CPU 0"}, {"model", "X"}},
      {contains("cpu://socket=0/core=1")});
  add(k, "cpu://socket=0/core=1", "core");
  add(k, "mem://dimm=A1", "dimm", {{"label", "A1"}});
  add(k, kBox, "enclosure", {{"label", "Front"}}, {contains("hc://chassis=S1/bay=0")});
  add(k, "hc://chassis=S1/bay=0", "bay", {{"label", "BAY 0"}, {"slot", int64_t{0}}},
      {contains("dev://wwn=2")});
  add(k, kShelf, "enclosure", {{"label", "Shelf"}}, {contains("hc://chassis=5000/bay=3")});
  add(k, "hc://chassis=5000/bay=3", "bay",
      {{"label", "BAY 0"}, {"slot", int64_t{3}}, {"led.fault", "on"}, {"occupied", true}},
      {contains("dev://wwn=1")});
  add(k, "dev://wwn=1", "disk",
      {{"serial", "Z1"},
       {"model", "ST8"},
       {"vendor", "SEAGATE"},
       {"temperature_celsius", int64_t{41}}});
  add(k, "dev://wwn=2", "disk", {{"serial", "Z2"}, {"path", "/dev/sdb"}});
  add(k, "hc://chassis=5000/psu=1", "psu", {{"label", "PSU 1"}, {"status", "critical"}});
  add(k, "hc://chassis=5000/sensor=2", "sensor",
      {{"label", "Inlet"},
       {"unit", "celsius"},
       {"value", 21.5},
       {"status", "ok"},
       {"limit_high", int64_t{45}}});
  add(k, "zfs://pool=1/vdev=1", "zfs-vdev",
      {{"service", "out-of-service"}, {"retired_by", "c:retire:1"}, {"role", "data"}},
      {{Relation::redundancy, "dev://wwn=1"}});
  add(k, "zfs://pool=1/vdev=2", "zfs-vdev", {{"role", "spare"}, {"parent_type", "none"}},
      {{Relation::redundancy, "dev://wwn=2"}});
  Case c;
  c.uuid = "6f3cbe38-13ea-4ff7-a4e0-8d4b9d1b3e11";
  c.severity = "Critical";
  c.state = CaseState::solved;
  Suspect s;
  s.resource = s.asru = "zfs://pool=1/vdev=1";
  s.fru = "dev://wwn=1";
  s.bay = "hc://chassis=5000/bay=3";
  c.suspects.push_back(s);
  k.cases.emplace(c.uuid, c);
  return k;
}

struct Tree {
  explicit Tree(const Knowledge& k) : knowledge(k), numbers(*PartNumbers::open("")) {
    list = entities(knowledge, numbers);
  }
  const Entity& of(std::string_view fmri, std::string_view property = "") const {
    const auto at = std::find_if(list.begin(), list.end(), [&](const Entity& one) {
      return one.fmri == fmri && (property.empty() || one.property == property);
    });
    EXPECT_NE(at, list.end()) << fmri;
    return *at;
  }
  const Resource& part(std::string_view fmri) const { return *knowledge.inventory.find(fmri); }
  EntityState state(std::string_view fmri) const {
    ui::Verdicts verdicts;
    for (const auto& [uuid, open] : knowledge.cases) verdicts.add(open);
    return entity_state(knowledge.inventory, part(fmri), verdicts, knowledge.fresh);
  }
  const Knowledge& knowledge;
  PartNumbers numbers;
  std::vector<Entity> list;
};

TEST(Entities, EachIsContainedInWhatHoldsIt) {
  const Knowledge k = machine();
  const Tree tree(k);
  const auto holder = [&](std::string_view fmri) { return tree.of(fmri).parent; };
  EXPECT_EQ(holder(kSystem), 0u);
  EXPECT_EQ(holder(kShelf), 0u);
  EXPECT_EQ(holder(kBox), tree.of(kSystem).number);
  EXPECT_EQ(holder("hc://chassis=5000/bay=3"), tree.of(kShelf).number);
  EXPECT_EQ(holder("dev://wwn=1"), tree.of("hc://chassis=5000/bay=3").number);
  EXPECT_EQ(holder("hc://chassis=5000/psu=1"), tree.of(kShelf).number);
  EXPECT_EQ(holder("hc://chassis=5000/sensor=2"), tree.of(kShelf).number);
  EXPECT_EQ(holder("mem://dimm=A1"), tree.of(kSystem).number);
  EXPECT_EQ(tree.of("dev://wwn=1", "temperature_celsius").parent, tree.of("dev://wwn=1").number);
  // A CPU core is not a physical entity.
  EXPECT_TRUE(std::none_of(tree.list.begin(), tree.list.end(), [](const Entity& one) {
    return one.fmri == "cpu://socket=0/core=1" || one.fmri.starts_with("zfs://");
  }));
}

TEST(Entities, AreCalledAsPeopleCallThem) {
  const Knowledge k = machine();
  const Tree tree(k);
  EXPECT_EQ(tree.of("dev://wwn=1").name, "Shelf/BAY 0 disk");
  EXPECT_EQ(tree.of("dev://wwn=2").name, "Front/BAY 0 disk");
  EXPECT_EQ(tree.of("dev://wwn=1", "temperature_celsius").name, "Shelf/BAY 0 disk temperature");
  EXPECT_EQ(tree.of("dev://wwn=1").maker, "SEAGATE");
  EXPECT_EQ(tree.of("dev://wwn=1").description, "Disk, ST8");
  EXPECT_EQ(tree.of("hc://chassis=5000/bay=3").position, 3);
  EXPECT_EQ(tree.of("dev://wwn=1").position, -1);
}

TEST(Entities, ACircleIsCut) {
  Knowledge k;
  k.fresh = true;
  add(k, "hc://chassis=1", "enclosure", {}, {contains("hc://chassis=2")});
  add(k, "hc://chassis=2", "enclosure", {}, {contains("hc://chassis=3")});
  add(k, "hc://chassis=3", "enclosure", {}, {contains("hc://chassis=1")});
  const Tree tree(k);
  for (const Entity& one : tree.list) {
    uint32_t at = one.number;
    for (int steps = 0; at != 0; ++steps) {
      ASSERT_LT(steps, 4);
      at = std::find_if(tree.list.begin(), tree.list.end(), [&](const Entity& e) {
             return e.number == at;
           })->parent;
    }
  }
}

TEST(Entities, SensorsAreMeasures) {
  Knowledge k = machine();
  const Measure inlet = *Tree(k).of("hc://chassis=5000/sensor=2").measure;
  EXPECT_EQ(inlet.type, 8);
  EXPECT_EQ(inlet.precision, 1);
  EXPECT_EQ(inlet.value, 215);
  EXPECT_EQ(inlet.status, 1);
  k.fresh = false;
  EXPECT_EQ(Tree(k).of("hc://chassis=5000/sensor=2").measure->status, 2) << "fmd is silent";
}

TEST(EntityStates, AConvictedDiskAndAWaitingSpare) {
  Knowledge k = machine();
  const EntityState faulty = Tree(k).state("dev://wwn=1");
  EXPECT_EQ(faulty.alarm, 0x20);  // critical
  EXPECT_EQ(faulty.admin, 2);     // locked: fmd retired it
  EXPECT_EQ(faulty.oper, 2);      // disabled
  EXPECT_EQ(faulty.standby, 4);
  const EntityState spare = Tree(k).state("dev://wwn=2");
  EXPECT_EQ(spare.alarm, 0);
  EXPECT_EQ(spare.standby, 2);                                      // hotStandby
  EXPECT_EQ(spare.usage, 2);                                        // idle
  EXPECT_EQ(Tree(k).state("hc://chassis=5000/psu=1").alarm, 0x10);  // major, from its own status
  EXPECT_EQ(Tree(k).state("hc://chassis=5000/bay=3").alarm, 0x40);  // underRepair
  EXPECT_EQ(Tree(k).state(kShelf).alarm, 0);
  k.fresh = false;
  EXPECT_EQ(Tree(k).state("dev://wwn=1").alarm, 0x80);  // unknown
  EXPECT_EQ(Tree(k).state("dev://wwn=1").oper, 1);
}

TEST(EntityStates, ASpareThatStandsInProvidesService) {
  Knowledge k = machine();
  add(k, "zfs://pool=1/vdev=2", "zfs-vdev", {{"role", "spare"}, {"parent_type", "spare"}},
      {{Relation::redundancy, "dev://wwn=2"}});
  const EntityState spare = Tree(k).state("dev://wwn=2");
  EXPECT_EQ(spare.standby, 4);
  EXPECT_EQ(spare.usage, 3);
}

TEST(EntityStates, ARepairedPartIsUnderRepairUntilTheCaseEnds) {
  Knowledge k = machine();
  k.cases.begin()->second.suspects.front().status = SuspectStatus::repaired;
  k.cases.begin()->second.state = CaseState::repaired;
  EXPECT_EQ(Tree(k).state("dev://wwn=1").alarm, 0x40);
  k.cases.begin()->second.state = CaseState::resolved;
  EXPECT_EQ(Tree(k).state("dev://wwn=1").alarm, 0);
}

TEST(EntityTables, ChangesHaveTheirTime) {
  Knowledge k = machine();
  PartNumbers numbers = *PartNumbers::open("");
  EntityTables tables(0);
  const auto cell = [&](const Oid& name) {
    const View view(tables.build(k, entities(k, numbers)));
    const Cell* found = view.get(name);
    EXPECT_NE(found, nullptr);
    return *found;
  };
  const unsigned long disk = numbers.of("dev://wwn=1"), spare = numbers.of("dev://wwn=2");
  const Oid since = below(entity_state_mib(), {1, 1, 1});
  const std::string first = date_and_time(k.wall_ns);
  EXPECT_EQ(std::get<std::string>(cell(below(since, {disk}))), first);
  k.wall_ns += 5000000000;
  k.steady_ns += 5000000000;
  k.cases.clear();
  EXPECT_EQ(std::get<std::string>(cell(below(since, {disk}))), date_and_time(k.wall_ns));
  EXPECT_EQ(std::get<std::string>(cell(below(since, {spare}))), first);
  const Oid tree_changed = below(entity_mib(), {4, 1, 0});
  EXPECT_EQ(std::get<Ticks>(cell(tree_changed)).hundredths, 6000u);
  add(k, "hc://chassis=5000/bay=4", "bay");
  EXPECT_EQ(std::get<Ticks>(cell(tree_changed)).hundredths, 6500u);
}

TEST(FmdTables, SayWhatIsThere) {
  const Knowledge k = machine();
  Tree tree(k);
  const View view(fmd_tables(k, tree.list, tree.numbers));
  const auto column = [&](unsigned long table, unsigned long number, const Oid& index) {
    Oid name = below(fmd_status(), {table, 1, number});
    name.insert(name.end(), index.begin(), index.end());
    const Cell* found = view.get(name);
    EXPECT_NE(found, nullptr) << table << "." << number;
    return found != nullptr ? *found : Cell();
  };
  const std::string uuid = k.cases.begin()->first;
  EXPECT_EQ(std::get<int32_t>(column(1, 8, text_index(uuid))), 3);  // critical
  Oid suspect = text_index(uuid);
  suspect.push_back(1);
  EXPECT_EQ(std::get<int32_t>(column(2, 9, suspect)), 2);  // faulty
  const Oid disk{tree.numbers.of("dev://wwn=1")}, bay{tree.numbers.of("hc://chassis=5000/bay=3")};
  EXPECT_EQ(std::get<int32_t>(column(5, 3, disk)), 5);  // faulted
  EXPECT_EQ(std::get<std::string>(column(5, 4, disk)), uuid);
  EXPECT_EQ(std::get<int32_t>(column(7, 7, bay)), 1);  // its fault LED is on
  EXPECT_EQ(std::get<std::string>(column(7, 10, bay)), "Z1");
  EXPECT_EQ(std::get<int32_t>(column(7, 12, bay)), 5);
  EXPECT_EQ(std::get<uint32_t>(*view.get(below(fmd_status(), {8, 8, 0}))), 1u);  // fmdOpenCritical
}

}  // namespace
}  // namespace fmd::snmp
