#include "plugins/snmp/entities.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "plugins/snmp/cells.h"

namespace fmd::snmp {
namespace {

struct Kind {
  PhysicalClass kind;
  std::string_view word;  // in descriptions
  bool fru;
};

const Kind* kind_of(const Resource& part) {
  static const std::map<std::string_view, Kind> kinds{
      {"system", {PhysicalClass::chassis, "System", false}},
      {"enclosure", {PhysicalClass::chassis, "Enclosure", false}},
      {"bay", {PhysicalClass::container, "Drive bay", false}},
      {"disk", {PhysicalClass::module, "Disk", true}},
      {"psu", {PhysicalClass::power_supply, "Power supply", true}},
      {"fan", {PhysicalClass::fan, "Fan", true}},
      {"cpu", {PhysicalClass::cpu, "Processor", true}},
      {"dimm", {PhysicalClass::module, "Memory module", true}},
      {"edac-dimm", {PhysicalClass::module, "Memory module", true}},
      {"pci-slot", {PhysicalClass::container, "Card slot", false}},
      {"hba", {PhysicalClass::module, "Disk controller", true}},
      {"sensor", {PhysicalClass::sensor, "Sensor", false}}};
  const auto at = kinds.find(part.type);
  return at == kinds.end() ? nullptr : &at->second;
}

// EntitySensorDataType and digits by fmd's unit; units that the MIB lacks are other(1).
struct Unit {
  int32_t type, digits;
};
Unit unit_of(std::string_view unit) {
  static const std::map<std::string_view, Unit> units{{"celsius", {8, 1}}, {"rpm", {10, 0}},
                                                      {"watts", {6, 1}},   {"volts", {4, 3}},
                                                      {"amps", {5, 3}},    {"amperes", {5, 3}}};
  const auto at = units.find(unit);
  return at == units.end() ? Unit{1, 1} : at->second;
}

constexpr int64_t kMostValue = 1000000000;  // EntitySensorValue

Measure measure_of(const Resource& part, const std::string& property, const std::string& unit,
                   bool fresh) {
  const Unit known = unit_of(unit);
  Measure measure;
  measure.type = known.type;
  measure.precision = known.digits;
  measure.units = unit;
  measure.value = scaled(part, property, known.digits, kMostValue);
  if (part.is("status", "failed")) measure.status = 3;
  if (!measure.value || !fresh || part.is("status", "unknown") || part.is("level", "unknown") ||
      part.is("level", "absent"))
    measure.status = 2;
  return measure;
}

int32_t position_of(std::string_view fmri) {
  const size_t equals = fmri.rfind('=');
  if (equals == fmri.npos || fmri.starts_with("dev://")) return -1;
  std::string_view value = fmri.substr(equals + 1);
  int32_t number = -1;
  const auto [at, problem] = std::from_chars(value.data(), value.data() + value.size(), number);
  return problem == std::errc() && at == value.data() + value.size() && number >= 0 ? number : -1;
}

class Builder {
 public:
  Builder(const Knowledge& knowledge, PartNumbers& numbers)
      : knowledge_(knowledge), inventory_(knowledge.inventory), numbers_(numbers) {}

  std::vector<Entity> build() {
    choose();
    for (const auto& [fmri, part] : chosen_) add(*part);
    cut_circles();
    return std::move(out_);
  }

 private:
  void choose() {
    int shelves = 0;
    for (const auto& [fmri, part] : inventory_.all()) {
      if (!part.present || kind_of(part) == nullptr) continue;
      if (part.type == "sensor" && part.get("unit").empty()) continue;  // a state, not a measure
      chosen_.emplace(fmri, &part);
      if (part.type == "system" && system_.empty()) system_ = fmri;
      shelves += part.type == "enclosure" ? 1 : 0;
    }
    several_shelves_ = shelves > 1;
  }

  void add(const Resource& part) {
    const Kind& kind = *kind_of(part);
    Entity entity;
    entity.number = numbers_.of(part.fmri);
    const std::string parent = parent_of(part);
    entity.parent = parent.empty() ? 0 : numbers_.of(parent);
    entity.position = position_of(part.fmri);
    entity.kind = kind.kind;
    entity.fmri = part.fmri;
    entity.part = &part;
    entity.name = name_of(part);
    const std::string model = part.get("model").empty() ? part.get("product") : part.get("model");
    entity.description = std::string(kind.word) + (model.empty() ? "" : ", " + model);
    entity.serial = part.get("serial");
    entity.model = model.empty() ? part.get("part_number") : model;
    entity.maker = part.get("vendor").empty() ? part.get("manufacturer") : part.get("vendor");
    entity.firmware =
        part.get("firmware").empty() ? part.get("bios_version") : part.get("firmware");
    entity.hardware = part.get("part_number");
    entity.fru = kind.fru;
    if (part.type == "sensor") {
      entity.property = "value";
      entity.measure = measure_of(part, "value", part.get("unit"), knowledge_.fresh);
    }
    out_.push_back(entity);
    if (part.type == "disk") add_sensor(entity, "temperature_celsius", "celsius", "temperature");
    if ((part.type == "psu" || part.type == "fan") && !part.get("unit").empty())
      add_sensor(entity, "value", part.get("unit"),
                 part.is("unit", "celsius") ? "temperature" : "speed");
  }

