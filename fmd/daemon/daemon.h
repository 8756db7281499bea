// Daemon: puts the parts together on one sd-event loop: signals, timers, the plugin socket, D-Bus,
// systemd's notifications. One thread; never forks; no device access. Outermost layer: it logs.
#pragma once
#include <systemd/sd-event.h>

#include <memory>
#include <string>
#include <vector>

#include "fmd/bus/bus_server.h"
#include "fmd/control/control_service.h"
#include "fmd/daemon/dispatch.h"
#include "fmd/daemon/intake.h"
#include "fmd/daemon/options.h"
#include "fmd/daemon/parts.h"
#include "fmd/daemon/upkeep.h"

namespace fmd {

class Daemon {
 public:
  // Opens the store, takes up where the last run ended, and listens. The error is for the
  // administrator.
  static Result<std::unique_ptr<Daemon>> start(sd_event* loop, const Options& options,
                                               Config config, Policy policy, Clock clock);
  ~Daemon();

  Result<void> attach();  // to the loop: from here on it does what is due whenever the loop runs
  int run();              // attaches, and runs the loop until SIGTERM or SIGINT; the exit status

  Control& control() { return *control_; }

 private:
  Daemon(sd_event* loop, const Options& options);
  Result<void> open_store(Clock clock);
  void restore();
  void report_store();
  Result<void> listen();
  void work();  // what is due now
  void arm();   // the timer, for what is due next
  void committed(const Changes& changes);
  void log_news(const CaseNews& news) const;
  void notify_status();
  std::vector<std::string> reload();
  static int on_wake(sd_event_source*, uint64_t, void* self);
  static int on_post(sd_event_source*, void* self);
  static int on_hangup(sd_event_source*, const struct signalfd_siginfo*, void* self);
  static int on_stop(sd_event_source*, const struct signalfd_siginfo*, void* self);

  sd_event* loop_;
  Options options_;
  Parts parts_;
  std::unique_ptr<Intake> intake_;
  std::unique_ptr<Dispatch> dispatch_;
  std::unique_ptr<Upkeep> upkeep_;
  std::unique_ptr<ControlService> control_;
  std::unique_ptr<BusServer> bus_;
  std::string restore_damage_;
  sd_event_source *post_ = nullptr, *wake_ = nullptr;
};

}  // namespace fmd
