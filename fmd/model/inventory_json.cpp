// The inventory's form in the store and on the wire.
#include <fmt/format.h>

#include "fmd/base/json.h"
#include "fmd/base/json_members.h"
#include "fmd/base/json_value.h"
#include "fmd/base/text.h"
#include "fmd/model/inventory.h"
#include "fmd/model/resource_reader.h"

namespace fmd {

void Inventory::append_json(const Resource& r, std::string& out) {
  JsonMembers members(out);
  members.add_list("edges", r.edges, [](const Edge& edge, std::string& to) {
    JsonMembers one(to);
    one.add("relation", relation_name(edge.relation));
    one.add("to", edge.to);
    one.end();
  });
  members.add("fmri", r.fmri);
  members.add("present", r.present);
  JsonMembers properties(members.named("properties"));
  for (const auto& [name, value] : r.properties) {
    if (out.back() != '{') out += ',';
    append_json_text(name, out);
    out += ':';
    append_json_value(value, out);
  }
  properties.end();
  members.add_texts("sources", r.sources);
  members.add("type", r.type);
  members.end();
}

nlohmann::json Inventory::to_json(const Resource& r) {
  std::string text;
  append_json(r, text);
  return nlohmann::json::parse(text);
}

Result<Resource> Inventory::resource_from_json(const nlohmann::json& doc) {
  simdjson::dom::parser parser;
  simdjson::dom::element element;
  if (parser.parse(dump_json(doc)).get(element)) return fail("a resource must be JSON");
  return read_resource(element);
}

std::string Inventory::doc_of(const Part& part, const Word& word) const {
  const Resource& r = part.said(word);
  std::string out = "{\"edges\":[";
  for (const Edge& edge : r.edges) {
    if (out.back() != '[') out += ',';
    out += fmt::format("{{\"relation\":\"{}\",\"to\":", relation_name(edge.relation));
    append_json_text(edge.to, out);
    out += '}';
  }
  out += "],\"fmri\":";
  append_json_text(part.merged.fmri, out);
  out += fmt::format(",\"order\":{},\"present\":{},\"properties\":{{", word.order, r.present);
  for (const auto& [name, value] : r.properties) {
    if (out.back() != '{') out += ',';
    append_json_text(name, out);
    out += ':';
    append_json_value(value, out);
  }
  out += "},\"sources\":[";
  append_json_text(sources_[word.source].source, out);
  out += "],\"type\":";
  append_json_text(r.type, out);
  if (!word.declared) out += ",\"readings\":true";
  out += '}';
  return out;
}

void Inventory::restore(Resource resource) {
  const Names sources = resource.sources.empty() ? Names{"store"} : resource.sources;
  for (const std::string& source : sources) {
    Part& part = part_for(resource.fmri);
    if (say(part, source_for(source), resource, false)) rebuild(part);
  }
  for (const auto& [source, fmri] : std::exchange(dirty_, {}))
    if (Part* const known = part(fmri))
      if (Word* const word = known->by(source)) word->changed = false;
  ++generation_;
}

// Without a document: it is gone.
Inventory::Row Inventory::row_of(Source source, std::string_view fmri, const Part* part) const {
  const Word* word = part ? part->by(source) : nullptr;
  std::string key = sources_[source].source + ' ';
  key += fmri;
  return {std::move(key), word ? doc_of(*part, *word) : ""};
}

std::vector<Inventory::Row> Inventory::take_changes() {
  if (has_measured())
    for (size_t i = 0, last = dirty_.size(); i < last; ++i) write_out(dirty_[i].second);
  auto dirty = std::exchange(dirty_, {});
  // A part that was dropped and reported again has two.
  std::sort(dirty.begin(), dirty.end());
  dirty.erase(std::unique(dirty.begin(), dirty.end()), dirty.end());
  std::vector<Row> rows;
  rows.reserve(dirty.size());
  for (const auto& [source, fmri] : dirty) {
    Part* const known = part(fmri);
    if (Word* word = known ? known->by(source) : nullptr) word->changed = false;
    rows.push_back(row_of(source, fmri, known));
  }
  return rows;
}

std::vector<Inventory::Row> Inventory::take_measured(size_t most) {
  std::vector<Row> rows;
  while (!measured_.empty() && rows.size() < most) {
    auto at = measured_.upper_bound(written_to_);
    if (at == measured_.end()) at = measured_.begin();
    Part& next = *part((*at)->fmri);
    measured_.erase(at);
    next.in_turn = false;
    written_to_ = next.fmri();
    // Keeps all reports about a part together: a limit and its value.
    for (Word& word : next.words)
      if (std::exchange(word.measured, false))
        rows.push_back(row_of(word.source, next.fmri(), &next));
  }
  return rows;
}

void Inventory::write_out(Part& part) {
  if (!std::exchange(part.in_turn, false)) return;
  measured_.erase(&part.merged);
  for (Word& word : part.words)
    if (word.measured) to_be_written(word, part.fmri());
}

void Inventory::write_out(std::string_view fmri) {
  if (Part* known = part(fmri)) write_out(*known);
}

void Inventory::write_out() {
  while (!measured_.empty()) write_out((*measured_.begin())->fmri);
}

std::vector<Inventory::Row> Inventory::rows_of(const std::string& fmri) const {
  std::vector<Row> rows;
  if (const Part* known = part(fmri))
    for (const Word& word : known->words) rows.push_back(row_of(word.source, fmri, known));
  return rows;
}

void Inventory::mark_all_changed() {
  write_out();
  for (const auto& [fmri, resource] : all())
    for (Word& word : part(fmri)->words) to_be_written(word, fmri);
}

Result<void> Inventory::restore_row(const std::string& key, const std::string& doc) {
  static thread_local simdjson::dom::parser parser;  // a start reads many
  simdjson::dom::element json;
  const size_t blank = key.find(' ');
  if (parser.parse(doc).get(json) || blank == std::string::npos)
    return fail(fmt::format("the stored resource \"{}\" cannot be read", display(key)));
  Result<Resource> resource = read_resource(json);
  if (!resource) return tl::unexpected(resource.error());
  Part& part = part_for(resource->fmri);
  Word& word = word_for(part, source_for(std::string_view(key).substr(0, blank)));
  word.apart = std::make_unique<Resource>(std::move(*resource));
  word.apart->fmri = {};
  word.apart->sources.clear();
  bool readings = false;
  word.declared = json["readings"].get(readings) || !readings;
  if (json["order"].get(word.order)) word.order = 0;
  order_ = std::max(order_, word.order);
  rebuild(part);
  ++generation_;
  return {};
}

}  // namespace fmd
