// Dispatch: what goes out to plugins after a commit: the reconciler's commands and the outbox's
// messages. Their answers come back as Work. Single thread.
#pragma once
#include "fmd/daemon/parts.h"

namespace fmd {

class Dispatch {
 public:
  explicit Dispatch(Parts& parts) : parts_(parts) {}

  bool handled(std::string_view fmri) const { return parts_.hub->handles(fmri); }
  void send(const Command& command);
  void deliver_due();  // outbox entries whose time has come and whose notifier is there

 private:
  Parts& parts_;
};

}  // namespace fmd
