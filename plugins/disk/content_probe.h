// ContentProbe: is there anything on a disk? Asks blkid(8), which reads the disk and so may hang
// with it: one run at a time a disk, with a deadline, and none more while one is stuck. "blank" is
// what lets fmd give the disk to a pool, so anything but a clean "nothing found" is "unknown".
#pragma once
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "plugins/sdk/host.h"

namespace fmd::disk {

std::string content_from_blkid(const sdk::CommandOutput& output);  // "blank", "used", "unknown"

class ContentProbe {
 public:
  using Done = std::function<void(const std::string& content)>;
  static constexpr size_t kAtOnce = 8;  // runs over all disks; stuck ones are not counted

  ContentProbe(sdk::Host& host, std::chrono::milliseconds deadline)
      : host_(host), deadline_(deadline) {}
  // key: of the disk's appearance (identity and diskseq). name: device name. done: once, from the
  // loop. Asked again while a run is under way, another one follows: what was read may be old.
  void ask(const std::string& key, const std::string& name, Done done);

 private:
  struct Flight {
    std::string name;
    bool running = false;  // a process exists
    bool stuck = false;    // it is beyond its deadline
    std::vector<Done> now, next;
  };
  void start_some();
  void start(const std::string& key);
  void answered(const std::string& key, const sdk::CommandOutput& output);
  void gone(const std::string& key);

  sdk::Host& host_;
  std::chrono::milliseconds deadline_;
  std::map<std::string, Flight> flights_;
  std::deque<std::string> waiting_;
  size_t active_ = 0;
};

}  // namespace fmd::disk
