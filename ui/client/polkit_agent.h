// PolkitAgent: pkttyagent(1) beside this process while a change waits for authorization, so that
// polkit can ask for a password on the terminal. Absent: nothing happens.
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
