#include "fmd/diagnosis/tests/rig.h"

#include <fmt/format.h>

namespace fmd::test {

Rig::Rig(const std::string& rules_text)
    : schema(schema_of(kSchema)),
      rules(rules_of(rules_text, schema)),
      engine(std::make_unique<Engine>(rules, [this] { return std::to_string(++cases); })) {}

Event Rig::event(const std::string& event_class, const std::string& resource, int64_t time_ns,
                 const std::vector<std::pair<std::string, Value>>& members) {
  Event e;
  e.seq = ++seq;
  e.event_class = event_class;
  e.resource = resource;
  e.time_ns = e.received_ns = time_ns;
  e.source = "t";
  for (const auto& [name, value] : members) e.payload.set(name, value);
  e.payload_json = fmt::format(R"({{"n":{}}})", seq);
  return e;
}

void Rig::send(const std::string& event_class, const std::string& resource, int64_t time_ns,
               const std::vector<std::pair<std::string, Value>>& members) {
  take(event(event_class, resource, time_ns, members), time_ns);
}

void Rig::take(Event event, Moment now) {
  event.received_ns = now.wall_ns;
  engine->on_event(event, now);
  journal.emplace_back(std::move(event), now);
}

void Rig::errors(int count, const std::string& resource, int64_t from_ns, int64_t step_ns,
                 const std::string& event_class) {
  for (int i = 0; i < count; ++i) send(event_class, resource, from_ns + i * step_ns);
}

// A disk's owner, so that fmd-smart may describe it as well; of anything else "t".
static std::string source_of(const std::string& fmri) {
  return fmri.starts_with("dev://") ? "disk" : "t";
}

std::vector<InventoryChange> Rig::put(const std::string& fmri, const std::string& type,
                                      const Properties& properties, const std::vector<Edge>& edges,
                                      Moment now, const std::string& source) {
  Resource r;
  r.fmri = fmri;
  r.type = type;
  for (const auto& [name, value] : properties) r.properties[name] = value;
  r.edges = edges;
  InventoryUpdate update;
  update.source = source.empty() ? source_of(fmri) : source;
  update.resources.push_back(std::move(r));
  return engine->on_inventory(update, now);
}

std::vector<InventoryChange> Rig::gone(const std::string& fmri, const std::string& reason,
                                       Moment now, const std::string& replaced_by) {
  InventoryUpdate update;
  update.source = source_of(fmri);
  update.gone.push_back({fmri, reason, replaced_by});
  return engine->on_inventory(update, now);
}

void Rig::put_disk(int n, Moment now, const std::string& service) {
  put(disk(n), "disk",
      {{"serial", fmt::format("SERIAL{}", n)},
       {"model", "MODEL"},
       {"path", fmt::format("/dev/sd{}", n)}},
      {}, now);
  put(bay(n), "bay", {{"label", fmt::format("SLOT {:02}", n)}, {"slot", int64_t{n}}},
      {{Relation::contains, disk(n)}}, now);
  put(vdev(n), "zfs-vdev",
      {{"name", fmt::format("vdev{}", n)},
       {"pool", "tank"},
       {"service", service},
       {"state", "ONLINE"}},
      {{Relation::redundancy, disk(n)}}, now);
}

const Case& Rig::only_case() const {
  EXPECT_EQ(engine->cases().size(), 1u);
  static const Case kNone;
  return engine->cases().empty() ? kNone : engine->cases().begin()->second;
}

std::string Rig::states() const {
  std::string out;
  for (const auto& [uuid, c] : engine->cases())
    out += (out.empty() ? "" : " ") + std::string(state_name(c.state));
  return out;
}

std::string Rig::news() {
  std::string out;
  for (const CaseNews& n : engine->take_news())
    out += (out.empty() ? "" : " ") + n.event + ":" + n.uuid;
  return out;
}

std::string a_fault(const char* name, int number, const char* severity, const std::string& more) {
  return fmt::format(R"(
[[fault]]
class = "{}"
dictionary = "TEST"
number = {}
severity = "{}"
title = "T"
description = "D"
response = "R"
impact = "I"
action = "A"
{}
)",
                     name, number, severity, more);
}

void keep(Engine& engine, Rows& rows, bool checkpoint) {
  for (StateRow& row : checkpoint ? engine.take_changes() : engine.take_decided()) {
    if (row.doc.empty())
      rows.erase({row.kind, row.key});
    else
      rows[{row.kind, row.key}] = std::move(row.doc);
  }
}

void restart(Rig& rig, const Rows& rows) {
  rig.engine = std::make_unique<Engine>(rig.rules, [&rig] { return std::to_string(++rig.cases); });
  std::vector<StateRow> list;
  for (const auto& [key, doc] : rows) list.push_back({key.first, key.second, doc});
  const Engine::Journal journal{rig.seq, [&rig](uint64_t after, const Engine::Journal::Each& each) {
                                  for (const auto& [event, when] : rig.journal)
                                    if (event.seq > after) each(event, when);
                                }};
  const auto restored = rig.engine->restore(list, journal);
  EXPECT_TRUE(restored) << restored.error().message;
}

}  // namespace fmd::test
