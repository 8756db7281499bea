// PrivateBus: the test's own dbus-daemon in a temporary folder, with the distribution's system.conf
// and fmd's policy (like simulator/bus.py). Ends with the test.
#pragma once
#include <sys/types.h>

#include <string>

namespace fmd::test {

class PrivateBus {
 public:
  PrivateBus();
  ~PrivateBus();
  PrivateBus(const PrivateBus&) = delete;
  PrivateBus& operator=(const PrivateBus&) = delete;

  const std::string& address() const { return address_; }
  void stop();         // like a crash
  void start();        // at the same address; returns when it listens
  void pause() const;  // accepts nothing more, without any notice
  void resume() const;

 private:
  std::string folder_, address_;
  pid_t child_ = 0;
};

}  // namespace fmd::test
