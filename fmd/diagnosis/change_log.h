// ChangeLog: the changes since an index was last updated, for indexes that update when they are
// queried. Its size is limited, since an index may never be queried; beyond that, it reports that
// everything has changed.
#pragma once
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace fmd {

template <class Name>
class ChangeLog {
 public:
  static constexpr size_t kMost = 65536;

  void add(const Name& name) {
    if (lost_ || (!names_.empty() && names_.back() == name)) return;
    if (names_.size() < kMost) return names_.push_back(name);
    lost_ = true;
    names_ = {};
  }
  // May name one twice; nothing: too many to remember.
  std::optional<std::vector<Name>> take() {
    std::vector<Name> out = std::exchange(names_, {});
    return std::exchange(lost_, false) ? std::nullopt : std::optional(std::move(out));
  }

 private:
  std::vector<Name> names_;
  bool lost_ = false;
};

}  // namespace fmd
