#include "fmd/diagnosis/crowd.h"

#include <algorithm>

namespace fmd {

Crowd::Crowd(std::shared_ptr<Hanging> hanging)
    : hanging_(std::move(hanging)),
      words_(hanging_->parts()),
      tallies_(hanging_->ancestors()),
      groups_(hanging_->groups()) {
  for (Id part = 0; part < hanging_->parts(); ++part) {
    if (!hanging_->compares(part) || !hanging_->hangs(part) || !hanging_->is_present(part))
      continue;
    ++all_;
    all_ways_ += hanging_->ways(part);
    for (const Id one : hanging_->above(part)) ++tallies_[one].below;
  }
}

// Its weight may change, so it is removed and added again.
template <class Change>
void Crowd::change(Id part, const Change& change) {
  if (part >= words_.size()) words_.resize(hanging_->parts());
  if (groups_.size() < hanging_->groups()) groups_.resize(hanging_->groups());
  Words& words = words_[part];
  const Words before = words;
  Words after = before;
  change(after);
  const bool same = before.any() == after.any() && !before.ways_only() && !after.ways_only();
  if (!same && before.any()) count(part, false);
  words = after;
  if (!same && after.any()) count(part, true);
}

void Crowd::accuse(Id part, const Ways& ways) {
  if (ways.empty()) return change(part, [](Words& words) { ++words.whole; });
  change(part, [&](Words& words) {
    ++words.on_ways;
    for (const std::string& way : ways) ++ways_[part][way];
  });
}

void Crowd::take_back(Id part, const Ways& ways) {
  if (ways.empty()) return change(part, [](Words& words) { --words.whole; });
  change(part, [&](Words& words) {
    --words.on_ways;
    std::map<std::string, uint32_t>& known = ways_[part];
    for (const std::string& way : ways)
      if (--known[way] == 0) known.erase(way);
    if (known.empty()) ways_.erase(part);
  });
}

void Crowd::add_sign(Id part) {
  change(part, [](Words& words) { ++words.signs; });
}

void Crowd::take_sign(Id part) {
  change(part, [](Words& words) { --words.signs; });
}

Crowd::Ways Crowd::ways(Id part) const {
  Ways out;
  if (part >= words_.size() || !words_[part].ways_only()) return out;
  for (const auto& [way, times] : ways_.at(part)) out.insert(way);
  return out;
}

void Crowd::count(Id part, bool in) {
  const auto step = [in](size_t& n) { in ? ++n : --n; };
  step(size_);
  if (!hanging_->compares(part)) {
    in ? (void)strangers_.insert(part) : (void)strangers_.erase(part);
    return;
  }
  if (!hanging_->hangs(part)) return;
  step(bad_);
  const bool absent = !hanging_->is_present(part);
  if (absent) {
    step(all_);
    in ? all_ways_ += hanging_->ways(part) : all_ways_ -= hanging_->ways(part);
  }
  for (const Id one : hanging_->above(part)) {
    step(tallies_[one].accused);
    if (absent) step(tallies_[one].below);
  }
  if (words_[part].ways_only()) {
    if (in) on_ways_[part] = hanging_->above_over(part, ways(part));
    for (const Id one : on_ways_.at(part)) step(tallies_[one].failing);
    if (!in) on_ways_.erase(part);
    return;
  }
  step(groups_[hanging_->group(part)]);
  for (const Id one : hanging_->above(part)) {
    step(tallies_[one].failing);
    step(tallies_[one].whole);
  }
}

bool Crowd::fails_over(Id part, Id ancestor) const {
  if (!contains(part)) return false;
  const auto at = on_ways_.find(part);
  return at == on_ways_.end() ||
         std::find(at->second.begin(), at->second.end(), ancestor) != at->second.end();
}

std::vector<Crowd::Id> Crowd::failing_parts(Id ancestor) const {
  std::vector<Id> out;
  for (const Id part : hanging_->below(ancestor))
    if (fails_over(part, ancestor)) out.push_back(part);
  return out;
}

}  // namespace fmd
