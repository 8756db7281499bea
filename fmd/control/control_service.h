// ControlService: Control for the bus, out of the daemon's parts. Changes are written at once, the
// answer comes after the commit. Single thread.
#pragma once
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/control/control.h"
#include "fmd/daemon/parts.h"

namespace fmd {

class ControlService : public Control {
 public:
  // reload: reads everything again, returns the errors.
  ControlService(Parts& parts, std::function<std::vector<std::string>()> reload);

  void changed(const Changes& changes);  // after a commit: tells the observers

  void add_observer(ControlObserver* observer) override;
  void remove_observer(ControlObserver* observer) override;
  std::string version() const override;
  bool dry_run() const override;
  const Engine& engine() const override;
  Result<std::string> list_cases(std::string_view filter) const override;
  Result<std::string> list_events(std::string_view query) const override;
  Result<std::string> list_resources(std::string_view filter) const override;
  Result<std::string> list_bay_history(std::string_view filter) const override;
  Result<std::string> list_readings(std::string_view query) const override;
  Result<std::string> list_plugins() const override;
  Result<std::string> list_serd() const override;
  Result<std::string> list_outbox() const override;
  Result<std::string> get_config() const override;
  Result<std::vector<std::string>> judge(std::string_view verdict, std::string_view uuid,
                                         std::string_view part, std::string_view who) override;
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
  Result<void> set_dry_run(bool on, std::string_view who) override;
  std::vector<std::string> reload(std::string_view who) override;

 private:
  Result<std::string> bay_of(std::string_view part) const;
  Result<std::string> disk_of(std::string_view part) const;
  void ask_disk(const std::string& disk, PluginCall call, DiskAsked done);
  Result<void> take_in_queue();
  Result<void> act_on_wish();
  void forget_plugins(const std::vector<std::string>& uuids);
  Parts& parts_;
  std::function<std::vector<std::string>()> reload_;
  std::vector<ControlObserver*> observers_;
};

}  // namespace fmd
