#include "plugins/enclosure/enclosure_memory.h"

#include <utility>

#include "fmd/base/json.h"

namespace fmd::enclosure {

using nlohmann::json;

Result<void> EnclosureMemory::load() {
  return document_.load([this](const json& doc) {
    EnclosureMemory known("");
    for (const auto& [id, shelf] : doc.at("shelves").items())
      known.shelves[id] = {shelf.at("label"), shelf.at("processors"), shelf.at("gone")};
    known.installed = doc.at("installed").get<decltype(installed)>();
    known.tell_empty =
        doc.value("tell_empty", decltype(tell_empty)());  // earlier versions did not write it
    known.same_ids = SameIds(doc.at("processors").get<SameIds::Names>());
    shelves = std::move(known.shelves);
    installed = std::move(known.installed);
    tell_empty = std::move(known.tell_empty);
    same_ids = std::move(known.same_ids);
  });
}

void EnclosureMemory::save() {
  json doc{{"shelves", json::object()},
           {"installed", installed},
           {"tell_empty", tell_empty},
           {"processors", same_ids.names()}};
  for (const auto& [id, shelf] : shelves)
    doc["shelves"][id] = {
        {"label", shelf.label}, {"processors", shelf.processors}, {"gone", shelf.gone}};
  document_.save(doc);
}

}  // namespace fmd::enclosure
