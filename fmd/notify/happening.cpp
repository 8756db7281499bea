#include "fmd/notify/happening.h"

#include <array>
#include <utility>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"

namespace fmd {
namespace {

using Member = std::pair<const char*, std::string Happening::*>;

constexpr std::array<Member, 13> kMembers{{{"uuid", &Happening::uuid},
                                           {"severity", &Happening::severity},
                                           {"part", &Happening::part},
                                           {"name", &Happening::name},
                                           {"by", &Happening::by},
                                           {"bay", &Happening::bay},
                                           {"location", &Happening::location},
                                           {"serial", &Happening::serial},
                                           {"model", &Happening::model},
                                           {"pool", &Happening::pool},
                                           {"health", &Happening::health},
                                           {"result", &Happening::result},
                                           {"detail", &Happening::detail}}};

}  // namespace

nlohmann::json to_json(const Happening& happening) {
  nlohmann::json doc = {{"event", happening_name(happening.kind)}, {"time", happening.time_ns}};
  for (const auto& [name, member] : kMembers)
    if (const std::string& text = happening.*member; !text.empty()) doc[name] = text;
  return doc;
}

std::optional<Happening> happening_from_json(const nlohmann::json& doc) {
  const auto kind = parse_happening(json_text(doc, "event"));
  if (!kind) return {};
  Happening happening;
  happening.kind = *kind;
  happening.time_ns = json_int(doc, "time");
  for (const auto& [name, member] : kMembers) happening.*member = json_text(doc, name);
  if (happening.uuid.empty()) return {};
  return happening;
}

std::vector<std::string> parts_of(const Happening& happening) {
  std::vector<std::string> parts;
  for (const std::string& part : {happening.part, happening.by, happening.bay})
    if (!part.empty()) parts.push_back(part);
  return parts;
}

AlertFacts facts_of(const Happening& happening, const Inventory& inventory) {
  AlertFacts facts;
  facts.event = happening_name(happening.kind);
  facts.severity = happening.severity;
  facts.classes.insert("happening." + facts.event);
  for (const std::string& part : parts_of(happening)) add_part(facts, part, inventory);
  add_bay(facts, happening.bay, inventory);
  for (const auto& [words, word] : {std::pair{&facts.parts, &happening.serial},
                                    {&facts.parts, &happening.name},
                                    {&facts.bays, &happening.location},
                                    {&facts.pools, &happening.pool}})
    if (!word->empty()) words->insert(*word);
  return facts;
}

}  // namespace fmd
