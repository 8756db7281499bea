// SshLine: a connection to another host's bus through ssh(1). Keeps ssh's messages, which say why a
// login failed.
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
  // host: as for ssh_words().
  static Result<SshLine> start(std::string_view host);
  SshLine(SshLine&& other) noexcept { swap(other); }
  SshLine& operator=(SshLine&& other) noexcept {
    swap(other);
    return *this;
  }
  ~SshLine();

  // The socket for the bus; the caller closes it.
  int take_descriptor() { return std::exchange(line_, -1); }
  // ssh's last message in one line, cleaned; "" if none.
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
