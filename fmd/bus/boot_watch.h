// BootWatch: whether systemd starts fmd at the next boot, that is, fmd.target or fmd.service is
// enabled. Queries org.freedesktop.systemd1 (GetUnitFileState is open to all users). Reports
// nothing without an answer (no systemd on that bus, unknown units). Never blocks. Single thread.
#pragma once
#include <array>
#include <cstddef>
#include <functional>
#include <optional>

#include "fmd/bus/sd_handles.h"

namespace fmd::bus {

class BootWatch {
 public:
  using Told = std::function<void(bool starts)>;
  explicit BootWatch(Told told) : told_(std::move(told)) {}
  BootWatch(const BootWatch&) = delete;

  void ask(sd_bus* bus);  // cancels an earlier query
  void forget();          // the connection is lost

 private:
  struct Question {
    BootWatch* watch = nullptr;
    SlotPtr slot;
    std::optional<bool> enabled;
  };
  static int on_state(sd_bus_message* reply, void* question, sd_bus_error*);
  void answered();

  Told told_;
  std::array<Question, 2> questions_;
};

}  // namespace fmd::bus
