// Daemon: connects all parts on one sd-event loop: signals, timers, the plugin socket, D-Bus,
// systemd's notifications. One thread, and the store's. It never forks and never accesses devices.
// Outermost layer: it logs.
//
//   daemon.cpp        life cycle: open, restore, listen, run, stop; what is due when
//   daemon_road.cpp   delivers the consequences of commits; what the control layer needs
#pragma once
#include <systemd/sd-event.h>

#include <memory>
#include <string>
#include <vector>

#include "fmd/bus/bus_server.h"
#include "fmd/control/control_service.h"
#include "fmd/daemon/carrier.h"
#include "fmd/daemon/config.h"
#include "fmd/daemon/dispatch.h"
#include "fmd/daemon/intake.h"
#include "fmd/daemon/lights_ahead.h"
#include "fmd/daemon/options.h"
#include "fmd/daemon/policy.h"
#include "fmd/daemon/upkeep.h"
#include "fmd/store/store_thread.h"

namespace fmd {

class Daemon : private Handlers, private Outlets, private Road {
 public:
  // Opens the store, takes up where the last run ended, and listens. The error is for the
  // administrator.
  static Result<std::unique_ptr<Daemon>> start(sd_event* loop, const Options& options,
                                               Config config, Policy policy, Clock clock);
  ~Daemon() override;

  Result<void> attach();  // to the loop, which then does timed work whenever it runs
  int run();              // attaches, and runs the loop until SIGTERM or SIGINT; the exit status

  Control& control() { return *control_; }

 private:
  Daemon(sd_event* loop, const Options& options, Config config, Policy policy);
  Result<void> open(Clock clock);
  void assemble(uint64_t last_seq);
  struct StoreAtStart {
    std::string damage;  // "" none
    bool low = false, full = false;
    std::optional<Error> unopened;
  };
  void report_store(const StoreAtStart& store);
  Result<void> listen();
  void work();                   // the work that is due
  void arm();                    // the timer, for the next work
  int64_t next_wake_ns() const;  // steady
  void notify_status() const;
  size_t open_cases() const;
  static int on_wake(sd_event_source*, uint64_t, void* self);
  static int on_due(sd_event_source*, void* self);
  static int on_stored(sd_event_source*, int fd, uint32_t, void* self);
  static int on_post(sd_event_source*, void* self);
  static int on_hangup(sd_event_source*, const struct signalfd_siginfo*, void* self);
  static int on_stop(sd_event_source*, const struct signalfd_siginfo*, void* self);

  // Handlers
  bool handled(std::string_view fmri) const override;
  // Outlets
  void log(const LogLine& line) override;
  void set_flow(Flow flow) override;
  void keep_lights(const std::vector<StateRow>& rows) override;
  void send(const Command& command) override;
  void ordered(const OrderResult& result) override;
  void changed(const Changes& changes) override;
  void start_again() override;
  void log_news(const std::vector<CaseNews>& all) const;
  // Road
  Moment now() const override;
  Result<void> take_in() override;
  void submit(InventoryUpdate update) override;
  Result<void> commit() override;
  bool dry_run() const override;
  void wish_dry_run(bool on, std::string_view who) override;
  std::vector<std::string> reload() override;
  Shown shown() const override;
  ActionConfig action() const;  // the file's, with the administrator's word on dry run
  void put_in_force(Config config, Policy policy);
  void set_preferences();
  void follow_plugins();  // some channels come and go with their plugins
  void ask_of_events();

  sd_event* loop_;
  Options options_;
  Config config_;
  Policy policy_;
  MemberNames event_members_;  // used by rules or texts
  HostIdentity host_;
  std::vector<std::string> reload_errors_;  // of the last reload
  int64_t hurried_ns_ = 0;     // steady: when something overdue last went before what peers say
  bool starts_again_ = false;  // soon
  uint64_t plugins_seen_ = 0;  // the inventory's structure() at set_preferences()
  int store_fd_ = -1;          // the store's thread wakes the loop by it
  LightsAhead lights_;
  std::unique_ptr<StoreThread> store_;
  std::unique_ptr<Durable> durable_;
  Arrivals arrivals_;
  std::unique_ptr<Pipeline> pipeline_;
  Carrier carrier_{*this};
  std::unique_ptr<Intake> intake_;
  std::unique_ptr<PluginHub> hub_;
  std::unique_ptr<Dispatch> dispatch_;
  std::unique_ptr<Upkeep> upkeep_;
  std::unique_ptr<ControlService> control_;
  std::unique_ptr<BusServer> bus_;
  sd_event_source *post_ = nullptr, *wake_ = nullptr, *at_once_ = nullptr, *stored_ = nullptr;
};

}  // namespace fmd
