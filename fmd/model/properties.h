// Properties: the properties of a resource, by name. Used like a std::map with few entries. Ten
// thousand disks have several hundred thousand properties, so resources share equal sets of names,
// and mostly also equal values. Single insertions in random order take quadratic time; parsers
// insert all entries at once. Single thread; references and iterators are valid until the next
// change.
#pragma once
#include <compare>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmd/base/shared.h"
#include "fmd/base/value.h"
#include "fmd/model/names.h"

namespace fmd {

// Bitwise equal values that follow each other are shared.
Shared<Value> shared_value(const Value& value);
Shared<Value> shared_text(std::string_view text);

class Properties {
 public:
  using value_type = std::pair<std::string, Value>;
  using Entry = std::pair<std::string_view, Shared<Value>>;

  class const_iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Properties::value_type;
    using difference_type = std::ptrdiff_t;
    using reference = std::pair<const std::string&, const Value&>;
    struct pointer {
      reference entry;
      const reference* operator->() const { return &entry; }
    };

    const_iterator() = default;
    reference operator*() const { return {of_->names_[at_], *of_->values_[at_]}; }
    pointer operator->() const { return {**this}; }
    const_iterator& operator++() {
      ++at_;
      return *this;
    }
    const_iterator operator++(int) { return {of_, at_++}; }
    bool operator==(const const_iterator& other) const { return at_ == other.at_; }

   private:
    friend class Properties;
    const_iterator(const Properties* of, size_t at) : of_(of), at_(at) {}
    const Properties* of_ = nullptr;
    size_t at_ = 0;
  };
  using iterator = const_iterator;

  // properties[name] = value;
  class Slot {
   public:
    const Value& operator=(Value value) { return of_.put(name_, shared_value(value)); }
    operator const Value&() const { return of_.emplace(name_, Value{}).first->second; }

   private:
    friend class Properties;
    Slot(Properties& of, std::string_view name) : of_(of), name_(name) {}
    Properties& of_;
    std::string_view name_;
  };

  Properties() = default;
  // In any order; of two of a name the later counts.
  Properties(std::initializer_list<value_type> entries)
      : Properties(std::vector<value_type>(entries)) {}
  explicit Properties(const std::vector<value_type>& entries);
  explicit Properties(std::vector<Entry> entries);

  // In the order of their names.
  const_iterator begin() const { return {this, 0}; }
  const_iterator end() const { return {this, size()}; }
  size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }

  const_iterator find(std::string_view name) const {
    const size_t at = names_.place_of(name);
    return at < size() && names_[at] == name ? const_iterator(this, at) : end();
  }
  bool contains(std::string_view name) const { return names_.contains(name); }
  const Value& at(std::string_view name) const;
  // All of these, with these values.
  bool include(const Properties& others) const;

  Slot operator[](std::string_view name) { return {*this, name}; }
  // Keeps an existing value.
  std::pair<const_iterator, bool> emplace(std::string_view name, const Value& value);
  size_t erase(std::string_view name);
  // The names without a value (JSON's null).
  void drop_absent();
  // Merges `later`; its values win. Linear time, no spare capacity.
  void take(const Properties& later);
  void clear() { *this = {}; }

  bool operator==(const Properties& other) const {
    return size() == other.size() && include(other);
  }

 private:
  const Value& put(std::string_view name, Shared<Value> value);

  Names names_;
  std::vector<Shared<Value>> values_;  // in their order
};

}  // namespace fmd
