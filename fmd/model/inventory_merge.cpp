// Merges the reports of several plugins about a part into one resource. The owner's values (owners.h)
// take precedence; different values of others are kept under the name said_by().
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <tuple>

#include "fmd/model/inventory.h"
#include "fmd/model/owners.h"

namespace fmd {
namespace {

// Keeps letters and digits only, because BMCs add blanks and dashes to serial numbers.
std::string plain(const std::string& text) {
  std::string out;
  for (const unsigned char c : text)
    if (std::isalnum(c)) out += static_cast<char>(std::toupper(c));
  return out;
}

// One may be a prefix of the other: some programs omit a revision or plant code at the end.
bool is_same_serial(const std::string& a, const std::string& b) {
  const std::string one = plain(a), other = plain(b);
  return one.empty() || other.empty() || one.starts_with(other) || other.starts_with(one);
}

// Within a tenth, the difference between TB and TiB, which some BMCs confuse. Unknown sizes match.
bool is_same_size(int64_t a, int64_t b) {
  return a <= 0 || b <= 0 || std::abs(a - b) <= std::max(a, b) / 10;
}

// The properties of a plugin that is not the first owner: values that it may set keep their names,
// different values of the first owner's properties get the name said_by().
Properties set_apart(const PartOwners& owners, const std::string& source, const Properties& said,
                     const Properties& of_first) {
  std::vector<Properties::value_type> out;
  for (const auto& [name, value] : said) {
    if (owners.is_own(source, name) || name.starts_with(kSaidBy)) {
      out.emplace_back(name, value);
      continue;
    }
    const auto first = of_first.find(name);
    if (first == of_first.end() || first->second != value)
      out.emplace_back(said_by(source, name), value);
  }
  return Properties(out);
}

// all: also the edges that say what the part contains, and what its data is on.
void take_edges(const Resource& said, bool all, Resource& merged) {
  for (const Edge& edge : said.edges)
    if (all || edge.relation == Relation::path || edge.relation == Relation::power ||
        edge.relation == Relation::cooling)
      merged.edges.push_back(edge);
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
  // Sorted, so that later ones overwrite: absent parts, plugins that are no owner, later owners, the
  // first owner; among equals the newer report.
  const PartOwners* const owners = owners_of(part.fmri());
  // Higher for an earlier owner; 0 for a plugin that is no owner, or has only sent readings.
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
    // False for an earlier owner that no longer sees the part: its values fill gaps.
    const bool is_later = word != first && place(*word) <= place(*first);
    if (owned && !owners->fills && is_later)
      merged.properties.take(set_apart(*owners, source, said.properties, first->apart->properties));
    else
      merged.properties.take(said.properties);
    take_edges(said, !owned || !owners->own_edges || word == first, merged);
    merged.sources.insert(source);
    if (word->declared && said.present && (!seen_by_owner || place(*word) > 0))
      merged.present = true;
  }
  std::sort(merged.edges.begin(), merged.edges.end());
  merged.edges.erase(std::unique(merged.edges.begin(), merged.edges.end()), merged.edges.end());
  if (owned && !owners->fills) dispute(part, merged);
  return merged;
}

// Sets "disputed" if a plugin that sees the part contradicts its serial number, WWN or size.
void Inventory::dispute(const Part& part, Resource& merged) const {
  for (const Word& word : part.words) {
    const std::string& source = sources_[word.source].source;
    const Resource& said = *word.apart;
    if (!said.present) continue;
    const auto mark = [&](std::string_view name, const std::string& value) {
      merged.properties[kDisputed] =
          fmt::format("according to fmd-{} its {} is {}", source, name, value);
    };
    for (const char* name : {"serial", "wwn"})
      for (const std::string& own : {said.get(name), said.get(said_by(source, name))})
        if (!is_same_serial(own, merged.get(name))) mark(name, own);
    for (const std::string& name : {std::string("size_bytes"), said_by(source, "size_bytes")})
      if (!is_same_size(number_in(said, name, 0), number_in(merged, "size_bytes", 0)))
        mark("size", said.get(name) + " bytes");
  }
}

}  // namespace fmd
