// The `inventory` and `readings` messages.
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "fmd/base/json_value.h"
#include "fmd/base/text.h"
#include "fmd/model/fmri.h"
#include "fmd/protocol/parse.h"

namespace fmd::protocol {
namespace {

using nlohmann::json;

Result<json> read(std::string_view params, std::string_view what) {
  // Bounded in depth: the parser is recursive in what it builds.
  const auto too_deep = [](int depth, json::parse_event_t, json&) { return depth <= 8; };
  json doc = json::parse(params, too_deep, false);
  if (doc.is_discarded() || !doc.is_object())
    return fail(fmt::format("{}: not a valid JSON object", what));
  return doc;
}

Result<std::string> canonical(std::string_view what, const std::string& fmri) {
  if (fmri.size() > kMaxFmri)
    return fail(fmt::format("{}: an FMRI is longer than {} bytes", what, kMaxFmri));
  if (is_canonical_fmri(fmri)) return fmri;
  const Result<Fmri> parsed = Fmri::parse(fmri);
  if (!parsed) return fail(fmt::format("{}: {}", what, parsed.error().message));
  return parsed->str();
}

bool is_property(std::string_view name) {
  if (name.empty() || name.size() > 64) return false;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '.' || c == '-';
    if (!plain) return false;
  }
  return true;
}

Result<Resource> read_resource(const json& doc) {
  Result<Resource> resource = Inventory::resource_from_json(doc);
  if (!resource) return fail("inventory: " + resource.error().message);
  resource->sources.clear();
  auto fmri = canonical("inventory", resource->fmri);
  if (!fmri) return tl::unexpected(fmri.error());
  resource->fmri = std::move(*fmri);
  for (Edge& edge : resource->edges) {
    auto to = canonical("inventory", edge.to);
    if (!to) return tl::unexpected(to.error());
    edge.to = std::move(*to);
  }
  for (auto& [name, value] : resource->properties) {
    if (!is_property(name))
      return fail(fmt::format("inventory: \"{}\" is no property name", display(name)));
    if (auto* text = std::get_if<std::string>(&value); text && text->size() > kMaxProperty)
      text->resize(kMaxProperty);
  }
  return resource;
}

Result<InventoryUpdate::Gone> read_gone(const json& doc) {
  if (!doc.is_object()) return fail("inventory: an entry of \"gone\" must be an object");
  auto fmri = canonical("inventory", json_text(doc, "fmri"));
  if (!fmri) return tl::unexpected(fmri.error());
  InventoryUpdate::Gone gone;
  gone.fmri = std::move(*fmri);
  gone.reason = doc.contains("reason") ? json_text(doc, "reason") : "removed";
  if (gone.reason != "removed" && gone.reason != "replaced" && gone.reason != "detached" &&
      gone.reason != "destroyed")
    return fail(
        fmt::format("inventory: {} cannot be gone for the reason \"{}\"; it is one of "
                    "removed, replaced, detached, destroyed",
                    gone.fmri, display(gone.reason)));
  if (const std::string by = json_text(doc, "replaced_by"); !by.empty()) {
    auto replaced_by = canonical("inventory", by);
    if (!replaced_by) return tl::unexpected(replaced_by.error());
    gone.replaced_by = std::move(*replaced_by);
  }
  return gone;
}

Result<const json*> list(const json& doc, const char* key, std::string_view what) {
  static const json kNone = json::array();
  const auto at = doc.find(key);
  if (at == doc.end()) return &kNone;
  if (!at->is_array()) return fail(fmt::format("{}: \"{}\" must be an array", what, key));
  if (at->size() > kMaxResources)
    return fail(fmt::format("{}: \"{}\" has more than {} entries", what, key, kMaxResources));
  return &*at;
}

}  // namespace

Result<InventoryUpdate> parse_inventory(std::string_view params) {
  const auto doc = read(params, "inventory");
  if (!doc) return tl::unexpected(doc.error());
  InventoryUpdate update;
  if (const auto at = doc->find("complete"); at != doc->end()) {
    if (!at->is_boolean()) return fail("inventory: \"complete\" must be true or false");
    update.complete = at->get<bool>();
  }
  const auto kept = list(*doc, "kept", "inventory");
  if (!kept) return tl::unexpected(kept.error());
  for (const json& one : **kept) {
    if (!one.is_string()) return fail("inventory: \"kept\" must hold FMRIs");
    auto fmri = canonical("inventory", one.get<std::string>());
    if (!fmri) return tl::unexpected(fmri.error());
    update.kept.push_back(std::move(*fmri));
  }
  const auto resources = list(*doc, "resources", "inventory");
  if (!resources) return tl::unexpected(resources.error());
  for (const json& one : **resources) {
    auto resource = read_resource(one);
    if (!resource) return tl::unexpected(resource.error());
    update.resources.push_back(std::move(*resource));
  }
  const auto gone = list(*doc, "gone", "inventory");
  if (!gone) return tl::unexpected(gone.error());
  for (const json& one : **gone) {
    auto entry = read_gone(one);
    if (!entry) return tl::unexpected(entry.error());
    update.gone.push_back(std::move(*entry));
  }
  return update;
}

Result<ReadingsMessage> parse_readings(std::string_view params) {
  const auto doc = read(params, "readings");
  if (!doc) return tl::unexpected(doc.error());
  const auto readings = list(*doc, "readings", "readings");
  if (!readings) return tl::unexpected(readings.error());
  std::map<std::string, Resource> by_fmri;
  ReadingsMessage message;
  for (const json& one : **readings) {
    if (!one.is_object()) return fail("readings: an entry must be an object");
    auto fmri = canonical("readings", json_text(one, "resource"));
    if (!fmri) return tl::unexpected(fmri.error());
    const std::string name = json_text(one, "name");
    if (!is_property(name))
      return fail(fmt::format("readings: \"{}\" is no property name", display(name)));
    const auto value = one.find("value");
    if (value == one.end() || !value->is_number())
      return fail(fmt::format("readings: the value of \"{}\" must be a number", name));
    Resource& resource = by_fmri[*fmri];
    resource.fmri = *fmri;
    resource.properties[name] = value_from_json(*value);
    std::string unit = json_text(one, "unit");
    if (unit.size() > kMaxUnit) unit.clear();
    message.readings.push_back(
        {*fmri, name, std::move(unit), value->get<double>(), json_int(one, "time")});
  }
  message.update.merge = true;
  for (auto& [fmri, resource] : by_fmri) message.update.resources.push_back(std::move(resource));
  return message;
}

}  // namespace fmd::protocol
