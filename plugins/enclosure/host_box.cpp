#include "plugins/enclosure/host_box.h"

#include <algorithm>
#include <set>

#include "fmd/chassis/pattern.h"
#include "plugins/enclosure/places.h"
#include "plugins/hardware/system_id.h"

namespace fmd::enclosure {
namespace {

Bay bay_at(const sdk::Host& host, const std::string& id, const Place& place) {
  Bay bay;
  bay.slot = id;
  add_disks(host, place.blocks, bay);
  bay.occupied = !place.blocks.empty();
  bay.status = bay.occupied ? "OK" : "not installed";
  bay.lights = place.lights;
  return bay;
}

void add_told(const sdk::Host& host, const chassis::Description& told, Enclosure& box) {
  for (const auto& one : told.bays)
    for (const auto& resolver : one.resolve) {
      if (resolver.kind.starts_with("ses_")) continue;  // Picture decides about these
      const auto place = find_place(host, resolver);
      if (!place) continue;
      Bay bay = bay_at(host, one.id, *place);
      bay.component = resolver.kind + " " + resolver.value;
      box.bays.push_back(std::move(bay));
      break;
    }
}

void add_found(const sdk::Host& host, const chassis::Discovery& how, Enclosure& box) {
  const bool ata = how.by == "ata-port";
  std::vector<Place> places = ata ? ata_ports(host) : pci_slots(host);
  std::set<std::string> with_disk;  // a controller without disks is assumed to have no bays
  for (const auto& place : places)
    if (!place.blocks.empty()) with_disk.insert(place.at);
  for (const auto& place : places) {
    if (ata && !with_disk.contains(place.at)) continue;
    const bool can_be_pulled = std::any_of(place.lights.begin(), place.lights.end(),
                                           [](const Light& light) { return light.there; });
    if (!ata && place.blocks.empty() && (place.other || !can_be_pulled)) continue;
    std::string id = ata ? "ata-" + place.at + "-" + place.number : "pci-" + place.name;
    if (std::any_of(box.bays.begin(), box.bays.end(), [&](const Bay& bay) {
          return bay.slot == id || bay.component == place.kind + " " + place.name;
        }))
      continue;
    Bay bay = bay_at(host, id, place);
    bay.component = place.kind + " " + place.name;
    const auto label = chassis::fill(how.label.empty() ? "{name}" : how.label,
                                     {{"n", place.number}, {"name", place.name}, {"at", place.at}});
    bay.label = label.value_or(place.name);
    box.bays.push_back(std::move(bay));
  }
}

}  // namespace

Enclosure scan_host(const sdk::Host& host, const std::vector<chassis::Library::Found>& found) {
  Enclosure box;
  box.id = hardware::system_id(host);
  box.facts = hardware::machine_facts(host);
  for (const auto& description : found) {
    if (box.label.empty()) box.label = description->label;
    add_told(host, *description, box);
    for (const auto& how : description->discover) add_found(host, how, box);
  }
  if (found.size() > 1 || box.label.empty()) {
    // With several generic descriptions, use the machine's own name.
    const std::string name = trim(box.facts["dmi_vendor"] + " " + box.facts["dmi_product"]);
    if (!name.empty()) box.label = name;
  }
  box.components = static_cast<int>(box.bays.size());
  return box;
}

}  // namespace fmd::enclosure
