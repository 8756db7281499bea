// UnitWatch: the state of plugins' units, queried from org.freedesktop.systemd1 (all users may read
// a unit's properties; the query loads the unit). Reports nothing without an answer (no systemd on
// that bus). Never blocks. Single thread.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fmd/bus/sd_handles.h"
#include "fmd/model/unit_state.h"

namespace fmd::bus {

class UnitWatch {
 public:
  // restarts: systemd's automatic restarts since the unit was last started by hand.
  using Told = std::function<void(const std::string& plugin, UnitState unit, uint32_t restarts)>;
  explicit UnitWatch(Told told) : told_(std::move(told)) {}
  UnitWatch(const UnitWatch&) = delete;

  // Replaces pending queries for the same plugins.
  void ask(sd_bus* bus, const std::vector<std::string>& plugins);
  void forget();  // the connection is lost

 private:
  struct Question {
    UnitWatch* watch = nullptr;
    std::string plugin;
    UnitState state = UnitState::unknown;
    SlotPtr slot;
  };
  static int on_properties(sd_bus_message* reply, void* question, sd_bus_error*);
  static int on_restarts(sd_bus_message* reply, void* question, sd_bus_error*);

  Told told_;
  std::map<std::string, Question> questions_;  // by plugin
};

}  // namespace fmd::bus
