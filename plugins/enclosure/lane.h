// Lane: runs all operations on one enclosure one after the other, each in a child with a deadline.
// To write an LED, the kernel reads and writes a whole SES page, so two concurrent writes would
// undo each other. While a child hangs beyond its deadline, everything else fails at once. Single
// thread.
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
  using Done = std::function<void(const sdk::CommandOutput&)>;  // End::deadline: no answer

  Lane(sd_event* loop, sdk::Host& host, std::chrono::milliseconds deadline)
      : host_(host), deadline_(deadline), refuse_(loop) {}
  // urgent: before all jobs that are not, else in order. done is called from the loop.
  void run(Work work, Done done, bool urgent);
  // The same for a program that accesses the enclosure.
  void run_command(std::vector<std::string> argv, Done done, bool urgent);
  bool stuck() const { return stuck_; }

 private:
  struct Job {
    Work work;
    std::vector<std::string> argv;  // if not empty, runs instead of work
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
