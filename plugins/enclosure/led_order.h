// LedOrder: sets one LED. Writes can be lost (the kernel drops the driver's error), so only the
// value read back counts: up to 5 writes and reads, 100 ms apart, on timers. If several processors
// lead to the enclosure, the attempts alternate between them. A command is run once, as only its
// exit status is known. Source: the file of a Way; ledctl(8), ipmitool(1). Single thread.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "plugins/enclosure/lane.h"

namespace fmd::enclosure {

class LedOrder : public std::enable_shared_from_this<LedOrder> {
 public:
  static constexpr int kTries = 5;
  static constexpr std::chrono::milliseconds kBetween{100};

  struct Way {
    std::shared_ptr<Lane> lane;
    std::string file;  // "/sys/class/enclosure/…/SLOT 03/fault"
    // The value to write, computed at each attempt because two indications may share one LED.
    // Empty: 1 or 0.
    std::function<std::string()> value;
    bool reads_back = true;  // false: only the write's result is known
    // Instead of a file: the command to run, computed when it starts.
    std::function<std::vector<std::string>()> command;
    int not_ours = 0;  // bits of the value read back that are set by others
  };
  struct Outcome {
    bool done = false;
    std::string reason;  // of a failure: "written 1, reads back 0"
    int tries = 0;
  };
  using Done = std::function<void(const Outcome&)>;
  // Writes a value to a file, in the child; tests use it to lose writes. Empty: Host::write.
  using Write = std::function<Result<void>(const sdk::Host&, const std::string& file,
                                           std::string_view value)>;

  // ways: at least one. done: once, from the loop; never if the order is dropped first.
  static std::shared_ptr<LedOrder> start(sd_event* loop, const sdk::Host& host,
                                         std::vector<Way> ways, bool on, Write write, Done done);

 private:
  LedOrder(sd_event* loop, const sdk::Host& host, std::vector<Way> ways, bool on, Write write,
           Done done)
      : host_(host),
        ways_(std::move(ways)),
        on_(on),
        write_(std::move(write)),
        done_(std::move(done)),
        timer_(loop) {}
  void attempt();
  void put(const Way& way);
  void answered(const sdk::CommandOutput& output);
  void commanded(const sdk::CommandOutput& output);

  const sdk::Host& host_;
  std::vector<Way> ways_;
  bool on_;
  Write write_;
  Done done_;
  sdk::Timer timer_;
  int tries_ = 0;
  std::string written_;  // in the present attempt
  std::string program_;  // name of the command
  bool exact_ = false;   // the value read back must be equal
  bool reads_back_ = true;
  int not_ours_ = 0;
};

}  // namespace fmd::enclosure
