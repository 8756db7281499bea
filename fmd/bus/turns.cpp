#include "fmd/bus/turns.h"

#include <utility>

namespace fmd::bus {

Turns::Turns(size_t at_once, std::function<void()> wake)
    : at_once_(at_once), wake_(std::move(wake)) {}

bool Turns::add(uint32_t uid, bool privileged, Ask ask) {
  if (privileged) {
    privileged_.push_back(std::move(ask));
  } else {
    const auto row = rows_.find(uid);
    if (waiting_ >= kMost || (row != rows_.end() && row->second.size() >= kMostOfUser))
      return false;
    rows_[uid].push_back(std::move(ask));
    ++waiting_;
  }
  if (ready()) wake_();
  return true;
}

bool Turns::ready() const {
  return !privileged_.empty() || (waiting_ > 0 && under_way_ < at_once_);
}

bool Turns::next() {
  if (!ready()) return false;
  if (!privileged_.empty()) {
    const Ask ask = std::move(privileged_.front());
    privileged_.pop_front();
    ask([] {});
    return ready();
  }
  auto row = rows_.upper_bound(last_);
  if (row == rows_.end()) row = rows_.begin();
  last_ = row->first;
  const Ask ask = std::move(row->second.front());
  row->second.pop_front();
  if (row->second.empty()) rows_.erase(row);
  --waiting_;
  ++under_way_;
  ask([this, connection = connection_] {
    if (connection != connection_) return;
    --under_way_;
    if (ready()) wake_();
  });
  return ready();
}

void Turns::forget_all() {
  privileged_.clear();
  rows_.clear();
  waiting_ = under_way_ = 0;
  ++connection_;
}

}  // namespace fmd::bus
