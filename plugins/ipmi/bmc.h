// BmcLink: runs one ipmitool at a time, with a deadline. One that hangs in the kernel blocks the
// next. Single thread.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "plugins/ipmi/options.h"
#include "plugins/ipmi/raw.h"
#include "plugins/sdk/host.h"

namespace fmd::ipmi {

class BmcLink {
 public:
  using Done = std::function<void(const sdk::CommandOutput&)>;

  BmcLink(sdk::Host& host, const Options& options);
  ~BmcLink();
  BmcLink(const BmcLink&) = delete;
  BmcLink& operator=(const BmcLink&) = delete;

  // Why the BMC cannot be queried at all: "no ipmitool(1)"; "" if it can.
  std::string cannot() const;
  bool is_there() const;  // a BMC exists, according to its device or ipmi.toml
  bool busy() const { return busy_; }
  bool stuck() const { return stuck_; }
  // Call these only while not busy. `done` runs once the process has exited, or at the deadline.
  void ask(const std::vector<Request>& requests,
           std::function<void(std::vector<Answer>, const sdk::CommandOutput&)> done);
  void dump_sdr(std::function<void(Result<std::string>)> done);
  void print_frus(Done done);

 private:
  void run(std::vector<std::string> command, int deadlines, Done done);
  sdk::Host& host_;
  const Options& options_;
  std::string folder_;
  bool own_folder_ = false, busy_ = false, stuck_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace fmd::ipmi
