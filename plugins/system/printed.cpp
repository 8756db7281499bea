#include "plugins/system/printed.h"

#include <fmt/format.h>

#include "fmd/chassis/properties.h"
#include "fmd/model/fmri.h"

namespace fmd::machine {
namespace {

using chassis::Fru;
using nlohmann::json;

std::string text_of(const json& properties, const char* name) {
  const auto at = properties.find(name);
  if (at == properties.end()) return {};
  return at->is_string() ? at->get<std::string>() : at->dump();
}

// A multi-function card is one part, represented by its first function.
bool is_card(const json& properties) {
  return text_of(properties, "address").ends_with(".0");
}

const Fru* fru_of(const Descriptions& descriptions, const std::string& fmri, const json& resource) {
  const std::string type = resource["type"];
  const json& properties = resource["properties"];
  const auto by = [&](const char* fru_type, const char* key, const char* property) {
    return chassis::find_fru(descriptions, fru_type, key, text_of(properties, property));
  };
  if (type == "cpu") return by("cpu", "socket", "socket");
  if (type == "pci-slot" || ((type == "hba" || type == "pci") && is_card(properties)))
    return by("hba", "pci_slot", "slot");
  if (type != "dimm" && type != "edac-dimm") return nullptr;
  if (const Fru* fru = by("dimm", "edac", "edac_label")) return fru;
  // Not only the locator: firmware may give several modules the same one.
  const auto name = Fmri::parse(fmri);
  return name ? chassis::find_fru(descriptions, "dimm", "locator", name->get("dimm")) : nullptr;
}

}  // namespace

void add_printed(const Descriptions& descriptions, Facts& facts) {
  const auto system = Fmri::parse(facts.system);
  if (descriptions.empty() || !system) return;
  const std::string box = make_fmri("hc", {{"chassis", system->get("system")}});
  for (auto& [fmri, resource] : facts.resources) {
    const Fru* fru = fru_of(descriptions, fmri, resource);
    if (!fru) continue;
    chassis::describe(*fru, resource["properties"]);
    resource["properties"]["enclosure"] = box;  // the chassis whose views contain it
  }
}

void add_core_labels(Facts& facts) {
  for (auto& [fmri, resource] : facts.resources) {
    if (resource["type"] != "core") continue;
    const auto core = Fmri::parse(fmri);
    if (!core) continue;
    const auto socket = facts.resources.find(make_fmri("cpu", {{"socket", core->get("socket")}}));
    if (socket == facts.resources.end()) continue;
    if (const std::string label = text_of(socket->second["properties"], "label"); !label.empty())
      resource["properties"]["label"] = fmt::format("core {} of {}", core->get("core"), label);
  }
}

}  // namespace fmd::machine
