// LedOrder: one LED brought to one state. Writes are lost on the way (the kernel drops the driver's
// error), so only what is read back counts: written and read up to 5 times, 100 ms apart, on
// timers. Where several processors lead to the same enclosure the tries go round among them. A
// light that only a command can reach gets that once: its exit status is all that is known. Source:
// whatever file a Way names, ledctl(8) and ipmitool(1). Single thread.
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
    // What to write, asked at each try: two indications may share one light. Empty: 1 or 0.
    std::function<std::string()> value;
    bool reads_back = true;  // false: written is all that can be known
    // In place of a file: the command that does it, asked when its turn has come.
    std::function<std::vector<std::string>()> command;
    int not_ours = 0;  // bits of what is read back that others make
  };
  struct Outcome {
    bool done = false;
    std::string reason;  // of a failure: "written 1, reads back 0"
    int tries = 0;
  };
  using Done = std::function<void(const Outcome&)>;
  // How a value gets into a file, in the child; a test loses some. Empty: Host::write.
  using Write = std::function<Result<void>(const sdk::Host&, const std::string& file,
                                           std::string_view value)>;

  // ways: at least one. done: once, from the loop; not when cancelled by dropping the order.
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
  std::string written_;  // by the try under way
  std::string program_;  // that does it
  bool exact_ = false;   // it must read back as just that
  bool reads_back_ = true;
  int not_ours_ = 0;
};

}  // namespace fmd::enclosure
