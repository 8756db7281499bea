#include "plugins/snmp/fmd_tables.h"

#include <array>

#include "fmd/base/json_value.h"
#include "plugins/snmp/cells.h"

namespace fmd::snmp {
namespace {

// fmdStatusMIB.N
enum : unsigned long {
  kProblems = 1,
  kSuspects = 2,
  kPlugins = 3,
  kResourceCount = 4,
  kResources = 5,
  kSensors = 6,
  kBays = 7,
  kSummary = 8
};

// first: the table's first readable column; those before it are its index.
Table status_table(unsigned long number, unsigned long first = 2) {
  return {below(fmd_status(), {number, 1}), first};
}

int32_t problem_state(CaseState state) {
  switch (state) {
    case CaseState::close_wait:
      return 3;
    case CaseState::closed:
      return 4;
    case CaseState::repaired:
      return 5;
    default:
      return 2;
  }
}

std::string description_of(const Case& c, const ui::Advice& advice) {
  return advice.headline.empty() ? c.description : advice.headline + ". " + c.description;
}

std::string action_of(const ui::Advice& advice) {
  std::string out = advice.do_now;
  for (const std::string& step : advice.steps) out += " " + step;
  return out;
}

Table problems(const Knowledge& knowledge) {
  Table table = status_table(kProblems);
  for (const auto& [uuid, c] : knowledge.cases) {
    const auto said = knowledge.advice.find(uuid);
    const ui::Advice advice = said == knowledge.advice.end() ? ui::Advice() : said->second;
    std::string rules;
    for (const std::string& rule : c.rules) rules += (rules.empty() ? "" : ",") + rule;
    table.add(
        text_index(uuid),
        {uuid, admin_string(c.code), admin_string("fmadm faulty -u " + uuid),
         admin_string("fmd/" + knowledge.version + "/" + rules), date_and_time(c.solved_ns),
         static_cast<uint32_t>(c.suspects.size()), severity_rank(c.severity),
         problem_state(c.state), admin_string(c.fault_class), long_text(description_of(c, advice)),
         long_text(action_of(advice)), truth_value(c.acknowledged), admin_string(c.acknowledged_by),
         date_and_time(c.opened_ns), date_and_time(c.updated_ns)});
  }
  return table;
}

int32_t suspect_state(const Inventory& inventory, const Suspect& suspect) {
  const Resource* part = suspect.fru.empty() ? nullptr : inventory.find(suspect.fru);
  switch (suspect.status) {
    case SuspectStatus::faulty:
      return part != nullptr && !part->present ? 3 : 2;
    case SuspectStatus::replaced:
      return 4;
    case SuspectStatus::repaired:
      return 5;
    case SuspectStatus::acquitted:
      return 6;
    case SuspectStatus::merged:
      break;
  }
  return 1;
}

Table suspects(const Knowledge& knowledge) {
  Table table = status_table(kSuspects, 3);
  for (const auto& [uuid, c] : knowledge.cases) {
    unsigned long number = 0;
    for (const Suspect& s : c.suspects) {
      Oid index = text_index(uuid);
      index.push_back(++number);
      table.add(std::move(index),
                {uuid, admin_string(s.fault_class), static_cast<uint32_t>(s.certainty),
                 admin_string(s.asru), admin_string(s.fru_path.empty() ? s.fru : s.fru_path),
                 admin_string(s.resource), suspect_state(knowledge.inventory, s),
                 admin_string(s.location), serial_string(s.serial), admin_string(s.model),
                 admin_string(s.part_number), admin_string(s.device_path)});
    }
  }
  return table;
}

struct PluginWord {
  std::string_view name;
  int32_t state, status;  // fmdPluginState, FmdPluginHealth
};
PluginWord plugin_word(const std::string& name) {
  static constexpr std::array<PluginWord, 7> kWords{{{"ok", 2, 2},
                                                     {"not-observed", 3, 1},
                                                     {"degraded", 4, 1},
                                                     {"silent", 5, 3},
                                                     {"dead", 6, 3},
                                                     {"stopped", 7, 1},
                                                     {"disabled", 8, 1}}};
  for (const PluginWord& word : kWords)
    if (word.name == name) return word;
  return {"", 1, 1};
}

Table plugins(const Knowledge& knowledge, PartNumbers& numbers) {
  Table table = status_table(kPlugins);
  for (const PluginState& plugin : knowledge.plugins) {
    const PluginWord word = plugin_word(plugin.state);
    table.add({numbers.of("fmd://plugin=" + plugin.name)},
              {admin_string(plugin.name), admin_string(plugin.version), word.status,
               admin_string(plugin.reason), word.state});
  }
  return table;
}

Table resources(const Knowledge& knowledge, const ui::Verdicts& verdicts, PartNumbers& numbers) {
  Table table = status_table(kResources);
  for (const auto& [fmri, part] : knowledge.inventory.all()) {
    const Case* found = verdicts.gravest(fmri);
    const std::string name = part.get("label").empty() ? part.get("name") : part.get("label");
    table.add(
        {numbers.of(fmri)},
        {long_text(fmri), static_cast<int32_t>(resource_state(part, verdicts, knowledge.fresh)),
         found != nullptr ? found->uuid : std::string(), admin_string(part.type),
         admin_string(name), admin_string(knowledge.inventory.location(fmri)),
         truth_value(part.present), admin_string(part.get("service")),
         serial_string(part.get("serial"))});
  }
  return table;
}

Table sensors(const Knowledge& knowledge, const std::vector<Entity>& parts,
              const ui::Verdicts& verdicts) {
  constexpr int kThousandths = 3;
  Table table = status_table(kSensors);
  for (const Entity& one : parts) {
    if (!one.measure) continue;
    const Resource& part = *one.part;
    const std::string kind = part.get("kind");
    const bool own = part.type == "sensor";
    ResourceState state = resource_state(part, verdicts, knowledge.fresh);
    // A sensor's state is not that of its part; without a value it is unknown.
    if (!own) state = knowledge.fresh ? ResourceState::ok : ResourceState::unknown;
    if (!one.measure->value) state = ResourceState::unknown;
    table.add({one.number},
              {long_text(one.fmri), admin_string(one.name),
               admin_string(!kind.empty()                     ? kind
                            : one.measure->units == "celsius" ? "temperature"
                                                              : part.type),
               or_none(scaled(part, one.property, kThousandths)), admin_string(one.measure->units),
               static_cast<int32_t>(state),
               or_none(own ? scaled(part, "limit_low", kThousandths) : std::nullopt),
               or_none(own ? scaled(part, "limit_high", kThousandths)
                           : scaled(part, "temperature_limit_celsius", kThousandths)),
               or_none(own ? scaled(part, "limit_critical", kThousandths) : std::nullopt)});
  }
  return table;
}

int32_t light(const Resource& bay, std::string_view property) {
  const std::string word = bay.get(property);
  return word == "on" ? 1 : word == "off" ? 2 : word == "cannot-drive" ? 3 : 4;
}

const Resource* disk_in(const Inventory& inventory, const Resource& bay) {
  for (const Edge& edge : bay.edges) {
    const Resource* part = edge.relation == Relation::contains ? inventory.find(edge.to) : nullptr;
    if (part != nullptr && part->present && part->type == "disk") return part;
  }
  return nullptr;
}

Table bays(const Knowledge& knowledge, const ui::Verdicts& verdicts, PartNumbers& numbers) {
  Table table = status_table(kBays);
  for (const auto& [fmri, bay] : knowledge.inventory.all()) {
    if (bay.type != "bay" || !bay.present) continue;
    const Resource* disk = disk_in(knowledge.inventory, bay);
    const auto state_of = [&](const Resource& part) {
      return resource_state(part, verdicts, knowledge.fresh);
    };
    const std::string occupied = bay.get("occupied");
    table.add({numbers.of(fmri)},
              {long_text(fmri), admin_string(bay.get("label")), admin_string(bay.get("slot")),
               admin_string(fmri.substr(0, fmri.rfind('/'))),
               truth_value(occupied.empty() ? disk != nullptr : occupied == "true"),
               light(bay, "led.fault"), light(bay, "led.locate"),
               disk != nullptr ? long_text(disk->fmri) : std::string(),
               disk != nullptr ? admin_string(disk->get("serial")) : std::string(),
               disk != nullptr ? admin_string(disk->get("model")) : std::string(),
               static_cast<int32_t>(disk != nullptr ? worse_of(state_of(bay), state_of(*disk))
                                                    : state_of(bay))});
  }
  return table;
}

Table summary(const Knowledge& knowledge) {
  std::array<uint32_t, 3> all{}, unacknowledged{};
  for (const auto& [uuid, c] : knowledge.cases) {
    const int rank = severity_rank(c.severity);
    if (rank == 0) continue;
    ++all[static_cast<size_t>(rank) - 1];
    if (!c.acknowledged) ++unacknowledged[static_cast<size_t>(rank) - 1];
  }
  const bool known = knowledge.steady_ns > 0;
  Table table(below(fmd_status(), {kSummary}), 1);
  table.add({0},
            {admin_string(knowledge.version), admin_string(knowledge.host),
             known ? (knowledge.fresh ? 1 : 2) : 3,
             known ? Cell(Since{knowledge.steady_ns}) : Cell(), date_and_time(knowledge.wall_ns),
             all[0], all[1], all[2], unacknowledged[0], unacknowledged[1], unacknowledged[2]});
  return table;
}

}  // namespace

std::vector<Table> fmd_tables(const Knowledge& knowledge, const std::vector<Entity>& parts,
                              PartNumbers& numbers) {
  ui::Verdicts verdicts;
  for (const auto& [uuid, open] : knowledge.cases) verdicts.add(open);
  std::vector<Table> tables{problems(knowledge),
                            suspects(knowledge),
                            plugins(knowledge, numbers),
                            resources(knowledge, verdicts, numbers),
                            sensors(knowledge, parts, verdicts),
                            bays(knowledge, verdicts, numbers),
                            summary(knowledge)};
  Table count(fmd_status(), kResourceCount);
  count.add({0}, {static_cast<uint32_t>(knowledge.inventory.all().size())});
  tables.push_back(std::move(count));
  for (Table& table : tables) table.sort();
  return tables;
}

}  // namespace fmd::snmp
