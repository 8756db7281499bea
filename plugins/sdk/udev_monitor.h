// UdevMonitor: udev's messages about devices that are added, changed and removed, on an sd-event
// loop. They are only hints to look again: netlink loses messages when many come at once, so every
// user also polls. Source: libudev, the "udev" group (sent after the rules have run, so that
// /dev/disk/by-* exists). Single thread.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fmd/base/result.h"
#include "plugins/sdk/host.h"

struct sd_event;

namespace fmd::sdk {

class UdevMonitor {
 public:
  struct Event {
    std::string action;     // "add", "remove", "change", …; "lost": some messages were dropped
    std::string subsystem;  // "block"
    std::string name;       // "sde1"
    // device-mapper's properties of path events, if present: DM_ACTION, DM_PATH, DM_NAME.
    std::map<std::string, std::string> properties = {};
  };
  using Callback = std::function<void(const Event&)>;
  // An error on a machine without udev (a container): the user then only polls.
  static Result<std::unique_ptr<UdevMonitor>> open(sd_event* loop,
                                                   const std::vector<std::string>& subsystems,
                                                   Callback callback);
  // The monitor for a plugin's host. Null on a simulated host, whose devices are not udev's, and on
  // a machine without udev, which is logged.
  static std::unique_ptr<UdevMonitor> of_host(const Host& host, sd_event* loop,
                                              const std::vector<std::string>& subsystems,
                                              Callback callback);
  ~UdevMonitor();
  UdevMonitor(const UdevMonitor&) = delete;
  UdevMonitor& operator=(const UdevMonitor&) = delete;

 private:
  struct Impl;
  explicit UdevMonitor(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace fmd::sdk
