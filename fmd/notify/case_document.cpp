#include "fmd/notify/case_document.h"

#include "fmd/advice/say_names.h"
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
void name_parts(nlohmann::json& doc, const char* list, const char* member, const CaseNames& names) {
  const auto at = doc.find(list);
  if (at == doc.end() || !at->is_array()) return;
  for (nlohmann::json& entry : *at) {
    const auto text = entry.find(member);
    if (text == entry.end() || !text->is_string()) continue;
    std::string& words = text->get_ref<std::string&>();
    if (words.find("://") != words.npos) words = names.in(std::move(words));
  }
}

}  // namespace

nlohmann::json case_document(const Case& c, const SayWorld& world, CaseDetail detail) {
  nlohmann::json doc = to_json(c, detail);
  nlohmann::json& suspects = doc["suspects"];
  for (size_t i = 0; i < suspects.size() && i < c.suspects.size(); ++i)
    add_present_state(suspects[i], c.suspects[i], world.inventory);
  const CaseNames names(c, world);
  name_parts(doc, "timeline", "text", names);
  name_parts(doc, "actions", "detail", names);
  doc["say"] = to_json(say_of(c, world));
  return doc;
}

}  // namespace fmd