  // A sensor of a part becomes an entity within that part.
  void add_sensor(const Entity& holder, const std::string& property, const std::string& unit,
                  const std::string& word) {
    if (!holder.part->properties.contains(property)) return;
    Entity sensor;
    sensor.number = numbers_.of(holder.fmri + "#" + property);
    sensor.parent = holder.number;
    sensor.position = 1;
    sensor.kind = PhysicalClass::sensor;
    sensor.fmri = holder.fmri;
    sensor.part = holder.part;
    sensor.property = property;
    sensor.name = holder.name + " " + word;
    sensor.description = "Sensor, " + word;
    sensor.measure = measure_of(*holder.part, property, unit, knowledge_.fresh);
    out_.push_back(std::move(sensor));
  }

  // The nearest container in the table, else the chassis by its name, else the system.
  std::string parent_of(const Resource& part) const {
    std::set<std::string_view> seen{part.fmri};
    for (const Resource* at = &part; at != nullptr;) {
      const auto holders = inventory_.parents(at->fmri, Relation::contains);
      at = holders.empty() ? nullptr : holders.front();
      if (at == nullptr || !seen.insert(at->fmri).second) break;
      if (chosen_.contains(at->fmri)) return at->fmri;
    }
    for (const char* property : {"enclosure", "member_of"})
      if (const std::string named = part.get(property);
          named != part.fmri && chosen_.contains(named))
        return named;
    // hc://chassis=ID/psu=0 is in hc://chassis=ID.
    const size_t slash = part.fmri.rfind('/');
    if (const std::string above = part.fmri.substr(0, slash); chosen_.contains(above)) return above;
    if (part.type == "system" || system_.empty()) return "";
    // A shelf is a sibling of the system; the system's own chassis, with the same id, is inside it.
    if (part.type == "enclosure" &&
        part.fmri.substr(part.fmri.find('=') + 1) != system_.substr(system_.find('=') + 1))
      return "";
    return system_;
  }

  std::string name_of(const Resource& part) const {
    if (part.type == "disk") {
      const std::string bay = shelf_words(part) + inventory_.location(part.fmri);
      if (!bay.empty()) return bay + " disk";
      return part.get("path").empty() ? "disk " + part.get("serial") : part.get("path");
    }
    const std::string label = part.get("label").empty() ? part.get("name") : part.get("label");
    if (label.empty()) return part.fmri.substr(part.fmri.rfind('/') + 1);
    const bool in_shelf = part.type != "enclosure" && part.type != "system";
    return (in_shelf ? shelf_words(part) : "") + label;
  }

  // The prefix "Shelf A/" if bays of several chassis may have the same label.
  std::string shelf_words(const Resource& part) const {
    if (!several_shelves_) return "";
    std::string at = part.fmri;
    for (int depth = 0; depth < 4; ++depth) {
      const Resource* one = inventory_.find(at);
      if (one == nullptr) return "";
      if (one->type == "enclosure")
        return (one->get("label").empty() ? one->get("id") : one->get("label")) + "/";
      at = parent_of(*one);
    }
    return "";
  }

  // Breaks cycles, so that a walk up the containers always ends.
  void cut_circles() {
    std::map<uint32_t, Entity*> by_number;
    for (Entity& one : out_) by_number.emplace(one.number, &one);
    for (Entity& one : out_) {
      std::set<uint32_t> seen{one.number};
      for (const Entity* at = &one; at->parent != 0;) {
        if (!seen.insert(at->parent).second) {
          one.parent = 0;
          break;
        }
        at = by_number.at(at->parent);
      }
    }
  }

  const Knowledge& knowledge_;
  const Inventory& inventory_;
  PartNumbers& numbers_;
  std::map<std::string, const Resource*, std::less<>> chosen_;
  std::string system_;
  bool several_shelves_ = false;
  std::vector<Entity> out_;
};

}  // namespace

std::vector<Entity> entities(const Knowledge& knowledge, PartNumbers& numbers) {
  return Builder(knowledge, numbers).build();
}

}  // namespace fmd::snmp
