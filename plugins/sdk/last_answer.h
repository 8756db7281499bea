// LastAnswer: the last result of work done in a child (Host::run_apart). The child has a copy, and
// sends its result only if it differs: on a big machine it is about 100 kB, and usually unchanged.
// Single thread.
#pragma once
#include <functional>
#include <string>

#include "plugins/sdk/host.h"

namespace fmd::sdk {

class LastAnswer {
 public:
  // Wraps work, to run in the child. `this` only has to live until the fork.
  std::function<std::string()> ask(std::function<std::string()> work) const;
  // Puts the result into output.out. True: unchanged. After failed output the next counts as
  // changed.
  bool take(CommandOutput& output);
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  bool known_ = false;
};

}  // namespace fmd::sdk
