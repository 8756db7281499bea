#include "fmd/model/properties.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <stdexcept>

namespace fmd {
namespace {

constexpr size_t kRememberedValues = 1024;  // values that were given last
constexpr size_t kLongestText = 64;         // of those, so that they are no memory to speak of

Shared<Value>& remembered(size_t hash) {
  static thread_local std::vector<Shared<Value>> all(kRememberedValues, Shared<Value>());
  return all[hash % kRememberedValues];
}

bool same(const Value& a, const Value& b) {
  if (const auto* number = std::get_if<double>(&a))
    if (const auto* other = std::get_if<double>(&b))
      return std::bit_cast<uint64_t>(*number) ==
             std::bit_cast<uint64_t>(*other);  // -0.0 is not 0.0
  return a == b;
}

bool equal(const Shared<Value>& a, const Shared<Value>& b) {
  return a.is_that_of(b) || *a == *b;
}

}  // namespace

Shared<Value> shared_text(std::string_view text) {
  if (text.size() > kLongestText) return Shared<Value>(std::string(text));
  Shared<Value>& known = remembered(std::hash<std::string_view>{}(text));
  const auto* last = std::get_if<std::string>(&*known);
  if (!last || *last != text) known = Shared<Value>(std::string(text));
  return known;
}

Shared<Value> shared_value(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return shared_text(*text);
  Shared<Value>& known = remembered(std::hash<Value>{}(value));
  if (!same(*known, value)) known = Shared<Value>(value);
  return known;
}

Properties::Properties(const std::vector<value_type>& entries)
    : Properties([&] {
        std::vector<Entry> out;
        out.reserve(entries.size());
        for (const auto& [name, value] : entries) out.emplace_back(name, shared_value(value));
        return out;
      }()) {}

Properties::Properties(std::vector<Entry> entries) {
  const auto by_name = [](const Entry& a, const Entry& b) { return a.first < b.first; };
  const auto alike = [](const Entry& a, const Entry& b) { return a.first == b.first; };
  std::reverse(entries.begin(), entries.end());
  std::stable_sort(entries.begin(), entries.end(), by_name);
  entries.erase(std::unique(entries.begin(), entries.end(), alike), entries.end());
  std::vector<std::string_view> names;
  names.reserve(entries.size());
  values_.reserve(entries.size());
  for (Entry& entry : entries) {
    names.push_back(entry.first);
    values_.push_back(std::move(entry.second));
  }
  names_ = Names::of(names);
}

const Value& Properties::at(std::string_view name) const {
  const auto found = find(name);
  if (found == end()) throw std::out_of_range("there is no such property");
  return found->second;
}

bool Properties::include(const Properties& others) const {
  if (names_.same_list(others.names_))
    return std::equal(values_.begin(), values_.end(), others.values_.begin(), equal);
  for (size_t i = 0; i < others.size(); ++i) {
    const auto own = find(others.names_[i]);
    if (own == end() || !equal(values_[own.at_], others.values_[i])) return false;
  }
  return true;
}

const Value& Properties::put(std::string_view name, Shared<Value> value) {
  const size_t at = names_.place_of(name);
  if (at < size() && names_[at] == name) {
    values_[at] = std::move(value);
  } else {
    values_.insert(values_.begin() + static_cast<std::ptrdiff_t>(at), std::move(value));
    names_.insert(name);
  }
  return *values_[at];
}

std::pair<Properties::const_iterator, bool> Properties::emplace(std::string_view name,
                                                                const Value& value) {
  if (const auto known = find(name); known != end()) return {known, false};
  put(name, shared_value(value));
  return {find(name), true};
}

size_t Properties::erase(std::string_view name) {
  const auto known = find(name);
  if (known == end()) return 0;
  values_.erase(values_.begin() + static_cast<std::ptrdiff_t>(known.at_));
  names_.erase(name);
  return 1;
}

void Properties::drop_absent() {
  const auto absent = [](const Shared<Value>& value) {
    return std::holds_alternative<std::monostate>(*value);
  };
  if (std::none_of(values_.begin(), values_.end(), absent)) return;
  std::vector<Entry> rest;
  for (size_t i = 0; i < size(); ++i)
    if (!absent(values_[i])) rest.emplace_back(names_[i], values_[i]);
  *this = Properties(std::move(rest));
}

void Properties::take(const Properties& later) {
  if (names_.same_list(later.names_)) {
    std::copy(later.values_.begin(), later.values_.end(), values_.begin());
    return;
  }
  if (empty()) {
    *this = later;
    return;
  }
  size_t fresh = 0;
  for (size_t i = 0; i < later.size(); ++i) {
    const auto own = find(later.names_[i]);
    if (own == end())
      ++fresh;
    else
      values_[own.at_] = later.values_[i];
  }
  if (fresh == 0) return;
  std::vector<std::string_view> names;
  std::vector<Shared<Value>> values;
  names.reserve(size() + fresh);
  values.reserve(size() + fresh);
  for (size_t own = 0, other = 0; own < size() || other < later.size();) {
    const bool ours = other == later.size() || (own < size() && names_[own] <= later.names_[other]);
    if (ours && other < later.size() && names_[own] == later.names_[other]) ++other;
    names.push_back(ours ? names_[own] : later.names_[other]);
    values.push_back(ours ? std::move(values_[own++]) : later.values_[other++]);
  }
  names_ = Names::of(names);
  values_ = std::move(values);
}

}  // namespace fmd
