#include "plugins/zfs/memory.h"

#include <algorithm>

#include "fmd/base/json.h"
#include "plugins/sdk/whole_file.h"

namespace fmd::zfs {
namespace {

using nlohmann::json;

template <class Map, class Fn>
json object_of(const Map& map, Fn value) {
  json object = json::object();
  for (const auto& [key, item] : map) object[std::to_string(key)] = value(item);
  return object;
}

template <class Fn>
void each_guid(const json& doc, const char* key, Fn fn) {
  for (const auto& [guid, value] : doc.at(key).items()) fn(std::stoull(guid), value);
}

json to_json(const Deeds& deeds) {
  return {
      {"intents", object_of(deeds.intents,
                            [](const Intent& i) {
                              return json{{"key", i.key},
                                          {"wanted", i.wanted},
                                          {"before", i.before},
                                          {"begun_ns", i.begun_ns},
                                          {"end", static_cast<int>(i.end)}};
                            })},
      {"effects", object_of(deeds.effects, [](const Effect& e) {
         return json{
             {"key", e.key}, {"value", e.value}, {"begun_ns", e.begun_ns}, {"seen_ns", e.seen_ns}};
       })}};
}

Deeds deeds_of(const json& doc) {
  Deeds deeds;
  each_guid(doc, "intents", [&](uint64_t guid, const json& v) {
    const int end = std::clamp(v.at("end").get<int>(), 0, static_cast<int>(Intent::End::alone));
    deeds.intents[guid] = {v.at("key"), v.at("wanted"), v.at("before"), v.at("begun_ns"),
                           static_cast<Intent::End>(end)};
  });
  each_guid(doc, "effects", [&](uint64_t guid, const json& v) {
    deeds.effects[guid] = {v.at("key"), v.at("value"), v.at("begun_ns"), v.at("seen_ns")};
  });
  return deeds;
}

Memory read(const json& doc) {
  Memory memory;
  each_guid(doc, "places", [&](uint64_t guid, const json& v) {
    memory.places[guid] = {v.at("pool"), v.at("slot"), v.at("order"), v.at("leaf")};
  });
  each_guid(doc, "disks", [&](uint64_t guid, const json& v) { memory.disks[guid] = v; });
  each_guid(doc, "attached_ns",
            [&](uint64_t guid, const json& v) { memory.attached_ns[guid] = v; });
  each_guid(doc, "resilver_ended_ns",
            [&](uint64_t guid, const json& v) { memory.resilver_ended_ns[guid] = v; });
  memory.resilvered = doc.at("resilvered").get<std::set<uint64_t>>();
  for (const auto& [fmri, v] : doc.at("gone").items())
    memory.gone[fmri] = {v.at("reason"), v.at("replaced_by")};
  for (const json& v : doc.at("own_changes"))
    memory.own_changes.push_back({v.at("pool"), v.at("vdev"), v.at("from_ns"), v.at("to_ns")});
  if (doc.contains("pools"))  // absent in files of earlier versions
    each_guid(doc, "pools", [&](uint64_t guid, const json& v) {
      memory.pools[guid] = {v.at("name"), v.at("boot"), v.at("first_seen_ns"),
                            v.at("scrub_ended_ns"), v.at("scrub_repaired")};
    });
  if (doc.contains("counted"))
    each_guid(doc, "counted", [&](uint64_t guid, const json& v) {
      memory.counted[guid] = {v.at("pool"), v.at("seen_ns")};
    });
  if (doc.contains("mapped")) memory.mapped = doc.at("mapped").get<std::set<uint64_t>>();
  if (!doc.contains("answers")) return memory;  // file of an earlier version
  memory.retired = deeds_of(doc.at("retired"));
  memory.spared = deeds_of(doc.at("spared"));
  for (const json& v : doc.at("own_commands"))
    memory.own_commands.push_back({v.at("text"), v.at("from_ns"), v.at("to_ns")});
  for (const json& v : doc.at("answers"))
    memory.answers.push_back({v.at("key"), v.at("status"), v.at("reason"), v.at("detail")});
  return memory;
}

}  // namespace

std::string Memory::to_json() const {
  json doc;
  doc["places"] = object_of(places, [](const Place& p) {
    return json{{"pool", p.pool}, {"slot", p.slot}, {"order", p.order}, {"leaf", p.leaf}};
  });
  doc["pools"] = object_of(pools, [](const PoolPast& p) {
    return json{{"name", p.name},
                {"boot", p.boot},
                {"first_seen_ns", p.first_seen_ns},
                {"scrub_ended_ns", p.scrub_ended_ns},
                {"scrub_repaired", p.scrub_repaired}};
  });
  doc["counted"] = object_of(counted, [](const Counted& c) {
    return json{{"pool", c.pool}, {"seen_ns", c.seen_ns}};
  });
  doc["disks"] = object_of(disks, [](const std::string& fmri) { return json(fmri); });
  doc["mapped"] = mapped;
  doc["attached_ns"] = object_of(attached_ns, [](int64_t ns) { return json(ns); });
  doc["resilver_ended_ns"] = object_of(resilver_ended_ns, [](int64_t ns) { return json(ns); });
  doc["resilvered"] = resilvered;
  doc["gone"] = json::object();
  for (const auto& [fmri, g] : gone)
    doc["gone"][fmri] = {{"reason", g.reason}, {"replaced_by", g.replaced_by}};
  doc["own_changes"] = json::array();
  for (const OwnChange& c : own_changes)
    doc["own_changes"].push_back(
        {{"pool", c.pool}, {"vdev", c.vdev}, {"from_ns", c.from_ns}, {"to_ns", c.to_ns}});
  doc["retired"] = zfs::to_json(retired);
  doc["spared"] = zfs::to_json(spared);
  doc["own_commands"] = json::array();
  for (const OwnCommand& c : own_commands)
    doc["own_commands"].push_back({{"text", c.text}, {"from_ns", c.from_ns}, {"to_ns", c.to_ns}});
  doc["answers"] = json::array();
  for (const Answer& a : answers)
    doc["answers"].push_back(
        {{"key", a.key}, {"status", a.status}, {"reason", a.reason}, {"detail", a.detail}});
  return doc.dump(1, ' ', false, json::error_handler_t::replace);
}

Result<Memory> Memory::from_json(const std::string& text) {
  try {
    return read(json::parse(text));
  } catch (const std::exception& wrong) {  // thrown by json and stoull
    return fail(std::string("damaged: ") + wrong.what());
  }
}

Result<Memory> load_memory(const std::string& file) {
  if (file.empty()) return Memory();
  auto text = sdk::read_whole(file);
  if (!text) return tl::unexpected(text.error());
  if (!*text) return Memory();
  auto memory = Memory::from_json(**text);
  if (!memory) return fail(memory.error().message, file);
  return memory;
}

Result<void> save_memory(const std::string& file, const Memory& memory) {
  return file.empty() ? Result<void>() : sdk::write_whole(file, memory.to_json());
}

}  // namespace fmd::zfs
