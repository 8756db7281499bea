// WaitingLine: shows on standard error, if that is a terminal, how long a command has been waiting.
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
