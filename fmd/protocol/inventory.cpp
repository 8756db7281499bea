// The `inventory` and `readings` messages.
#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/json_value.h"
#include "fmd/base/text.h"
#include "fmd/model/fmri.h"
#include "fmd/model/resource_reader.h"
#include "fmd/protocol/parse.h"

namespace fmd::protocol {
namespace {

namespace dom = simdjson::dom;

constexpr size_t kDeepestInventory = 32;  // levels, of skipped values as well

// A parsed message. Its parser is not kept, as it takes about ten times the message's memory.
struct Message {
  dom::parser parser;
  dom::object object;

  Result<void> read(std::string_view params, std::string_view what) {
    dom::element doc;
    simdjson::error_code error = parser.allocate(params.size(), kDeepestInventory);
    if (!error) error = parser.parse(params.data(), params.size()).get(doc);
    if (!error) error = doc.get(object);
    if (!error) return {};
    return fail(fmt::format("{}: not a valid JSON object: {}", what, error_message(error)));
  }
};

std::string_view text_of(const dom::element& object, const char* key) {
  std::string_view text;
  return object[key].get(text) ? std::string_view() : text;
}

Result<std::string> canonical(std::string_view what, std::string_view fmri) {
  if (fmri.size() > kMaxFmri)
    return fail(fmt::format("{}: an FMRI is longer than {} bytes", what, kMaxFmri));
  if (is_canonical_fmri(fmri)) return std::string(fmri);
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

Result<Resource> told_resource(const dom::element& doc) {
  Result<Resource> resource = read_resource(doc);
  if (!resource) return fail("inventory: " + resource.error().message);
  resource->sources.clear();
  if (resource->properties.size() > kMaxProperties)
    return fail(fmt::format("inventory: {} has {} properties; {} are allowed", resource->fmri,
                            resource->properties.size(), kMaxProperties));
  auto fmri = canonical("inventory", resource->fmri);
  if (!fmri) return tl::unexpected(fmri.error());
  resource->fmri = std::move(*fmri);
  for (Edge& edge : resource->edges) {
    auto to = canonical("inventory", edge.to);
    if (!to) return tl::unexpected(to.error());
    edge.to = std::move(*to);
  }
  for (const auto& [name, value] : resource->properties) {
    if (!is_property(name))
      return fail(fmt::format("inventory: \"{}\" is no property name", display(name)));
    if (const auto* text = std::get_if<std::string>(&value); text && text->size() > kMaxProperty)
      resource->properties[name] = whole_utf8(*text, kMaxProperty);  // the others stay in place
  }
  return resource;
}

Result<InventoryUpdate::Gone> read_gone(const dom::element& doc) {
  if (!doc.is_object()) return fail("inventory: an entry of \"gone\" must be an object");
  auto fmri = canonical("inventory", text_of(doc, "fmri"));
  if (!fmri) return tl::unexpected(fmri.error());
  InventoryUpdate::Gone gone;
  gone.fmri = std::move(*fmri);
  gone.reason = doc["reason"].error() ? "removed" : text_of(doc, "reason");
  if (gone.reason != "removed" && gone.reason != "replaced" && gone.reason != "detached" &&
      gone.reason != "destroyed")
    return fail(
        fmt::format("inventory: {} cannot be gone for the reason \"{}\"; it is one of "
                    "removed, replaced, detached, destroyed",
                    gone.fmri, display(gone.reason)));
  if (const std::string_view by = text_of(doc, "replaced_by"); !by.empty()) {
    auto replaced_by = canonical("inventory", by);
    if (!replaced_by) return tl::unexpected(replaced_by.error());
    gone.replaced_by = std::move(*replaced_by);
  }
  return gone;
}

// Appends the results of take() for each entry of the list, if the list is present.
template <class Taken>
Result<void> each(const dom::object& message, const char* key, std::string_view what,
                  Result<Taken> (*take)(const dom::element&), std::vector<Taken>& into) {
  const auto member = message[key];
  if (member.error()) return {};
  dom::array array;
  if (member.get(array)) return fail(fmt::format("{}: \"{}\" must be an array", what, key));
  if (array.size() > kMaxResources)
    return fail(fmt::format("{}: \"{}\" has more than {} entries", what, key, kMaxResources));
  into.reserve(array.size());
  for (const dom::element one : array) {
    Result<Taken> taken = take(one);
    if (!taken) return tl::unexpected(taken.error());
    into.push_back(std::move(*taken));
  }
  return {};
}

Result<std::string> read_kept(const dom::element& one) {
  std::string_view fmri;
  if (one.get(fmri)) return fail("inventory: \"kept\" must hold FMRIs");
  return canonical("inventory", fmri);
}

struct ToldReading {
  Reading reading;
  Shared<Value> value;  // as the property will have it
};

Result<ToldReading> read_reading(const dom::element& one) {
  if (!one.is_object()) return fail("readings: an entry must be an object");
  auto fmri = canonical("readings", text_of(one, "resource"));
  if (!fmri) return tl::unexpected(fmri.error());
  Reading reading;
  reading.resource = std::move(*fmri);
  reading.name = text_of(one, "name");
  if (!is_property(reading.name))
    return fail(fmt::format("readings: \"{}\" is no property name", display(reading.name)));
  if (one["value"].get(reading.value))
    return fail(fmt::format("readings: the value of \"{}\" must be a number", reading.name));
  if (const std::string_view unit = text_of(one, "unit"); unit.size() <= kMaxUnit)
    reading.unit = unit;
  if (one["time"].get(reading.time_ns)) reading.time_ns = 0;
  return ToldReading{std::move(reading), shared_value(*read_value(one["value"].value_unsafe()))};
}

}  // namespace

Result<InventoryUpdate> parse_inventory(std::string_view params) {
  Message message;
  if (auto read = message.read(params, "inventory"); !read) return tl::unexpected(read.error());
  InventoryUpdate update;
  if (const auto complete = message.object["complete"];
      !complete.error() && complete.get(update.complete))
    return fail("inventory: \"complete\" must be true or false");
  if (auto all = each<std::string>(message.object, "kept", "inventory", read_kept, update.kept);
      !all)
    return tl::unexpected(all.error());
  if (auto all =
          each<Resource>(message.object, "resources", "inventory", told_resource, update.resources);
      !all)
    return tl::unexpected(all.error());
  if (auto all =
          each<InventoryUpdate::Gone>(message.object, "gone", "inventory", read_gone, update.gone);
      !all)
    return tl::unexpected(all.error());
  return update;
}

Result<ReadingsMessage> parse_readings(std::string_view params) {
  Message read;
  if (auto done = read.read(params, "readings"); !done) return tl::unexpected(done.error());
  std::vector<ToldReading> told;
  if (auto all = each<ToldReading>(read.object, "readings", "readings", read_reading, told); !all)
    return tl::unexpected(all.error());
  std::vector<const ToldReading*> by_resource;
  for (const ToldReading& one : told) by_resource.push_back(&one);
  std::stable_sort(by_resource.begin(), by_resource.end(),
                   [](const ToldReading* a, const ToldReading* b) {
                     return a->reading.resource < b->reading.resource;
                   });
  ReadingsMessage message;
  message.update.merge = true;
  for (auto next = by_resource.begin(); next != by_resource.end();) {
    Resource& resource = message.update.resources.emplace_back();
    resource.fmri = (*next)->reading.resource;
    std::vector<Properties::Entry> entries;
    for (; next != by_resource.end() && (*next)->reading.resource == resource.fmri; ++next)
      entries.emplace_back((*next)->reading.name, (*next)->value);
    if (entries.size() > kMaxProperties)
      return fail(fmt::format("readings: {} of {}; {} are allowed in a message", entries.size(),
                              resource.fmri, kMaxProperties));
    resource.properties = Properties(std::move(entries));
  }
  message.readings.reserve(told.size());
  for (ToldReading& one : told) message.readings.push_back(std::move(one.reading));
  return message;
}

}  // namespace fmd::protocol
