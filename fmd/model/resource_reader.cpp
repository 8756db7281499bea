#include "fmd/model/resource_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/text.h"
#include "fmd/model/fmri.h"

namespace fmd {
namespace {

namespace dom = simdjson::dom;

// Each returns the error, or "".
std::string read_properties(const dom::element& value, Properties& properties) {
  dom::object object;
  if (value.get(object)) return "\"properties\" must be an object";
  std::vector<Properties::Entry> entries;
  entries.reserve(object.size());
  for (const auto [name, one] : object) {
    if (std::string_view text; !one.get(text)) {
      entries.emplace_back(name, shared_text(text));
      continue;
    }
    const std::optional<Value> scalar = read_value(one);
    if (!scalar) return fmt::format("the property \"{}\" must be a scalar", display(name));
    entries.emplace_back(name, shared_value(*scalar));
  }
  properties = Properties(std::move(entries));
  properties.drop_absent();
  return "";
}

std::string read_edges(const dom::element& value, std::vector<Edge>& edges) {
  dom::array array;
  if (value.get(array)) return "\"edges\" must be an array";
  edges.clear();  // of two members of a name the later counts
  for (const dom::element edge : array) {
    std::string_view name, to;
    if (edge["relation"].get(name) || edge["to"].get(to))
      return "an edge must have the strings \"relation\" and \"to\"";
    const auto relation = parse_relation(name);
    if (!relation) return relation.error().message;
    edges.push_back({*relation, std::string(to)});
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return "";
}

std::string read_sources(const dom::element& value, Names& sources) {
  dom::array array;
  std::vector<std::string_view> names;
  if (!value.get(array))
    for (const dom::element source : array)
      if (std::string_view text; !source.get(text)) names.push_back(text);
  sources = Names(std::move(names));
  return "";
}

std::string read_member(std::string_view key, const dom::element& value, Resource& r) {
  std::string_view text;
  if (key == "properties") return read_properties(value, r.properties);
  if (key == "edges") return read_edges(value, r.edges);
  if (key == "sources") return read_sources(value, r.sources);
  if (key == "present" && value.get(r.present)) return "\"present\" must be true or false";
  if (key == "type" && value.get(text)) return "\"type\" must be a string";
  if (key == "type") r.type = text;
  return "";
}

}  // namespace

std::optional<Value> read_value(const dom::element& value) {
  switch (value.type()) {
    case dom::element_type::BOOL:
      return bool(value);
    case dom::element_type::INT64:
      return int64_t(value);
    case dom::element_type::UINT64:  // only if it does not fit an int64_t
      return uint64_t(value);
    case dom::element_type::DOUBLE:
      return double(value);
    case dom::element_type::STRING:
      return std::string(std::string_view(value));
    case dom::element_type::NULL_VALUE:
      return Value{};
    default:
      return {};
  }
}

Result<Resource> read_resource(const dom::element& doc) {
  dom::object object;
  if (doc.get(object)) return fail("a resource must be a JSON object");
  std::string_view fmri;
  if (object["fmri"].get(fmri)) return fail("a resource must have an \"fmri\" string");
  if (!is_canonical_fmri(fmri))
    if (const auto parsed = Fmri::parse(fmri); !parsed) return tl::unexpected(parsed.error());
  Resource r;
  r.fmri = fmri;
  for (const auto [key, value] : object)
    if (const std::string wrong = read_member(key, value, r); !wrong.empty())
      return fail(fmt::format("resource {}: {}", r.fmri, wrong));
  return r;
}

}  // namespace fmd
