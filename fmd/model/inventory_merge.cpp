// What several plugins say of one part becomes one resource: the owner's word (owners.h) before the
// others', which are kept beside it.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <tuple>

#include "fmd/model/inventory.h"
#include "fmd/model/owners.h"

namespace fmd {
namespace {

// Letters and digits: BMCs add blanks and dashes to a serial number.
std::string plain(const std::string& text) {
  std::string out;
  for (const unsigned char c : text)
    if (std::isalnum(c)) out += static_cast<char>(std::toupper(c));
  return out;
}

// Makers add the revision or the plant to the number, and not every program shows that.
bool is_same_serial(const std::string& a, const std::string& b) {
  const std::string one = plain(a), other = plain(b);
  return one.empty() || other.empty() || one.starts_with(other) || other.starts_with(one);
}

double number(const Resource& r, std::string_view property) {
  const auto at = r.properties.find(property);
  if (at == r.properties.end()) return 0;
  if (const auto* u = std::get_if<uint64_t>(&at->second)) return static_cast<double>(*u);
  if (const auto* i = std::get_if<int64_t>(&at->second)) return static_cast<double>(*i);
  const auto* d = std::get_if<double>(&at->second);
  return d ? *d : 0;
}

// A tenth is the difference between TB and TiB, which some BMCs do not distinguish.
bool is_same_size(double a, double b) {
  constexpr double kRounding = 0.1;
  return a <= 0 || b <= 0 || std::abs(a - b) <= kRounding * std::max(a, b);
}

std::string kept_name(std::string_view source, std::string_view property) {
  return fmt::format("said_by.{}.{}", source, property);
}

// The properties of a plugin that is not the first to see the part: its own ones under their names, different
// values of the others' under its name.
Properties set_apart(const PartOwners& owners, const std::string& source, const Properties& said,
                     const Properties& of_first) {
  std::vector<Properties::value_type> out;
  for (const auto& [name, value] : said) {
    if (owners.is_own(source, name) || name.starts_with("said_by.")) {
      out.emplace_back(name, value);
      continue;
    }
    const auto first = of_first.find(name);
    if (first == of_first.end() || first->second != value)
      out.emplace_back(kept_name(source, name), value);
  }
  return Properties(out);
}

}  // namespace

Resource Inventory::merge(Part& part) const {
  Resource merged;
  if (part.words.size() == 1) {
    Word& only = part.words.front();
    if (only.declared || !only.apart->present) {
      merged = std::move(*only.apart);
      only.apart.reset();
      merged.sources = {sources_[only.source].source};
      return merged;
    }
  }
  // The owner's word wins, else the later one. A source that no longer sees the part comes before all others.
  const PartOwners* const owners = owners_of(part.fmri());
  // Higher for an earlier owner; 0 for a plugin that is none, or has only measured the part.
  const auto place = [&](const Word& word) -> size_t {
    if (!owners || !word.declared) return 0;
    return owners->owners.size() - owners->rank(sources_[word.source].source);
  };
  const auto rank = [&](const Word* word) {
    return std::tuple(word->apart->present, place(*word), word->order);
  };
  std::vector<const Word*> words;
  for (const Word& word : part.words) words.push_back(&word);
  std::sort(words.begin(), words.end(),
            [&](const Word* a, const Word* b) { return rank(a) < rank(b); });
  const Word* const first = words.back();
  const bool owned = owners && place(*first) > 0;
  const bool seen_by_owner =
      std::any_of(words.begin(), words.end(), [&](const Word* word) { return place(*word) > 0; });
  merged.present = false;
  for (const Word* word : words) {
    const Resource& said = *word->apart;
    const std::string& source = sources_[word->source].source;
    if (!said.type.empty()) merged.type = said.type;
    // An earlier owner that no longer sees the part says what it was.
    const bool is_later = word != first && place(*word) <= place(*first);
    if (owned && !owners->fills && is_later)
      merged.properties.take(set_apart(*owners, source, said.properties, first->apart->properties));
    else
      merged.properties.take(said.properties);
    const bool ties = !owned || !owners->own_edges || word == first;
    for (const Edge& edge : said.edges)
      if (ties || edge.relation == Relation::path || edge.relation == Relation::power ||
          edge.relation == Relation::cooling)
        merged.edges.push_back(edge);
    merged.sources.insert(source);
    if (word->declared && said.present && (!seen_by_owner || place(*word) > 0))
      merged.present = true;
  }
  std::sort(merged.edges.begin(), merged.edges.end());
  merged.edges.erase(std::unique(merged.edges.begin(), merged.edges.end()), merged.edges.end());
  if (owned && !owners->fills) dispute(part, merged);
  return merged;
}

// Marks a part that another source that sees it identifies differently.
void Inventory::dispute(const Part& part, Resource& merged) const {
  for (const Word& word : part.words) {
    const std::string& source = sources_[word.source].source;
    const Resource& said = *word.apart;
    if (!said.present) continue;
    const auto mark = [&](std::string_view name, const std::string& value) {
      merged.properties["disputed"] =
          fmt::format("according to fmd-{} its {} is {}", source, name, value);
    };
    for (const char* name : {"serial", "wwn"})
      for (const std::string& own : {said.get(name), said.get(kept_name(source, name))})
        if (!is_same_serial(own, merged.get(name))) mark(name, own);
    for (const std::string& name : {std::string("size_bytes"), kept_name(source, "size_bytes")})
      if (!is_same_size(number(said, name), number(merged, "size_bytes")))
        mark("size", said.get(name) + " bytes");
  }
}

}  // namespace fmd
