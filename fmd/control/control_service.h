// ControlService: Control for the bus. Changes are written at once, the answer comes after the
// commit. Single thread.
//
//   control_service.cpp   queries, observers, settings
//   judging.cpp           a person's verdicts
//   named_parts.cpp       which part a name stands for
//   locate.cpp            locate LEDs
//   disk_commands.cpp     what a person asks of one disk itself
//   notifying.cpp         who is told: maintenance windows, tests, explanations
//   orders.cpp            taking parts out of service, back, and replacing them by hand
#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/advice/part_index.h"
#include "fmd/control/changes.h"
#include "fmd/control/control.h"
#include "fmd/control/queries.h"
#include "fmd/control/road.h"
#include "fmd/hub/hub.h"
#include "fmd/model/bay_history.h"
#include "fmd/notify/alerts.h"
#include "fmd/notify/happenings.h"
#include "fmd/notify/outbox.h"
#include "fmd/notify/telling.h"
#include "fmd/reconcile/reconciler.h"
#include "fmd/store/store_jobs.h"

namespace fmd {

class ControlService : public Control {
 public:
  struct Sight {  // what people may look at; all outlive the service
    StoreJobs& store;
    const Outbox& outbox;
    const BayHistory& bay_history;
  };
  struct Voice {  // who is told what; all outlive the service
    Alerts& alerts;
    Telling& telling;
    Happenings& happenings;
    Outbox& outbox;
  };
  // All outlive it.
  ControlService(Engine& engine, Reconciler& reconciler, PluginHub& hub, Sight sight, Voice voice,
                 Road& road);

  void changed(const Changes& changes);     // after a commit: tells the observers
  void ordered(const OrderResult& result);  // tells who ordered it
  void stop();                              // tells who still waits that the daemon stops

  void add_observer(ControlObserver* observer) override;
  void remove_observer(ControlObserver* observer) override;
  std::string version() const override;
  bool dry_run() const override;
  const Engine& engine() const override;
  Result<std::string> list_cases(std::string_view filter) const override;
  void list_events(std::string_view query, Ordered done) const override;
  Result<std::string> list_resources(std::string_view filter) const override;
  Result<std::string> list_bay_history(std::string_view filter) const override;
  void list_readings(std::string_view query, Ordered done) const override;
  Result<std::string> list_plugins() const override;
  Result<std::string> list_serd() const override;
  Result<std::string> list_outbox() const override;
  Result<std::string> list_actions() const override;
  Result<std::string> get_config() const override;
  Result<std::string> get_status() const override;
  Result<std::string> list_page(std::string_view list, std::string_view filter) const override;
  Result<std::vector<std::string>> judge(std::string_view verdict, std::string_view uuid,
                                         std::string_view part, bool force,
                                         std::string_view who) override;
  Result<void> acknowledge(std::string_view uuid, std::string_view comment,
                           std::string_view who) override;
  Result<std::string> locate(std::string_view part, bool on, std::string_view who) override;
  Result<std::string> hold_locate(std::string_view part, std::string_view holder,
                                  std::string_view who) override;
  Result<void> release_locate(std::string_view holder) override;
  std::set<std::string> locate_holders() const override;
  void refresh_disk(std::string_view part, std::string_view who, DiskAsked done) override;
  void self_test(std::string_view part, std::string_view type, bool force, std::string_view who,
                 DiskAsked done) override;
  void retire(std::string_view part, std::string_view level, std::string_view who,
              Ordered done) override;
  void restore(std::string_view part, std::string_view who, Ordered done) override;
  std::string name_part(std::string_view part) const override;
  void replace(std::string_view part, std::string_view with, bool force, std::string_view who,
               Ordered done) override;
  Result<std::string> list_maintenance() const override;
  Result<std::string> add_maintenance(std::string_view spec, std::string_view who) override;
  Result<void> end_maintenance(std::string_view id, std::string_view who) override;
  Result<std::string> list_happenings() const override;
  Result<std::string> explain_notify(std::string_view filter) const override;
  void test_notify(std::string_view channel, std::string_view who, Ordered done) override;
  Result<void> set_dry_run(bool on, std::string_view who) override;
  std::vector<std::string> reload(std::string_view who) override;

 private:
  CasesAround around_cases() const;
  Result<std::string> list(std::string_view list, std::string_view filter, Paging paging) const;
  Result<void> refuse_if_still_there(std::string_view uuid, std::string_view part) const;
  void ask_disk(const std::string& disk, PluginCall call, DiskAsked done);
  void await(Result<uint64_t> order, Ordered done);
  std::string restore_hint(std::string_view uuid, std::string_view part) const;
  void forget_plugins(const std::vector<std::string>& uuids);
  void tell_dry_run(bool before);
  void ask_store(Result<StoreQuery> query, Ordered done) const;

  Engine& engine_;
  Reconciler& reconciler_;
  PluginHub& hub_;
  Sight sight_;
  Voice voice_;
  Road& road_;
  std::vector<ControlObserver*> observers_;
  std::map<uint64_t, Ordered> orders_;  // under way
  mutable CurrentPartIndex index_;
};

}  // namespace fmd
