// Light: lights a bay's locate LED during its lifetime. fmd switches it off when this program has
// left the bus, however it ended. If fmd is away when the LED is to go off (a restart keeps the
// wish), the request is repeated until fmd is back or the user gives up, so that only the next
// bay's LED blinks.
#pragma once
#include <string>

#include "fmd/model/inventory.h"
#include "ui/cli/daemon.h"

namespace fmd::cli {

class Light {
 public:
  Light(Client& client, const Resource& bay);
  ~Light();
  Light(const Light&) = delete;
  Light& operator=(const Light&) = delete;

  // Why the LED does not blink; "" if it does.
  std::string on();

 private:
  void off();
  void say_still_on(const std::string& why) const;

  Client& client_;
  const std::string bay_;
  const bool anothers_;  // lit before: stays on
  bool asked_ = false;
};

}  // namespace fmd::cli
