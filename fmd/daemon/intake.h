// Intake: from what plugins say to Work for the pipeline. Checks events against the declared
// classes, keeps the cursors, and keeps the plugins themselves as resources (fmd://plugin=NAME) in
// the inventory. Single thread.
#pragma once
#include <string>

#include "fmd/daemon/parts.h"

namespace fmd {

class Intake : public PluginIntake {
 public:
  explicit Intake(Parts& parts) : parts_(parts) {}

  void plugin_hello(PeerId peer, uint64_t request, const std::string& name) override;
  void plugin_events(PeerId peer, uint64_t request, const std::string& name,
                     protocol::EventsMessage message) override;
  void plugin_inventory(PeerId peer, uint64_t request, InventoryUpdate update) override;
  void plugin_readings(const std::string& name, protocol::ReadingsMessage message) override;
  void plugin_finding(const PluginFinding& finding) override;
  void plugin_changed(const std::string& name) override;
  void handlers_changed() override { parts_.pipeline->reconsider(); }

  // Plugins known from before the restart are expected back.
  void expect_known_plugins();
  // The counters move with every batch; the inventory has them from time to time.
  void refresh_plugin_resources();

 private:
  void describe(const PluginRecord& record);
  Parts& parts_;
};

}  // namespace fmd
