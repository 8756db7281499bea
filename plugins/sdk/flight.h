// Flight: runs the plugin's code for one device in a child process with a deadline, one child at a
// time. While a child hangs in the kernel beyond its deadline, no other is started. If the result is
// the same as the last one, the child sends only that fact. Single thread.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "plugins/sdk/host.h"
#include "plugins/sdk/last_answer.h"

namespace fmd::sdk {

class Flight : public std::enable_shared_from_this<Flight> {
 public:
  Flight(Host& host, std::chrono::milliseconds deadline) : host_(host), deadline_(deadline) {}
  // False: the previous work is not over. done is called from the loop, or never if the Flight is
  // destroyed; same: the output equals the last good one.
  using Done = std::function<void(const CommandOutput& output, bool same)>;
  bool start(std::function<std::string()> work, Done done);
  const std::string& last() const { return last_.bytes(); }  // of the last good run; "" if none
  bool busy() const { return busy_; }
  bool stuck() const { return stuck_; }  // the child missed its deadline and still hangs

 private:
  Host& host_;
  std::chrono::milliseconds deadline_;
  LastAnswer last_;
  bool busy_ = false, stuck_ = false;
};

}  // namespace fmd::sdk
