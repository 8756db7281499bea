// BusServer: org.fmd.FaultManager1 on D-Bus (schemas/dbus/org.fmd.FaultManager1.xml), on the
// daemon's sd-event loop. All users may read. Privileged uids may make changes; other users need
// polkit's permission.
//
// If the bus is lost, it reconnects with back-off; the daemon keeps running. No call is
// synchronous. Single thread.
#pragma once
#include <systemd/sd-event.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/control/control.h"
#include "fmd/model/unit_state.h"

namespace fmd {

struct BusOptions {
  std::string address = "system";  // "system", "session" or a D-Bus address ("unix:path=…")
  // Uids that need no polkit permission. Unset: 0 and the daemon's own.
  std::optional<std::set<uint32_t>> privileged_uids;
  // Other users who may read serial numbers and UUIDs that only root can read. Unset: none.
  std::function<bool(uint32_t uid)> reads_all;
  uint64_t first_retry_us = 1'000'000, max_retry_us = 60'000'000;  // the back-off doubles
  // A bus that accepts no message for this long is left and joined again. Shorter than the 25 s that
  // most programs wait for an answer.
  uint64_t stuck_us = 10'000'000;
  uint64_t coalesce_us = 100'000;      // resource and journal signals are gathered this long
  uint64_t ask_boot_us = 600'000'000;  // interval of the query whether fmd starts at boot
  // Gets the answer. Unset: systemd is not queried.
  std::function<void(bool starts)> starts_at_boot;
  uint64_t ask_units_us = 5'000'000;  // interval of the query about units of absent plugins
  // The plugins to query and the receiver of the answers. Unset: systemd is not queried.
  std::function<std::vector<std::string>()> units_to_ask;
  std::function<void(const std::string& plugin, UnitState unit, uint32_t restarts)> unit_told;
  // For messages to the administrator; priority as in syslog(3). Unset: silent.
  std::function<void(int priority, std::string_view text)> log;
};

class BusServer {
 public:
  // event and control must outlive it. Fails only if the event loop refuses a timer; it waits for a
  // missing bus by itself.
  static Result<std::unique_ptr<BusServer>> create(sd_event* event, Control& control,
                                                   BusOptions options);
  ~BusServer();

  bool owns_name() const;  // connected, and fmd owns org.fmd.FaultManager1

 private:
  struct Impl;
  explicit BusServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace fmd
