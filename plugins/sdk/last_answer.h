// LastAnswer: the last result of a piece of work in a child (Host::run_apart). The child has a copy
// and sends the result only if it has changed: on a big machine it has a hundred thousand bytes, and
// usually nothing has changed. Single thread.
#pragma once
#include <functional>
#include <string>

#include "plugins/sdk/host.h"

namespace fmd::sdk {

class LastAnswer {
 public:
  // To be run in place of work; this has to outlive the fork only.
  std::function<std::string()> ask(std::function<std::string()> work) const;
  // Puts what was found into output.out; true: it is the same as before. What is not ok stays as it is, and the next is no repetition.
  bool take(CommandOutput& output);
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  bool known_ = false;
};

}  // namespace fmd::sdk
