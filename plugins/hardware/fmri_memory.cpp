#include "plugins/hardware/fmri_memory.h"

#include "fmd/base/json.h"

namespace fmd::hardware {

using nlohmann::json;

Result<void> FmriMemory::load() {
  return document_.load([this](const json& doc) {
    decltype(sets_) known;
    for (const auto& [word, fmris] : doc.items()) known[word] = fmris.get<std::set<std::string>>();
    sets_ = std::move(known);
  });
}

void FmriMemory::save() {
  document_.save(sets_);
}

void FmriMemory::insert(std::string_view word, const std::string& fmri) {
  auto at = sets_.find(word);
  if (at == sets_.end()) at = sets_.emplace(word, std::set<std::string>()).first;
  if (at->second.size() < kMost) at->second.insert(fmri);
}

bool FmriMemory::contains(std::string_view word, const std::string& fmri) const {
  const auto at = sets_.find(word);
  return at != sets_.end() && at->second.contains(fmri);
}

}  // namespace fmd::hardware
