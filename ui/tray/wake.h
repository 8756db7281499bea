// Wake: ends what another thread waits for. Any thread may ring it; once rung it stays so.
#pragma once

namespace fmd::tray {

class Wake {
 public:
  Wake();  // without a file descriptor left in the process rest() still waits, and cannot be cut short
  ~Wake();
  Wake(const Wake&) = delete;
  Wake& operator=(const Wake&) = delete;

  void ring();
  bool rang() const;
  bool rest(int ms) const;        // false: it was rung meanwhile
  int fd() const { return fd_; }  // can be read once it was rung

 private:
  const int fd_;
};

}  // namespace fmd::tray
