#include "plugins/system/facts.h"

#include "plugins/sdk/messages.h"

#include <algorithm>

namespace fmd::machine {

using nlohmann::json;

json& Facts::add(const std::string& fmri, std::string_view type) {
  json& resource = resources[fmri];
  if (resource.is_null()) resource = sdk::resource(fmri, type);
  return resource;
}

void Facts::link(const std::string& from, std::string_view relation, const std::string& to) {
  const auto at = resources.find(from);
  if (at == resources.end() || from == to) return;
  json edge = {{"relation", relation}, {"to", to}};
  json& edges = at->second["edges"];
  if (std::find(edges.begin(), edges.end(), edge) == edges.end()) edges.push_back(std::move(edge));
}

void set_text(json& resource, const char* name, std::string_view text) {
  if (!text.empty()) resource["properties"][name] = text;
}

// CBOR and not JSON text: firmware texts may contain any byte.
std::string to_bytes(const Facts& facts) {
  json gauges = json::object();
  for (const auto& [device, list] : facts.gauges)
    for (const Gauge& g : list)
      gauges[device].push_back({g.resource, g.name, g.file, g.divisor, g.unit, g.also,
                                g.good_below ? json(*g.good_below) : json()});
  const auto bytes = json::to_cbor(json{{"system", facts.system},
                                        {"resources", facts.resources},
                                        {"gauges", std::move(gauges)},
                                        {"problem", facts.problem}});
  return std::string(bytes.begin(), bytes.end());
}

Result<Facts> from_bytes(const std::string& bytes) {
  const json doc = json::from_cbor(bytes, true, false);
  if (!doc.is_object() || !doc.contains("problem"))
    return fail("the look at the machine broke off");
  Facts facts;
  facts.system = doc["system"];
  facts.problem = doc["problem"];
  facts.resources = doc["resources"].get<std::map<std::string, json>>();
  for (const auto& [device, list] : doc["gauges"].items())
    for (const json& g : list)
      facts.gauges[device].push_back(
          {g[0], g[1], g[2], g[3], g[4], g[5],
           g[6].is_number() ? std::optional(g[6].get<double>()) : std::nullopt});
  return facts;
}

}  // namespace fmd::machine
