// FmriMemory: earlier observations that no later look can repeat: a bay that was filled, a fan that
// turned. Sets of FMRIs, each under a name of the plugin's. A small JSON file in the state folder;
// without a folder, the memory lasts as long as the process. Single thread.
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
  FmriMemory() = default;
  explicit FmriMemory(std::string file) : document_(std::move(file)) {}
  // A missing file is an empty memory; a damaged one an error, and an empty memory too.
  Result<void> load();
  void save();  // when it has changed; trouble is logged

  void insert(std::string_view word, const std::string& fmri);
  bool contains(std::string_view word, const std::string& fmri) const;

 private:
  std::map<std::string, std::set<std::string>, std::less<>> sets_;
  sdk::StateDocument document_;
};

}  // namespace fmd::hardware
