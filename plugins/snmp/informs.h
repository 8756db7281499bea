// Informs: notifications sent directly to the managers of snmp.toml's [inform], each acknowledged
// by its manager. Each runs in its own fmd-snmp-inform, because net-snmp blocks for answers. Single
// thread.
#pragma once
#include <functional>
#include <string>

#include "plugins/sdk/delivered_keys.h"
#include "plugins/sdk/host.h"
#include "plugins/snmp/notification.h"
#include "plugins/snmp/options.h"

namespace fmd::snmp {

class Informs {
 public:
  using Done = std::function<void(std::string)>;

  // program: path of fmd-snmp-inform. All outlive this.
  Informs(sdk::Host& host, const Options& options, sdk::DeliveredKeys& delivered,
          std::string program)
      : host_(host), options_(options), delivered_(delivered), program_(std::move(program)) {}

  bool any() const { return !options_.inform.managers.empty(); }
  // done("") once every manager has acknowledged it, now or earlier; otherwise the reasons.
  void send(const Notification& notification, const std::string& key, Done done);

 private:
  sdk::Host& host_;
  const Options& options_;
  sdk::DeliveredKeys& delivered_;
  std::string program_;
};

// The argument format of fmd-snmp-inform.
std::string to_argument(const Notification& notification);
Result<Notification> notification_from_argument(const std::string& argument);

}  // namespace fmd::snmp
