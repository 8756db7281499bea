#include "fmd/bus/private_ids.h"

#include <algorithm>
#include <cstring>

#include "fmd/base/json.h"
#include "fmd/base/lower_case.h"
#include "fmd/base/text.h"
#include "fmd/model/fmri.h"

namespace fmd::bus {
namespace {

constexpr std::string_view kInstead = "(root only)";
constexpr size_t kShortest = 4;  // shorter values are not serial numbers

uint32_t beginning_of(const char* text) {
  uint32_t value = 0;
  memcpy(&value, text, sizeof value);
  return value;
}

size_t slot_of(uint32_t beginning) {
  return (beginning * 2654435761u) >> 16;
}

bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool stands_alone(std::string_view text, size_t at, size_t size) {
  const bool before = at > 0 && in_word(text[at - 1]) && in_word(text[at]);
  const size_t end = at + size;
  const bool after = end < text.size() && in_word(text[end]) && in_word(text[end - 1]);
  return !before && !after;
}

std::string in_json(const std::string& text) {
  const std::string quoted =
      nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return quoted.substr(1, quoted.size() - 2);
}

}  // namespace

bool is_private(std::string_view type, std::string_view property) {
  if (property.ends_with("serial")) return type != "disk";
  return property == "uuid" && type == "system";
}

PrivateIds PrivateIds::of(const Inventory& inventory) {
  PrivateIds ids;
  for (const auto& [fmri, resource] : inventory.all()) ids.add(resource);
  ids.made_words_ = ids.words_;
  return ids;
}

PrivateIds PrivateIds::of(const Case& c) {
  PrivateIds ids;
  ids.add(c);
  ids.made_words_ = ids.words_;
  return ids;
}

PrivateIds PrivateIds::of(const Engine& engine) {
  PrivateIds ids = of(engine.inventory());
  for (const auto& [uuid, c] : engine.cases()) ids.add(c);
  ids.made_words_ = ids.words_;
  return ids;
}

void PrivateIds::add(const Resource& resource) {
  for (const auto& [name, value] : resource.properties)
    if (is_private(resource.type, name)) add(to_text(value));
}

void PrivateIds::add(const Case& c) {
  for (const Suspect& suspect : c.suspects)
    if (!suspect.fru.empty() && !suspect.fru.starts_with("dev://wwn=") &&
        !suspect.fru.starts_with("dev://serial="))
      add(suspect.serial);
}

void PrivateIds::add(std::string_view value) {
  const std::string text(value);
  const std::string fmri = make_fmri("x", {{"y", text}});
  for (const std::string& form :
       {text, lower_case(text), in_json(text), fmri.substr(fmri.find('=') + 1)})
    add_word(form);
}

void PrivateIds::add_word(std::string word) {
  if (word.size() < kShortest) return;
  const uint32_t beginning = beginning_of(word.data());
  std::vector<std::string>& there = by_beginning_[beginning];
  if (std::find(there.begin(), there.end(), word) != there.end()) return;
  // The longest first: one may be a prefix of another.
  there.insert(std::find_if(there.begin(), there.end(),
                            [&](const std::string& one) { return one.size() < word.size(); }),
               std::move(word));
  may_begin_[slot_of(beginning)] = true;
  ++words_;
}

size_t PrivateIds::at(std::string_view text, size_t position) const {
  if (position + kShortest > text.size()) return 0;
  const uint32_t beginning = beginning_of(text.data() + position);
  if (!may_begin_[slot_of(beginning)]) return 0;
  const auto words = by_beginning_.find(beginning);
  if (words == by_beginning_.end()) return 0;
  for (const std::string& word : words->second)
    if (text.compare(position, word.size(), word) == 0 && stands_alone(text, position, word.size()))
      return word.size();
  return 0;
}

std::string PrivateIds::taken_out_of(std::string_view text) const {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const size_t found = at(text, i);
    out += found > 0 ? kInstead : text.substr(i, 1);
    i += std::max<size_t>(found, 1);
  }
  return out;
}

std::string PrivateIds::taken_out_of_json(std::string_view document) const {
  if (by_beginning_.empty()) return std::string(document);
  std::string out;
  out.reserve(document.size());
  size_t kept = 0;  // end of the part of document that is in `out`
  bool in_string = false;
  for (size_t i = 0; i < document.size();) {
    if (const size_t found = in_string ? at(document, i) : 0; found > 0) {
      out += document.substr(kept, i - kept);
      out += kInstead;
      i = kept = i + found;
    } else if (in_string && document[i] == '\\') {
      i += 2;
    } else {
      if (document[i] == '"') in_string = !in_string;
      ++i;
    }
  }
  return out += document.substr(kept);
}

}  // namespace fmd::bus
