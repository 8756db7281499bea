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
  // False: the one before is not over. done comes from the loop, unless the Flight is dropped; same: the output is that of the good
  // one before.
  using Done = std::function<void(const CommandOutput& output, bool same)>;
  bool start(std::function<std::string()> work, Done done);
  const std::string& last() const { return last_.bytes(); }  // good answer; "" there was none
  bool busy() const { return busy_; }
  bool stuck() const { return stuck_; }  // it did not answer by the deadline and still hangs

 private:
  Host& host_;
  std::chrono::milliseconds deadline_;
  LastAnswer last_;
  bool busy_ = false, stuck_ = false;
};

}  // namespace fmd::sdk
