// SshLine: the bus of another host through ssh(1), whose own words are kept: they say why it does not let us in.
#pragma once
#include <sys/types.h>

#include <string>
#include <string_view>
#include <utility>

#include "fmd/base/result.h"

namespace fmd::ui {

class SshLine {
 public:
  SshLine() = default;
  // host: as ssh_words() takes it.
  static Result<SshLine> start(std::string_view host);
  SshLine(SshLine&& other) noexcept { swap(other); }
  SshLine& operator=(SshLine&& other) noexcept {
    swap(other);
    return *this;
  }
  ~SshLine();

  // What the bus is spoken over; the caller closes it.
  int take_descriptor() { return std::exchange(line_, -1); }
  // The last that ssh said, in one line, cleaned; "" nothing.
  std::string words() const;

 private:
  void swap(SshLine& other) noexcept {
    std::swap(pid_, other.pid_);
    std::swap(line_, other.line_);
    std::swap(said_, other.said_);
  }
  pid_t pid_ = -1;
  int line_ = -1, said_ = -1;
};

}  // namespace fmd::ui
