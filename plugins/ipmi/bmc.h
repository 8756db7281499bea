// Bmc link: one ipmitool at a time, with a deadline. One that hangs in the kernel keeps the next
// from starting. Single thread.
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

  // Why the BMC cannot be asked at all: "no ipmitool(1)"; "" it can.
  std::string cannot() const;
  bool is_there() const;  // a BMC, as far as its device or ipmi.toml tells
  bool busy() const { return busy_; }
  bool stuck() const { return stuck_; }
  // All are only to be called while it is not busy. done comes once no process is left, or at the
  // deadline.
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
