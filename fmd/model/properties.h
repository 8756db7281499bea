// Properties: what is known of a resource, by name. As a std::map of few entries, in one piece of memory: ten thousand disks
// have some hundred thousand of them. Many that come one by one in no order take quadratic time: who reads what others wrote
// gives them at once. Single thread; references and iterators are good until the next change.
#pragma once
#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmd/base/value.h"

namespace fmd {

class Properties {
 public:
  using value_type = std::pair<std::string, Value>;  // the name is not to be changed
  using iterator = std::vector<value_type>::iterator;
  using const_iterator = std::vector<value_type>::const_iterator;

  Properties() = default;
  Properties(std::initializer_list<value_type> entries)
      : Properties(std::vector<value_type>(entries)) {}
  // In any order; of two of a name the later counts.
  explicit Properties(std::vector<value_type> entries) : entries_(std::move(entries)) {
    const auto alike = [](const value_type& a, const value_type& b) { return a.first == b.first; };
    std::reverse(entries_.begin(), entries_.end());
    std::stable_sort(entries_.begin(), entries_.end(), by_name);
    entries_.erase(std::unique(entries_.begin(), entries_.end(), alike), entries_.end());
  }

  // In the order of their names.
  iterator begin() { return entries_.begin(); }
  iterator end() { return entries_.end(); }
  const_iterator begin() const { return entries_.begin(); }
  const_iterator end() const { return entries_.end(); }
  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }

  const_iterator find(std::string_view name) const {
    const auto at = std::lower_bound(begin(), end(), name, before);
    return at != end() && at->first == name ? at : end();
  }
  bool contains(std::string_view name) const { return find(name) != end(); }
  const Value& at(std::string_view name) const { return entries_.at(index_of(name)).second; }

  Value& operator[](std::string_view name) { return emplace(name, Value{}).first->second; }
  // The one that is there stays as it is.
  std::pair<iterator, bool> emplace(std::string_view name, Value value) {
    // They mostly come in order.
    const bool last = entries_.empty() || entries_.back().first < name;
    const auto at = last ? end() : std::lower_bound(begin(), end(), name, before);
    if (at != end() && at->first == name) return {at, false};
    return {entries_.emplace(at, std::string(name), std::move(value)), true};
  }
  size_t erase(std::string_view name) {
    const auto at = find(name);
    if (at == end()) return 0;
    entries_.erase(at);
    return 1;
  }
  // Those without a value: JSON's null.
  void drop_absent() {
    std::erase_if(entries_, [](const value_type& one) {
      return std::holds_alternative<std::monostate>(one.second);
    });
  }
  // Those of the later word, beside and over its own; in linear time, and no more room than that.
  void take(const Properties& later) {
    size_t fresh = 0;
    for (const auto& [name, value] : later) {
      const auto at = std::lower_bound(begin(), end(), name, before);
      if (at != end() && at->first == name)
        at->second = value;
      else
        ++fresh;
    }
    if (fresh == 0) return;
    std::vector<value_type> all;
    all.reserve(size() + fresh);
    std::set_union(std::make_move_iterator(begin()), std::make_move_iterator(end()), later.begin(),
                   later.end(), std::back_inserter(all), by_name);
    entries_ = std::move(all);
  }
  void clear() { entries_.clear(); }

  bool operator==(const Properties&) const = default;

 private:
  static bool by_name(const value_type& a, const value_type& b) { return a.first < b.first; }
  static bool before(const value_type& one, std::string_view name) { return one.first < name; }
  size_t index_of(std::string_view name) const {
    return static_cast<size_t>(find(name) - entries_.begin());
  }

  std::vector<value_type> entries_;
};

}  // namespace fmd
