#include "plugins/snmp/entity_tables.h"

#include <algorithm>

#include "plugins/snmp/cells.h"

namespace fmd::snmp {
namespace {

constexpr int64_t kHundredth = 10000000;  // ns
constexpr int32_t kScaleUnits = 9;

uint32_t ticks(int64_t steady_ns, int64_t started_ns) {
  return static_cast<uint32_t>(std::max<int64_t>(steady_ns - started_ns, 0) / kHundredth);
}

}  // namespace

const Oid& entity_mib() {
  static const Oid oid{1, 3, 6, 1, 2, 1, 47, 1};
  return oid;
}
const Oid& entity_sensor_mib() {
  static const Oid oid{1, 3, 6, 1, 2, 1, 99, 1};
  return oid;
}
const Oid& entity_state_mib() {
  static const Oid oid{1, 3, 6, 1, 2, 1, 131, 1};
  return oid;
}

std::vector<Table> EntityTables::build(const Knowledge& knowledge,
                                       const std::vector<Entity>& parts) {
  std::vector<Table> tables{physical(parts), contains(parts), general(knowledge, parts),
                            sensors(knowledge, parts), states(knowledge, parts)};
  for (Table& table : tables) table.sort();
  return tables;
}

// entPhysicalEntry: columns entPhysicalDescr (2) to entPhysicalUris (18).
Table EntityTables::physical(const std::vector<Entity>& parts) const {
  Table table(below(entity_mib(), {1, 1, 1}), 2);
  for (const Entity& one : parts)
    table.add(
        {one.number},
        {admin_string(one.description), Oid{0, 0},  // entPhysicalVendorType: none is registered
         static_cast<int32_t>(one.parent), static_cast<int32_t>(one.kind), one.position,
         admin_string(one.name), admin_string(one.hardware), admin_string(one.firmware),
         std::string(),  // entPhysicalSoftwareRev
         serial_string(one.serial), admin_string(one.maker), admin_string(one.model),
         std::string(),  // entPhysicalAlias
         std::string(),  // entPhysicalAssetID
         truth_value(one.fru), date_and_time(0),
         one.property.empty() || one.part->type == "sensor" ? admin_string(one.fmri)
                                                            : std::string()});
  return table;
}

Table EntityTables::contains(const std::vector<Entity>& parts) const {
  Table table(below(entity_mib(), {3, 3, 1}), 1);
  for (const Entity& one : parts)
    if (one.parent != 0) table.add({one.parent, one.number}, {static_cast<int32_t>(one.number)});
  return table;
}

// entityGeneral: entLastChangeTime.
Table EntityTables::general(const Knowledge& knowledge, const std::vector<Entity>& parts) {
  std::map<uint32_t, uint32_t> tree;
  for (const Entity& one : parts) tree.emplace(one.number, one.parent);
  if (tree != tree_) tree_changed_ = ticks(knowledge.steady_ns, started_ns_);
  tree_ = std::move(tree);
  Table table(below(entity_mib(), {4}), 1);
  table.add({0}, {Ticks{tree_changed_}});
  return table;
}

// entPhySensorEntry.
Table EntityTables::sensors(const Knowledge& knowledge, const std::vector<Entity>& parts) const {
  Table table(below(entity_sensor_mib(), {1, 1}), 1);
  for (const Entity& one : parts) {
    if (!one.measure) continue;
    table.add({one.number},
              {one.measure->type, kScaleUnits, one.measure->precision,
               one.measure->value.value_or(0), one.measure->status,
               admin_string(one.measure->units), Ticks{ticks(knowledge.steady_ns, started_ns_)},
               uint32_t{0}});  // entPhySensorValueUpdateRate: on change
  }
  return table;
}

// entStateEntry.
Table EntityTables::states(const Knowledge& knowledge, const std::vector<Entity>& parts) {
  ui::Verdicts verdicts;
  for (const auto& [uuid, open] : knowledge.cases) verdicts.add(open);
  Table table(below(entity_state_mib(), {1, 1}), 1);
  std::map<uint32_t, Known> now;
  for (const Entity& one : parts) {
    EntityState state = entity_state(knowledge.inventory, *one.part, verdicts, knowledge.fresh);
    const bool inner_sensor = one.measure && one.part->type != "sensor";
    if (inner_sensor && knowledge.fresh) state = {};  // the alarm is on the part that contains it
    const auto before = known_.find(one.number);
    const bool same = before != known_.end() && before->second.state == state;
    const Known known{state, same ? before->second.since_ns : knowledge.wall_ns};
    now.emplace(one.number, known);
    table.add({one.number}, {date_and_time(known.since_ns), state.admin, state.oper, state.usage,
                             std::string(1, static_cast<char>(state.alarm)), state.standby});
  }
  known_ = std::move(now);
  return table;
}

}  // namespace fmd::snmp
