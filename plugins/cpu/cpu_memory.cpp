#include "plugins/cpu/cpu_memory.h"

#include "fmd/base/json.h"

namespace fmd::cpu {

using nlohmann::json;

Result<void> CpuMemory::load() {
  return document_.load([this](const json& doc) {
    CpuMemory known("");
    for (const json& one : doc.at("places")) known.places[one.at(0)] = {one.at(1), one.at(2)};
    for (const auto& [fmri, deed] : doc.at("deeds").items())
      known.deeds[fmri] = {deed.at("key"), deed.at("boot"), deed.at("threads")};
    for (const json& one : doc.at("pages")) {
      Page& page = known.pages[one.at(0)];
      page = {one.at(1), one.at(2), one.size() > 3 ? one.at(3).get<std::string>() : ""};
    }
    for (const json& one : doc.at("released")) known.released[one.at(0)] = one.at(1);
    known.channels = doc.at("channels").get<std::set<std::string>>();
    known.crashes = doc.at("crashes").get<std::set<std::string>>();
    if (const auto before = doc.find("ended"); before != doc.end())
      known.ended = before->get<std::set<std::string>>();
    places = std::move(known.places);
    deeds = std::move(known.deeds);
    ended = std::move(known.ended);
    pages = std::move(known.pages);
    released = std::move(known.released);
    channels = std::move(known.channels);
    crashes = std::move(known.crashes);
    first = false;
  });
}

void CpuMemory::save() {
  json doc{{"places", json::array()}, {"deeds", json::object()},
           {"pages", json::array()},  {"released", json::array()},
           {"channels", channels},    {"crashes", crashes},
           {"ended", ended}};
  for (const auto& [number, place] : places)
    doc["places"].push_back({number, place.socket, place.core});
  for (const auto& [fmri, deed] : deeds)
    doc["deeds"][fmri] = {{"key", deed.key}, {"boot", deed.boot}, {"threads", deed.threads}};
  for (const auto& [frame, page] : pages)
    doc["pages"].push_back({frame, page.last_ns, page.lost_in, page.module});
  for (const auto& [frame, boot] : released) doc["released"].push_back({frame, boot});
  document_.save(doc);
}

}  // namespace fmd::cpu
