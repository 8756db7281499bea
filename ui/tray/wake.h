// Wake: interrupts another thread's wait. Any thread may ring it; it stays rung.
#pragma once

namespace fmd::tray {

class Wake {
 public:
  Wake();  // if no descriptor is available, rest() still waits but cannot be interrupted
  ~Wake();
  Wake(const Wake&) = delete;
  Wake& operator=(const Wake&) = delete;

  void ring();
  bool rang() const;
  bool rest(int ms) const;        // false: it was rung
  int fd() const { return fd_; }  // readable once it was rung

 private:
  const int fd_;
};

}  // namespace fmd::tray
