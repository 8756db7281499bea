#include "fmd/reconcile/intervention.h"

#include <algorithm>
#include <array>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"

namespace fmd {
namespace {

constexpr std::array<std::string_view, 5> kKinds{"retire", "spare", "replace", "fault-led",
                                                 "locate-led"};
constexpr std::array<std::string_view, 3> kStates{"intended", "in-force", "undoing"};
constexpr std::array<std::string_view, 5> kServices{"unknown", "in-service", "degraded",
                                                    "out-of-service", "removed"};

template <class Enum, size_t N>
std::optional<Enum> find_name(const std::array<std::string_view, N>& names, std::string_view name) {
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) return {};
  return static_cast<Enum>(at - names.begin());
}

}  // namespace

std::string_view intervention_name(InterventionKind kind) {
  return kKinds[static_cast<size_t>(kind)];
}
std::optional<InterventionKind> parse_intervention_kind(std::string_view name) {
  return find_name<InterventionKind>(kKinds, name);
}
std::string_view intervention_state_name(Intervention::State state) {
  return kStates[static_cast<size_t>(state)];
}
std::string_view service_name(Service service) {
  return kServices[static_cast<size_t>(service)];
}
Service parse_service(std::string_view word) {
  return find_name<Service>(kServices, word).value_or(Service::unknown);
}

int service_rank(Service service) {
  if (service == Service::degraded) return 1;
  return service == Service::out_of_service || service == Service::removed ? 2 : 0;
}

nlohmann::json to_json(const Intervention& i) {
  return {{"kind", intervention_name(i.kind)},
          {"part", i.part},
          {"with", i.with},
          {"group", i.group},
          {"level", service_name(i.level)},
          {i.owner.kind == Owner::Kind::person ? "person" : "case", i.owner.name},
          {"state", intervention_state_name(i.state)},
          {"since", i.since.wall_ns},
          {"since_steady", i.since.steady_ns},
          {"key", i.key},
          {"level_key", i.level_key},
          {"undo_key", i.undo_key},
          {"attempts", i.attempts},
          {"undo_attempts", i.undo_attempts},
          {"may_be_done", i.may_be_done},
          {"asked", i.asked},
          {"light_is_theirs", i.light_is_theirs}};
}

std::optional<Intervention> intervention_from_json(const nlohmann::json& doc) {
  if (!doc.is_object()) return {};
  const auto kind = parse_intervention_kind(json_text(doc, "kind"));
  const auto state = find_name<Intervention::State>(kStates, json_text(doc, "state"));
  if (!kind || !state || json_text(doc, "part").empty()) return {};
  Intervention i;
  i.kind = *kind;
  i.state = *state;
  i.part = json_text(doc, "part");
  i.with = json_text(doc, "with");
  i.group = json_text(doc, "group");
  i.level = parse_service(json_text(doc, "level"));
  const bool person = doc.contains("person");
  i.owner = {person ? Owner::Kind::person : Owner::Kind::acting_case,
             json_text(doc, person ? "person" : "case")};
  i.since = {json_int(doc, "since"), json_int(doc, "since_steady")};
  i.key = json_text(doc, "key");
  i.level_key = json_text(doc, "level_key");
  i.undo_key = json_text(doc, "undo_key");
  i.attempts = static_cast<int>(json_int(doc, "attempts"));
  i.undo_attempts = static_cast<int>(json_int(doc, "undo_attempts"));
  i.may_be_done = json_bool(doc, "may_be_done");
  i.asked = json_bool(doc, "asked");
  i.light_is_theirs = json_bool(doc, "light_is_theirs");
  return i;
}

}  // namespace fmd
