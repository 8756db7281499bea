// PrivateBus: a dbus-daemon of the test's own in a temporary folder, with the distribution's system.conf and
// fmd's policy (simulator/bus.py does the same). Ends with the test.
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
  void stop();         // as if it had crashed
  void start();        // at the same address; returns when it listens
  void pause() const;  // it takes nothing any more, and nobody is told
  void resume() const;

 private:
  std::string folder_, address_;
  pid_t child_ = 0;
};

}  // namespace fmd::test
