// MdCommands: carries out fmd's commands on md members, one at a time: scan, plan (md_plan.h), run
// the commands with a deadline, scan until the effect shows, reply. A repeated key, also after a
// restart, is answered from the stored reply. Single thread.
#pragma once
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "plugins/sdk/host.h"
#include "plugins/sdk/plugin.h"
#include "plugins/sdk/timer.h"
#include "plugins/volumes/md_plan.h"
#include "plugins/volumes/volumes_memory.h"

namespace fmd::volumes {

class MdCommands {
 public:
  // Scans and publishes, then calls back with the result, or with null and the reason.
  using Seen = std::function<void(const MdScan* scan, const std::string& trouble)>;
  using Look = std::function<void(Seen seen)>;
  MdCommands(sd_event* loop, sdk::Host& host, VolumesMemory& memory, Look look);
  ~MdCommands();
  void run(const sdk::CommandRequest& request, sdk::Plugin::Reply reply);

 private:
  struct Job;
  void start();
  void plan(const MdScan& scan);
  void step();
  void run_step();
  void stepped(const sdk::CommandOutput& output);
  void check();
  void checked(const MdScan& scan);
  void finish(sdk::CommandReply reply);

  sd_event* loop_;
  sdk::Host& host_;
  VolumesMemory& memory_;
  Look look_;
  hardware::OverwriteGuard guard_;
  std::deque<std::shared_ptr<Job>> queue_;  // the front one is running
  sdk::Timer again_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace fmd::volumes
