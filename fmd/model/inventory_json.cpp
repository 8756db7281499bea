// The inventory's form in the store and on the wire.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "fmd/base/json_value.h"
#include "fmd/base/text.h"
#include "fmd/model/fmri.h"
#include "fmd/model/inventory.h"

namespace fmd {

nlohmann::json Inventory::to_json(const Resource& r) {
  nlohmann::json properties = nlohmann::json::object();
  for (const auto& [name, value] : r.properties) properties[name] = value_to_json(value);
  nlohmann::json edges = nlohmann::json::array();
  for (const Edge& edge : r.edges)
    edges.push_back({{"relation", relation_name(edge.relation)}, {"to", edge.to}});
  return {{"fmri", r.fmri},
          {"type", r.type},
          {"properties", std::move(properties)},
          {"edges", std::move(edges)},
          {"present", r.present},
          {"sources", r.sources}};
}

Result<Resource> Inventory::resource_from_json(const nlohmann::json& doc) {
  if (!doc.is_object()) return fail("a resource must be a JSON object");
  Resource r;
  const auto text = [&doc](const char* key) -> const std::string* {
    const auto at = doc.find(key);
    return at == doc.end() ? nullptr : at->get_ptr<const std::string*>();
  };
  if (!text("fmri")) return fail("a resource must have an \"fmri\" string");
  r.fmri = *text("fmri");
  if (!is_canonical_fmri(r.fmri))
    if (const auto parsed = Fmri::parse(r.fmri); !parsed) return tl::unexpected(parsed.error());
  const auto refuse = [&r](std::string_view what) {
    return fail(fmt::format("resource {}: {}", r.fmri, what));
  };
  if (const std::string* type = text("type"))
    r.type = *type;
  else if (doc.contains("type"))
    return refuse("\"type\" must be a string");
  if (const auto at = doc.find("present"); at != doc.end()) {
    if (!at->is_boolean()) return refuse("\"present\" must be true or false");
    r.present = at->get<bool>();
  }
  if (const auto at = doc.find("properties"); at != doc.end()) {
    if (!at->is_object()) return refuse("\"properties\" must be an object");
    for (const auto& [name, value] : at->items()) {
      if (value.is_structured())
        return refuse(fmt::format("the property \"{}\" must be a scalar", display(name)));
      if (!value.is_null()) r.properties[name] = value_from_json(value);
    }
  }
  if (const auto at = doc.find("edges"); at != doc.end()) {
    if (!at->is_array()) return refuse("\"edges\" must be an array");
    for (const nlohmann::json& edge : *at) {
      if (!edge.is_object() || !edge.contains("relation") || !edge["relation"].is_string() ||
          !edge.contains("to") || !edge["to"].is_string())
        return refuse("an edge must have the strings \"relation\" and \"to\"");
      const auto relation = parse_relation(edge["relation"].get_ref<const std::string&>());
      if (!relation) return refuse(relation.error().message);
      r.edges.push_back({*relation, edge["to"].get<std::string>()});
    }
  }
  if (const auto at = doc.find("sources"); at != doc.end() && at->is_array())
    for (const nlohmann::json& source : *at)
      if (source.is_string()) r.sources.insert(source.get<std::string>());
  return r;
}

nlohmann::json Inventory::word_to_json(const Word& word) {
  nlohmann::json doc = to_json(word.said);
  doc["order"] = word.order;
  if (!word.declared) doc["readings"] = true;
  return doc;
}

void Inventory::restore(Resource resource) {
  const std::set<std::string> sources = resource.sources;
  for (const std::string& source : sources.empty() ? std::set<std::string>{"store"} : sources) {
    bool changed = false;
    say(source, resource, false, changed).said.sources = {source};
  }
  dirty_.clear();
  rebuild(resource.fmri);
  ++generation_;
}

// Without a document: it is gone.
Inventory::Row Inventory::row_of(const std::string& source, const std::string& fmri) const {
  const auto words = by_source_.find(source);
  if (words != by_source_.end())
    if (const auto word = words->second.find(fmri); word != words->second.end())
      return {source + " " + fmri, dump_json(word_to_json(word->second))};
  return {source + " " + fmri, ""};
}

std::vector<Inventory::Row> Inventory::take_changes() {
  if (!measured_.empty())
    for (const auto& [source, fmri] : std::set(dirty_)) write_out(fmri);
  std::vector<Row> rows;
  for (const auto& [source, fmri] : dirty_) rows.push_back(row_of(source, fmri));
  dirty_.clear();
  return rows;
}

std::vector<Inventory::Row> Inventory::take_measured(size_t most) {
  std::vector<Row> rows;
  while (!measured_.empty() && rows.size() < most) {
    auto at = measured_.lower_bound({written_to_ + '\0', ""});  // of the next
    if (at == measured_.end()) at = measured_.begin();
    // All that was said of one part goes together: a limit and the value that it is for.
    for (written_to_ = at->first; at != measured_.end() && at->first == written_to_;
         at = measured_.erase(at))
      rows.push_back(row_of(at->second, at->first));
  }
  return rows;
}

void Inventory::write_out(std::string_view fmri) {
  for (auto at = measured_.lower_bound({std::string(fmri), ""});
       at != measured_.end() && at->first == fmri; at = measured_.erase(at))
    dirty_.emplace(at->second, at->first);
}

void Inventory::write_out() {
  for (const auto& [fmri, source] : measured_) dirty_.emplace(source, fmri);
  measured_.clear();
}

std::vector<Inventory::Row> Inventory::rows_of(const std::string& fmri) const {
  std::vector<Row> rows;
  for (const auto& [source, words] : by_source_)
    if (const auto word = words.find(fmri); word != words.end())
      rows.push_back({source + " " + fmri, dump_json(word_to_json(word->second))});
  return rows;
}

void Inventory::mark_all_changed() {
  for (const auto& [source, words] : by_source_)
    for (const auto& [fmri, word] : words) dirty_.emplace(source, fmri);
  measured_.clear();
}

Result<void> Inventory::restore_row(const std::string& key, const std::string& doc) {
  const auto json = nlohmann::json::parse(doc, nullptr, false);
  const size_t blank = key.find(' ');
  if (json.is_discarded() || blank == std::string::npos)
    return fail(fmt::format("the stored resource \"{}\" cannot be read", display(key)));
  Result<Resource> resource = resource_from_json(json);
  if (!resource) return tl::unexpected(resource.error());
  const std::string source = key.substr(0, blank);
  Word word;
  word.said = std::move(*resource);
  word.said.sources = {source};
  word.declared = !json.value("readings", false);
  const auto order = json.find("order");
  word.order = order != json.end() && order->is_number_unsigned() ? order->get<uint64_t>() : 0;
  order_ = std::max(order_, word.order);
  const std::string fmri = word.said.fmri;
  by_source_[source][fmri] = std::move(word);
  rebuild(fmri);
  ++generation_;
  return {};
}

}  // namespace fmd
