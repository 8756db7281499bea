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
  Dispatch(PluginHub& hub, Pipeline& pipeline, Durable& durable)
      : hub_(hub), pipeline_(pipeline), durable_(durable) {}

  void send(const Command& command);
  void deliver_due();  // outbox entries whose time has come and whose notifier is there

 private:
  PluginHub& hub_;
  Pipeline& pipeline_;
  Durable& durable_;  // told of the answers, as work of the pipeline
};

}  // namespace fmd
