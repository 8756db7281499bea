// ChangeLog: what has changed since somebody last looked, for indexes that are brought up to date when they are asked.
// Nobody may ever look, so it remembers only so much; then all is to be looked at.
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
