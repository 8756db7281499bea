// Light: a bay's locate light while it stands. It goes out with it, whatever happens meanwhile: fmd
// puts it out when this program has left the bus, however it ended. When fmd is away just then (a
// restart keeps the wish, and so the light), it is asked again until it is back or the person has
// had enough, so that the next bay does not blink beside this one.
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

  // Why it does not blink, "" when it does.
  std::string on();

 private:
  void off();
  void say_still_on(const std::string& why) const;

  Client& client_;
  const std::string bay_;
  const bool anothers_;  // somebody had it lit before: it stays
  bool asked_ = false;
};

}  // namespace fmd::cli
