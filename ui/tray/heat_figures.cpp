#include "ui/tray/heat_figures.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/client/surroundings.h"

namespace fmd::tray {
namespace {

// The most important readings first, with their units. Other readings of a disk begin with
// "smart.".
constexpr std::pair<const char*, const char*> kKnown[] = {{"temperature_celsius", "celsius"},
                                                          {"value", ""},
                                                          {"power_on_hours", "hours"},
                                                          {"wear_percent", "percent"},
                                                          {"checksum_errors", ""},
                                                          {"read_errors", ""},
                                                          {"write_errors", ""},
                                                          {"ce_count", ""},
                                                          {"ue_count", ""}};

size_t rank(const HeatFigure& figure) {
  size_t at = 0;
  for (const auto& [name, unit] : kKnown) {
    if (figure.name == name) return at;
    ++at;
  }
  return at;
}

// The bay of a disk, or of a pool's vdev on it.
std::vector<std::string> places_of(const Inventory& inventory, const Resource& resource) {
  std::vector<std::string> places;
  if (resource.type == "zfs-vdev") {
    for (const Edge& edge : resource.edges) {
      const Resource* disk = inventory.find(edge.to);
      if (edge.relation != Relation::redundancy || !disk || disk->type != "disk") continue;
      for (const std::string& one : places_of(inventory, *disk)) places.push_back(one);
    }
    return places;
  }
  if (resource.type != "disk") return {resource.fmri};
  for (const Resource* bay : inventory.parents(resource.fmri, Relation::contains))
    if (bay->type == "bay") places.push_back(bay->fmri);
  return places;
}

}  // namespace

std::vector<HeatFigure> heat_figures(const Inventory& inventory) {
  std::map<std::pair<std::string, std::string>, HeatFigure> found;
  for (const auto& [fmri, resource] : inventory.all()) {
    if (!resource.present) continue;
    std::vector<std::string> places;
    const auto take = [&](const std::string& name, const std::string& unit) {
      const double value = ui::number_of(resource, name, std::nan(""));
      if (std::isnan(value)) return;
      if (places.empty()) places = places_of(inventory, resource);
      if (places.empty()) return;
      HeatFigure& figure = found[{name, unit}];
      figure.name = name;
      figure.unit = unit;
      for (const std::string& place : places) figure.values[place] = value;
    };
    for (const auto& [name, unit] : kKnown)
      take(name, std::string_view(name) == "value" ? resource.get("unit") : unit);
    for (const auto& [name, value] : resource.properties)
      if (name.starts_with("smart.")) take(name, "");
  }
  std::vector<HeatFigure> figures;
  for (auto& [key, figure] : found) figures.push_back(std::move(figure));
  std::stable_sort(figures.begin(), figures.end(),
                   [](const HeatFigure& a, const HeatFigure& b) { return rank(a) < rank(b); });
  return figures;
}

}  // namespace fmd::tray
