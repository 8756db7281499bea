// FailedFan: the fan to which high temperatures are attributed, while it has failed and for ten
// minutes after it works again, since the heat lasts longer. Pure.
#pragma once
#include <chrono>
#include <string>

namespace fmd::hardware {

class FailedFan {
 public:
  using Time = std::chrono::steady_clock::time_point;
  // failed: label of a fan that has failed; "" none. Returns the fan to blame; "" none.
  std::string to_blame(const std::string& failed, Time now) {
    constexpr std::chrono::minutes kCooling{10};
    if (!failed.empty()) {
      label_ = failed;
      seen_ = now;
    } else if (now - seen_ >= kCooling) {
      label_.clear();
    }
    return label_;
  }

 private:
  std::string label_;
  Time seen_{};
};

}  // namespace fmd::hardware
