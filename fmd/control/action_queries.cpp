// The changes by fmd that are in force.
#include <fmt/format.h>

#include "fmd/advice/part_names.h"
#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/control/queries.h"
#include "fmd/model/part_name.h"
#include "fmd/reconcile/observed.h"

namespace fmd {
namespace {

using nlohmann::json;

// The database with its case is lost.
bool is_forgotten(const Owner& owner, const Engine& engine) {
  return owner.kind == Owner::Kind::acting_case && !engine.find_case(owner.name);
}

json owner_document(const Owner& owner, const Engine& engine) {
  json doc = {{owner.kind == Owner::Kind::person ? "person" : "case", owner.name}};
  if (is_forgotten(owner, engine)) doc["forgotten"] = true;
  return doc;
}

// The name by which commands accept a part of an action. A pool member is named by the bay of its disk
// if nothing else is on that disk.
std::string command_part(const Inventory& inventory, const PartIndex& index,
                         const std::string& fmri) {
  const Resource* part = inventory.find(fmri);
  const bool is_bay = part && part->type == "bay";
  const Resource* disk = is_bay ? nullptr : inventory.descend(fmri, Relation::redundancy, "dev");
  if (!disk || inventory.parents(disk->fmri, Relation::redundancy).size() != 1)
    return command_name(inventory, index, fmri);
  for (const Resource* holder : inventory.parents(disk->fmri, Relation::contains))
    if (holder->type == "bay" && disk->present)
      if (std::string name = command_name(inventory, index, holder->fmri); name != holder->fmri)
        return name;
  const std::string name = command_name(inventory, index, disk->fmri);
  return name == disk->fmri ? fmri : name;
}

// How to undo it, and with which rights: a sentence, or a command.
std::string undo_text(const Intervention& i, const Engine& engine, const PartIndex& index) {
  const bool by_person = i.owner.kind == Owner::Kind::person || is_forgotten(i.owner, engine);
  if (i.state == Intervention::State::undoing) return "being undone by fmd";
  if (is_forgotten(i.owner, engine) && i.kind != InterventionKind::retire)
    return "undone by fmd when a new case about the part is repaired or acquitted";
  switch (i.kind) {
    case InterventionKind::retire:
      return fmt::format(
          "{}fmadm restore {}",
          by_person ? ""
                    : "undone by fmd when the case is repaired or acquitted, or by a person with ",
          command_part(engine.inventory(), index, i.part));
    case InterventionKind::spare:
      return "undone by fmd when the part is replaced or back in service";
    case InterventionKind::replace:
      return "not undone: the new disk stays";
    case InterventionKind::fault_led:
      return "undone by fmd when the case is repaired or acquitted";
    case InterventionKind::locate_led:
      return fmt::format("fmadm locate off {}", command_part(engine.inventory(), index, i.part));
  }
  return {};
}

// "SLOT 06 (serial Z1Y0DD06)"; for a vdev, its disk's bay, or its last bay if the disk has left.
std::string name_for_people(const Inventory& inventory, const BayHistory& bays,
                            const std::string& fmri) {
  const Resource* part = inventory.find(fmri);
  const bool is_bay = part && part->type == "bay";
  const Resource* disk =
      inventory.descend(fmri, is_bay ? Relation::contains : Relation::redundancy, "dev");
  std::string bay = disk ? inventory.location(disk->fmri) : std::string();
  if (const Tenancy* stay = disk && !disk->present ? bays.last_of(disk->fmri) : nullptr)
    bay = stay->label;
  if (bay.empty()) return name_with_serial(inventory, fmri);
  const std::string serial = disk ? disk->get("serial") : std::string();
  return bay + (serial.empty() ? "" : fmt::format(" (serial {})", serial));
}

}  // namespace

std::string query_actions(const Reconciler& reconciler, const Engine& engine,
                          const BayHistory& bays, const PartIndex& index) {
  const Inventory& inventory = engine.inventory();
  json out = json::array();
  for (const auto& [id, i] : reconciler.interventions().all()) {
    json doc = {{"kind", intervention_name(i.kind)},
                {"part", i.part},
                {"name", name_for_people(inventory, bays, i.part)},
                {"state", intervention_state_name(i.state)},
                {"owner", owner_document(i.owner, engine)},
                {"since", i.since.wall_ns},
                {"group", i.group},
                {"undo", undo_text(i, engine, index)}};
    if (i.kind == InterventionKind::retire) doc["level"] = service_name(i.level);
    out.push_back(std::move(doc));
  }
  for (const auto& [part, who] : reconciler.kept_in_service())
    out.push_back(
        {{"kind", "kept"},
         {"part", part},
         {"name", name_for_people(inventory, bays, part)},
         {"state", "in-force"},
         {"owner", {{"person", who}}},
         {"undo",
          fmt::format(
              "undone by fmd when no open case is about it, or by a person with fmadm retire {}",
              command_part(engine.inventory(), index, part))}});
  return dump_json(out);
}

}  // namespace fmd
