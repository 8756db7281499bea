// The inventory's form in the store and on the wire.
#include <fmt/format.h>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/base/text.h"
#include "fmd/model/inventory.h"
#include "fmd/model/resource_reader.h"

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
  simdjson::dom::parser parser;
  simdjson::dom::element element;
  if (parser.parse(dump_json(doc)).get(element)) return fail("a resource must be JSON");
  return read_resource(element);
}

std::string Inventory::doc_of(const Part& part, const Word& word) {
  const Resource& r = part.said(word);
  std::string out = "{\"edges\":[";
  for (const Edge& edge : r.edges) {
    if (out.back() != '[') out += ',';
    out += fmt::format("{{\"relation\":\"{}\",\"to\":", relation_name(edge.relation));
    append_json_text(edge.to, out);
    out += '}';
  }
  out += "],\"fmri\":";
  append_json_text(r.fmri, out);
  out += fmt::format(",\"order\":{},\"present\":{},\"properties\":{{", word.order, r.present);
  for (const auto& [name, value] : r.properties) {
    if (out.back() != '{') out += ',';
    append_json_text(name, out);
    out += ':';
    append_json_value(value, out);
  }
  out += "},\"sources\":[";
  append_json_text(word.source, out);
  out += "],\"type\":";
  append_json_text(r.type, out);
  if (!word.declared) out += ",\"readings\":true";
  out += '}';
  return out;
}

void Inventory::restore(Resource resource) {
  const std::set<std::string> sources = std::move(resource.sources);
  for (const std::string& source : sources.empty() ? std::set<std::string>{"store"} : sources) {
    say(source, resource, false);
    rebuild(resource.fmri);
  }
  dirty_.clear();
  ++generation_;
}

// Without a document: it is gone.
Inventory::Row Inventory::row_of(const std::string& source, const std::string& fmri) const {
  const Part* known = part(fmri);
  const Word* word = known ? known->by(source) : nullptr;
  return {source + " " + fmri, word ? doc_of(*known, *word) : ""};
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
  if (const Part* known = part(fmri))
    for (const Word& word : known->words)
      rows.push_back({word.source + " " + fmri, doc_of(*known, word)});
  return rows;
}

void Inventory::mark_all_changed() {
  for (const auto& [fmri, known] : parts_)
    for (const Word& word : known.words) dirty_.emplace(word.source, fmri);
  measured_.clear();
}

Result<void> Inventory::restore_row(const std::string& key, const std::string& doc) {
  static thread_local simdjson::dom::parser parser;  // a start reads many
  simdjson::dom::element json;
  const size_t blank = key.find(' ');
  if (parser.parse(doc).get(json) || blank == std::string::npos)
    return fail(fmt::format("the stored resource \"{}\" cannot be read", display(key)));
  Result<Resource> resource = read_resource(json);
  if (!resource) return tl::unexpected(resource.error());
  const std::string fmri = resource->fmri;
  Word& word = word_for(parts_[fmri], key.substr(0, blank));
  word.apart = std::make_unique<Resource>(std::move(*resource));
  word.apart->sources.clear();
  bool readings = false;
  word.declared = json["readings"].get(readings) || !readings;
  if (json["order"].get(word.order)) word.order = 0;
  order_ = std::max(order_, word.order);
  rebuild(fmri);
  ++generation_;
  return {};
}

}  // namespace fmd
