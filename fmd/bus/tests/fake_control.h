// FakeControl: a Control over a real Engine that the test fills, for tests of the bus and of the
// command lines. Records requested changes.
#pragma once
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "fmd/base/json.h"
#include "fmd/control/control.h"

namespace fmd::test {

class FakeControl final : public Control {
 public:
  FakeControl();

  void put_case(const nlohmann::json& doc, std::string_view event);  // as case_from_json takes it
  void put_resource(const nlohmann::json& doc);
  void remove_resource(const std::string& fmri);
  void log_event(nlohmann::json event);  // gets the next seq

  nlohmann::json config = nlohmann::json::object(), plugins = nlohmann::json::array(),
                 serd = nlohmann::json::array(), outbox = nlohmann::json::array(),
                 happenings = nlohmann::json::array(), actions = nlohmann::json::array(),
                 status = nlohmann::json::object(), maintenance = nlohmann::json::array(),
                 notices = nlohmann::json::array(), explanations = nlohmann::json::array(),
                 bay_history = nlohmann::json::array(), readings = nlohmann::json::object();
  std::vector<std::string> reload_errors;
  std::vector<std::string> changes;  // "judge replaced UUID PART by root"
  bool disks_answer = true;          // at once; otherwise in answer_disks()
  std::string disk_note;             // in a disk's answer; "!why" refuses
  void answer_disks();
  bool orders_answer = true;  // at once; otherwise in answer_orders()
  std::string judge_error;    // of all verdicts but the first
  int verdicts = 0;           // since judge_error was set
  std::string order_text;     // in an order's answer; "" a default sentence; "!why" refuses
  void answer_orders();
  bool leds_obey = true;                    // locate shows in led.locate at once
  std::map<std::string, std::string> held;  // locate lights: bay → holder
  mutable std::vector<std::string> asked;   // history queries as received
  bool knows_around_cases = true;           // false: like an older fmd
  bool finds_prefixes = false;              // false: no "uuid_prefix" either
  mutable std::vector<size_t> cases_sent;   // per list
  bool around_cases_is_late = false;        // all cases are closed when it is answered
  std::string oversized;                    // if set, list_outbox returns it

  void add_observer(ControlObserver* observer) override { observers_.insert(observer); }
  void remove_observer(ControlObserver* observer) override { observers_.erase(observer); }
  std::string version() const override { return "0.1.0-test"; }
  bool dry_run() const override { return dry_run_; }
  const Engine& engine() const override { return engine_; }
  Result<std::string> list_cases(std::string_view filter) const override;
  void list_events(std::string_view query, Ordered done) const override {
    asked.emplace_back(query);
    done(events(query));
  }
  Result<std::string> list_resources(std::string_view filter) const override;
  Result<std::string> list_bay_history(std::string_view filter) const override;
  void list_readings(std::string_view query, Ordered done) const override { done(measured(query)); }
  Result<std::string> list_plugins() const override { return plugins.dump(); }
  Result<std::string> list_serd() const override { return serd.dump(); }
  Result<std::string> list_outbox() const override {
    return oversized.empty() ? outbox.dump() : oversized;
  }
  Result<std::string> list_happenings() const override { return happenings.dump(); }
  Result<std::string> list_actions() const override { return actions.dump(); }
  Result<std::string> get_status() const override { return status.dump(); }
  Result<std::string> get_config() const override;  // last_seq as with a store
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
  std::string name_part(std::string_view part) const override {
    return "disk S4 in " + std::string(part);
  }
  void restore(std::string_view part, std::string_view who, Ordered done) override;
  void replace(std::string_view part, std::string_view with, bool force, std::string_view who,
               Ordered done) override;
  Result<std::string> list_maintenance() const override { return maintenance.dump(); }
  Result<std::string> add_maintenance(std::string_view spec, std::string_view who) override;
  Result<void> end_maintenance(std::string_view id, std::string_view who) override;
  Result<std::string> explain_notify(std::string_view) const override { return notices.dump(); }
  void test_notify(std::string_view channel, std::string_view who, Ordered done) override;
  Result<void> set_dry_run(bool on, std::string_view who) override;
  std::vector<std::string> reload(std::string_view who) override;

 private:
  std::vector<std::string> parts_in(const nlohmann::json& filter) const;
  Result<std::string> events(std::string_view query) const;
  Result<std::string> measured(std::string_view query) const;
  void light(const std::string& bay, bool on);
  void ask_disk(std::string_view part, DiskAsked done);
  void order(std::string_view part, const std::string& usual, Ordered done);
  std::vector<std::function<void()>> asked_disks_, orders_;

  Engine engine_;
  // As put: the engine drops undecided cases that wait for nothing.
  std::map<std::string, nlohmann::json> cases_, resources_;
  std::vector<nlohmann::json> events_;
  std::set<ControlObserver*> observers_;
  bool dry_run_ = false;
};

}  // namespace fmd::test
