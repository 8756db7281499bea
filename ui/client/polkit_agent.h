// PolkitAgent: runs pkttyagent(1) while a change waits for authorization, so that polkit can ask
// for a password on the terminal. Does nothing if pkttyagent is not installed.
#pragma once
#include <sys/types.h>

namespace fmd::ui {

class PolkitAgent {
 public:
  explicit PolkitAgent(bool wanted);
  ~PolkitAgent();
  PolkitAgent(const PolkitAgent&) = delete;
  PolkitAgent& operator=(const PolkitAgent&) = delete;

 private:
  pid_t child_ = 0;
};

}  // namespace fmd::ui
