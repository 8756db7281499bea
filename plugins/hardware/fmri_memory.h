// FmriMemory: earlier observations that cannot be repeated, such as a bay that was filled or a fan
// that turned. Sets of FMRIs, each under a name chosen by the plugin. A small JSON file in the
// state folder; without one, in memory only. Single thread.
#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "fmd/base/result.h"
#include "plugins/sdk/state_document.h"

namespace fmd::hardware {

class FmriMemory {
 public:
  static constexpr size_t kMost = 10'000;  // per word
  FmriMemory() = default;
  explicit FmriMemory(std::string file) : document_(std::move(file)) {}
  // A missing file gives an empty memory. A damaged one is an error and also leaves it empty.
  Result<void> load();
  void save();  // when it has changed; trouble is logged

  // Ignored beyond kMost: a BMC may name other parts at each look, and the file is kept for years.
  void insert(std::string_view word, const std::string& fmri);
  bool contains(std::string_view word, const std::string& fmri) const;

 private:
  std::map<std::string, std::set<std::string>, std::less<>> sets_;
  sdk::StateDocument document_;
};

}  // namespace fmd::hardware
