// Names: an ordered set of names, shared by all resources with the same set: the disks of a machine
// have the same dozen properties. Used like a const std::set; a change selects another set. Sets
// that have not been used for a while may exist twice.
#pragma once
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/shared.h"

namespace fmd {

class Names {
 public:
  using value_type = std::string;
  using const_iterator = std::vector<std::string>::const_iterator;
  using iterator = const_iterator;

  Names() : list_(none()) {}
  Names(std::initializer_list<std::string_view> names)
      : Names(std::vector<std::string_view>(names)) {}
  explicit Names(std::vector<std::string_view> names);  // in any order
  static Names of(const std::vector<std::string_view>& in_order);

  const_iterator begin() const { return list_->names.begin(); }
  const_iterator end() const { return list_->names.end(); }
  size_t size() const { return list_->names.size(); }
  bool empty() const { return list_->names.empty(); }
  const std::string& operator[](size_t at) const { return list_->names[at]; }

  size_t place_of(std::string_view name) const;  // of the first that is not before it
  bool contains(std::string_view name) const {
    const size_t at = place_of(name);
    return at < size() && list_->names[at] == name;
  }
  void insert(std::string_view name);
  void erase(std::string_view name);
  void clear() { *this = Names(); }

  bool same_list(const Names& other) const { return list_.is_that_of(other.list_); }
  bool operator==(const Names& other) const {
    return same_list(other) || list_->names == other.list_->names;
  }

 private:
  struct List {
    std::vector<std::string> names;
    size_t hash = 0;
  };
  static const Shared<List>& none();
  explicit Names(Shared<List> list) : list_(std::move(list)) {}

  Shared<List> list_;
};

}  // namespace fmd
