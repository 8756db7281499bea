// Dispatch: what goes out to plugins after a commit: the reconciler's commands and the outbox's
// messages. Their answers come back as Work. Single thread.
#pragma once
#include "fmd/daemon/pipeline.h"
#include "fmd/hub/hub.h"

namespace fmd {

// The plugin's answer as the reconciler wants it.
CommandResult command_result(const PluginAnswer& answer);

class Dispatch {
 public:
  // All outlive it.
  Dispatch(PluginHub& hub, Pipeline& pipeline, Outbox& outbox, const SteadyClock& clock)
      : hub_(hub), pipeline_(pipeline), outbox_(outbox), clock_(clock) {}

  void send(const Command& command);
  void deliver_due();  // outbox entries whose time has come and whose notifier is there

 private:
  PluginHub& hub_;
  Pipeline& pipeline_;
  Outbox& outbox_;
  const SteadyClock& clock_;
};

}  // namespace fmd
