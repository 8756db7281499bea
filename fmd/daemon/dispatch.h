// Dispatch: sends the reconciler's commands and the outbox's messages to plugins after a commit.
// The answers come back as Work. Single thread.
#pragma once
#include <map>
#include <string>

#include "fmd/daemon/pipeline.h"
#include "fmd/hub/hub.h"

namespace fmd {

// The plugin's answer as the reconciler wants it.
CommandResult command_result(const PluginAnswer& answer);

class Dispatch {
 public:
  // All outlive it.
  Dispatch(PluginHub& hub, Pipeline& pipeline, Outbox& outbox, const Engine& engine,
           const SteadyClock& clock)
      : hub_(hub), pipeline_(pipeline), outbox_(outbox), engine_(engine), clock_(clock) {}

  void send(const Command& command);
  void deliver_due();  // due outbox entries whose notifier is connected

 private:
  std::string args_of(const Delivery& delivery);
  void drop(const Delivery& delivery);
  PluginHub& hub_;
  Pipeline& pipeline_;
  Outbox& outbox_;
  const Engine& engine_;
  const SteadyClock& clock_;
  // Pictures of messages that were not delivered at once. A picture must agree with the text, so it
  // is drawn again only together with it.
  std::map<std::string, std::string> pictures_;  // by entry
};

}  // namespace fmd
