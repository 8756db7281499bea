// BusServer: org.fmd.FaultManager1 on D-Bus (schemas/dbus/org.fmd.FaultManager1.xml), on the
// daemon's sd-event loop. All users may read. Changes are allowed for privileged uids, and
// otherwise if polkit allows them.
//
// Loss of the bus does not end the daemon: it reconnects with back-off. No call is synchronous.
// Single thread.
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
  // Callers that may change things without polkit; unset: uid 0 and the daemon's own.
  std::optional<std::set<uint32_t>> privileged_uids;
  // Further users who may know serial numbers and UUIDs that root alone may read. Unset: none.
  std::function<bool(uint32_t uid)> reads_all;
  uint64_t first_retry_us = 1'000'000, max_retry_us = 60'000'000;  // back-off doubles between them
  // After so long without taking what is sent to it the bus is left, and joined again.
  uint64_t stuck_us = 60'000'000;
  uint64_t coalesce_us = 100'000;      // resource and journal news are gathered this long
  uint64_t ask_boot_us = 600'000'000;  // between questions whether fmd starts at the next boot
  // Told what systemd says to that. Unset: it is not asked.
  std::function<void(bool starts)> starts_at_boot;
  uint64_t ask_units_us = 5'000'000;  // between questions for the units of plugins that are away
  // The plugins whose units systemd is asked for, and what it says. Unset: it is not asked.
  std::function<std::vector<std::string>()> units_to_ask;
  std::function<void(const std::string& plugin, UnitState unit, uint32_t restarts)> unit_told;
  // Told what an administrator should know; priority as in syslog(3). Unset: silent.
  std::function<void(int priority, std::string_view text)> log;
};

class BusServer {
 public:
  // event and control must outlive it. Fails only when the event loop refuses a timer; a bus that
  // is not there is tried again later.
  static Result<std::unique_ptr<BusServer>> create(sd_event* event, Control& control,
                                                   BusOptions options);
  ~BusServer();

  bool owns_name() const;  // connected, and org.fmd.FaultManager1 is ours

 private:
  struct Impl;
  explicit BusServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace fmd
