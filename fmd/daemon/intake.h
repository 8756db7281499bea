// Intake: turns the plugins' messages into Work for the pipeline. It checks events against the
// declared classes, keeps the cursors, and describes the plugins themselves as resources
// (fmd://plugin=NAME). Single thread.
#pragma once
#include <map>
#include <string>

#include "fmd/base/clock_watch.h"
#include "fmd/daemon/pipeline.h"
#include "fmd/hub/hub.h"

namespace fmd {

class Intake : public PluginIntake {
 public:
  static constexpr size_t kMostResources = 20000;  // of one plugin, those that are gone included
  static constexpr size_t kMostProperties =
      4000;  // of one resource: readings are added to the known ones
  static constexpr size_t kMostBytes = 64 << 20;
  // Rejected events of one plugin that are kept as they came; the others are counted.
  static constexpr size_t kMostRejected = 100;
  static constexpr int64_t kRejectedWithinNs = 600LL * 1000000000;

  // All outlive it.
  Intake(Pipeline& pipeline, OwnState& own, Arrivals& arrivals, const Inventory& inventory,
         const SteadyClock& clock, const ClockWatch& clock_watch)
      : pipeline_(pipeline),
        own_(own),
        arrivals_(arrivals),
        inventory_(inventory),
        clock_(clock),
        clock_watch_(clock_watch) {}
  void answer_through(PluginHub& hub) { hub_ = &hub; }  // before any plugin speaks

  void plugin_hello(PeerId peer, uint64_t request, const std::string& name) override;
  void plugin_events(PeerId peer, uint64_t request, const std::string& name,
                     protocol::EventsMessage message) override;
  void plugin_inventory(PeerId peer, uint64_t request, InventoryUpdate update) override;
  void plugin_readings(const std::string& name, protocol::ReadingsMessage message) override;
  void plugin_finding(const PluginFinding& finding) override;
  void plugin_changed(const std::string& name) override;
  void handlers_changed() override;

  void set_flow(Flow flow);  // of the sources

  // Plugins known from before the restart are expected back.
  void expect_known_plugins(const Inventory& inventory);
  void describe_service(bool starts_at_boot);  // fmd itself; starts_at_boot: as systemd reports
  // Copies the plugins' counters into the inventory; called at intervals, since they change often.
  void refresh_plugin_resources();
  void unit_told(const std::string& plugin, UnitState unit, uint32_t restarts);  // by systemd

 private:
  void welcome(PeerId peer);
  void describe(const PluginRecord& record);
  void submit_own(Resource resource);
  void keep_rejection(const std::string& name, const protocol::EventsMessage::Rejected& one,
                      Work& work);
  std::string over_quota(const InventoryUpdate& update);  // the reason, "" when it is not
  size_t bytes_told_by(const std::string& source) const;
  size_t fresh_in(const InventoryUpdate& update) const;
  Pipeline& pipeline_;
  OwnState& own_;
  Arrivals& arrivals_;
  const Inventory& inventory_;
  const SteadyClock& clock_;
  const ClockWatch& clock_watch_;
  PluginHub* hub_ = nullptr;
  struct Rejections {
    int64_t since_ns = 0;  // steady
    size_t kept = 0, counted = 0;
  };
  std::map<std::string, Rejections> rejections_;  // by plugin
  std::map<std::string, size_t> told_bytes_;      // by plugin, at most; not known yet: none
  struct Unwelcomed {
    uint64_t request = 0;
    std::string name;
  };
  std::map<PeerId, Unwelcomed> unwelcomed_;  // whose hello has no answer yet
  std::map<std::string, Cursor> told_;       // by plugin, perhaps not on disk yet
};

}  // namespace fmd
