// SystemPlugin: the machine itself to the core: processors, memory, PCI, the SAS fabric, sensors,
// network interfaces. Observes only. Single thread; whatever reads sysfs runs in a child.
//
//   watcher_ ─▶ look(): scan_machine() ─▶ scanned() ─▶ publish(): what has changed
//   timer ─▶ measure(): a child for all gauges, one a device while any hangs ─▶ measured() ─▶ readings
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
  std::chrono::milliseconds rescan{300000};   // udev tells most of it at once
  std::chrono::milliseconds readings{30000};  // between two readings of the gauges
  std::chrono::milliseconds device_deadline{20000};
  decltype(&read_gauges) read = read_gauges;  // a test's may hang
  NamePci names = [](const std::string&) { return PciNames(); };
  std::vector<std::string> descriptions = {};  // folders of *.toml, a later one's file replaces
  std::string state_file = {};                 // "": none
};

class SystemPlugin {
 public:
  SystemPlugin(sd_event* loop, sdk::Host& host, const std::string& socket, Options options);
  // udev's news, also from a test.
  void on_udev(const sdk::UdevMonitor::Event& event);

 private:
  using Gauges = std::shared_ptr<const std::vector<Gauge>>;
  struct Device {  // that answers for gauges
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
  bool apart_ = false;  // each device's gauges by a child of its own: not all answer
  sdk::Watcher watcher_;
  sdk::Timer gauges_due_;
  std::unique_ptr<sdk::UdevMonitor> udev_;
  std::string descriptions_state_;  // names, times and sizes of the files as last read
  Descriptions descriptions_;
  std::string problem_;  // of the last good look
  std::map<std::string, Device> devices_;
  SensorStates sensors_;
  // The last reading of each, by FMRI and name: an inventory message that names the resource again
  // drops them in the core.
  std::map<std::string, std::map<std::string, Reading>> readings_;
  bool looked_ = false;  // there was a look
};

}  // namespace fmd::machine
