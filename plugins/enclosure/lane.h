// Lane: all that is done with one enclosure, one after the other, each in a child with a deadline.
// The kernel's writing of an LED reads and writes a whole SES page, so two at once would undo each
// other. While a child hangs in the device beyond its deadline nothing more is started: everything
// fails at once, until it is gone. Single thread.
#pragma once
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "plugins/sdk/host.h"
#include "plugins/sdk/timer.h"

namespace fmd::enclosure {

class Lane : public std::enable_shared_from_this<Lane> {
 public:
  using Work = std::function<std::string()>;
  using Done = std::function<void(const sdk::CommandOutput&)>;  // End::deadline: it does not answer

  Lane(sd_event* loop, sdk::Host& host, std::chrono::milliseconds deadline)
      : host_(host), deadline_(deadline), refuse_(loop) {}
  // urgent: before all that is not; else in order. done comes from the loop.
  void run(Work work, Done done, bool urgent);
  // The same for a program that talks to the enclosure.
  void run_command(std::vector<std::string> argv, Done done, bool urgent);
  bool stuck() const { return stuck_; }

 private:
  struct Job {
    Work work;
    std::vector<std::string> argv;  // when not empty, in place of work
    Done done;
  };
  void add(Job job, bool urgent);
  void next();
  void answered(const Done& done, const sdk::CommandOutput& output);
  void refuse_all();

  sdk::Host& host_;
  std::chrono::milliseconds deadline_;
  sdk::Timer refuse_;
  std::deque<Job> urgent_, jobs_;
  bool busy_ = false, stuck_ = false;
};

}  // namespace fmd::enclosure
