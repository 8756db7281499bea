#include "fmd/notify/case_document.h"

#include "fmd/advice/names_in_text.h"
#include "fmd/base/json.h"

namespace fmd {
namespace {

void put(nlohmann::json& doc, const char* name, const std::string& value) {
  if (!value.empty()) doc[name] = value;
}

void add_present_state(nlohmann::json& doc, const Suspect& suspect, const Inventory& inventory) {
  if (const Resource* asru = inventory.find(suspect.asru)) {
    put(doc, "service", asru->present ? asru->get("service") : "removed");
    put(doc, "spare", asru->get("spare"));
  }
  if (const Resource* fru = inventory.find(suspect.fru)) {
    doc["present"] = fru->present;
    if (fru->present) put(doc, "device_now", fru->get("path"));
  }
  if (const Resource* bay = inventory.find(suspect.bay)) put(doc, "bay_led", bay->get("led.fault"));
}

// Replaces FMRIs in stored texts by the names of the parts.
void name_parts(nlohmann::json& doc, const char* list, const char* member, const SayWorld& world) {
  const auto at = doc.find(list);
  if (at == doc.end() || !at->is_array()) return;
  for (nlohmann::json& entry : *at) {
    const auto text = entry.find(member);
    if (text == entry.end() || !text->is_string()) continue;
    std::string& words = text->get_ref<std::string&>();
    if (words.find("://") != words.npos) words = with_names(world.inventory, world.index, words);
  }
}

}  // namespace

nlohmann::json case_document(const Case& c, const SayWorld& world, CaseDetail detail) {
  nlohmann::json doc = to_json(c, detail);
  nlohmann::json& suspects = doc["suspects"];
  for (size_t i = 0; i < suspects.size() && i < c.suspects.size(); ++i)
    add_present_state(suspects[i], c.suspects[i], world.inventory);
  name_parts(doc, "timeline", "text", world);
  name_parts(doc, "actions", "detail", world);
  doc["say"] = to_json(say_of(c, world));
  return doc;
}

}  // namespace fmd
