// SystemPlugin: reports the machine itself: processors, memory, PCI, the SAS fabric, sensors,
// network interfaces. Observes only. Single thread; sysfs is read in child processes.
//
//   watcher_ ─▶ look(): scan_machine() ─▶ scanned() ─▶ publish(): changes
//   timer ─▶ measure(): a child for all gauges, or one per device after a hang ─▶ measured()
#pragma once
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plugins/sdk/flight.h"
#include "plugins/sdk/inventory_diff.h"
#include "plugins/sdk/plugin.h"
#include "plugins/sdk/timer.h"
#include "plugins/sdk/udev_monitor.h"
#include "plugins/sdk/watcher.h"
#include "plugins/system/facts.h"
#include "plugins/system/gauges.h"
#include "plugins/system/pci.h"
#include "plugins/system/printed.h"
#include "plugins/system/sensor_states.h"

namespace fmd::machine {

struct Options {
  std::chrono::milliseconds rescan{300000};   // udev reports most changes at once
  std::chrono::milliseconds readings{30000};  // interval for the gauges
  std::chrono::milliseconds device_deadline{20000};
  decltype(&read_gauges) read = read_gauges;  // replaced by tests
  NamePci names = [](const std::string&) { return PciNames(); };
  std::vector<std::string> descriptions = {};  // folders of *.toml; later ones override
  std::string state_file = {};                 // "": none
};

class SystemPlugin {
 public:
  SystemPlugin(sd_event* loop, sdk::Host& host, const std::string& socket, Options options);
  // Handles a udev event; public for tests.
  void on_udev(const sdk::UdevMonitor::Event& event);

 private:
  using Gauges = std::shared_ptr<const std::vector<Gauge>>;
  struct Device {  // with gauges
    std::shared_ptr<sdk::Flight> flight;
    Gauges gauges;
    bool answers = true;
  };
  struct Reading {
    double value;
    std::string unit;
    int64_t time_ns;
  };
  void look();
  bool descriptions_changed() const;
  void read_descriptions();
  void scanned(const sdk::CommandOutput& output, bool same);
  Result<void> take_in(const sdk::CommandOutput& output, bool same);
  void keep_devices(std::map<std::string, std::vector<Gauge>> gauges);
  void measure();
  void start_measuring(const std::string& device);
  void measured(const std::string& device, const std::vector<Gauge>& gauges, const Values& values);
  void publish(bool complete);
  void publish(bool complete, std::map<std::string, nlohmann::json> resources);
  static nlohmann::json reading_json(const std::string& fmri, const std::string& name,
                                     const Reading& reading);
  void send_readings(nlohmann::json readings);
  void tell_status();

  sdk::Host& host_;
  Options options_;
  sdk::Plugin plugin_;
  sdk::InventoryDiff inventory_;
  std::shared_ptr<sdk::Flight> scan_, together_;
  bool apart_ = false;  // one child per device, because not all respond
  sdk::Watcher watcher_;
  sdk::Timer gauges_due_;
  std::unique_ptr<sdk::UdevMonitor> udev_;
  std::string descriptions_state_;  // names, times and sizes of the files as last read
  Descriptions descriptions_;
  std::string problem_;  // from the last successful scan
  std::map<std::string, Device> devices_;
  SensorStates sensors_;
  // The last readings, by FMRI and name: fmd drops them when an inventory message repeats the
  // resource.
  std::map<std::string, std::map<std::string, Reading>> readings_;
  bool looked_ = false;  // a scan has succeeded
};

}  // namespace fmd::machine
