// MemberNames: a set of member names. contains() is called for each member of each event, and few
// of them are in the set: mostly one bit test answers "no".
#pragma once
#include <algorithm>
#include <bitset>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fmd {

class MemberNames {
 public:
  MemberNames() = default;
  explicit MemberNames(std::vector<std::string> names) : names_(std::move(names)) {
    std::sort(names_.begin(), names_.end());
    names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
    for (const std::string& name : names_) marks_.set(mark(name));
  }

  bool contains(std::string_view name) const {
    return marks_.test(mark(name)) && std::binary_search(names_.begin(), names_.end(), name);
  }
  const std::vector<std::string>& all() const { return names_; }

 private:
  static size_t mark(std::string_view name) {
    if (name.empty()) return 0;
    const auto byte = [](char c) { return static_cast<size_t>(static_cast<unsigned char>(c)); };
    return (name.size() * 31 + byte(name[name.size() / 2]) * 7 + byte(name.back()) * 13 +
            byte(name.front())) %
           512;
  }

  std::vector<std::string> names_;  // sorted
  std::bitset<512> marks_;
};

}  // namespace fmd
