#include "fmd/chassis/properties.h"

#include "fmd/base/json.h"

namespace fmd::chassis {
namespace {

using nlohmann::json;

void set(json& properties, const char* name, const std::string& text) {
  if (!text.empty()) properties[name] = text;
}

void place(const std::string& view, const Box& box, json& properties) {
  set(properties, "view", view);
  for (auto [name, number] :
       {std::pair{"x_mm", &box.x}, {"y_mm", &box.y}, {"w_mm", &box.w}, {"h_mm", &box.h}})
    if (*number) properties[name] = **number;
}

}  // namespace

void describe(const Bay& bay, json& properties) {
  properties["label"] = bay.label;
  place(bay.view, bay.box, properties);
  set(properties, "orientation", bay.orientation);
  set(properties, "form_factor", bay.form_factor);
  set(properties, "fault_domain", bay.fault_domain);
  set(properties, "verified", bay.verified);
}

void describe(const Fru& fru, json& properties) {
  properties["label"] = fru.label;
  place(fru.view, fru.box, properties);
  set(properties, "ipmi", fru.key("ipmi"));
}

void describe(const std::vector<View>& views, json& properties) {
  std::string all;
  for (const View& view : views) {
    all += (all.empty() ? "" : ",") + view.name + ":" + json(view.width).dump() + "x" +
           json(view.height).dump();
    if (view.label != view.name) set(properties, ("view." + view.name).c_str(), view.label);
  }
  set(properties, "views", all);
}

const Fru* find_fru(const std::vector<Library::Found>& descriptions, std::string_view type,
                    std::string_view key, std::string_view value) {
  if (value.empty()) return nullptr;
  for (const auto& description : descriptions)
    for (const Fru& fru : description->frus)
      if (fru.type == type && fru.key(key) == value) return &fru;
  return nullptr;
}

std::vector<std::pair<std::string, std::string>> edac_names(
    const std::vector<Library::Found>& descriptions) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& description : descriptions)
    for (const Fru& fru : description->frus)
      if (const std::string edac = fru.key("edac"); fru.type == "dimm" && !edac.empty())
        out.emplace_back(edac, fru.key("locator").empty() ? fru.label : fru.key("locator"));
  return out;
}

}  // namespace fmd::chassis
