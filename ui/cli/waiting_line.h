// WaitingLine: how long an answer has been waited for, on standard error while that is a terminal.
#pragma once
#include <cstdint>
#include <string>

namespace fmd::cli {

class WaitingLine {
 public:
  explicit WaitingLine(std::string what) : what_(std::move(what)) {}
  ~WaitingLine() { clear(); }
  WaitingLine(const WaitingLine&) = delete;
  WaitingLine& operator=(const WaitingLine&) = delete;

  void show(int64_t seconds);
  void clear();

 private:
  std::string what_;
  bool shown_ = false;
};

}  // namespace fmd::cli
