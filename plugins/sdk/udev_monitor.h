// UdevMonitor: udev's messages about devices that are added, changed and removed, on an sd-event
// loop. They are only hints to look again: netlink loses messages when many come at once, so every
// user also looks at intervals. Source: libudev, the "udev" group (after the rules have run, so
// that /dev/disk/by-* exists). Single thread.
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
    // What device-mapper says of its paths: DM_ACTION, DM_PATH, DM_NAME; those that there are.
    std::map<std::string, std::string> properties = {};
  };
  using Callback = std::function<void(const Event&)>;
  // An error on a machine without udev (a container): its user has to do with looking from time to
  // time.
  static Result<std::unique_ptr<UdevMonitor>> open(sd_event* loop,
                                                   const std::vector<std::string>& subsystems,
                                                   Callback callback);
  // What a plugin wants of its host: none on a simulated one, whose devices are not udev's, and
  // none, which is logged, on a machine without udev.
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
