// Reader: a thread that keeps the tables up to date. It queries fmd after a signal about a change
// and every ten seconds, but uses at most a tenth of fmd's time. Each new picture is passed to the
// loop's thread. If fmd does not answer for a minute, the last picture is passed again, as stale.
#pragma once
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "fmd/base/result.h"
#include "plugins/sdk/timer.h"
#include "plugins/snmp/part_numbers.h"
#include "plugins/snmp/table.h"

namespace fmd::snmp {

using Picture = std::shared_ptr<const View>;

class Reader {
 public:
  // bus: "system", "session" or a D-Bus address. tell: called from the loop.
  static Result<std::unique_ptr<Reader>> start(sd_event* loop, std::string bus, PartNumbers numbers,
                                               std::function<void(const Picture&)> tell);
  ~Reader();  // aborts a pending call
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

 private:
  Reader(std::string bus, PartNumbers numbers, std::function<void(const Picture&)> tell);
  void run(std::string bus, PartNumbers numbers);
  bool pause(int milliseconds);  // false: the thread is to end
  void watch(int descriptor);    // socket to shut down to abort a call; -1: none
  void hand_over(Picture picture);
  static int on_bell(sd_event_source*, int fd, uint32_t, void* self);

  std::function<void(const Picture&)> tell_;
  int bell_ = -1;  // eventfd
  sdk::Source bell_source_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool ending_ = false;
  int descriptor_ = -1;
  Picture picture_;
  std::thread thread_;
};

}  // namespace fmd::snmp
